package fee_test

import (
	"sync"
	"testing"
	"time"

	"homeroom/modules/fee"
	"homeroom/tenancy/lifecycle"
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
	// Term 1 was due before it is charged today: its three days of grace begin today.
	o := newOffice(t, map[string]any{"lateFine": map[string]any{"type": "PER_DAY", "amount": 100, "graceDays": 3, "maxAmount": 450}})
	late, paid := o.admit(t, "Late"), o.admit(t, "Paid")
	o.charge(t, 1)
	o.charge(t, 2)
	o.pay(t, paid, term1, "CASH")
	o.pay(t, late, 6_000, "CASH") // not the last unit of it
	fined := func() int64 { return o.report(t, late).Balance - (12_001 - 6_000) }
	if n := o.night(t, 3); n != 0 || fined() != 0 {
		t.Errorf("%d fines while there is grace", n)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { o.night(t, 4) })
	}
	all.Wait()
	if r := o.report(t, late); fined() != 100 || r.Invoices[0].Charged != term1+100 {
		t.Errorf("after a day: %d %+v", r.Balance, r.Invoices)
	}
	if n := o.night(t, 5); n != 1 || fined() != 200 {
		t.Errorf("the next day posted %d, in all %d", n, fined())
	}
	if o.night(t, 7); fined() != 400 { // the day nobody ran is caught up with
		t.Errorf("day 7: %d", fined())
	}
	if o.night(t, 9); fined() != 450 {
		t.Errorf("at the most: %d", fined())
	}
	if n := o.night(t, 10); n != 0 {
		t.Errorf("beyond the most %d were posted", n)
	}
	if r := o.report(t, paid); r.Balance != term2 {
		t.Errorf("who had paid owes %d", r.Balance)
	}
	if n := o.Count(t, "fee_fine", "true"); n != 4 {
		t.Errorf("%d fines", n)
	}
	o.sound(t)
}

func TestAFixedFineIsTakenOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t, map[string]any{"lateFine": map[string]any{"type": "FIXED", "amount": 500, "graceDays": 10}})
	late := o.admit(t, "Late")
	o.charge(t, 1)
	for _, night := range []struct {
		day  int
		owed int64
	}{{0, term1}, {10, term1}, {11, term1 + 500}, {12, term1 + 500}, {40, term1 + 500}} {
		o.night(t, night.day)
		if r := o.report(t, late); r.Balance != night.owed {
			t.Errorf("day %d: %d", night.day, r.Balance)
		}
	}
}

func TestNobodyIsFinedForDaysBeforeTheRule(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.charge(t, 1)
	if n := o.night(t, 30); n != 0 || o.report(t, asha).Balance != term1 {
		t.Errorf("%d fines without a rule", n)
	}
	testkit.Put[fee.Structure](t, o.clerk, "/school-admin/fee/structure/"+o.structure.ID.String(),
		map[string]any{"lateFine": map[string]any{"type": "PER_DAY", "amount": 10}})
	o.night(t, 2)
	if r := o.report(t, asha); r.Balance != term1+20 {
		t.Errorf("two days after the rule: %d", r.Balance)
	}
}

func TestTheServiceRunsADaysFinesByTheSchoolsDay(t *testing.T) {
	t.Parallel()
	s := testkit.Shared(t).NewSchoolAs(t, lifecycle.NewSchool{TimeZone: "Pacific/Kiritimati"}) // a day ahead of most
	o := furnish(t, s, map[string]any{"lateFine": map[string]any{"type": "FIXED", "amount": 500}})
	asha := o.admit(t, "Asha")
	o.charge(t, 1)
	for range 2 {
		o.RunScheduled(t, "late-fines")
	}
	if n := o.Count(t, "fee_fine_run", "day = ?", o.today); n != 1 || o.Count(t, "fee_fine_run", "true") != 1 ||
		o.report(t, asha).Balance != term1 {
		t.Errorf("%d runs", n)
	}
}
