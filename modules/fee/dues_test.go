package fee_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee"
	"homeroom/testkit"
)

// owes lets a student owe an amount since so many days.
func (o *office) owes(t *testing.T, student uuid.UUID, amount int64, days int) {
	t.Helper()
	o.Owe(t, student, amount, o.today.AddDays(-days))
}

func TestDuesAreAgedByTheOldestThatIsOpen(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha, ravi, ahead := o.admit(t, "Asha"), o.admit(t, "=Ravi"), o.admit(t, "Ahead")
	for days, amount := range map[int]int64{-5: 1, 0: 10, 30: 20, 31: 100, 60: 200, 61: 1_000, 90: 2_000, 91: 10_000} {
		o.owes(t, asha, amount, days)
	}
	unplaced := testkit.Post[struct{ ID uuid.UUID }](t, o.clerk, "/school-admin/student/create", map[string]any{"firstName": "Nowhere"}).ID
	o.owes(t, ravi, 7, 40)
	o.owes(t, unplaced, 5, 0)
	o.pay(t, ahead, 50, "CASH")
	want := fee.Ageing{Total: 13_331, NotDue: 1, Days0To30: 30, Days31To60: 300, Days61To90: 3_000, DaysOver90: 10_000}
	read := func(query string) fee.Dues {
		return testkit.Get[fee.Dues](t, o.clerk, "/school-admin/fee/dues"+query)
	}
	d := read("")
	if d.Items[0].Ageing != want || d.Items[0].StudentID != asha || d.Page.Total != 3 || d.Ageing.Total != 13_343 || len(d.Classes) != 2 ||
		d.Classes[0].Students != 2 || d.Classes[0].Total != 13_338 || d.Classes[1].ClassID != nil {
		t.Errorf("%+v", d)
	}
	o.pay(t, asha, 12_000, "CASH") // the oldest, and 2,000 of the next
	want = fee.Ageing{Total: 1_331, NotDue: 1, Days0To30: 30, Days31To60: 300, Days61To90: 1_000}
	if got := read("?classId=" + o.class.ID.String()); got.Items[0].Ageing != want || got.Page.Total != 2 || got.Ageing.Total != 1_338 {
		t.Errorf("%+v", got)
	}
	if got := read("?limit=1&page=2"); len(got.Items) != 1 || got.Items[0].StudentID != ravi || got.TotalPages != 3 {
		t.Errorf("%+v", got)
	}
	a := o.clerk.Call(t, "GET", "/school-admin/fee/dues?format=csv", nil)
	text := string(a.Body)
	if a.Status != 200 || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/csv") || strings.Count(text, "\n") != 4 ||
		!strings.Contains(text, "Asha Rao,Class 5,13.31,0.01,0.30,3.00,10.00,0.00") || !strings.Contains(text, "'=Ravi") {
		t.Errorf("%d %s", a.Status, text)
	}
	o.sound(t)
}

