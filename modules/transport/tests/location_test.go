package transport_test

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/transport"
	"homeroom/modules/transport/live"
	"homeroom/testkit"
)

// at is a position on the route, so many stops from the first, some seconds ago.
func at(stops float64, ago time.Duration) map[string]any {
	return map[string]any{"lat": baseLat + stops*step, "lng": baseLng, "speed": 8, "heading": 0,
		"timestamp": time.Now().Add(-ago).UTC().Format(time.RFC3339Nano)}
}

func (d *depot) send(t *testing.T, trip uuid.UUID, points ...map[string]any) live.BatchRead {
	t.Helper()
	return testkit.Post[live.BatchRead](t, d.driver, "/driver/bus-tracking/trips/"+trip.String()+"/locations",
		map[string]any{"locations": points})
}

func (d *depot) live(t *testing.T) transport.Live {
	t.Helper()
	return testkit.Get[transport.Live](t, d.admin, "/bus-tracking/bus/"+d.bus.ID.String()+"/live")
}

func TestMissedPositions_CompleteTheTrail_MarkerNeverJumpsBack(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 1)
	trip := d.start(t)
	newest := at(0.5, time.Second)
	first := d.send(t, trip, newest)
	if first.Stored != 1 {
		t.Fatalf("sent %+v", first)
	}
	testkit.Eventually(t, "the bus is shown", func() bool { l := d.live(t).Location; return l != nil && l.Lat == newest["lat"] })
	missed := []map[string]any{at(0.3, 20*time.Second), at(0.1, 60*time.Second), at(0.2, 40*time.Second)}
	for i := range 2 {
		got := d.send(t, trip, append(missed, newest)...)
		if want := []int{3, 0}[i]; got.Stored != want || got.Known != 4-want {
			t.Errorf("sent %+v", got)
		}
	}
	now := d.live(t)
	if now.Location.Lat != newest["lat"] || now.IsStale || now.AgeSeconds == nil || *now.AgeSeconds > 60 {
		t.Errorf("live %+v %+v", now, now.Location)
	}
	trail := testkit.Get[transport.Trail](t, d.admin, "/school-admin/transport/trip/"+trip.String()+"/trail")
	if trail.Total != 4 || trail.Points[0].Lat != missed[1]["lat"] || trail.Points[3].Lat != newest["lat"] {
		t.Errorf("trail %+v", trail)
	}
}

func TestPositionsThatCannotBeAreNamedAndNotKept(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 1)
	trip := d.start(t)
	now := time.Now()
	bad := []map[string]any{
		{"lat": 91, "lng": 10, "timestamp": now.UnixMilli()}, {"lat": 0, "lng": 0, "timestamp": now.Unix()}, {"lng": 1},
		{"lat": 12, "lng": 77, "timestamp": now.Add(time.Hour).UnixMilli()},
		{"lat": 12, "lng": 77, "timestamp": now.Add(-25 * time.Hour).UnixMilli()},
	}
	got := d.send(t, trip, append(bad, map[string]any{"lat": 12.97, "lng": 77.59, "timestamp": now.UnixMilli()})...)
	if len(got.Refused) != 5 || got.Stored != 1 || d.Count(t, "location", "true") != 1 {
		t.Errorf("read %+v", got)
	}
	stranger, _ := d.hire(t)
	path := "/driver/bus-tracking/trips/" + trip.String() + "/locations"
	stranger.Refuses(t, "POST", path, map[string]any{"locations": []any{at(0, 0)}}, 404, "")
	d.driver.Refuses(t, "POST", path, map[string]any{"locations": []any{map[string]any{"lat": "north"}}}, 400, "")
	waiting := d.schedule(t, d.route.ID, "08:00")
	d.driver.Refuses(t, "POST", "/driver/bus-tracking/trips/"+waiting.ID.String()+"/locations", map[string]any{"locations": []any{at(0, 0)}},
		409, "")
}

