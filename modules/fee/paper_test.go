package fee_test

import (
	"testing"

	"homeroom/modules/fee"
	"homeroom/testkit"
)

// print reads a paper of the office's.
func (o *office) print(t *testing.T, path string) testkit.Printed {
	t.Helper()
	a := o.clerk.Call(t, "GET", path+"?format=pdf", nil)
	if a.Status != 200 {
		t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
	return testkit.ReadPaper(t, a.Body)
}

func TestReceipt_SaysHeadsWordsReceiverAndBalance(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	testkit.Put[struct{}](t, o.clerk, "/school-admin/setting", map[string]any{"locale": "en-IN", "address": "12 MG Road\nPune"})
	asha := o.admit(t, "Asha")
	o.charge(t, 1)
	paid := o.pay(t, asha, 3_000, "CASH") // of 5,000 tuition and 1,001 exams
	r := testkit.Get[fee.Receipt](t, o.clerk, "/school-admin/fee/receipt/"+paid.ID.String())
	if len(r.Lines) != 2 || r.Lines[0].Head != "Tuition" || r.Lines[0].Amount != 2_500 || r.Lines[1].Amount != 500 {
		t.Errorf("heads %+v", r.Lines)
	}
	if r.BalanceBefore != term1 || r.BalanceAfter != term1-3_000 {
		t.Errorf("balance %d, then %d", r.BalanceBefore, r.BalanceAfter)
	}
	on := o.print(t, "/school-admin/fee/receipt/"+paid.ID.String())
	for _, want := range []string{"12 MG Road", "Pune", r.ReceiptNumber, "Asha Rao", "Tuition", "25.00", "Exams", "Amount (₹)", "30.00",
		"Thirty rupees only", "₹60.01 outstanding", "₹30.01 outstanding", r.ReceivedByName, "cash", "Class 5 A"} {
		if !on.Says(want) {
			t.Errorf("the receipt does not say %q: %q", want, on.Pages)
		}
	}
}

func TestReceipt_PaidAhead_SaysSo(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.charge(t, 1)
	paid := o.pay(t, asha, term1+500, "CASH")
	o.pay(t, asha, 100, "CASH") // later money changes nothing on it
	r := testkit.Get[fee.Receipt](t, o.clerk, "/school-admin/fee/receipt/"+paid.ID.String())
	if n := len(r.Lines); n != 3 || r.Lines[0].Amount != 5_000 || r.Lines[1].Amount != 1_001 || r.Lines[2] != (fee.ReceiptLine{Head: "Advance", Amount: 500}) {
		t.Errorf("lines %+v", r.Lines)
	}
	if on := o.print(t, "/school-admin/fee/receipt/"+paid.ID.String()); !on.Says("5.00 in advance") {
		t.Errorf("%q", on.Pages)
	}
}

func TestPapers_HaveTheGlyphsOfNames(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for script, name := range map[string]string{"Hindi": "श्रीकृष्ण", "Tamil": "ஸ்ரீநிவாசன்", "Arabic": "محمد عبد الله", "Vietnamese": "Nguyễn Thị Ánh"} {
		student := o.admit(t, name)
		paid := o.pay(t, student, 1_000, "CASH")
		for _, path := range []string{"receipt/" + paid.ID.String(), "report/" + student.String()} {
			on := o.print(t, "/school-admin/fee/"+path)
			if len(on.Missing) > 0 {
				t.Errorf("%s: no glyphs for %q", script, on.Missing)
			}
			if !on.Says(name) {
				t.Errorf("%s: the paper does not name %s: %q", script, name, on.Pages)
			}
		}
	}
}
