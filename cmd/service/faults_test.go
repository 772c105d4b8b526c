package service_test

import (
	"os"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// How long the fault suite is. Unless they are set it is one kill and one cut; make faults
// sets them.
const (
	faultTurnsEnv    = "HOMEROOM_FAULT_TURNS"    // how often every fault comes
	faultRequestsEnv = "HOMEROOM_FAULT_REQUESTS" // calls in all
	faultReportEnv   = "HOMEROOM_FAULT_REPORT"   // a file for the table
	faultOnlyEnv     = "HOMEROOM_FAULT_ONLY"     // a part of the faults' names: no others come
)

func TestWhateverBreaks_NothingAcknowledgedIsLostOrDoubled(t *testing.T) {
	t.Parallel()
	if os.Getenv(faultTurnsEnv) != "" {
		everyFault(t)
		return
	}
	shared := testkit.Shared(t)
	s := &site{t: t}
	var err error
	if s.direct, err = testkit.ServersOf(testkit.Stack(t), testkit.DatabaseName()); err != nil {
		t.Fatal(err)
	}
	s.through(t, newPlainLines())
	c := s.populate(t, shared, 2, 6)
	if err := s.run(1); err != nil {
		t.Fatal(err)
	}
	s.apps = append(s.apps, shared)
	report := &faultReport{}
	for _, f := range []fault{s.cutLines(), s.killInstance()} {
		s.round(t, c, f, 0, 300, report)
	}
	t.Log("\n" + report.table())
}

// populate makes schools with so many children each, and the crowd of their people.
func (s *site) populate(t *testing.T, app *testkit.App, schools, children int) *crowd {
	t.Helper()
	c := &crowd{instances: s.instances}
	for i := range schools {
		made := newMarked(t, app, i, children)
		made.books.payments = map[uuid.UUID]int64{}
		c.schools = append(c.schools, made)
	}
	return c
}

// round strikes once and looks at every school's records afterwards. It says whether all
// was as it should.
func (s *site) round(t *testing.T, c *crowd, f fault, turn, requests int, report *faultReport) bool {
	t.Helper()
	c.freshen(t)
	before := len(s.logged())
	got, err := s.strike(c, f, turn, requests)
	if err != nil {
		t.Error(err)
	}
	for _, school := range c.schools {
		lost, doubled := inspector{s.direct.Node}.check(t, f.name, school)
		got.lost, got.doubled = got.lost+lost, got.doubled+doubled
	}
	report.add(f.name, got)
	right := err == nil && got.wrong+got.lost+got.doubled == 0
	if !right || got.recovery > 5*time.Second {
		t.Logf("%s: well again after %v; what the instances logged:\n%s", f.name, got.recovery, summary(s.logged()[before:]))
	}
	return right
}

// everyFault is the long form, on servers of its own.
func everyFault(t *testing.T) {
	turns, requests := int(fromEnv(t, faultTurnsEnv, 1)), int(fromEnv(t, faultRequestsEnv, 1_000_000))
	s := privateSite(t)
	furnisher, leaves := testkit.StartStoppableOn(t, s.stack, s.direct.Name)
	c := s.populate(t, furnisher, 6, 24)
	leaves()
	if err := s.run(2); err != nil {
		t.Fatal(err)
	}
	rounds := 0
	for _, f := range s.faults() {
		rounds += f.each * turns
	}
	report := newFaultReport(t, s, rounds, requests)
	failed := 0
	for turn := range turns {
		for _, f := range s.faults() { // with other durations each time
			for again := range f.each {
				if !s.round(t, c, f, turn*f.each+again, requests/rounds, report) {
					if failed++; failed == 5 {
						report.write(t)
						t.Fatal("that is enough")
					}
				}
			}
		}
		t.Logf("turn %d of %d\n%s", turn+1, turns, report.table())
		report.write(t)
	}
	for _, school := range c.schools {
		if err := comesAbout("every fact is told", func() bool {
			n, err := inspector{s.direct.Node}.waiting(school)
			return err == nil && n == 0
		}); err != nil {
			t.Errorf("%s: %v", school.mark, err)
		}
	}
	report.write(t)
}
