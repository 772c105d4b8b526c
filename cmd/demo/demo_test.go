package demo_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/demo"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/migrations"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// greenValley is the big demo school.
var greenValley = uuid.MustParse("01890000-0000-7000-8000-00000000d310")

// wednesday is a school day, in the afternoon in India.
func wednesday() *wait.Clock { return wait.ClockAt(time.Date(2026, 10, 14, 10, 30, 0, 0, time.UTC)) }

// mostCalls is how many calls the first filling of both schools makes. Each costs some milliseconds of two processors, of the few
// seconds that a newcomer waits: find a way with fewer before you raise it.
const mostCalls = 900

// start runs a service with a clock and makes the demo.
func start(t *testing.T, name string, clock *wait.Clock) (*testkit.App, *demo.Demo) {
	t.Helper()
	app := testkit.StartOn(t, testkit.Stack(t), testkit.DatabaseName()+"_"+name, func(_ *config.Config, o *service.Options) {
		o.Clock, o.NoFirstYear, o.NoQuietHours = clock.Now, false, false
	})
	return app, fill(t, app, 0)
}

// fill makes the demo with the registers of so many days, of all of them unless said.
func fill(t *testing.T, app *testkit.App, days int) *demo.Demo {
	t.Helper()
	d, err := demo.Open(t.Context(), app.Service)
	if err != nil {
		t.Fatal(err)
	}
	d.Days = days
	if err := d.Fill(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d
}

// signIn signs in by e-mail, or by phone and the demo's PIN.
func signIn(t *testing.T, app *testkit.App, path, body string) *testkit.Client {
	t.Helper()
	answer := app.Nobody().Send(t, "POST", path, "application/json", []byte(body))
	if answer.Status != 200 {
		t.Fatalf("%s: %d %s", path, answer.Status, answer.Body)
	}
	var in struct{ AccessToken string }
	answer.Read(t, &in)
	return app.Nobody().With("Authorization", "Bearer "+in.AccessToken)
}

func office(t *testing.T, app *testkit.App, email string) *testkit.Client {
	t.Helper()
	return signIn(t, app, "/auth/login", fmt.Sprintf(`{"email": %q, "password": %q}`, email, app.Service.Config.LocalPassword))
}

func byPIN(t *testing.T, app *testkit.App, phone string) *testkit.Client {
	t.Helper()
	return signIn(t, app, "/auth/verify-pin", fmt.Sprintf(`{"phone": %q, "pin": %q}`, phone, demo.PIN))
}

// schoolOf is the big school, for figures no list has.
func schoolOf(t *testing.T, app *testkit.App) *testkit.School {
	t.Helper()
	found, err := app.Service.Cluster.FindSchool(t.Context(), greenValley)
	if err != nil {
		t.Fatal(err)
	}
	return &testkit.School{School: found, App: app}
}

type total struct{ Total int }

// figures are what there is at a school, by the lists of its office.
func figures(t *testing.T, c *testkit.Client) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, list := range []string{"student", "employee", "class", "division", "subject", "fee/collection", "fee/structure", "exam",
		"transport/bus", "transport/route", "transport/trip", "library/book", "library/loan", "leave", "event", "announcement"} {
		out[list] = testkit.Get[total](t, c, "/school-admin/"+list+"/list?limit=1").Total
	}
	return out
}

