package service_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// day is one day at one school, through the public API alone, with nothing but what a
// client may know. It grows with the modules; every id seen goes into ids, for the
// stranger who tries them all at the end.
type day struct {
	at      *stage
	app     *testkit.App // all instances as one
	super   *testkit.Client
	office  *testkit.Client
	teacher *testkit.Client // class teacher of 5 A
	school  uuid.UUID
	phones  string               // what the parents' phones begin with
	ids     map[string]uuid.UUID // path with :id → an id that is somebody's

	morning *morning
}

// liveDay lives the day, hour by hour.
func liveDay(t *testing.T, at *stage) {
	app := at.app()
	d := &day{at: at, app: app, super: app.SuperAdmin(t), phones: testkit.NewPhones(), ids: map[string]uuid.UUID{}}
	clerk, exams, bus, two := &clerksMorning{}, &marksHour{}, &busDay{day: d}, &afternoon{}
	for _, hour := range []struct {
		name string
		act  func(*testing.T)
	}{
		{"the week before, the super-admin onboards Green Valley and its administrator sets a password", d.onboard},
		{"the school admin sets the year, classes and divisions", d.frame},
		{"the school admin imports 300 students with their guardians, seven rows of whom are mended first", d.enrol},
		{"the school admin employs a class teacher and sets a timetable whose one clash is refused", d.staff},
		{"6-A is filled and has a class teacher", d.fillClass},
		{"fees are decided for class 11", func(t *testing.T) { clerk.day = d.of(t, 11); clerk.decideFees(t) }},
		{"an exam of class 7 is scheduled, with one clash refused", func(t *testing.T) { exams.day = d.of(t, 7); exams.schedule(t) }},
		{"the school gets a bus, two routes, riders and trips", bus.furnish},
		{"class 9 has two families and a teacher", func(t *testing.T) { two.day = d.of(t, 9); two.people(t) }},
		{"06:40 a parent asks leave for two children", d.asksLeave},
		{"06:40 another says that the child will not ride today", bus.notRiding},
		{"06:55 a driver signs in with a code, and later with a PIN", d.driverSignsIn},
		{"06:55 the driver starts the trip, and again by accident", bus.start},
		{"07:05 forty positions, a tunnel, and a batch of what was missed", bus.drive},
		{"07:12 parents watch; a stranger gets an error and nothing else", bus.watch},
		{"07:20 children board, one twice, one does not show up; a traffic jam", bus.board},
		{"07:50 the trip cannot be ended with a child aboard", bus.end},
		{"08:05 the teacher approves the leave and marks 6-A in one call", d.marksClass},
		{"08:06 a child who boarded is marked absent: the office is alerted", bus.mismatch},
		{"08:10 the teacher corrects a mistake", d.correctsMark},
		{"09:00 the clerk charges term 1, twice", clerk.charges},
		{"09:05 the clerk collects cash and a cheque, and double-clicks", clerk.collects},
		{"09:30 the cheque bounces and is reversed", clerk.bounces},
		{"10:00 the statement explains itself and the ledger balances", clerk.closes},
		{"11:00 a teacher enters marks, one above the maximum", exams.enter},
		{"11:00 the school admin publishes, and the parents of that class are told", exams.publish},
		{"12:00 in evaluation mode teachers read only, exams stay open", exams.evaluate},
		{"14:00 an announcement to a class", two.announce},
		{"14:05 a parent asks and the teacher answers", two.ask},
		{"15:30 the children are driven home, and the log of the day is complete", bus.driveHome},
		{"all day, a stranger tries every id seen above", func(t *testing.T) {
			d.stranger(t)
			clerk.strangers(t)
			exams.stranger(t)
			two.stranger(t)
		}},
		{"16:30 the super-admin takes the whole school home, and makes another one of it", d.takesHome},
		{"17:00 the super-admin suspends the school, whose tokens are dead within a second", d.suspend},
	} {
		if !t.Run(hour.name, hour.act) {
			t.FailNow()
		}
	}
}

// of is the same day of another class, made here, with one division.
func (d *day) of(t *testing.T, level int) *day {
	t.Helper()
	class := testkit.Post[roster.Class](t, d.office, "/school-admin/class/create",
		map[string]any{"name": fmt.Sprint("Class ", level), "level": level})
	division := testkit.Post[roster.Division](t, d.office, "/school-admin/division/create", map[string]any{"classId": class.ID, "name": "A"})
	other := *d
	other.ids = maps.Clone(d.ids)
	other.ids["/school-admin/class/"], other.ids["/school-admin/division/"] = class.ID, division.ID
	return &other
}

type school struct {
	ID     uuid.UUID
	Status string
	Code   string
}

