package transport_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/transport"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

func TestATapAfterTheClassWasMarkedAbsentAlertsTheOfficeOnceToo(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 2)
	trip := d.start(t)
	err := d.DB(t).Exec(`insert into attendance (id, student_id, division_id, date, status, source, marked_by, marked_at)
		values (?, ?, ?, ?, 'ABSENT', 'TEACHER', ?, now())`,
		api.NewID(), d.children[0].id, d.Seat(t, "Class 5").DivisionID, d.today(), d.admin.UserID).Error
	if err != nil {
		t.Fatal(err)
	}
	d.board(t, trip, d.children[0], "boarded") // the phone was out of reach until now
	d.board(t, trip, d.children[1], "boarded") // nobody has marked this one
	testkit.Eventually(t, "the office is told", func() bool { return d.told(t, d.admin, "Came by bus%") == 1 })
	d.board(t, trip, d.children[0], "alighted")
	testkit.Eventually(t, "everything is heard", func() bool { return d.Count(t, "outbox", "kind = ?", transport.BoardedFact) == 0 })
	if n := d.told(t, d.admin, "Came by bus%"); n != 1 {
		t.Errorf("the office was told %d times", n)
	}
}

func TestATripNobodyEndsIsTheOfficesBusinessOnceAndOneThatEndedIsNot(t *testing.T) {
	t.Parallel()
	s := testkit.Shared(t).NewSchoolAs(t, lifecycle.NewSchool{Locale: "hi-IN"})
	d := furnish(t, s, 3)
	trip := d.start(t)
	d.board(t, trip, d.children[0], "boarded")
	d.board(t, trip, d.children[1], "absent")
	due := func(trip uuid.UUID) {
		t.Helper()
		got := d.DB(t).Exec(`update outbox set next_at = now() - interval '1 minute' where kind = ? and payload ->> 'tripId' = ?`,
			transport.EndDueFact, trip.String())
		if got.Error != nil || got.RowsAffected != 1 {
			t.Fatalf("%d trips are looked at again: %v", got.RowsAffected, got.Error)
		}
		d.App.Service.Relay.Wake(d.ID)
		testkit.Eventually(t, "the trip was looked at", func() bool {
			return d.Count(t, "outbox", "kind = ? and payload ->> 'tripId' = ?", transport.EndDueFact, trip.String()) == 0
		})
	}
	if n := d.Count(t, "outbox", "kind = ? and next_at > now() + interval '1 hour'", transport.EndDueFact); n != 1 {
		t.Errorf("%d facts wait for the planned end", n)
	}
	due(trip)
	var bodies []string
	if err := d.DB(t).Table("notification").Where("user_id = ? and dedupe_key like 'trip-left-open%'", d.admin.UserID).Pluck("body",
		&bodies).Error; err != nil {
		t.Fatal(err)
	}
	if len(bodies) != 1 || !strings.Contains(bodies[0], "Asha Rao") || !strings.Contains(bodies[0], "Csha Rao") ||
		strings.Contains(bodies[0], "Bsha") || !strings.Contains(bodies[0], "बस") {
		t.Errorf("the office was told %q", bodies)
	}
	d.board(t, trip, d.children[0], "alighted")
	d.board(t, trip, d.children[2], "no_show")
	d.command(t, trip, "end")
	second := d.schedule(t, d.route.ID, "08:00").ID
	d.command(t, second, "start")
	for _, c := range d.children {
		d.board(t, second, c, "no_show")
	}
	d.command(t, second, "end")
	due(second)
	if n := d.Count(t, "notification", "dedupe_key like 'trip-left-open%'"); n != 1 {
		t.Errorf("the office was told %d times", n)
	}
}

