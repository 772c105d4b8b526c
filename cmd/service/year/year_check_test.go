package year_test

import (
	"fmt"
	"maps"
	"testing"

	"homeroom/modules/fee"
	"homeroom/testkit"
)

// checkBalances compares the ledger with what the test sent: every account of a student, and
// that every transaction balances.
func (y *wholeYear) checkBalances(t *testing.T) {
	t.Helper()
	same(t, "balance", y.select2(t, `select s.admission_number as key, sum(case e.entry_type when 'DR' then e.amount else -e.amount end)::text
		as value from ledger_entry e join student s on s.id = e.account_id group by 1
		having sum(case e.entry_type when 'DR' then e.amount else -e.amount end) <> 0`), amounts(y.fees.balance))
	b := testkit.Get[fee.TrialBalance](t, y.office, "/school-admin/fee/trial-balance")
	var owed, ahead int64
	for _, n := range y.fees.balance {
		owed, ahead = owed+max(0, n), ahead+max(0, -n)
	}
	var gotOwed, gotAhead int64
	for _, a := range b.Accounts {
		switch a.Type {
		case "STUDENT", "RECEIVABLE":
			gotOwed += a.Debit - a.Credit
		case "ADVANCE":
			gotAhead += a.Credit - a.Debit
		}
	}
	if b.TotalDebit != b.TotalCredit || gotOwed != owed || gotAhead != ahead {
		t.Errorf("trial balance: %d and %d; owed %d, want %d; ahead %d, want %d", b.TotalDebit, b.TotalCredit, gotOwed, owed, gotAhead, ahead)
	}
}

// checkDrawer compares the day book with what was taken at the counter.
func (y *wholeYear) checkDrawer(t *testing.T) {
	t.Helper()
	book := testkit.Get[fee.Closing](t, y.office, "/school-admin/fee/collection?from=2026-11-16&to="+y.today().String())
	got := map[string]string{}
	var total int64
	for _, d := range book.Days {
		if d.Net != 0 {
			got[d.Date.String()+" "+d.PaymentMode] = fmt.Sprint(d.Net)
		}
		total += d.Net
	}
	same(t, "day book", got, amounts(y.fees.drawer))
	if book.Total != total {
		t.Errorf("the day book's total is %d, its lines come to %d", book.Total, total)
	}
}

// openOn is what is open of each invoice on a day: money is taken off the oldest, one by one.
const openOn = `with part as (
		select e.account_id as student_id, e.invoice_id, sum(case e.entry_type when 'DR' then e.amount else -e.amount end) as n
		from ledger_entry e join student s on s.id = e.account_id group by 1, 2),
	line as (
		select p.student_id, i.id, i.structure_id, i.due_date, p.n, sum(p.n) over (partition by p.student_id order by i.due_date, i.id) as upto,
			coalesce((select -m.n from part m where m.student_id = p.student_id and m.invoice_id is null), 0) as paid
		from part p join fee_invoice i on i.id = p.invoice_id),
	open as (select student_id, id, structure_id, due_date, least(n, greatest(0, upto - paid))::bigint as open from line)`