func (d *day) onboard(t *testing.T) {
	email := "principal-" + uuid.NewString()[:8] + "@green-valley.test"
	answer := d.super.Call(t, "POST", "/super-admin/school/create", map[string]any{
		"name": "Green Valley", "code": "gv-" + uuid.NewString()[:8], "timeZone": "Asia/Kolkata", "currency": "INR",
		"weekendDays": []int{}, // the day is a school day, whichever day it is
		"admin":       map[string]any{"firstName": "Asha", "lastName": "Rao", "email": email, "phone": "+919812300001"},
	})
	if answer.Status != 201 {
		t.Fatalf("onboarding: %d %s", answer.Status, answer.Body)
	}
	var made school
	answer.Read(t, &made)
	d.school = made.ID
	type progress struct {
		Status  string
		Percent int
		Steps   []struct{ Name string }
	}
	testkit.Eventually(t, "the school is ready", func() bool {
		p := testkit.Get[progress](t, d.super, "/super-admin/school/"+made.ID.String()+"/provisioning")
		return p.Status == "ACTIVE" && p.Percent == 100 && len(p.Steps) >= 5
	})
	var link []string
	testkit.Eventually(t, "the invitation went out", func() bool {
		if sent := d.app.Sent(t, email); len(sent) == 1 {
			link = regexp.MustCompile(`token=([\w-]+)`).FindStringSubmatch(sent[0].Text)
		}
		return len(link) == 2
	})
	nobody := d.app.Nobody()
	if a := nobody.Call(t, "POST", "/auth/password/reset", map[string]any{"token": link[1], "password": "green valley principal"}); a.Status != 200 {
		t.Fatalf("setting the password: %d %s", a.Status, a.Body)
	}
	d.office = d.signIn(t, "/auth/login", map[string]any{"email": email, "password": "green valley principal"})
	d.at.night.arm()
	type me struct {
		School      struct{ ID uuid.UUID }
		Permissions map[string]api.Granted
	}
	if who := testkit.Get[me](t, d.office, "/auth/me"); who.School.ID != d.school ||
		len(who.Permissions) != len(d.app.Service.Kernel.Catalogue) || !who.Permissions["permission"].CanWrite {
		t.Errorf("me %+v", who)
	}
}

// signIn calls a sign-in endpoint and is then that user.
func (d *day) signIn(t *testing.T, path string, body map[string]any) *testkit.Client {
	t.Helper()
	a := d.app.Nobody().Call(t, "POST", path, body)
	if a.Status != 200 {
		t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
	return d.enters(t, a)
}

// enters is the user whom an answer has signed in.
func (d *day) enters(t *testing.T, a testkit.Answer) *testkit.Client {
	t.Helper()
	var in struct{ AccessToken string }
	if err := json.Unmarshal(a.Body, &in); err != nil {
		t.Fatal(err)
	}
	c := d.app.Nobody()
	c.Token = in.AccessToken
	return c
}

func (d *day) frame(t *testing.T) {
	year := testkit.Post[roster.AcademicYear](t, d.office, "/school-admin/academic-year/create",
		map[string]any{"name": "2026-27", "startDate": "2026-06-01", "endDate": "2027-04-30"})
	testkit.Post[roster.AcademicYear](t, d.office, "/school-admin/academic-year/"+year.ID.String()+"/activate", nil)
	class := testkit.Post[roster.Class](t, d.office, "/school-admin/class/create", map[string]any{"name": "Class 5", "code": "5", "level": 5})
	division := testkit.Post[roster.Division](t, d.office, "/school-admin/division/create",
		map[string]any{"classId": class.ID, "name": "A", "capacity": 200})
	d.ids["/school-admin/academic-year/"] = year.ID
	d.ids["/school-admin/class/"] = class.ID
	d.ids["/school-admin/division/"] = division.ID
	testkit.Post[roster.Division](t, d.office, "/school-admin/division/create",
		map[string]any{"classId": class.ID, "name": "B", "capacity": 200})
}

func (d *day) driverSignsIn(t *testing.T) {
	s := d.asSchool(t)
	driver := s.Add(t, testkit.Person{Role: api.Driver})
	first := d.byPhone(t, "driver", driver.Phone)
	if a := first.Call(t, "POST", "/driver/user-auth/set-pin", map[string]any{"pin": "4826"}); a.Status != 200 {
		t.Fatalf("set-pin: %d %s", a.Status, a.Body)
	}
	d.signIn(t, "/driver/user-auth/verify-pin", map[string]any{"phone": driver.Phone, "pin": "4826"})
	first.Refuses(t, "GET", "/school-admin/class/list", nil, 403, "PERMISSION_DENIED")
}

// asSchool is the school as the tests' own tools see it, for what no endpoint makes yet.
func (d *day) asSchool(t *testing.T) *testkit.School {
	t.Helper()
	made, err := d.app.Service.Cluster.FindSchool(t.Context(), d.school)
	if err != nil {
		t.Fatal(err)
	}
	return &testkit.School{School: made, App: d.app}
}

func (d *day) stranger(t *testing.T) {
	elsewhere := d.app.NewSchool(t).As(t, api.SchoolAdmin)
	for path, id := range d.ids {
		elsewhere.Refuses(t, "GET", path+id.String(), nil, 404, "")
		elsewhere.Refuses(t, "PUT", path+id.String(), map[string]any{}, 404, "")
		elsewhere.Refuses(t, "DELETE", path+id.String(), nil, 404, "")
		if a := d.office.Call(t, "GET", path+id.String(), nil); a.Status != 200 {
			t.Errorf("its owner: %s%s %d", path, id, a.Status)
		}
	}
}

func (d *day) suspend(t *testing.T) {
	if a := d.super.Call(t, "POST", "/super-admin/school/"+d.school.String()+"/suspend", nil); a.Status != 200 {
		t.Fatalf("suspend: %d %s", a.Status, a.Body)
	}
	testkit.Eventually(t, "its tokens are refused",
		func() bool { return d.office.Call(t, "GET", "/school-admin/class/list", nil).Status == 403 })
	d.super.Refuses(t, "POST", "/super-admin/school/"+d.school.String()+"/suspend", nil, 409, "")
}
