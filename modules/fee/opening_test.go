package fee_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/modules/fee"
	"homeroom/modules/fee/charging"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

func (o *office) opening(t *testing.T, student uuid.UUID, kind string, amount int64, day api.Date) charging.OpeningBalance {
	t.Helper()
	return testkit.Post[charging.OpeningBalance](t, o.clerk, "/school-admin/fee/opening-balance/create",
		map[string]any{"studentId": student, "type": kind, "amount": amount, "date": day, "note": "Last year"})
}

func TestOpeningBalance_IsDueSinceItsDateAndSilent(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha, ravi := o.admit(t, "Asha"), o.admit(t, "Ravi")
	o.charge(t, 1)
	told := o.Count(t, "notice", "true")
	since := o.today.AddDays(-45)
	due := o.opening(t, asha, "DUE", 700, since)
	o.opening(t, ravi, "CREDIT", 1_000, since)
	if n := o.Count(t, "notice", "true"); n != told {
		t.Errorf("%d notices of opening balances", n-told)
	}
	if due.Date != since || due.Amount != 700 || due.Type != "DUE" || due.Narration != "Opening balance: Last year" {
		t.Errorf("opening balance %+v", due)
	}
	r := o.report(t, asha)
	if r.Balance != term1+700 || r.Entries[0].Kind != "OPENING" || r.Entries[0].Date != since || r.Entries[0].Balance != 700 {
		t.Errorf("statement %+v", r.Entries)
	}
	if states(r) != "Opening balance OVERDUE 700; Term 1 UNPAID 6001; " {
		t.Errorf("invoices %s", states(r))
	}
	if r := o.report(t, ravi); r.Balance != term1-1_000 || r.Invoices[0].Paid != 1_000 {
		t.Errorf("credit: %+v", r)
	}
	d := testkit.Get[fee.Dues](t, o.clerk, "/school-admin/fee/dues")
	if d.Ageing.Days31To60 != 700 || d.Ageing.Total != 2*term1+700-1_000 {
		t.Errorf("ageing %+v", d.Ageing)
	}
	o.sound(t)
}

func TestOpeningBalance_IsOneUntilItIsReversed(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	wrong := o.opening(t, asha, "DUE", 7_000, o.today)
	o.refuses(t, "POST", "/school-admin/fee/opening-balance/create",
		map[string]any{"studentId": asha, "type": "DUE", "amount": 1, "date": o.today}, 409, "")
	o.refuses(t, "POST", "/school-admin/fee/opening-balance/create",
		map[string]any{"studentId": asha, "type": "DUE", "amount": 1, "date": o.today.AddDays(1)}, 422, "date")
	back := testkit.Post[charging.ReversedDemand](t, o.clerk, "/school-admin/fee/transaction/"+wrong.ID.String()+"/reverse",
		map[string]any{"reason": "A nought too many"})
	if back.Balance != 0 || o.Count(t, "notice", "true") != 0 {
		t.Errorf("reversed %+v", back)
	}
	o.opening(t, asha, "DUE", 700, o.today)
	if r := o.report(t, asha); r.Balance != 700 {
		t.Errorf("balance %d", r.Balance)
	}
	page := testkit.Get[api.Page[charging.OpeningBalance]](t, o.clerk, "/school-admin/fee/opening-balance/list?filters[reversed]=false")
	if page.Total != 1 || page.Items[0].Amount != 700 || page.Items[0].StudentName != "Asha Rao" {
		t.Errorf("list %+v", page)
	}
	o.sound(t)
}

func TestOpeningBalances_OfAFile_AreAllOrNone(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	number := func(name string) (uuid.UUID, string) {
		id := o.admit(t, name)
		return id, testkit.Get[roster.StudentDetail](t, o.clerk, "/school-admin/student/"+id.String()).AdmissionNumber
	}
	asha, a := number("Asha")
	ravi, b := number("Ravi")
	_, z := number("Zoe")
	send := func(query, file string) testkit.Answer {
		return o.clerk.Send(t, "POST", "/school-admin/fee/opening-balance/import"+query, "text/csv", []byte(file))
	}
	since := o.today.AddDays(-100)
	good := fmt.Sprintf("Admission No,Amount,Date,Note\n%s,\"1,234.50\",%s,Term 3\n%s,-200,,\n%s,0,,\n", a, since, b, z)
	var got imports.ImportResult
	want := []imports.Sum{{Name: "dues", Value: 1}, {Name: "dueAmount", Value: 123_450}, {Name: "credits", Value: 1}, {Name: "creditAmount", Value: 20_000}}
	if send("?dryRun=true", good).Read(t, &got); got.Creates != 2 || got.Unchanged != 1 || !slices.Equal(got.Sums, want) {
		t.Errorf("dry run %+v", got)
	}
	if n := o.Count(t, "ledger_transaction", "true"); n != 0 {
		t.Errorf("the dry run posted %d", n)
	}
	bad := send("", fmt.Sprintf("admissionNumber,amount\n%s,1\nnobody,1\n%s,1.234\n%s,5\n", a, b, a))
	if bad.Status != 422 || len(bad.Failure(t).Details) == 0 || o.Count(t, "ledger_transaction", "true") != 0 {
		t.Errorf("a bad file: %d %s", bad.Status, bad.Body)
	}
	if a := send("", good); a.Status != 200 {
		t.Fatalf("import: %d %s", a.Status, a.Body)
	}
	if r := o.report(t, asha); r.Balance != 123_450 || r.Entries[0].Date != since {
		t.Errorf("Asha: %+v", r.Entries)
	}
	if r := o.report(t, ravi); r.Balance != -20_000 {
		t.Errorf("Ravi: %d", r.Balance)
	}
	if again := send("", good); again.Status != 422 {
		t.Errorf("the same file again: %d", again.Status)
	}
	d := testkit.Get[fee.Dues](t, o.clerk, "/school-admin/fee/dues")
	if d.Ageing.DaysOver90 != 123_450 || o.Count(t, "notice", "true") != 0 {
		t.Errorf("ageing %+v", d.Ageing)
	}
	o.sound(t)
}
