package transport_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"homeroom/api"
	"homeroom/modules/transport"
	"homeroom/testkit"
)

func TestATripGoesThroughItsStatesAndACommandThatHoldsIsNoChange(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 3)
	trip := d.schedule(t, d.route.ID, "07:00")
	path := "/driver/bus-tracking/trips/" + trip.ID.String() + "/"
	if trip.Status != "scheduled" || trip.TripType != "pickup" || trip.BusID != d.bus.ID || trip.Total != 1 {
		t.Errorf("scheduled %+v", trip)
	}
	d.driver.Refuses(t, "POST", path+"pause", map[string]any{}, 409, "")
	d.driver.Refuses(t, "POST", path+"end", map[string]any{}, 409, "")
	d.driver.Refuses(t, "POST", path+"resume", map[string]any{}, 409, "")
	first := d.command(t, trip.ID, "start")
	second := d.command(t, trip.ID, "start")
	if first.Status != "in_progress" || second.Version != first.Version || first.DriverName != "Ravi" || len(first.Students) != 3 {
		t.Errorf("started %+v, again %+v", first, second.Trip)
	}
	for _, c := range d.children {
		if n := d.told(t, c.parent, "The bus has started"); n != 1 {
			t.Errorf("%s's parent was told %d times", c.name, n)
		}
	}
	if got := d.command(t, trip.ID, "pause"); got.Status != "paused" || d.command(t, trip.ID, "pause").Version != got.Version {
		t.Errorf("paused %+v", got.Trip)
	}
	if got := d.command(t, trip.ID, "resume"); got.Status != "in_progress" {
		t.Errorf("resumed %+v", got.Trip)
	}
	d.admin.Refuses(t, "POST", "/school-admin/transport/trip/"+trip.ID.String()+"/cancel", map[string]any{}, 409, "")

	d.board(t, trip.ID, d.children[0], "boarded")
	d.board(t, trip.ID, d.children[1], "no_show")
	refused := d.driver.Call(t, "POST", path+"end", map[string]any{})
	var body struct {
		Message string
		Data    transport.Unaccounted
	}
	if err := json.Unmarshal(refused.Body, &body); err != nil || refused.Status != 409 {
		t.Fatalf("ended with children aboard: %d %s", refused.Status, refused.Body)
	}
	if !strings.Contains(body.Message, "Asha Rao (aboard)") || !strings.Contains(body.Message, "Csha Rao (waiting)") ||
		len(body.Data.Aboard) != 1 || len(body.Data.Waiting) != 1 {
		t.Errorf("it says %s", refused.Body)
	}
	d.board(t, trip.ID, d.children[0], "alighted")
	d.board(t, trip.ID, d.children[2], "absent")
	if got := d.command(t, trip.ID, "end"); got.Status != "completed" || got.EndedAt == nil {
		t.Errorf("ended %+v", got.Trip)
	}
	d.command(t, trip.ID, "end")
	d.driver.Refuses(t, "POST", path+"start", map[string]any{}, 409, "")
	d.driver.Refuses(t, "POST", "/driver/student/board",
		map[string]any{"tripId": trip.ID, "studentId": d.children[0].id, "status": "boarded"}, 409, "")
	for filter, want := range map[string]int{"ENDED": 1, "completed": 1, "STARTED": 0, "scheduled": 0} {
		if page := testkit.Get[api.Page[transport.TripView]](t, d.admin, "/school-admin/transport/trip/list?filters[status]="+filter); page.Total != want {
			t.Errorf("%d trips are %s", page.Total, filter)
		}
	}
}

func TestAPausedTripWithAChildAboardIsNotCancelled(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 2)
	trip := d.start(t)
	d.board(t, trip, d.children[0], "boarded")
	d.command(t, trip, "pause")
	cancel := "/school-admin/transport/trip/" + trip.String() + "/cancel"
	f := d.admin.Refuses(t, "POST", cancel, map[string]any{"reason": "Flood"}, 409, "")
	if !strings.Contains(f.Message, "Asha Rao (aboard)") || strings.Contains(f.Message, "Bsha") {
		t.Errorf("it says %q", f.Message)
	}
	if d.Count(t, "trip", "id = ? and status = 'paused'", trip) != 1 || d.told(t, d.children[1].parent, "The bus is not coming") != 0 {
		t.Error("it was cancelled all the same")
	}
	d.board(t, trip, d.children[0], "alighted")
	if got := testkit.Post[transport.TripDetail](t, d.admin, cancel, map[string]any{"reason": "Flood"}); got.Status != "cancelled" {
		t.Errorf("cancelled %+v", got.Trip)
	}
}

