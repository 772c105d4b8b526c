package transport_test

import (
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/modules/transport"
	"homeroom/testkit"
)

const schedulePath = "/school-admin/transport/trip/schedule"

func (d *depot) tomorrow(t *testing.T) api.Date {
	t.Helper()
	day, err := api.ParseDate(d.today())
	if err != nil {
		t.Fatal(err)
	}
	return day.AddDays(1)
}

// holiday declares a day off, of some divisions or of the school.
func (d *depot) holiday(t *testing.T, day api.Date, divisions ...uuid.UUID) string {
	t.Helper()
	made := testkit.Post[struct{ ID uuid.UUID }](t, d.admin, "/school-admin/attendance/holiday/create",
		map[string]any{"name": "Flood", "startDate": day, "divisionIds": append([]uuid.UUID{}, divisions...)})
	return "/school-admin/attendance/holiday/" + made.ID.String()
}

func (d *depot) tripStatus(t *testing.T, id uuid.UUID) string {
	t.Helper()
	return testkit.Get[transport.TripDetail](t, d.admin, "/school-admin/transport/trip/"+id.String()).Status
}

func (d *depot) becomes(t *testing.T, id uuid.UUID, status string) {
	t.Helper()
	testkit.Eventually(t, "the trip is "+status, func() bool { return d.tripStatus(t, id) == status })
}

// seat seats a child in a division of a new class.
func (d *depot) seat(t *testing.T, name string, c child) uuid.UUID {
	t.Helper()
	class := testkit.Post[roster.Class](t, d.admin, "/school-admin/class/create", map[string]any{"name": name})
	division := testkit.Post[roster.Division](t, d.admin, "/school-admin/division/create", map[string]any{"classId": class.ID, "name": "A"})
	testkit.Put[struct{}](t, d.admin, "/school-admin/student/"+c.id.String(), map[string]any{"divisionId": division.ID})
	return division.ID
}

// openYear gives the school an academic year that is on.
func (d *depot) openYear(t *testing.T) {
	t.Helper()
	year := testkit.Post[roster.AcademicYear](t, d.admin, "/school-admin/academic-year/create",
		map[string]any{"name": "Now", "startDate": d.tomorrow(t).AddDays(-100), "endDate": d.tomorrow(t).AddDays(200)})
	testkit.Post[struct{}](t, d.admin, "/school-admin/academic-year/"+year.ID.String()+"/activate", nil)
}

func (d *depot) tripOn(t *testing.T, day api.Date, more map[string]any) transport.Scheduled {
	t.Helper()
	body := map[string]any{"routeId": d.route.ID, "tripDate": day, "scheduledStartTime": "23:59"}
	for k, v := range more {
		body[k] = v
	}
	return testkit.Post[transport.Scheduled](t, d.admin, schedulePath, body)
}

func TestTrip_OnAHoliday_IsScheduledOnlyIfSaid(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 1)
	day := d.tomorrow(t)
	d.holiday(t, day)
	body := map[string]any{"routeId": d.route.ID, "tripDate": day, "scheduledStartTime": "07:00"}
	f := d.admin.Refuses(t, "POST", schedulePath, body, 422, "")
	if len(f.Details) != 1 || f.Details[0].Field != "tripDate" {
		t.Errorf("it names %+v", f.Details)
	}
	all := map[string]any{"routeId": d.route.ID, "weekdays": []int{1, 2, 3, 4, 5, 6, 7}, "fromDate": day, "toDate": day.AddDays(2),
		"scheduledStartTime": "07:00"}
	made := testkit.Post[transport.Scheduled](t, d.admin, schedulePath, all)
	if made.Total != 2 || len(made.Skipped) != 1 || made.Skipped[0].Date != day || made.Skipped[0].DayOff != "Flood" {
		t.Errorf("%d trips, skipped %+v", made.Total, made.Skipped)
	}
	body["runsOnHolidays"] = true
	if said := testkit.Post[transport.Scheduled](t, d.admin, schedulePath, body); !said.RunsOnHolidays || said.Status != "scheduled" {
		t.Errorf("scheduled %+v", said.Trip)
	}
}

