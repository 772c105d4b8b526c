package fee_test

import (
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

const certificatePath = "/school-admin/fee/certificate"

func (o *office) certify(t *testing.T, student uuid.UUID, more ...map[string]any) fee.Certificate {
	t.Helper()
	body := map[string]any{"studentId": student}
	for _, m := range more {
		for k, v := range m {
			body[k] = v
		}
	}
	return testkit.Post[fee.Certificate](t, o.clerk, certificatePath, body)
}

// paidFor is what a certificate says was paid, by head.
func paidFor(cert fee.Certificate) map[string]int64 {
	heads := map[string]int64{}
	for _, l := range cert.Snapshot.Lines {
		heads[l.Head] += l.Amount
	}
	return heads
}

func TestFeeCertificate_SaysWhatWasPaidByHead(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.set(t, map[string]any{"locale": "en-IN"})
	asha := o.admit(t, "Asha")
	o.charge(t, 1)
	o.pay(t, asha, 3_000, "CASH")
	o.pay(t, asha, term1-3_000, "UPI")
	o.reverse(t, o.pay(t, asha, 700, "CHEQUE").ID) // was taken back
	o.giveCheque(t, asha, 900)                     // the bank has not paid it
	cert := o.certify(t, asha, map[string]any{"purpose": "Income tax"})
	if cert.Number != 1 || cert.Snapshot.Total != term1 || cert.Snapshot.YearName != "2026-27" {
		t.Errorf("certificate %+v", cert)
	}
	if heads := paidFor(cert); len(heads) != 2 || heads["Tuition"] != 5_000 || heads["Exams"] != 1_001 {
		t.Errorf("heads %v", heads)
	}
	o.pay(t, asha, 50, "CASH") // later money changes nothing on it
	if again := testkit.Get[fee.Certificate](t, o.clerk, certificatePath+"/"+cert.ID.String()); again.Snapshot.Total != term1 {
		t.Errorf("the certificate says %d now", again.Snapshot.Total)
	}
	on := o.print(t, certificatePath+"/"+cert.ID.String())
	for _, want := range []string{"Fee certificate", "Asha Rao", "Class 5 A", "2026-27", "Tuition", "50.00", "Exams", "10.01", "60.01",
		"Sixty rupees and one paisa only", "Income tax"} {
		if !on.Says(want) {
			t.Errorf("the certificate does not say %q: %q", want, on.Pages)
		}
	}
	if next := o.certify(t, asha); next.Number != 2 {
		t.Errorf("the next one has the number %d", next.Number)
	}
	if list := testkit.Get[api.Page[fee.Certificate]](t, o.clerk, certificatePath+"/list"); list.Total != 2 || list.Items[0].Number != 2 {
		t.Errorf("listed %+v", list.Items)
	}
}

// TestFeeCertificate_AfterPromotion_HasTheClassOfItsYear is of somebody who is promoted to a year that is to come.
func TestFeeCertificate_AfterPromotion_HasTheClassOfItsYear(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	six := testkit.Post[roster.Class](t, o.clerk, "/school-admin/class/create", map[string]any{"name": "Class 6", "level": 6})
	testkit.Post[roster.Division](t, o.clerk, "/school-admin/division/create", map[string]any{"classId": six.ID, "name": "A"})
	next := testkit.Post[roster.AcademicYear](t, o.clerk, "/school-admin/academic-year/create",
		map[string]any{"name": "2027-28", "startDate": o.today.AddDays(101), "endDate": o.today.AddDays(300)})
	testkit.Put[roster.Class](t, o.clerk, "/school-admin/class/"+o.class.ID.String(), map[string]any{"nextClassId": six.ID})
	testkit.Post[any](t, o.clerk, "/school-admin/student/promote", map[string]any{"toYearId": next.ID, "classId": o.class.ID})
	if n := o.Count(t, "enrolment", "academic_year_id = ?", next.ID); n != 1 {
		t.Fatalf("%d are promoted, want 1", n)
	}
	o.pay(t, asha, 700, "CASH")
	if s := o.certify(t, asha).Snapshot; s.YearName != "2026-27" || s.ClassName != "Class 5" {
		t.Errorf("the certificate of %s has %s, want Class 5", s.YearName, s.ClassName)
	}
}

func TestFeeCertificate_Advance_CountsForTheHeadsItSettledSince(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.pay(t, asha, term1+term2+500, "CASH")
	if heads := paidFor(o.certify(t, asha)); heads["Advance"] != term1+term2+500 {
		t.Errorf("before anything was charged: %v", heads)
	}
	o.charge(t, 1)
	o.charge(t, 2)
	if heads := paidFor(o.certify(t, asha)); heads["Tuition"] != 10_000 || heads["Exams"] != 2_001 || heads["Advance"] != 500 {
		t.Errorf("after both instalments: %v", heads)
	}
	o.refund(t, asha, 500)
	cert := o.certify(t, asha)
	if heads := paidFor(cert); heads["Refunded"] != -500 || cert.Snapshot.Total != term1+term2 {
		t.Errorf("after a refund: %v, in all %d", heads, cert.Snapshot.Total)
	}
}

func TestFeeCertificate_OfAPeriod(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.charge(t, 1)
	o.pay(t, asha, 1_000, "CASH")
	testkit.Post[fee.Collection](t, o.clerk, "/school-admin/fee/collection/record", map[string]any{"studentId": asha, "amount": 400,
		"paymentMode": "CASH", "receivedOn": o.today.AddDays(-5)})
	if cert := o.certify(t, asha, map[string]any{"from": o.today.AddDays(-6), "to": o.today.AddDays(-1)}); cert.Snapshot.Total != 400 ||
		cert.Snapshot.YearName != "" {
		t.Errorf("of that week: %+v", cert.Snapshot)
	}
	o.refuses(t, "POST", certificatePath, map[string]any{"studentId": asha, "from": o.today}, 422, "to")
	o.refuses(t, "POST", certificatePath, map[string]any{"studentId": asha, "from": o.today, "to": o.today.AddDays(-1)}, 422, "to")
	before := map[string]any{"studentId": asha, "from": o.today.AddDays(-20), "to": o.today.AddDays(-19)}
	o.refuses(t, "POST", certificatePath, before, 409, "")
	o.clerk.Refuses(t, "POST", certificatePath, map[string]any{"studentId": api.NewID()}, 404, "STUDENT_NOT_FOUND")
	o.As(t, api.Teacher).Refuses(t, "POST", certificatePath, map[string]any{"studentId": asha}, 403, "")
	if n := o.Count(t, "certificate", "true"); n != 1 {
		t.Errorf("%d certificates", n)
	}
}

func TestFeeCertificate_HasTheGlyphsOfNames(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for script, name := range scripts {
		student := o.admit(t, name)
		o.pay(t, student, 1_000, "CASH")
		if on := o.print(t, certificatePath+"/"+o.certify(t, student).ID.String()); len(on.Missing) > 0 || !on.Says(name) {
			t.Errorf("%s: no glyphs for %q in %q", script, on.Missing, on.Pages)
		}
	}
}

func TestParent_FetchesTheFeeCertificatesOfTheirOwnChildrenOnly(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha, bina := o.admit(t, "Asha"), o.admit(t, "Bina")
	o.charge(t, 1)
	o.pay(t, bina, 500, "CASH")
	o.pay(t, asha, 700, "CASH")
	others, own := o.certify(t, bina), o.certify(t, asha)
	mother := o.parent(t, asha)
	list := testkit.Get[api.Page[fee.Certificate]](t, mother, "/parent/fee/certificate/list").Items
	if len(list) != 1 || list[0].ID != own.ID || list[0].Number != 2 {
		t.Errorf("certificates %+v, want Asha's, number 2", list)
	}
	a := mother.Call(t, "GET", "/parent/fee/certificate/"+own.ID.String()+"?format=pdf", nil)
	if on := testkit.ReadPaper(t, a.Body); !on.Says("Fee certificate") || !on.Says("Asha Rao") {
		t.Errorf("the paper is %q", on.Pages)
	}
	mother.Refuses(t, "GET", "/parent/fee/certificate/"+others.ID.String()+"?format=pdf", nil, 404, "")
}