func TestATripStartedAndEndedTwiceAtOnceIsStartedAndEndedOnce(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 2)
	trip := d.schedule(t, d.route.ID, "07:00")
	at := func(command string) {
		t.Helper()
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				a, err := d.driver.TryCall("POST", "/driver/bus-tracking/trips/"+trip.ID.String()+"/"+command, map[string]any{})
				if err != nil || a.Status != 200 {
					t.Errorf("%s: %v %d %s", command, err, a.Status, a.Body)
				}
			})
		}
		wg.Wait()
	}
	at("start")
	if n := d.Count(t, "boarding", "trip_id = ?", trip.ID); n != 2 {
		t.Errorf("%d riders", n)
	}
	for _, c := range d.children {
		if n := d.told(t, c.parent, "The bus has started"); n != 1 {
			t.Errorf("a parent was told %d times", n)
		}
		d.board(t, trip.ID, c, "absent")
	}
	at("end")
	if n := d.Count(t, "audit_event", "entity = 'trip' and action = 'update'"); n != 2 {
		t.Errorf("%d changes are in the books", n)
	}
}

func TestABusAndADriverAreOnOneTripAtATime(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 1)
	d.start(t)
	home := d.newRoute(t, "Hill Road, afternoon", "dropoff", d.bus.ID)
	second := d.schedule(t, home.ID, "15:30")
	d.driver.Refuses(t, "POST", "/driver/bus-tracking/trips/"+second.ID.String()+"/start", map[string]any{}, 409, "")
	other := testkit.Post[transport.Bus](t, d.admin, "/school-admin/transport/bus/create", map[string]any{"busNumber": "8"})
	testkit.Put[transport.TripDetail](t, d.admin, "/school-admin/transport/trip/"+second.ID.String(),
		map[string]any{"busId": other.ID, "driverId": d.driverID})
	d.driver.Refuses(t, "POST", "/driver/bus-tracking/trips/"+second.ID.String()+"/start", map[string]any{}, 409, "")
	if n := d.Count(t, "trip", "status = 'in_progress'"); n != 1 {
		t.Errorf("%d trips are under way", n)
	}
}

func TestASubstituteDrivesForTheirDaysAndTheBussOwnDriverDoesNot(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 1)
	trip := d.schedule(t, d.route.ID, "07:00")
	stranger, id := d.hire(t)
	start := "/driver/bus-tracking/trips/" + trip.ID.String() + "/start"
	stranger.Refuses(t, "POST", start, map[string]any{}, 404, "")
	testkit.Put[transport.BusDetail](t, d.admin, "/school-admin/transport/bus/"+d.bus.ID.String()+"/driver",
		map[string]any{"driverId": id, "fromDate": d.today(), "toDate": d.today()})
	d.driver.Refuses(t, "POST", start, map[string]any{}, 404, "")
	if mine := testkit.Get[transport.DriversBuses](t, stranger, "/driver/bus/mine"); len(mine.Buses) != 1 || !mine.Buses[0].Substitute ||
		len(mine.Buses[0].Routes) != 1 {
		t.Errorf("the substitute's buses %+v", mine)
	}
	if page := testkit.Get[api.Page[transport.TripView]](t, stranger, "/driver/trip/list"); page.Total != 1 ||
		page.Items[0].RouteName != "Hill Road, morning" {
		t.Errorf("the substitute's trips %+v", page)
	}
	if a := stranger.Call(t, "POST", start, map[string]any{}); a.Status != 200 {
		t.Errorf("the substitute: %d %s", a.Status, a.Body)
	}
}

func TestTripsRepeatOnWeekdaysAndWhatDoesNotFitIsNamed(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 0)
	from, _ := api.ParseDate(d.today())
	made := testkit.Post[transport.Scheduled](t, d.admin, "/school-admin/transport/trip/schedule",
		map[string]any{"routeId": d.route.ID, "weekdays": []int{1, 2, 3, 4, 5},
			"fromDate": from, "toDate": from.AddDays(13), "scheduledStartTime": "06:55"})
	if made.Total != 10 || len(made.Trips) != 10 {
		t.Errorf("%d trips in two weeks", made.Total)
	}
	create := "/school-admin/transport/trip/schedule"
	f := d.admin.Refuses(t, "POST", create, map[string]any{"routeId": d.route.ID, "weekdays": []int{9}, "scheduledStartTime": "25:00"}, 422,
		"")
	if len(f.Details) < 2 {
		t.Errorf("it names %+v", f.Details)
	}
	d.admin.Refuses(t, "POST", create, map[string]any{"routeId": d.route.ID, "tripDate": made.TripDate, "scheduledStartTime": "06:55"}, 409,
		"DUPLICATE_ENTRY")
	d.admin.Refuses(t, "POST", create, map[string]any{"routeId": api.NewID(), "tripDate": d.today(), "scheduledStartTime": "06:55"}, 422, "")
	d.admin.Refuses(t, "POST", create, map[string]any{"routeId": d.route.ID, "tripType": "dropoff", "tripDate": d.today(),
		"scheduledStartTime": "06:50"}, 422, "")
	cancel := "/school-admin/transport/trip/" + made.ID.String() + "/cancel"
	if got := testkit.Post[transport.TripDetail](t, d.admin, cancel, map[string]any{"reason": "Strike"}); got.Status != "cancelled" ||
		got.CancelReason != "Strike" {
		t.Errorf("cancelled %+v", got.Trip)
	}
	testkit.Post[transport.TripDetail](t, d.admin, cancel, map[string]any{"reason": "Again"})
}