// TestDemo_OnAWednesday_AndLater makes the demo once for all that is looked at: the parts follow each other.
func TestDemo_OnAWednesday_AndLater(t *testing.T) {
	t.Parallel()
	clock := wednesday()
	app, made := start(t, "demo_wednesday", clock)
	if n := made.Calls(); n > mostCalls {
		t.Errorf("the first filling made %d calls, want %d at most", n, mostCalls)
	} else {
		t.Logf("the first filling made %d calls", n)
	}
	t.Run("its photos are there", func(t *testing.T) { photosAreThere(t, app, clock.Now()) })
	t.Run("every sign-in of the README works", func(t *testing.T) { signInsWork(t, app) })
	t.Run("its records are sound", func(t *testing.T) { recordsAreSound(t, app) })
	var last uuid.UUID // trip
	t.Run("made twice it is the same school", func(t *testing.T) { madeTwice(t, app) })
	t.Run("started twice in a minute its bus drives", func(t *testing.T) {
		d := fill(t, app, 0)
		last = drives(t, app, d, drives(t, app, d, uuid.Nil))
	})
	t.Run("a month later it has the missing days", func(t *testing.T) { aMonthLater(t, app, clock, last) })
}

func madeTwice(t *testing.T, app *testkit.App) {
	t.Helper()
	admin := office(t, app, "admin@green-valley.local")
	first := figures(t, admin)
	want := map[string]int{"student": 600, "employee": 40, "class": 10, "division": 20, "transport/bus": 3, "transport/route": 6, "transport/trip": 6,
		"library/book": 16, "library/loan": 42, "leave": 6, "event": 4, "announcement": 4, "exam": 3}
	for list, n := range want {
		if first[list] != n {
			t.Errorf("%d in %s, want %d", first[list], list, n)
		}
	}
	school := schoolOf(t, app)
	for what, table := range map[string]string{
		"receipts":             `fee_receipt`,
		"receipts of families": `(select from fee_receipt where family_payment_id is not null) x`,
		"opening dues": `(select from ledger_entry e join ledger_transaction t on t.id = e.transaction_id join student s on s.id = e.account_id
			where t.kind = 'OPENING' and e.entry_type = 'DR') x`,
		"advances": `(select from ledger_entry e join ledger_transaction t on t.id = e.transaction_id join student s on s.id = e.account_id
			where t.kind = 'OPENING' and e.entry_type = 'CR') x`,
	} {
		if school.Count(t, table, "true") < map[string]int{"receipts": 200}[what]+5 {
			t.Errorf("there are few %s", what)
		}
	}
	for what, table := range map[string]string{
		"lessons":       `timetable_slot`,
		"leave waiting": `(select from leave where status = 'PENDING') x`,
		"messages":      `message`,
		"loans":         `(select from library_loan where closed_on is null) x`,
	} {
		if school.Count(t, table, "true") == 0 {
			t.Errorf("there are no %s", what)
		}
	}
	type dues struct{ Ageing struct{ NotDue, Total int64 } }
	if owed := testkit.Get[dues](t, admin, "/school-admin/fee/dues").Ageing; owed.Total <= owed.NotDue {
		t.Errorf("of %d nothing is overdue", owed.Total)
	}
	if n := school.Count(t, `(select from attendance where date = '2026-10-14' and status <> 'LEAVE' group by division_id) x`,
		"true"); n != 10 {
		t.Errorf("%d divisions of 20 are marked today, want half", n)
	}
	if n := school.Count(t, "ledger_transaction", "reverses_id is not null"); n != 1 {
		t.Errorf("%d transactions were reversed, want 1", n)
	}
	marks, families := school.Count(t, "attendance", "true"), school.Count(t, "guardian", "true")
	if marks < 35_000 {
		t.Errorf("%d marks, want 35,000 or more", marks)
	}
	if families < 450 {
		t.Errorf("%d guardians, want 450 or more", families)
	}
	if calls := fill(t, app, 0).Calls(); calls != 0 {
		t.Errorf("made again it made %d calls, want none: a later start is to cost nothing", calls)
	}
	for list, n := range figures(t, admin) {
		if n != first[list] {
			t.Errorf("made again, %s has %d, had %d", list, n, first[list])
		}
	}
	if again := school.Count(t, "attendance", "true"); again != marks {
		t.Errorf("made again there are %d marks, were %d", again, marks)
	}

	parent := byPIN(t, app, "+919800000702")
	type children struct{ Students []struct{ ID uuid.UUID } }
	mine := testkit.Post[children](t, parent, "/parent/student/list", map[string]any{}).Students
	if len(mine) != 2 {
		t.Fatalf("the parent has %d children, want 2", len(mine))
	}
	type results struct{ Exams []any }
	if seen := testkit.Get[results](t, parent, "/parent/exam/results?studentId="+mine[0].ID.String()); len(seen.Exams) != 2 {
		t.Errorf("the parent sees the results of %d exams, want 2", len(seen.Exams))
	}
	type card struct{ Subjects []any }
	if seen := testkit.Get[card](t, parent, "/parent/exam/report-card?studentId="+mine[0].ID.String()); len(seen.Subjects) < 5 {
		t.Errorf("the report card has %d subjects, want 5 or more", len(seen.Subjects))
	}
	accountant := office(t, app, "accounts@green-valley.local")
	testkit.Get[total](t, accountant, "/school-admin/fee/collection/list?limit=1")
	accountant.Refuses(t, "GET", "/school-admin/exam/list", nil, 403, "PERMISSION_DENIED")

	books := testkit.Get[struct{ TotalDebit, TotalCredit int64 }](t, admin, "/school-admin/fee/trial-balance")
	if books.TotalDebit != books.TotalCredit || books.TotalDebit == 0 {
		t.Errorf("the ledger has %d debit and %d credit", books.TotalDebit, books.TotalCredit)
	}
	if n := school.Count(t, "delivery", "true"); n != 0 {
		t.Errorf("%d messages were queued, want none", n)
	}
	if sent := testkit.Get[struct{ Items []any }](t, app.Nobody(), "/dev/outbox?to=accounts@green-valley.local"); len(sent.Items) > 0 {
		t.Errorf("the accountant was written to: %v", sent.Items)
	}
}

