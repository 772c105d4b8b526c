package fee_test

import (
	"sync"
	"testing"

	"homeroom/api"
	"homeroom/modules/fee/charging"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// night runs the late fines of a day, so many days from today.
func (o *office) night(t *testing.T, days int) int64 {
	t.Helper()
	var n int64
	err := o.App.Service.Kernel.Work(t.Context(), o.ID, "late-fines", func(c api.Ctx) (err error) {
		n, err = charging.FineLate(c, o.today.AddDays(days))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestLateFine_BelowTheThreshold_IsNotTaken(t *testing.T) {
	t.Parallel()
	o := newOffice(t, map[string]any{"lateFine": map[string]any{"type": "FIXED", "amount": 500}})
	few, many := o.admit(t, "Few"), o.admit(t, "Many")
	o.charge(t, 1)
	o.pay(t, few, term1-99, "CASH")
	o.pay(t, many, term1-100, "CASH")
	o.set(t, map[string]any{"lateFineThreshold": 100})
	if n := o.night(t, 1); n != 1 {
		t.Errorf("%d fines, want 1", n)
	}
	if got := o.report(t, few).Balance; got != 99 {
		t.Errorf("who owes less than the threshold owes %d, want 99", got)
	}
	if got := o.report(t, many).Balance; got != 600 {
		t.Errorf("who owes the threshold owes %d, want 600", got)
	}
}

func TestLateFine_FamilyIsNotifiedOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t, map[string]any{"lateFine": map[string]any{"type": "PER_DAY", "amount": 100}})
	o.admit(t, "Late")
	o.charge(t, 1)
	written := func() int { return o.Count(t, "notice", "title = 'Late fine'") }
	o.night(t, 1)
	if n := written(); n != 1 {
		t.Errorf("%d notices of the first fine, want 1", n)
	}
	if n := o.Count(t, "notice", "body like '%₹1.00 for Late Rao: Term 1 was due on % ₹1.00 is added for every further day.'"); n != 1 {
		t.Errorf("the notice does not say what is fined")
	}
	o.night(t, 2)
	if n := written(); n != 1 {
		t.Errorf("%d notices after the second day, want 1", n)
	}
}

func TestLateFine_OfADayThatIsPast_IsSilent(t *testing.T) {
	t.Parallel()
	o := newOffice(t, map[string]any{"lateFine": map[string]any{"type": "FIXED", "amount": 500}})
	o.admit(t, "Late")
	o.charge(t, 1)
	err := o.App.Service.Kernel.Work(t.Context(), o.ID, "late-fines", func(c api.Ctx) error {
		c.Now = c.Now.AddDate(0, 0, 3)
		_, err := charging.FineLate(c, o.today.AddDays(1))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if fines, notices := o.Count(t, "fee_fine", "true"), o.Count(t, "notice", "title = 'Late fine'"); fines != 1 || notices != 0 {
		t.Errorf("%d fines with %d notices, want 1 and none", fines, notices)
	}
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
	testkit.Put[charging.Structure](t, o.clerk, "/school-admin/fee/structure/"+o.structure.ID.String(),
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