func TestNobodyIsRemindedTwiceOnADay(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha, ravi, paid := o.admit(t, "Asha"), o.admit(t, "Ravi"), o.admit(t, "Paid")
	o.parent(t, asha)
	o.charge(t, 1)
	o.charge(t, 2, asha)
	o.pay(t, paid, term1, "CASH")
	o.pay(t, asha, term1+1, "CASH") // term 1 is settled: nothing is due before term 2
	send := func(body map[string]any) fee.Reminders {
		return testkit.Post[fee.Reminders](t, o.clerk, "/school-admin/fee/reminder/send", body)
	}
	testkit.Put[struct{ Version int }](t, o.clerk, "/school-admin/setting",
		map[string]any{"feeReminderText": "Pay {amount} for {student} by {dueDate}!"})
	o.clerk.Refuses(t, "PUT", "/school-admin/setting", map[string]any{"feeReminderText": "Pay {sum}"}, 422, "")
	o.clerk.Refuses(t, "POST", "/school-admin/fee/reminder/send", map[string]any{}, 422, "")
	if dry := send(map[string]any{"dryRun": true, "all": true}); dry.Sent != 1 || !dry.DryRun || dry.Students[0].StudentID != ravi {
		t.Errorf("dry %+v, want the only one with something due", dry)
	}
	o.charge(t, 2, ravi)
	o.owes(t, asha, 300, 12) // paid by what was paid, which leaves 299 of term 1
	if n := o.Count(t, "fee_reminder", "true"); n != 0 {
		t.Errorf("a dry run reminded %d", n)
	}
	if got := send(map[string]any{"studentIds": []any{ravi, paid}}); got.Sent != 1 || got.NoDues != 1 ||
		*got.Students[0].DueDate != o.today || got.Students[0].Amount != term1 || got.Students[0].Upcoming != term2 ||
		*got.Students[0].NextDueDate != o.today.AddDays(60) {
		t.Errorf("chosen %+v", got)
	}
	var all sync.WaitGroup
	sent := make([]int, 6)
	for i := range sent {
		all.Go(func() { sent[i] = send(map[string]any{"all": true}).Sent })
	}
	all.Wait()
	sum := 0
	for _, n := range sent {
		sum += n
	}
	if sum != 1 {
		t.Errorf("sent %v", sent)
	}
	if got := send(map[string]any{"all": true}); got.Sent != 0 || got.Already != 2 {
		t.Errorf("again %+v", got)
	}
	var body string
	if err := o.DB(t).Raw(`select body from notification where title = 'Fee reminder'`).Scan(&body).Error; err != nil {
		t.Fatal(err)
	}
	written := func(d api.Date) string { return d.In(o.Location()).Format("2 Jan 2006") }
	if want := fmt.Sprintf("Pay ₹2.99 for Asha Rao by %s! Not due yet: ₹60.00, by %s.", written(o.today), written(o.today.AddDays(60))); body != want {
		t.Errorf("told %q, want %q", body, want)
	}
	if n := o.Count(t, "notice_batch", "kind = 'FEE_REMINDER'"); n != 1 {
		t.Errorf("%d acts told somebody, want 1", n)
	}
	o.clerk.Refuses(t, "POST", "/school-admin/fee/reminder/send", map[string]any{"studentIds": []any{uuid.New()}}, 422, "")
}

func TestReminder_SaysWhatComesNextAndWhen(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.parent(t, asha)
	testkit.Put[struct{ Version int }](t, o.clerk, "/school-admin/setting", map[string]any{"feeReminderText": "Pay {amount}!"})
	for days, amount := range map[int]int64{3: 100, -10: 700, -20: 2_000, -40: 30_000} {
		o.owes(t, asha, amount, days)
	}
	var waived struct{ InvoiceID uuid.UUID }
	if err := o.DB(t).Raw(`select invoice_id from ledger_entry where account_id = ? and amount = 700`, asha).Scan(&waived).Error; err != nil {
		t.Fatal(err)
	}
	o.grant(t, asha, map[string]any{"mode": "PERCENT", "value": 100, "invoiceId": waived.InvoiceID})
	got := testkit.Post[fee.Reminders](t, o.clerk, "/school-admin/fee/reminder/send", map[string]any{"all": true})
	if next := o.today.AddDays(20); got.Sent != 1 || got.Students[0].Amount != 100 || got.Students[0].Upcoming != 32_000 ||
		*got.Students[0].NextDueDate != next {
		t.Errorf("%+v, want 1.00 due and 320.00 later, first on %s", got, next)
	}
	var body string
	if err := o.DB(t).Raw(`select body from notification where title = 'Fee reminder'`).Scan(&body).Error; err != nil {
		t.Fatal(err)
	}
	want := "Pay ₹1.00! Not due yet: ₹20.00, by " + o.today.AddDays(20).In(o.Location()).Format("2 Jan 2006") + "."
	if body != want {
		t.Errorf("told %q, want %q", body, want)
	}
}

func TestARequestForRemindersThatIsSentAgainWithItsKeyIsAnsweredAsTheFirst(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.admit(t, "Asha")
	o.charge(t, 1)
	once := o.clerk.With("Idempotency-Key", uuid.NewString())
	for range 2 {
		if got := testkit.Post[fee.Reminders](t, once, "/school-admin/fee/reminder/send", map[string]any{"all": true}); got.Sent != 1 ||
			got.Already != 0 {
			t.Errorf("answered %+v", got)
		}
	}
	once.Refuses(t, "POST", "/school-admin/fee/reminder/send", map[string]any{"all": true, "dryRun": true}, 409, "")
}