// firstDemo is the version of a school's schema at which the demo was a school of six students.
const firstDemo = 65

// older has the demo's school begin with what an older demo made there: a driver and a child of the same phones.
func older(t *testing.T, app *testkit.App) {
	t.Helper()
	if _, err := demo.Open(t.Context(), app.Service); err != nil {
		t.Fatal(err)
	}
	admin := office(t, app, "admin@green-valley.local")
	testkit.Post[any](t, admin, "/school-admin/employee/create", map[string]any{"employeeCode": "D-1", "firstName": "Ravi",
		"employeeType": "DRIVER", "phone": "+919800000701", "licenceNumber": "KA01", "licenceExpiryDate": "2030-01-01"})
	testkit.Post[any](t, admin, "/school-admin/student/create", map[string]any{"admissionNumber": "DEMO-01", "firstName": "Asha",
		"guardians": []any{map[string]any{"firstName": "Meera", "relation": "MOTHER", "phone": "+919800000702"}}})
}

func TestDemo_Today_HasASecondSchoolAndABusThatDrives(t *testing.T) {
	t.Parallel()
	if _, err := demo.Open(t.Context(), startAt(t, "demo_today", nil, migrations.School()[:firstDemo]).Service); err != nil {
		t.Fatal(err)
	}
	app := startAt(t, "demo_today", nil, nil)
	older(t, app)
	made := fill(t, app, 1)
	first := drives(t, app, made, uuid.Nil)
	drives(t, app, made, first)

	admin := office(t, app, "admin@baraka-academy.local")
	if n := testkit.Get[total](t, admin, "/school-admin/student/list?limit=1").Total; n != 120 {
		t.Errorf("%d students, want 120", n)
	}
	set := testkit.Get[struct{ Currency, TimeZone string }](t, admin, "/school-admin/setting")
	if set.Currency != "KES" || set.TimeZone != "Africa/Nairobi" {
		t.Errorf("it has the currency %s and the time zone %s", set.Currency, set.TimeZone)
	}
	books := testkit.Get[struct{ TotalDebit, TotalCredit int64 }](t, admin, "/school-admin/fee/trial-balance")
	if books.TotalDebit != books.TotalCredit || books.TotalDebit == 0 {
		t.Errorf("the ledger has %d debit and %d credit", books.TotalDebit, books.TotalCredit)
	}
	signInsWork(t, app)
}

