package fee_test

import (
	"sync"
	"testing"
	"time"

	"homeroom/modules/fee"
	"homeroom/testkit"
)

// night runs the late fines of a day, so many days from today.
func (o *office) night(t *testing.T, days int) int64 {
	t.Helper()
	n, err := fee.FineLate(o.DB(t), o.today.AddDays(days), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestALateFineIsTakenOnceADayHoweverOftenTheDayIsRun(t *testing.T) {
	t.Parallel()
	// Term 1 was due ten days ago; with three days of grace, seven are late.
	o := newOffice(t, map[string]any{"lateFine": map[string]any{"type": "PER_DAY", "amount": 100, "graceDays": 3, "maxAmount": 1_050}})
	late, paid := o.admit(t, "Late"), o.admit(t, "Paid")
	o.charge(t, 1)
	o.charge(t, 2)
	o.pay(t, paid, term1, "CASH")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { o.night(t, 0) })
	}
	all.Wait()
	if r := o.report(t, late); r.Balance != 12_001+700 || r.Invoices[0].Charged != term1+700 {
		t.Errorf("after seven days late: %d %+v", r.Balance, r.Invoices)
	}
	if r := o.report(t, paid); r.Balance != term2 {
		t.Errorf("who had paid owes %d", r.Balance)
	}
	for day, want := range []int64{800, 900} {
		if n := o.night(t, day+1); n != 1 {
			t.Errorf("day %d posted %d", day+1, n)
		}
		if r := o.report(t, late); r.Balance != 12_001+want {
			t.Errorf("day %d: %d", day+1, r.Balance)
		}
	}
	o.night(t, 5) // days nobody ran are caught up with, up to the most
	if r := o.report(t, late); r.Balance != 12_001+1_050 {
		t.Errorf("at the most: %d", r.Balance)
	}
	if n := o.night(t, 6); n != 0 {
		t.Errorf("beyond the most %d were posted", n)
	}
	if n := o.Count(t, "fee_fine", "true"); n != 4 {
		t.Errorf("%d fines", n)
	}
	o.pay(t, late, term1+1_050, "CASH")
	o.sound(t)
}

func TestAFixedFineIsTakenOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t, map[string]any{"lateFine": map[string]any{"type": "FIXED", "amount": 500, "graceDays": 10}})
	late := o.admit(t, "Late")
	o.charge(t, 1)
	for day, want := range []int64{term1, term1 + 500, term1 + 500, term1 + 500} {
		o.night(t, day)
		if r := o.report(t, late); r.Balance != want {
			t.Errorf("day %d: %d", day, r.Balance)
		}
	}
	without := newOffice(t)
	asha := without.admit(t, "Asha")
	without.charge(t, 1)
	if n := without.night(t, 300); n != 0 || without.report(t, asha).Balance != term1 {
		t.Errorf("%d fines without a rule", n)
	}
}

func TestTheServicePostsFinesByTheSchoolsDay(t *testing.T) {
	t.Parallel()
	o := newOffice(t, map[string]any{"lateFine": map[string]any{"type": "FIXED", "amount": 500}})
	late := o.admit(t, "Late")
	o.charge(t, 1)
	for i := range 2 {
		if n, err := o.App.Service.FineLate(t.Context(), o.ID); err != nil || n != int64(1-i) {
			t.Errorf("run %d: %d, %v", i, n, err)
		}
	}
	if n := o.Count(t, "fee_fine_run", "day = ?", o.today); n != 1 || o.report(t, late).Balance != term1+500 {
		t.Errorf("%d runs", n)
	}
	testkit.Get[fee.TrialBalance](t, o.clerk, "/school-admin/fee/trial-balance")
	o.sound(t)
}
