package fee_test

import (
	"strings"
	"sync"
	"testing"

	"homeroom/api"
	"homeroom/modules/fee"
	"homeroom/testkit"
)

const closePath = "/school-admin/fee/day/close"

// receiveOn sends a payment that came on a day.
func (o *office) receiveOn(day api.Date, body map[string]any) map[string]any {
	body["receivedOn"] = day
	return body
}

func TestPayment_OfYesterday_CountsForYesterday(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	const path = "/school-admin/fee/collection/record"
	yesterday := o.today.AddDays(-1)
	o.pay(t, asha, 100, "CASH")
	late := testkit.Post[fee.Collection](t, o.clerk, path, o.receiveOn(yesterday, receive(asha, 700)))
	if late.ReceivedOn != yesterday {
		t.Errorf("it counts for %s, want %s", late.ReceivedOn, yesterday)
	}
	r := o.report(t, asha)
	if r.Entries[0].Amount != 700 || r.Entries[0].Date != yesterday || r.Entries[0].Balance != -700 || r.Balance != -800 {
		t.Errorf("the statement has %+v", r.Entries)
	}
	day := testkit.Get[fee.Closing](t, o.clerk, "/school-admin/fee/collection?from="+yesterday.String())
	if day.Amount != 700 || day.Cash != 700 {
		t.Errorf("yesterday's book has %+v", day)
	}
	o.clerk.Refuses(t, "POST", path, o.receiveOn(o.today.AddDays(1), receive(asha, 5)), 422, "")
	o.clerk.Refuses(t, "POST", path, o.receiveOn(o.year.StartDate.AddDays(-1), receive(asha, 5)), 422, "")
	testkit.Post[fee.Collection](t, o.clerk, path, o.receiveOn(o.year.StartDate, receive(asha, 5)))
	o.clerk.Refuses(t, "POST", refundPath, map[string]any{"studentId": asha, "amount": 1, "paymentMode": "CASH", "reason": "Left",
		"paidOn": o.today.AddDays(1)}, 422, "")
	o.sound(t)
}

func TestClosedDay_TakesNoMoreMoney(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	kids := o.siblings(t, "Asha", "Ravi")
	asha := kids[0]
	const path = "/school-admin/fee/collection/record"
	yesterday := o.today.AddDays(-1)
	testkit.Post[fee.Collection](t, o.clerk, path, o.receiveOn(yesterday, receive(asha, 700)))
	first := testkit.Post[fee.DayClosing](t, o.clerk, closePath, map[string]any{"date": yesterday, "counted": 700})
	if first.Expected != 700 || first.Difference != 0 {
		t.Errorf("closed %+v, want 700 expected and no difference", first)
	}
	o.clerk.Refuses(t, "POST", closePath, map[string]any{"date": yesterday, "counted": 700}, 409, "DAY_CLOSED")
	o.clerk.Refuses(t, "POST", closePath, map[string]any{"date": o.today.AddDays(1), "counted": 0}, 422, "")
	o.clerk.Refuses(t, "POST", closePath, map[string]any{}, 422, "")
	o.clerk.Refuses(t, "POST", path, o.receiveOn(yesterday, receive(asha, 5)), 409, "DAY_CLOSED")
	o.clerk.Refuses(t, "POST", familyPath, o.receiveOn(yesterday, receive(asha, 5)), 409, "DAY_CLOSED")
	o.clerk.Refuses(t, "POST", refundPath, map[string]any{"studentId": asha, "amount": 1, "paymentMode": "CASH", "reason": "Left",
		"paidOn": yesterday}, 409, "DAY_CLOSED")
	paid := o.pay(t, asha, 300, "CASH") // today is open
	testkit.Post[fee.DayClosing](t, o.clerk, closePath, map[string]any{"counted": 300})
	o.clerk.Refuses(t, "POST", path, receive(asha, 6), 409, "DAY_CLOSED")
	o.clerk.Refuses(t, "POST", "/school-admin/fee/collection/"+paid.ID.String()+"/reverse", map[string]any{"reason": "Mistake"}, 409,
		"DAY_CLOSED")
	o.owes(t, asha, 50, 0) // what is charged is no money
	o.sound(t)
}

func TestDayClosing_Difference_IsPostedWithItsReason(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.pay(t, asha, 1_000, "CASH")
	o.pay(t, asha, 5_000, "UPI")
	o.refund(t, asha, 100)
	o.clerk.Refuses(t, "POST", closePath, map[string]any{"counted": 880}, 422, "")
	got := testkit.Post[fee.DayClosing](t, o.clerk, closePath, map[string]any{"counted": 880, "reason": "Wrong change"})
	if got.Expected != 900 || got.Difference != -20 {
		t.Errorf("closed %+v, want 900 expected and 20 missing", got)
	}
	b := testkit.Get[fee.TrialBalance](t, o.clerk, "/school-admin/fee/trial-balance")
	if all := accountsOf(b); !strings.Contains(all, "CASH 880") || !strings.Contains(all, "CASH_DIFFERENCE 20") {
		t.Errorf("the trial balance has %s", all)
	}
	day := testkit.Get[fee.Closing](t, o.clerk, "/school-admin/fee/collection")
	if len(day.Closed) != 1 || day.Closed[0].Reason != "Wrong change" || day.Closed[0].Counted != 880 || day.Cash != 900 {
		t.Errorf("the day book has %+v", day)
	}
	o.sound(t)
}

// A payment that is being written when the day is closed is counted, or refused.
func TestDayClosing_AmidPayments_CountsWhatIsReceived(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := range 20 {
				o.clerk.Call(t, "POST", "/school-admin/fee/collection/record", receive(asha, int64(1+worker*20+i)))
			}
		})
	}
	var got fee.DayClosing
	all.Go(func() {
		got = testkit.Post[fee.DayClosing](t, o.clerk, closePath, map[string]any{"counted": 1_000_000, "reason": "Not counted"})
	})
	all.Wait()
	day := testkit.Get[fee.Closing](t, o.clerk, "/school-admin/fee/collection")
	if day.Cash != got.Expected {
		t.Errorf("%d was expected, %d was received", got.Expected, day.Cash)
	}
	o.sound(t)
}
