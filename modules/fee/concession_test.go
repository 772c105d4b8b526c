package fee_test

import (
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/charging"
	"homeroom/testkit"
)

func (o *office) grant(t *testing.T, student uuid.UUID, more map[string]any) charging.GrantedConcession {
	t.Helper()
	body := map[string]any{"studentId": student, "reason": "Second child", "category": "SIBLING"}
	for k, v := range more {
		body[k] = v
	}
	return testkit.Post[charging.GrantedConcession](t, o.clerk, "/school-admin/fee/concession", body)
}

func TestAConcessionComesToTheSameBeforeAndAfterTheCharge(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, grant := range []map[string]any{
		{"mode": "PERCENT", "value": 10},
		{"mode": "PERCENT", "value": 12.5, "feeHeadId": o.exam.ID},
		{"mode": "AMOUNT", "value": 3_333},
		{"mode": "AMOUNT", "value": 50_000, "feeHeadId": o.tuition.ID},
	} {
		before, after := o.admit(t, "Before"), o.admit(t, "After")
		o.grant(t, before, grant)
		o.charge(t, 1, before, after)
		o.charge(t, 2, before, after)
		o.pay(t, after, 100, "CASH")
		o.pay(t, before, 100, "CASH")
		late := o.grant(t, after, grant)
		a, b := o.report(t, before), o.report(t, after)
		if a.Balance != b.Balance || states(a) != states(b) || late.Balance != b.Balance || late.Posted != 12_001-100-b.Balance ||
			late.Posted <= 0 {
			t.Errorf("%v: %d %s and %d %s (%+v)", grant, a.Balance, states(a), b.Balance, states(b), late)
		}
	}
	o.sound(t)
}

func TestAnInvoiceCanBeWaivedWhole(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.charge(t, 1)
	invoice := o.report(t, asha).Invoices[0]
	o.clerk.Refuses(t, "POST", "/school-admin/fee/concession",
		map[string]any{"studentId": asha, "invoiceId": uuid.New(), "mode": "PERCENT", "value": 100, "reason": "Flood"}, 422, "")
	fined := testkit.Post[charging.Fined](t, o.clerk, "/school-admin/fee/fine",
		map[string]any{"studentId": asha, "amount": 250, "reason": "Late", "invoiceId": invoice.ID})
	if fined.Balance != term1+250 || fined.InvoiceID != invoice.ID {
		t.Errorf("fined %+v", fined)
	}
	if got := o.grant(t, asha, map[string]any{"mode": "PERCENT", "value": 100, "invoiceId": invoice.ID}); got.Posted != term1+250 ||
		got.Balance != 0 {
		t.Errorf("granted %+v", got)
	}
	if got := states(o.report(t, asha)); got != "Term 1 WAIVED 0; " {
		t.Error(got)
	}
	if got := o.grant(t, asha, map[string]any{"mode": "AMOUNT", "value": 5, "invoiceId": invoice.ID}); got.Posted != 0 {
		t.Errorf("waived more than was charged: %+v", got)
	}
	o.refuses(t, "POST", "/school-admin/fee/fine",
		map[string]any{"studentId": asha, "amount": 90, "reason": "Broken window", "dueDate": o.today.AddDays(-1)}, 422, "dueDate")
	own := testkit.Post[charging.Fined](t, o.clerk, "/school-admin/fee/fine",
		map[string]any{"studentId": asha, "amount": 90, "reason": "Broken window", "dueDate": o.today.AddDays(5)})
	if got := states(o.report(t, asha)); got != "Term 1 WAIVED 0; Fine UNPAID 90; " || own.Balance != 90 {
		t.Error(got)
	}
	o.sound(t)
}

func (o *office) concessions(t *testing.T, query string) []charging.ConcessionItem {
	t.Helper()
	return testkit.Get[api.Page[charging.ConcessionItem]](t, o.clerk, "/school-admin/fee/concession/list?"+query).Items
}

func TestAConcessionThatEndsLeavesWhatItGave(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha, ravi := o.admit(t, "Asha"), o.admit(t, "Ravi")
	grant := o.grant(t, asha, map[string]any{"mode": "PERCENT", "value": 50})
	o.grant(t, ravi, map[string]any{"mode": "AMOUNT", "value": 1_000, "feeHeadId": o.exam.ID, "category": "MERIT"})
	o.charge(t, 1)
	once := o.grant(t, ravi, map[string]any{"mode": "AMOUNT", "value": 10, "invoiceId": o.report(t, ravi).Invoices[0].ID})
	before := o.report(t, asha)

	end := "/school-admin/fee/concession/" + grant.ID.String() + "/end"
	o.clerk.Refuses(t, "POST", end, map[string]any{"endsOn": o.today.AddDays(-1)}, 422, "")
	o.clerk.Refuses(t, "POST", "/school-admin/fee/concession/"+once.ID.String()+"/end", nil, 409, "")
	ended := testkit.Post[charging.ConcessionItem](t, o.clerk, end, nil)
	if ended.EndsOn == nil || *ended.EndsOn != o.today || ended.Status != "ENDED" || ended.Given != before.Invoices[0].Concession ||
		ended.Given == 0 || ended.StudentName != "Asha Rao" || ended.Value != 50 {
		t.Errorf("ended %+v", ended)
	}
	o.clerk.Refuses(t, "POST", end, map[string]any{}, 409, "")
	if after := o.report(t, asha); after.Balance != before.Balance {
		t.Errorf("what was given went: %d, then %d", before.Balance, after.Balance)
	}
	o.charge(t, 2)
	if r := o.report(t, asha); r.Balance != before.Balance+term2 || r.Invoices[1].Concession != 0 {
		t.Errorf("the instalment due later: %+v", r.Invoices[1])
	}
	if r := o.report(t, ravi); r.Invoices[1].Concession != 500 {
		t.Errorf("the other's goes on: %+v", r.Invoices[1])
	}
	if got := o.concessions(t, "filters[status]=ENDED"); len(got) != 1 || got[0].ID != grant.ID {
		t.Errorf("ended ones %+v", got)
	}
	got := o.concessions(t, "filters[studentId]="+ravi.String()+"&sort[field]=createdAt")
	if len(got) != 2 || got[0].Status != "ACTIVE" || got[0].Given != 1_000 || got[0].FeeHeadName != "Exams" || got[1].Status != "ONCE" ||
		got[1].Given != 10 || got[1].InvoiceNumber == "" {
		t.Errorf("Ravi's %+v", got)
	}
	o.sound(t)
}
