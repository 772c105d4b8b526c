package charging

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/notice"
	"homeroom/tenancy"
)

const (
	// beginRun makes a day's run this one: the second of a day finds the first's row.
	beginRun = `insert into fee_fine_run (day, run_at) values ($1, $2) on conflict (day) do nothing returning 1`
	// lateInvoices are those whose grace is over on the day $1, and since when. Grace begins
	// with the due date, or when it was charged or the rule was made if that was later.
	lateInvoices = `select * from (
			select i.id, i.student_id, i.due_date, i.name, s.fine_type, s.fine_amount, s.fine_max_amount, greatest(i.due_date, t.value_date,
			s.fine_since) + s.fine_grace_days as since
			from fee_invoice i join fee_structure s on s.id = i.structure_id join ledger_transaction t on t.id = i.transaction_id
			where s.fine_type <> 'NONE' and i.due_date < $1::date) l
		where since < $1::date`
	// lockLate locks their accounts, in the order everybody does.
	lockLate = `select a.id from ledger_account a where a.id in (select student_id from (` + lateInvoices +
		`) late) order by a.id for no key update`
	// fineLate posts what each open invoice's rule says is due by now and was not fined yet:
	// days on which nobody ran it are caught up with. $1 is today, $2 the moment. Less than the
	// school's threshold is not fined.
	fineLate = `with late as (` + lateInvoices + `),
		own as (
			select account_id, invoice_id, sum(case entry_type when 'DR' then amount else -amount end) as net
			from ledger_entry where account_id in (select student_id from late) group by account_id, invoice_id),
		item as (
			select i.id, o.net, coalesce(-m.net, 0) - (sum(o.net) over (partition by i.student_id order by i.due_date, i.id) - o.net) as left_for_it
			from own o join fee_invoice i on i.id = o.invoice_id left join own m on m.account_id = o.account_id and m.invoice_id is null),
		fined as (
			select l.id, sum(f.amount) as ever, coalesce(sum(f.amount) filter (where f.day > l.since), 0) as lately from late l
			join fee_fine f on f.invoice_id = l.id group by l.id),
		owed as (
			select l.*, coalesce(fined.ever, 0) as ever,
				case when l.fine_type = 'PER_DAY' then l.fine_amount * ($1::date - l.since) - coalesce(fined.lately, 0)
				when fined.ever is null then l.fine_amount else 0 end as rule
			from late l join item on item.id = l.id left join fined on fined.id = l.id cross join school_setting s
			where item.net - greatest(0, item.left_for_it) >= greatest(1, s.late_fine_threshold)),
		fine as (
			select gen_random_uuid() as transaction_id, owed.*,
				(case when fine_max_amount > 0 then least(rule, fine_max_amount - ever) else rule end)::bigint as amount from owed),
		posted as (
			insert into ledger_transaction (id, kind, value_date, narration, idempotency_key, created_at)
			select transaction_id, 'FINE', $1, 'Late fine on ' || name, 'late ' || id || ' ' || $1::date, $2 from fine where amount > 0),
		entered as (
			insert into ledger_entry (transaction_id, line, account_id, entry_type, amount, invoice_id, due_date)
			select transaction_id, 1, student_id, 'DR', amount, id, due_date from fine where amount > 0
			union all
			select transaction_id, 2, '00000000-0000-4000-8000-000000000004', 'CR', amount, null, null from fine where amount > 0),
		noted as (
			insert into fee_fine (invoice_id, day, amount, transaction_id) select id, $1, amount, transaction_id from fine where amount > 0)
		select fine.transaction_id, fine.student_id, trim(s.first_name || ' ' || s.last_name) as student_name, fine.name, fine.due_date,
			fine.amount, fine.fine_type, fine.fine_amount, fine.ever = 0 as first
		from fine join student s on s.id = fine.student_id where fine.amount > 0 order by fine.id`
)

// lateFine is a fine that the night posted.
type lateFine struct {
	TransactionID uuid.UUID
	StudentID     uuid.UUID
	StudentName   string
	Name          string // of the invoice
	DueDate       api.Date
	Amount        int64
	FineType      string
	FineAmount    int64
	First         bool // on the invoice
}

// NightFines fines what is late at a school. Most nights, at most schools, there is nothing to
// do: that is found out without a transaction.
func NightFines(ctx context.Context, at api.SchoolWork) error {
	var due bool
	err := at.DB.Raw(`select exists (select from fee_structure where fine_type <> 'NONE')
		and not exists (select from fee_fine_run where day = ?)`, at.Today()).Scan(&due).Error
	if err != nil {
		return fmt.Errorf("looking for late fines: %w", err)
	}
	if !due {
		return nil
	}
	return at.Do(ctx, "late-fines", func(c api.Ctx) error {
		_, err := FineLate(c, c.Today())
		return err
	})
}

// FineLate posts the late fines of a day, once: run again on the same day, at the same time or
// after it, it does nothing. Guardians are notified of the first fine on an invoice, unless the
// day is past; of PER_DAY a notice every day would be too many. It returns how many it posted.
func FineLate(c api.Ctx, day api.Date) (int64, error) {
	var begun int64
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: beginRun, Args: []any{day, c.Now}, Scan: count(&begun)})
	if err != nil || begun == 0 {
		return 0, err
	}
	var fines []lateFine
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: lockLate, Args: []any{day}, Scan: discard},
		tenancy.Query{SQL: fineLate, Args: []any{day, c.Now}, Scan: tenancy.Collect(&fines)})
	if err != nil {
		return 0, fmt.Errorf("posting late fines: %w", err)
	}
	for _, f := range fines {
		if f.First && !day.Before(c.Today()) {
			notice.Send(c, f.notice(c))
		}
	}
	return int64(len(fines)), nil
}

// morning is when families hear of what the night did.
const morning = 9 * time.Hour

func (f lateFine) notice(c api.Ctx) notice.Notice {
	writes := ledger.Figures(c)
	more := any("")
	if f.FineType == "PER_DAY" {
		more = notice.Text{Name: "fee.perDay", Values: notice.Values{"amount": writes.Money(f.FineAmount)}}
	}
	n := ChargeNotice(f.TransactionID, f.StudentID, notice.Text{Name: "fee.late", Values: notice.Values{
		"amount": writes.Money(f.Amount), "child": f.StudentName, "what": f.Name, "date": ledger.Day(writes, f.DueDate), "more": more}})
	if due := c.Today().In(c.School.Location()).Add(morning); c.Now.Before(due) {
		n.DueAt = due
	}
	return n
}

// count counts a query's rows.
func count(into *int64) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		for *into = 0; rows.Next(); *into++ {
		}
		return rows.Err()
	}
}
