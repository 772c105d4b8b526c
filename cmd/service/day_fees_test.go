package service_test

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/modules/fee"
	"homeroom/modules/fee/charging"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// clerksMorning is the fees of a day, those of a class of its own.
type clerksMorning struct {
	*day
	asha, ravi, structure uuid.UUID
	cash, cheque          fee.Collection
}

func (m *clerksMorning) decideFees(t *testing.T) {
	class, division := m.ids["/school-admin/class/"], m.ids["/school-admin/division/"]
	admit := func(name string) uuid.UUID {
		return testkit.Post[roster.StudentDetail](t, m.office, "/school-admin/student/create", map[string]any{
			"firstName": name, "divisionId": division, "admissionDate": "2026-06-01"}).ID
	}
	m.asha, m.ravi = admit("Asha"), admit("Ravi")
	head := testkit.Post[charging.Head](t, m.office, "/school-admin/fee/head/create",
		map[string]any{"name": "Tuition", "code": "TUI", "type": "TUITION"})
	m.structure = testkit.Post[charging.Structure](t, m.office, "/school-admin/fee/structure/create",
		map[string]any{"classId": class, "name": "Class 5",
			"heads": []any{map[string]any{"feeHeadId": head.ID, "amount": 40_000_00}},
			"instalments": []any{map[string]any{"name": "Term 1", "dueDate": "2026-07-01", "percent": 50},
				map[string]any{"name": "Term 2", "dueDate": "2027-01-15", "percent": 50}},
			"lateFine": map[string]any{"type": "NONE"}}).ID
}

func (m *clerksMorning) charges(t *testing.T) {
	for i, want := range []int{2, 0} {
		got := testkit.Post[charging.Charged](t, m.office, "/school-admin/fee/charge",
			map[string]any{"structureId": m.structure, "instalment": 1, "classId": m.ids["/school-admin/class/"]})
		if got.Charged != want || got.AlreadyCharged != 2-want {
			t.Errorf("call %d: %+v", i, got)
		}
	}
}

func (m *clerksMorning) collects(t *testing.T) {
	m.cash = m.doubleClicks(t, map[string]any{"studentId": m.asha, "amount": 20_000_00, "paymentMode": "CASH"})
	m.cheque = m.doubleClicks(t, map[string]any{"studentId": m.ravi, "amount": 25_000_00, "paymentMode": "CHEQUE",
		"referenceNumber": "004711"})
	if m.cash.Number != 1 || m.cheque.Number != 2 || m.cash.Balance != 0 || m.cheque.Balance != -5_000_00 || m.cheque.Advance != 5_000_00 {
		t.Errorf("cash %+v, cheque %+v", m.cash, m.cheque)
	}
}

// doubleClicks sends a payment twice at once: one receipt, two equal answers.
func (m *clerksMorning) doubleClicks(t *testing.T, body map[string]any) (got fee.Collection) {
	t.Helper()
	once := m.office.With("Idempotency-Key", uuid.NewString())
	var answers [2]testkit.Answer
	var both sync.WaitGroup
	for i := range answers {
		both.Go(func() { answers[i] = once.Call(t, "POST", "/school-admin/fee/collection/record", body) })
	}
	both.Wait()
	if answers[0].Status != 201 || !bytes.Equal(answers[0].Body, answers[1].Body) {
		t.Fatalf("%d %s and %d %s", answers[0].Status, answers[0].Body, answers[1].Status, answers[1].Body)
	}
	answers[0].Read(t, &got)
	return got
}

func (m *clerksMorning) bounces(t *testing.T) {
	path := "/school-admin/fee/collection/" + m.cheque.ID.String() + "/reverse"
	if got := testkit.Post[fee.Reversed](t, m.office, path, map[string]any{"reason": "Cheque 004711 bounced"}); got.Balance != 20_000_00 {
		t.Errorf("reversed %+v", got)
	}
	m.office.Refuses(t, "POST", path, map[string]any{"reason": "Cheque 004711 bounced"}, 409, "")
}

func (m *clerksMorning) closes(t *testing.T) {
	r := testkit.Get[fee.Report](t, m.office, "/school-admin/fee/report/"+m.ravi.String())
	if len(r.Entries) != 3 || r.Balance != 20_000_00 || r.Entries[1].Balance != -5_000_00 || r.Entries[2].Kind != "REVERSAL" ||
		!strings.Contains(r.Entries[2].Narration, m.cheque.ReceiptNumber) || r.Invoices[0].State != "UNPAID" { // charged today, so due today
		t.Errorf("statement %+v", r)
	}
	if r := testkit.Get[fee.Report](t, m.office, "/school-admin/fee/report/"+m.asha.String()); r.Balance != 0 ||
		r.Invoices[0].State != "PAID" {
		t.Errorf("statement %+v", r)
	}
	if a := m.office.Call(t, "GET", "/school-admin/fee/report/"+m.ravi.String()+"?format=pdf", nil); a.Status != 200 ||
		!bytes.HasPrefix(a.Body, []byte("%PDF-")) {
		t.Errorf("on paper: %d", a.Status)
	}
	if b := testkit.Get[fee.TrialBalance](t, m.office, "/school-admin/fee/trial-balance"); b.TotalDebit != b.TotalCredit ||
		b.TotalDebit != 40_000_00 {
		t.Errorf("trial balance %+v", b)
	}
	if c := testkit.Get[fee.Closing](t, m.office, "/school-admin/fee/collection"); c.Amount != 45_000_00 || c.Total != 20_000_00 {
		t.Errorf("closing %+v", c)
	}
	if n := m.asSchool(t).Count(t, "fee_receipt", "true"); n != 2 {
		t.Errorf("%d receipts", n)
	}
}

func (m *clerksMorning) strangers(t *testing.T) {
	stranger := m.app.NewSchool(t)
	elsewhere, parent := stranger.As(t, "SCHOOL_ADMIN"), stranger.As(t, "PARENT")
	for _, path := range []string{"report/" + m.asha.String(), "receipt/" + m.cash.ID.String()} {
		elsewhere.Refuses(t, "GET", "/school-admin/fee/"+path, nil, 404, "")
		parent.Refuses(t, "GET", "/parent/fee/"+path, nil, 404, "")
	}
	elsewhere.Refuses(t, "GET", "/school-admin/fee/structure/"+m.ids["/school-admin/class/"].String(), nil, 404, "")
	elsewhere.Refuses(t, "POST", "/school-admin/fee/collection/"+m.cash.ID.String()+"/reverse", map[string]any{"reason": "Mine"}, 404, "")
}