func TestARunningTripIsHandedToAnotherDriverAndTheFirstDrivesItNoMore(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 2)
	trip := d.start(t)
	d.send(t, trip, at(0.1, 0))
	second, secondID := d.hire(t)
	path := "/school-admin/transport/trip/" + trip.String() + "/driver"
	d.admin.Refuses(t, "POST", path, map[string]any{"driverId": api.NewID()}, 422, "")
	d.admin.Refuses(t, "POST", "/school-admin/transport/trip/"+api.NewID().String()+"/driver", map[string]any{"driverId": secondID}, 404, "")
	waiting := d.schedule(t, d.route.ID, "08:00")
	d.admin.Refuses(t, "POST", "/school-admin/transport/trip/"+waiting.ID.String()+"/driver", map[string]any{"driverId": secondID}, 409, "")
	for range 2 { // said twice is said once
		if got := testkit.Post[transport.TripDetail](t, d.admin, path, map[string]any{"driverId": secondID, "reason": "A flat tyre"}); *got.DriverID != secondID || got.Status != "in_progress" {
			t.Fatalf("handed over: %+v", got.TripView)
		}
	}
	tap := map[string]any{"tripId": trip, "studentId": d.children[0].id, "status": "boarded"}
	d.driver.Refuses(t, "POST", "/driver/student/board", tap, 404, "")
	d.driver.Refuses(t, "POST", "/driver/bus-tracking/trips/"+trip.String()+"/end", map[string]any{}, 404, "")
	testkit.Post[transport.Boarding](t, second, "/driver/student/board", tap)
	for _, c := range []*testkit.Client{d.driver, second} {
		if n := d.told(t, c, "A trip was handed over"); n != 1 {
			t.Errorf("a driver was told %d times", n)
		}
	}
	// The second hands it back from the phone; nobody hands over what is not theirs, or to a driver who is not free.
	own := "/driver/trip/" + trip.String()
	free := testkit.Get[transport.Colleagues](t, second, own+"/colleagues")
	if len(free.Drivers) != 1 || free.Drivers[0].EmployeeID != d.driverID {
		t.Errorf("who may take it over: %+v", free)
	}
	d.driver.Refuses(t, "GET", own+"/colleagues", nil, 404, "")
	d.driver.Refuses(t, "POST", own+"/hand-over", map[string]any{"driverId": d.driverID}, 404, "")
	if got := testkit.Post[transport.TripView](t, second, own+"/hand-over", map[string]any{"driverId": d.driverID, "reason": "Unwell"}); *got.DriverID != d.driverID {
		t.Errorf("handed back: %+v", got)
	}
	second.Refuses(t, "GET", own, nil, 404, "")
	testkit.Get[transport.TripDetail](t, d.driver, own)
	if n := d.told(t, second, "A trip was handed over"); n != 2 {
		t.Errorf("the second driver was told %d times", n)
	}
	// Somebody who drives already cannot take another.
	third, thirdID := d.hire(t)
	bus := testkit.Post[transport.Bus](t, d.admin, "/school-admin/transport/bus/create",
		map[string]any{"busNumber": "8", "driverId": thirdID})
	other := d.schedule(t, d.newRoute(t, "Valley", "pickup", bus.ID).ID, "07:00")
	testkit.Post[transport.TripDetail](t, third, "/driver/bus-tracking/trips/"+other.ID.String()+"/start", map[string]any{})
	d.admin.Refuses(t, "POST", path, map[string]any{"driverId": thirdID}, 409, "")
}