// drives has the demo live until its bus is seen on a trip that is not the one before, and stops it amid that, as a crash does:
// the trip stays open.
func drives(t *testing.T, app *testkit.App, d *demo.Demo, before uuid.UUID) uuid.UUID {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.Live(ctx, func(text string, with ...any) { t.Logf(text, with...) })
	}()
	type bus struct {
		Trip struct {
			ID                uuid.UUID
			BusNumber, Status string
		}
		Location *struct{ Lat float64 }
	}
	valley := office(t, app, "admin@green-valley.local")
	var seen uuid.UUID
	wait.Eventually(t, "bus 12 is seen on its way, on a new trip", func() bool {
		buses := testkit.Get[struct{ Buses []bus }](t, valley, "/school-admin/transport/live").Buses
		at := slices.IndexFunc(buses, func(b bus) bool {
			return b.Trip.BusNumber == "12" && b.Trip.Status == "in_progress" && b.Location != nil && b.Trip.ID != before
		})
		if at >= 0 {
			seen = buses[at].Trip.ID
		}
		return at >= 0
	})
	stop()
	wait.Receive(t, "the demo ends", ended)
	return seen
}

func aMonthLater(t *testing.T, app *testkit.App, clock *wait.Clock, last uuid.UUID) {
	t.Helper()
	admin := office(t, app, "admin@green-valley.local")
	type unmarked struct{ Divisions []any }
	school := schoolOf(t, app)
	before := school.Count(t, "attendance", "true")
	receipts := testkit.Get[total](t, admin, "/school-admin/fee/collection/list?limit=1").Total
	then := figures(t, admin)
	clock.Pass(29 * 24 * time.Hour)
	drives(t, app, fill(t, app, 0), last)
	admin = office(t, app, "admin@green-valley.local")
	for day, want := range map[string]int{"2026-10-14": 0, "2026-11-11": 0, "2026-11-12": 10} {
		if got := testkit.Get[unmarked](t, admin, "/school-admin/attendance/unmarked?date="+day); len(got.Divisions) != want {
			t.Errorf("%d divisions are not marked on %s, want %d", len(got.Divisions), day, want)
		}
	}
	if after := school.Count(t, "attendance", "true"); after < before+19*600 { // one of the days is a holiday
		t.Errorf("%d marks, were %d", after, before)
	}
	if now := testkit.Get[total](t, admin, "/school-admin/fee/collection/list?limit=1").Total; now != receipts {
		t.Errorf("%d receipts, were %d", now, receipts)
	}
	photosAreThere(t, app, time.Time{})
	today := api.DateOf(clock.Now().In(school.Location()))
	for what, found := range map[string]int{
		"events to come":        school.Count(t, "event", "event_date >= ?", today),
		"leave around today":    school.Count(t, "leave", "to_date >= ?", today),
		"announcements of late": school.Count(t, "announcement", "published_at >= ?", today.AddDays(-14)),
		"loans of late":         school.Count(t, "library_loan", "issued_on >= ?", today.AddDays(-14)),
		"books come back":       school.Count(t, "library_loan", "closed_on >= ?", today.AddDays(-14)),
	} {
		if found == 0 {
			t.Errorf("there are no %s", what)
		}
	}
	now := figures(t, admin)
	for _, list := range []string{"event", "announcement", "leave", "library/loan"} {
		if now[list] <= then[list] || now[list] > then[list]+10 {
			t.Errorf("%s has %d, had %d: want some more", list, now[list], then[list])
		}
	}
	fill(t, app, 0)
	for list, n := range figures(t, admin) {
		if n != now[list] {
			t.Errorf("started again on that day, %s has %d, had %d", list, n, now[list])
		}
	}
}
