package fee_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee"
	"homeroom/testkit"
)

// cheque is a payment that the bank has not paid yet.
func cheque(student uuid.UUID, amount int64) map[string]any {
	return map[string]any{"studentId": student, "amount": amount, "paymentMode": "CHEQUE", "referenceNumber": "004711", "inClearing": true}
}

func (o *office) giveCheque(t *testing.T, student uuid.UUID, amount int64) fee.Collection {
	t.Helper()
	return testkit.Post[fee.Collection](t, o.clerk, "/school-admin/fee/collection/record", cheque(student, amount))
}

func (o *office) trialBalance(t *testing.T) string {
	t.Helper()
	return accountsOf(testkit.Get[fee.TrialBalance](t, o.clerk, "/school-admin/fee/trial-balance"))
}

func receiptPath(id uuid.UUID, act string) string {
	return "/school-admin/fee/collection/" + id.String() + "/" + act
}

func TestCheque_Cleared_MovesFromClearingToTheBank(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.charge(t, 1)
	paid := o.giveCheque(t, asha, 1_000)
	if all := o.trialBalance(t); !strings.Contains(all, "CLEARING 1000") || strings.Contains(all, "BANK") {
		t.Errorf("in clearing: %s", all)
	}
	if r := o.report(t, asha); r.Clearing != 1_000 || r.Balance != term1-1_000 {
		t.Errorf("the account has %d in clearing and a balance of %d", r.Clearing, r.Balance)
	}
	list := func() api.Page[fee.ReceiptItem] {
		return testkit.Get[api.Page[fee.ReceiptItem]](t, o.clerk, "/school-admin/fee/collection/list?filters[clearing]=IN_CLEARING")
	}
	if l := list(); l.Total != 1 || l.Items[0].ID != paid.ID {
		t.Errorf("in clearing are %+v", l)
	}
	if got := testkit.Post[fee.Cheque](t, o.clerk, receiptPath(paid.ID, "clear"), nil); got.Clearing != "CLEARED" || got.Amount != 1_000 {
		t.Errorf("cleared %+v", got)
	}
	if all := o.trialBalance(t); strings.Contains(all, "CLEARING") || !strings.Contains(all, "BANK 1000") {
		t.Errorf("cleared: %s", all)
	}
	if l := list(); l.Total != 0 || o.report(t, asha).Clearing != 0 {
		t.Errorf("still in clearing: %+v", l)
	}
	o.clerk.Refuses(t, "POST", receiptPath(paid.ID, "clear"), nil, 409, "")
	o.clerk.Refuses(t, "POST", receiptPath(paid.ID, "bounce"), map[string]any{"reason": "x"}, 409, "")
	o.clerk.Refuses(t, "POST", receiptPath(uuid.New(), "clear"), nil, 404, "")
	o.sound(t)
	o.reverse(t, paid.ID) // the bank took it back
	if all := o.trialBalance(t); strings.Contains(all, "CLEARING") || strings.Contains(all, "BANK") {
		t.Errorf("reversed: %s", all)
	}
	o.sound(t)
}

func TestCheque_Bounced_IsReversedAndCharged(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.charge(t, 1)
	paid := o.giveCheque(t, asha, 1_000)
	o.clerk.Refuses(t, "POST", receiptPath(paid.ID, "bounce"), map[string]any{"charge": 250}, 422, "")
	got := testkit.Post[fee.Cheque](t, o.clerk, receiptPath(paid.ID, "bounce"), map[string]any{"reason": "Insufficient funds",
		"charge": 250})
	if got.Clearing != "BOUNCED" || got.Charge != 250 {
		t.Errorf("bounced %+v", got)
	}
	r := o.report(t, asha)
	if r.Balance != term1+250 || r.Clearing != 0 || states(r) != "Term 1 UNPAID 6001; Cheque bounced UNPAID 250; " {
		t.Errorf("a balance of %d, %d in clearing, %s", r.Balance, r.Clearing, states(r))
	}
	if one := testkit.Get[fee.Receipt](t, o.clerk, "/school-admin/fee/receipt/"+paid.ID.String()); one.Clearing != "BOUNCED" ||
		!one.Reversed {
		t.Errorf("the receipt is %q, reversed %v", one.Clearing, one.Reversed)
	}
	o.clerk.Refuses(t, "POST", receiptPath(paid.ID, "clear"), nil, 409, "")
	o.clerk.Refuses(t, "POST", receiptPath(paid.ID, "reverse"), map[string]any{"reason": "x"}, 409, "")
	o.sound(t)
}

func TestCheque_ClearedAndBouncedAtOnce_IsOneOfThem(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	paid := o.giveCheque(t, asha, 1_000)
	var all sync.WaitGroup
	done := make([]bool, 8)
	for i := range done {
		all.Go(func() {
			act, body := "clear", map[string]any(nil)
			if i%2 == 1 {
				act, body = "bounce", map[string]any{"reason": "x"}
			}
			var data any
			if body != nil {
				data = body
			}
			done[i] = o.clerk.Call(t, "POST", receiptPath(paid.ID, act), data).Status == 200
		})
	}
	all.Wait()
	n := 0
	for _, d := range done {
		if d {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d of them were done, want 1", n)
	}
	o.sound(t)
}

func TestCheque_OfAFamily_BouncesWithAllItsReceipts(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	kids := o.siblings(t, "Asha", "Ravi")
	o.charge(t, 1)
	one := testkit.Post[fee.FamilyCollection](t, o.clerk, familyPath, cheque(kids[0], 2*term1))
	got := testkit.Post[fee.Cheque](t, o.clerk, receiptPath(one.Receipts[0].ID, "bounce"), map[string]any{"reason": "Insufficient funds"})
	if len(got.ReceiptIDs) != 2 || got.Amount != 2*term1 {
		t.Errorf("bounced %+v, want both receipts", got)
	}
	for _, k := range kids {
		if b := o.report(t, k).Balance; b != term1 {
			t.Errorf("a balance of %d, want %d", b, term1)
		}
	}
	o.sound(t)
}

func TestChequesInClearing_AreToldWithDuesAndReminders(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha, ravi := o.admit(t, "Asha"), o.admit(t, "Ravi")
	o.parent(t, asha)
	o.charge(t, 1)
	o.giveCheque(t, asha, 1_000)
	o.giveCheque(t, ravi, term1+500)
	d := testkit.Get[fee.Dues](t, o.clerk, "/school-admin/fee/dues")
	if d.InClearing != term1+1_500 || len(d.Items) != 1 || d.Items[0].InClearing != 1_000 || d.Items[0].Total != term1-1_000 {
		t.Errorf("the dues have %d in clearing and %+v", d.InClearing, d.Items)
	}
	sent := testkit.Post[fee.Reminders](t, o.clerk, "/school-admin/fee/reminder/send", map[string]any{"all": true})
	if sent.Sent != 1 || sent.Students[0].InClearing != 1_000 {
		t.Errorf("reminded %+v", sent)
	}
	if n := o.Count(t, "notification", "title = 'Fee reminder' and body like '%₹10.00 are in clearing%'"); n != 1 {
		t.Errorf("%d reminders tell of the cheque, want 1", n)
	}
	o.clerk.Refuses(t, "POST", refundPath, map[string]any{"studentId": ravi, "amount": 1, "paymentMode": "CASH", "reason": "Left"}, 409, "")
	bad := cheque(asha, 5)
	bad["paymentMode"] = "CASH"
	o.clerk.Refuses(t, "POST", "/school-admin/fee/collection/record", bad, 422, "")
	o.sound(t)
}