func TestAChildAddedToTheRouteOnTheWayIsWaitedForAndOneTakenOffIsNot(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 2)
	trip := d.start(t)
	late, guest := d.admit(t, "Late"), d.admit(t, "Guest")
	d.driver.Refuses(t, "POST", "/driver/student/board", map[string]any{"tripId": trip, "studentId": late.id, "status": "boarded"}, 404, "")
	d.ride(t, d.route, d.children[0], late) // and the second child rides no more
	riders := testkit.Get[transport.TripStudents](t, d.driver, "/driver/student/list?tripId="+trip.String())
	if riders.Total != 3 || riders.Counts["waiting"] != 2 || riders.Counts["absent"] != 1 {
		t.Errorf("riders %+v", riders)
	}
	if got := d.board(t, trip, late, "boarded"); got.Status != "boarded" {
		t.Errorf("boarded %+v", got)
	}
	if n := d.told(t, late.parent, "The bus has started"); n != 1 {
		t.Errorf("the newcomer's parent was told %d times", n)
	}
	// For one trip alone, without riding the route.
	path := "/school-admin/transport/trip/" + trip.String() + "/rider"
	entry := map[string]any{"studentId": guest.id, "stopId": d.route.Stops[1].ID}
	d.admin.Refuses(t, "POST", path, map[string]any{"studentId": api.NewID(), "stopId": api.NewID()}, 422, "")
	guest.parent.Refuses(t, "GET", "/bus-tracking/bus/"+d.bus.ID.String()+"/live", nil, 404, "")
	for range 2 {
		if got := testkit.Post[transport.TripDetail](t, d.admin, path, entry); len(got.Students) != 4 {
			t.Errorf("%d riders", len(got.Students))
		}
	}
	d.board(t, trip, guest, "boarded")
	testkit.Get[transport.Live](t, guest.parent, "/bus-tracking/bus/"+d.bus.ID.String()+"/live")
	if n := d.Count(t, "ride", "student_id = ?", guest.id); n != 0 {
		t.Errorf("the guest rides %d routes", n)
	}
	d.board(t, trip, d.children[1], "boarded") // who stands in the bus is in the bus
	for _, c := range []child{late, guest, d.children[1]} {
		d.board(t, trip, c, "alighted")
	}
	d.board(t, trip, d.children[0], "no_show")
	d.command(t, trip, "end")
	d.admin.Refuses(t, "POST", path, entry, 409, "")
}

// Whoever is first, the bus does not wait for a child whose parent was told "saved".
func TestNotRidingSaidAtTheMomentATripStartsIsNeverLost(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 8)
	trip := d.schedule(t, d.route.ID, "07:00").ID
	var all sync.WaitGroup
	start := make(chan struct{})
	call := func(c *testkit.Client, path string, body map[string]any) {
		all.Go(func() {
			<-start
			if a, err := c.TryCall("POST", path, body); err != nil || a.Status != 200 {
				t.Errorf("%s: %d %s %v", path, a.Status, a.Body, err)
			}
		})
	}
	for i, c := range d.children[:6] {
		call(c.parent, "/parent/transport/not-riding", map[string]any{"studentId": c.id, "tripType": "pickup"})
		if i == 3 {
			call(d.driver, "/driver/bus-tracking/trips/"+trip.String()+"/start", map[string]any{})
		}
	}
	close(start)
	all.Wait()
	riders := testkit.Get[transport.TripStudents](t, d.driver, "/driver/student/list?tripId="+trip.String())
	if riders.Counts["absent"] != 6 || riders.Counts["waiting"] != 2 {
		t.Errorf("riders %+v", riders.Counts)
	}
}

func TestALongTrailIsReadInPartsThatSaySo(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 1)
	trip := d.start(t)
	err := d.DB(t).Exec(`insert into location (trip_id, at, lat, lng, speed, heading, received_at)
		select ?, now() - interval '1 day' + n * interval '1 second', 12.97, 77.59, 8, 0, now() from generate_series(1, 20003) n`, trip).Error
	if err != nil {
		t.Fatal(err)
	}
	path := "/school-admin/transport/trip/" + trip.String() + "/trail"
	first := testkit.Get[transport.Trail](t, d.admin, path)
	if first.Total != 20003 || len(first.Points) != 20000 || first.Next == nil {
		t.Fatalf("%d of %d points, next %v", len(first.Points), first.Total, first.Next)
	}
	rest := testkit.Get[transport.Trail](t, d.admin, path+"?after="+first.Next.Format("2006-01-02T15:04:05.999999Z"))
	if rest.Total != 20003 || len(rest.Points) != 3 || rest.Next != nil || !rest.Points[0].Timestamp.After(*first.Next) {
		t.Errorf("then %d points, next %v", len(rest.Points), rest.Next)
	}
}