func TestAJumpNoBusMakesIsDroppedFromABatchAndNotShown(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 1)
	trip := d.start(t)
	got := d.send(t, trip, at(0.4, 10*time.Second), at(300, 30*time.Second), at(0.2, 40*time.Second), at(0.1, 50*time.Second))
	if got.Stored != 3 || len(got.Refused) != 1 || got.Refused[0].Index != 1 {
		t.Errorf("read %+v", got)
	}
	right := func() bool { l := d.live(t).Location; return l != nil && l.Lat == baseLat+0.4*step }
	testkit.Eventually(t, "the bus is shown", right)
	if got := d.send(t, trip, at(300, time.Second)); got.Stored != 0 || len(got.Refused) != 1 {
		t.Errorf("read %+v", got)
	}
	if !right() || d.Count(t, "location", "trip_id = ?", trip) != 3 {
		t.Errorf("live %+v", d.live(t).Location)
	}
}

func TestABusThatComesNearAStopIsToldOncePerStopAndTrip(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 3)
	trip := d.start(t)
	ago := 30 * time.Second // far from what counts as stale, however slowly this is driven
	drive := func(stops ...float64) {
		for _, s := range stops {
			ago -= time.Second
			d.send(t, trip, at(s, ago))
			testkit.Eventually(t, "the bus is shown", func() bool { l := d.live(t).Location; return l != nil && l.Lat == baseLat+s*step })
		}
	}
	drive(-0.2, -0.1, 0, 0.02, 0.2)
	testkit.Eventually(t, "the first stop is left", func() bool { s := d.live(t).Stops[0]; return s.ArrivedAt != nil && s.DepartedAt != nil })
	drive(0.4, 0.6, 0.8, 0.78, 0.8)
	testkit.Eventually(t, "the second stop's families are told",
		func() bool { return d.told(t, d.children[1].parent, "The bus is near") == 1 })
	now := d.live(t)
	if now.Stops[0].ETASeconds != nil || now.Stops[1].ETASeconds == nil || now.Stops[2].ETASeconds == nil ||
		*now.Stops[2].ETASeconds <= *now.Stops[1].ETASeconds {
		t.Errorf("etas %+v", now.Stops)
	}
	for i, want := range []int{1, 1, 0} {
		if n := d.told(t, d.children[i].parent, "The bus is near"); n != want {
			t.Errorf("parent %d was told %d times", i, n)
		}
	}
}

func TestAStopThatWasCalledAtOutOfReachIsNotedWhenThePhoneSendsItsWay(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 2)
	trip := d.start(t)
	d.send(t, trip, at(-0.2, 40*time.Second), at(0, 35*time.Second), at(0.02, 30*time.Second), at(0.2, 25*time.Second))
	testkit.Eventually(t, "the first stop is left", func() bool { s := d.live(t).Stops[0]; return s.ArrivedAt != nil && s.DepartedAt != nil })
	if now := d.live(t); !now.Stops[0].DepartedAt.After(*now.Stops[0].ArrivedAt) || now.Stops[1].ArrivedAt != nil {
		t.Errorf("stops %+v", now.Stops)
	}
}

func TestOldTrailsAreThinnedAfterAMonthAndGoneAfterThree(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 1)
	trip := d.start(t)
	today, _ := api.ParseDate(d.today())
	fill := func(days int) uuid.UUID {
		t.Helper()
		id := api.NewID()
		err := d.DB(t).Exec(`with t as (insert into trip (id, route_id, bus_id, driver_id, trip_type, trip_date, scheduled_start_at, status)
				select ?, route_id, bus_id, driver_id, trip_type, ?, ?, 'completed' from trip where id = ? returning id)
			insert into location (trip_id, at, lat, lng, speed, heading, received_at)
			select ?, date_trunc('hour', now()) - make_interval(days => ?) + make_interval(secs => 10 * n), 12, 77, 1, 1, now()
			from generate_series(0, 17) n`,
			id, today.AddDays(-days), time.Now().AddDate(0, 0, -days), trip, id, days).Error
		if err != nil {
			// the trip is there before its trail
			t.Fatal(err)
		}
		return id
	}
	fresh, month, old := fill(10), fill(31), fill(91)
	for range 2 {
		if err := live.ThinTrails(d.DB(t), today); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range map[uuid.UUID]int{fresh: 18, month: 3, old: 0} {
		if n := d.Count(t, "location", "trip_id = ?", id); n != want {
			t.Errorf("%d positions are left, want %d", n, want)
		}
	}
}

