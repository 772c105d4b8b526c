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

// scripts are names in the scripts of four languages.
var scripts = map[string]string{"Hindi": "श्रीकृष्ण", "Tamil": "ஸ்ரீநிவாசன்", "Arabic": "محمد عبد الله",
	"Vietnamese": "Nguyễn Thị Ánh"}

func TestPapers_HaveTheGlyphsOfNames(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for script, name := range scripts {
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

// printAt reads a paper whose address is its own.
func (o *office) printAt(t *testing.T, path string) testkit.Printed {
	t.Helper()
	a := o.clerk.Call(t, "GET", path, nil)
	if a.Status != 200 {
		t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
	on := testkit.ReadPaper(t, a.Body)
	if len(on.Missing) > 0 {
		t.Errorf("%s: no glyphs for %q", path, on.Missing)
	}
	return on
}

func TestDayClosing_OnPaper_AddsUpMethodsAndLeavesRoomToCount(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.pay(t, asha, 3_000, "CASH")
	o.pay(t, asha, 1_500, "UPI")
	on := o.printAt(t, "/school-admin/fee/collection.pdf")
	for _, want := range []string{"Day closing, ", "Cash", "30.00", "UPI", "15.00", "45.00", "Cash of these days", "Cash counted", "Cashier"} {
		if !on.Says(want) {
			t.Errorf("the closing does not say %q: %q", want, on.Pages)
		}
	}
}

func TestDayClosing_OnPaperOfAClosedDay_SaysWhatWasCountedAndWhy(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.pay(t, o.admit(t, "Asha"), 3_000, "CASH")
	testkit.Post[fee.DayClosing](t, o.clerk, "/school-admin/fee/day/close",
		map[string]any{"counted": 2_900, "reason": "श्रीकृष्ण ஸ்ரீநிவாசன் محمد Nguyễn"})
	on := o.printAt(t, "/school-admin/fee/collection.pdf")
	for _, want := range []string{"29.00", "-1.00", "श्रीकृष्ण"} {
		if !on.Says(want) {
			t.Errorf("the closing does not say %q: %q", want, on.Pages)
		}
	}
}

func TestTrialBalance_OnPaper_HasBothSides(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.charge(t, 1)
	o.pay(t, asha, 3_000, "CASH")
	of := testkit.Get[fee.TrialBalance](t, o.clerk, "/school-admin/fee/trial-balance")
	on := o.printAt(t, "/school-admin/fee/trial-balance.pdf")
	for _, a := range of.Accounts {
		if !on.Says(a.Name) {
			t.Errorf("the paper has no account %s: %q", a.Name, on.Pages)
		}
	}
	for _, want := range []string{"Trial balance, ", "Debit", "Credit", "Total", "30.00"} {
		if !on.Says(want) {
			t.Errorf("the paper does not say %q: %q", want, on.Pages)
		}
	}
}