func TestRoute_ThatRunsOnHolidays_KeepsItsTrips(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 1)
	day := d.tomorrow(t)
	other := d.newRoute(t, "Lake Road", "pickup", d.bus.ID)
	testkit.Put[transport.RouteDetail](t, d.admin, "/school-admin/transport/route/"+d.route.ID.String(),
		map[string]any{"runsOnHolidays": true})
	runs := d.tripOn(t, day, nil)
	rests := testkit.Post[transport.Scheduled](t, d.admin, schedulePath,
		map[string]any{"routeId": other.ID, "tripDate": day, "scheduledStartTime": "08:00"})
	d.holiday(t, day)
	d.becomes(t, rests.ID, "cancelled")
	if got := d.tripStatus(t, runs.ID); got != "scheduled" {
		t.Errorf("the route that runs on holidays has a trip that is %s", got)
	}
}

func TestDayOff_CancelsItsTripsTellsOnceAndBringsThemBack(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 1)
	parent, day := d.children[0].parent, d.tomorrow(t)
	first, second := d.tripOn(t, day, nil), d.tripOn(t, day, map[string]any{"scheduledStartTime": "23:30"})
	holiday := d.holiday(t, day)
	d.becomes(t, first.ID, "cancelled")
	d.becomes(t, second.ID, "cancelled")
	testkit.Eventually(t, "the parent is told", func() bool { return d.told(t, parent, "No school bus%") > 0 })
	if n := d.told(t, parent, "No school bus%"); n != 1 {
		t.Errorf("the parent was told %d times of two trips", n)
	}
	sent := func(kind string) int {
		return d.Count(t, "delivery", "channel = 'PUSH' and type = ? and user_id = ? and title <> 'School bus'", kind, parent.UserID)
	}
	testkit.Eventually(t, "the parent hears that there is no school", func() bool { return sent("EVENT") == 1 })
	if n := sent("TRANSPORT"); n != 0 {
		t.Errorf("%d pushes say beside it that there is no bus, want that in the log alone", n)
	}
	if n := d.told(t, d.driver, "Bus trips cancelled"); n != 1 {
		t.Errorf("the driver was told %d times", n)
	}
	testkit.Put[struct{}](t, d.admin, holiday, map[string]any{"name": "High water"})
	d.admin.Call(t, "DELETE", holiday, nil)
	d.becomes(t, first.ID, "scheduled")
	d.becomes(t, second.ID, "scheduled")
	if n := d.told(t, parent, "The school bus runs%"); n != 1 {
		t.Errorf("the parent was told %d times that it runs", n)
	}
	if n := d.told(t, parent, "No school bus%"); n != 1 {
		t.Errorf("the parent was told %d times, a day off of another name among them", n)
	}
}

func TestDayOff_LeavesWhatStartedAndWhatTheOfficeCancelled(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 1)
	today, err := api.ParseDate(d.today())
	if err != nil {
		t.Fatal(err)
	}
	cancelled := d.tripOn(t, today, nil)
	testkit.Post[transport.TripDetail](t, d.admin, "/school-admin/transport/trip/"+cancelled.ID.String()+"/cancel",
		map[string]any{"reason": "Strike"})
	started, later := d.start(t), d.tripOn(t, today, map[string]any{"scheduledStartTime": "23:58"})
	holiday := d.holiday(t, today)
	d.becomes(t, later.ID, "cancelled")
	if got := d.tripStatus(t, started); got != "in_progress" {
		t.Errorf("the trip under way is %s", got)
	}
	d.admin.Call(t, "DELETE", holiday, nil)
	d.becomes(t, later.ID, "scheduled")
	if got := d.tripStatus(t, cancelled.ID); got != "cancelled" {
		t.Errorf("what the office cancelled is %s", got)
	}
}

func TestDayOff_OfSomeRiders_LeavesTheTripToTheOthers(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 2)
	d.openYear(t)
	day := d.tomorrow(t)
	five, six := d.seat(t, "Class 5", d.children[0]), d.seat(t, "Class 6", d.children[1])
	trip := d.tripOn(t, day, nil)
	d.holiday(t, day, five)
	testkit.Eventually(t, "the one who is off is not waited for", func() bool {
		got := testkit.Get[transport.TripDetail](t, d.admin, "/school-admin/transport/trip/"+trip.ID.String())
		return len(got.Students) == 2 && got.Students[0].Status == "absent" && got.Students[0].Reason == "day off" &&
			got.Students[1].Status == "waiting" && got.Status == "scheduled"
	})
	d.holiday(t, day, six)
	d.becomes(t, trip.ID, "cancelled")
}
