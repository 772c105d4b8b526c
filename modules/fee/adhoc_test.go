package fee_test

import (
	"testing"

	"github.com/google/uuid"

	"homeroom/modules/fee/charging"
	"homeroom/testkit"
)

func (o *office) adHoc(t *testing.T, more map[string]any) charging.AdHocCharged {
	t.Helper()
	body := map[string]any{"feeHeadId": o.exam.ID, "amount": 350, "dueDate": o.today.AddDays(7), "text": "Excursion to the zoo"}
	for k, v := range more {
		body[k] = v
	}
	return testkit.Post[charging.AdHocCharged](t, o.clerk, "/school-admin/fee/charge/ad-hoc", body)
}

func TestAdHocCharge_OfAClass_IsAnInvoiceForEachAndTold(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.parent(t, asha)
	o.admit(t, "Ravi")
	if dry := o.adHoc(t, map[string]any{"classId": o.class.ID, "dryRun": true}); dry.Charged != 2 || dry.Amount != 700 ||
		dry.Students[0].StudentName != "Asha Rao" || o.Count(t, "fee_invoice", "true") != 0 {
		t.Errorf("dry run %+v", dry)
	}
	o.adHoc(t, map[string]any{"classId": o.class.ID})
	r := o.report(t, asha)
	if states(r) != "Excursion to the zoo UNPAID 350; " || r.Invoices[0].DueDate != o.today.AddDays(7) ||
		r.Invoices[0].Lines[0].Name != "Exams" {
		t.Errorf("account %+v", r)
	}
	if n := o.Count(t, "notice", "student_id = ? and body like '%Excursion to the zoo for Asha Rao%'", asha); n != 1 {
		t.Errorf("%d notices", n)
	}
	if n := o.Count(t, "notice_batch", "kind = 'FEE_CHARGE'"); n != 1 {
		t.Errorf("%d acts told somebody, want 1", n)
	}
	o.sound(t)
}

func TestAdHocCharge_IsReversedOnceAndTold(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.parent(t, asha)
	made := o.adHoc(t, map[string]any{"studentIds": []uuid.UUID{asha}})
	path := "/school-admin/fee/transaction/" + made.Students[0].TransactionID.String() + "/reverse"
	if back := testkit.Post[charging.ReversedDemand](t, o.clerk, path, map[string]any{"reason": "She was ill"}); back.Balance != 0 {
		t.Errorf("reversed %+v", back)
	}
	o.refuses(t, "POST", path, map[string]any{"reason": "Again"}, 409, "")
	if n := o.Count(t, "notice", "student_id = ? and body like '%taken back: She was ill%'", asha); n != 1 {
		t.Errorf("%d notices of the reversal", n)
	}
	o.sound(t)
}

func TestReversal_OfAnInstalmentOrAWaivedCharge_IsRefused(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.charge(t, 1)
	reverse := func(id uuid.UUID) {
		t.Helper()
		o.refuses(t, "POST", "/school-admin/fee/transaction/"+id.String()+"/reverse", map[string]any{"reason": "Wrong"}, 409, "")
	}
	reverse(o.report(t, asha).Entries[0].TransactionID)
	made := o.adHoc(t, map[string]any{"studentIds": []uuid.UUID{asha}})
	r := o.report(t, asha)
	testkit.Post[charging.GrantedConcession](t, o.clerk, "/school-admin/fee/concession", map[string]any{"studentId": asha,
		"invoiceId": r.Invoices[1].ID, "mode": "PERCENT", "value": 50, "reason": "Half"})
	reverse(*made.Students[0].TransactionID)
	paid := o.pay(t, asha, 100, "CASH")
	reverse(paid.TransactionID)
	o.sound(t)
}

func TestAdHocCharge_RefusesWhatCannotBe(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	for field, more := range map[string]map[string]any{
		"dueDate":       {"dueDate": o.today.AddDays(-1)},
		"text":          {"text": " "},
		"amount":        {"amount": 0},
		"studentIds":    {"studentIds": []uuid.UUID{}},
		"studentIds[0]": {"studentIds": []uuid.UUID{uuid.New()}},
	} {
		body := map[string]any{"feeHeadId": o.exam.ID, "amount": 350, "dueDate": o.today, "text": "Zoo", "studentIds": []uuid.UUID{asha}}
		for k, v := range more {
			body[k] = v
		}
		o.refuses(t, "POST", "/school-admin/fee/charge/ad-hoc", body, 422, field)
	}
}