func TestTheSameBatchSentTwiceAtOnceIsStoredOnce(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 1)
	trip := d.start(t)
	var points []map[string]any
	for i := range 50 {
		points = append(points, at(float64(i)/100, time.Duration(100-i)*time.Second))
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			a, err := d.driver.TryCall("POST", "/driver/bus-tracking/trips/"+trip.String()+"/locations", map[string]any{"locations": points})
			if err != nil || a.Status != 200 {
				t.Errorf("%v %d %s", err, a.Status, a.Body)
			}
		})
	}
	wg.Wait()
	if n := d.Count(t, "location", "trip_id = ?", trip); n != 50 {
		t.Errorf("%d positions", n)
	}
}

func TestTheOfficeSeesEveryBusOfTheDayInOneCall(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 2)
	idle := testkit.Post[transport.Bus](t, d.admin, "/school-admin/transport/bus/create", map[string]any{"busNumber": "8"})
	home := d.newRoute(t, "Hill Road, home", "dropoff", idle.ID)
	d.schedule(t, home.ID, "15:30")
	trip := d.start(t)
	d.send(t, trip, at(0, 20*time.Second), at(0.4, time.Second))
	d.board(t, trip, d.children[0], "boarded")
	incident := testkit.Post[transport.Incident](t, d.driver, "/driver/incident/report",
		map[string]any{"busId": d.bus.ID, "type": "traffic_jam"})

	fleet := testkit.Get[transport.Fleet](t, d.admin, "/school-admin/transport/live")
	if len(fleet.Buses) != 2 || len(fleet.Incidents) != 1 || fleet.Incidents[0].ID != incident.ID {
		t.Fatalf("%+v", fleet)
	}
	for _, b := range fleet.Buses {
		switch b.Trip.BusID {
		case d.bus.ID:
			if b.Trip.ID != trip || b.Trip.DriverName != "Ravi" || len(b.Stops) != 3 || b.Counts["boarded"] != 1 || b.Counts["waiting"] != 1 ||
				b.Location == nil || b.Location.Lat != at(0.4, 0)["lat"] || b.Location.IsStale {
				t.Errorf("the bus that drives: %+v, at %+v", b, b.Location)
			}
		case idle.ID:
			if b.Trip.Status != "scheduled" || b.Trip.RouteName != home.Name || b.Location != nil || len(b.Stops) != 3 || b.Counts["waiting"] != 0 {
				t.Errorf("the bus that waits: %+v", b)
			}
		}
	}
	d.driver.Refuses(t, "GET", "/school-admin/transport/live", nil, 403, "")
}

func TestPosition_TimestampInDigits_IsTaken(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 1)
	trip := d.start(t)
	for i, write := range []func(time.Time) any{
		func(at time.Time) any { return strconv.FormatInt(at.UnixMilli(), 10) },
		func(at time.Time) any { return strconv.FormatInt(at.Unix(), 10) },
		func(at time.Time) any { return at.UnixMilli() },
	} {
		point := at(0.1*float64(i+1), 0)
		point["timestamp"] = write(time.Now().Add(-time.Duration(30-i) * time.Second))
		if got := d.send(t, trip, point); got.Stored != 1 {
			t.Errorf("%v: %+v, want it stored", point["timestamp"], got)
		}
	}
}