// checkDues compares what is owed by age with the invoices that are open, one by one.
func (y *wholeYear) checkDues(t *testing.T) {
	t.Helper()
	want := y.select2(t, openOn+`, owed as (
			select student_id, sum(open) as total, coalesce(sum(open) filter (where @today - due_date < 0), 0) as later,
				coalesce(sum(open) filter (where @today - due_date between 0 and 30), 0) as a,
				coalesce(sum(open) filter (where @today - due_date between 31 and 60), 0) as b,
				coalesce(sum(open) filter (where @today - due_date between 61 and 90), 0) as c,
				coalesce(sum(open) filter (where @today - due_date > 90), 0) as d from open group by 1)
		select s.admission_number as key, concat_ws(' ', total, later, a, b, c, d) as value from owed join student s on s.id = owed.student_id
		where total > 0
		union all select 'all', concat_ws(' ', sum(total), sum(later), sum(a), sum(b), sum(c), sum(d)) from owed where total > 0
		union all select k.name, concat_ws(' ', sum(total), sum(later), sum(a), sum(b), sum(c), sum(d)) from owed
			join student s on s.id = owed.student_id
			left join enrolment e on e.student_id = owed.student_id and @today between e.start_date and coalesce(e.end_date, 'infinity')
			join class k on k.id = coalesce(e.class_id, s.class_id) where total > 0 group by 1`, map[string]any{"today": y.today()})
	words := func(a fee.Ageing) string {
		return fmt.Sprint(a.Total, a.NotDue, a.Days0To30, a.Days31To60, a.Days61To90, a.DaysOver90)
	}
	got := map[string]string{}
	for page := 1; ; page++ {
		d := testkit.Get[fee.Dues](t, y.office, fmt.Sprint("/school-admin/fee/dues?limit=100&page=", page))
		for _, s := range d.Items {
			got[s.AdmissionNumber] = words(s.Ageing)
		}
		got["all"] = words(d.Ageing)
		for _, k := range d.Classes {
			got[k.ClassName] = words(k.Ageing)
		}
		if page >= d.TotalPages {
			break
		}
	}
	same(t, "dues", got, want)
}

// fine runs the night's fines, and compares them with the invoices that are late and open.
func (y *wholeYear) fine(t *testing.T) {
	before := y.select2(t, `select invoice_id::text as key, 'fined' as value from fee_fine`)
	want := y.select2(t, openOn+` select o.id::text as key, s.admission_number as value
		from open o join student s on s.id = o.student_id join fee_invoice i on i.id = o.id join ledger_transaction x on x.id = i.transaction_id
		where o.structure_id is not null and o.open >= @least and @today > greatest(o.due_date, x.value_date) + 10
			and not exists (select from fee_fine f where f.invoice_id = o.id)`, map[string]any{"today": y.today(), "least": leastFined})
	for _, number := range want {
		y.fees.balance[number] += fineAmount
	}
	y.RunScheduled(t, "late-fines")
	got := y.select2(t, `select f.invoice_id::text as key, s.admission_number as value from fee_fine f
		join fee_invoice i on i.id = f.invoice_id join student s on s.id = i.student_id`)
	maps.DeleteFunc(got, func(invoice, _ string) bool { return before[invoice] != "" })
	same(t, "fine", got, want)
	told := y.select2(t, `select s.admission_number as key, count(*)::text as value from notice n join student s on s.id = n.student_id
		where n.title = 'Late fine' and n.created_at::date = @today group by 1`, map[string]any{"today": y.today()})
	fined := map[string]int64{}
	for _, number := range want {
		fined[number]++
	}
	same(t, "notices of fines", told, amounts(fined))
	y.checkBalances(t)
}

// checkStatements reads every fourth student's account: its balance, and what is open of it.
func (y *wholeYear) checkStatements(t *testing.T) {
	t.Helper()
	want := y.select2(t, openOn+` select s.admission_number as key, coalesce(sum(o.open), 0)::text as value from student s
		left join open o on o.student_id = s.id group by 1`)
	got := map[string]string{}
	for i, c := range y.children {
		if i%4 != 2 {
			delete(want, c.number)
			continue
		}
		r := testkit.Get[fee.Report](t, y.office, "/school-admin/fee/report/"+c.id.String())
		var open int64
		for _, v := range r.Invoices {
			open += v.Open
		}
		got[c.number] = fmt.Sprint(open)
		if r.Balance != y.fees.balance[c.number] || (len(r.Entries) > 0 && r.Entries[len(r.Entries)-1].Balance != r.Balance) {
			t.Errorf("%s: the statement says %d, want %d", c.number, r.Balance, y.fees.balance[c.number])
		}
	}
	same(t, "statement", got, want)
}
