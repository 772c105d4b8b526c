package transport_test

import (
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/transport"
	"homeroom/testkit"
)

func TestARoutesStopsAreReplacedInOrderAndOneThatIsUsedStays(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 2)
	path := "/school-admin/transport/route/" + d.route.ID.String()
	temple, market, lake := d.route.Stops[0], d.route.Stops[1], d.route.Stops[2]
	changed := testkit.Put[transport.RouteDetail](t, d.admin, path, map[string]any{"stops": []any{
		map[string]any{"id": market.ID, "name": "Old market", "lat": market.Lat, "lng": market.Lng},
		map[string]any{"name": "Bridge", "lat": 12.99, "lng": 77.6, "plannedTime": "07:15", "radiusMeters": 500},
		map[string]any{"id": temple.ID, "name": "Temple", "lat": temple.Lat, "lng": temple.Lng},
	}})
	if s := changed.Stops; len(s) != 3 || s[0].ID != market.ID || s[0].Name != "Old market" || s[0].Sequence != 1 ||
		s[1].RadiusMeters != 500 || s[2].ID != temple.ID || s[2].RadiusMeters != 300 {
		t.Errorf("stops %+v", changed.Stops)
	}
	f := d.admin.Refuses(t, "PUT", path,
		map[string]any{"stops": []any{map[string]any{"id": lake.ID, "name": "Lake", "lat": 1, "lng": 1}, map[string]any{"name": "Nowhere"}}},
		422, "")
	if len(f.Details) != 2 {
		t.Errorf("it names %+v", f.Details)
	}
	d.admin.Refuses(t, "PUT", path, map[string]any{"stops": []any{}}, 409, "")
	if got := testkit.Get[transport.RouteDetail](t, d.admin, path); len(got.Stops) != 3 || len(got.Students) != 2 {
		t.Errorf("a refused change left %+v", got)
	}
}

func TestRidersChangeFromADayOnAndRideOneWayOnce(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 2)
	path := "/school-admin/transport/route/" + d.route.ID.String() + "/students"
	tomorrow, _ := api.ParseDate(d.today())
	tomorrow = tomorrow.AddDays(1)
	entry := func(c child, stop int) map[string]any {
		return map[string]any{"studentId": c.id, "stopId": d.route.Stops[stop].ID}
	}
	testkit.Put[transport.RouteDetail](t, d.admin, path, map[string]any{"fromDate": tomorrow, "students": []any{entry(d.children[0], 2)}})
	if now := testkit.Get[transport.RouteDetail](t, d.admin, "/school-admin/transport/route/"+d.route.ID.String()); len(now.Students) != 2 ||
		now.Students[0].StopName != "Temple" {
		t.Errorf("today %+v", now.Students)
	}
	if n := d.Count(t, "ride", "start_date = ? and end_date is null", tomorrow); n != 1 {
		t.Errorf("%d ride from tomorrow on", n)
	}
	for range 2 { // the same again changes nothing
		testkit.Put[transport.RouteDetail](t, d.admin, path, map[string]any{"students": []any{entry(d.children[0], 0), entry(d.children[1], 1)}})
	}
	if n := d.Count(t, "ride", "end_date is null"); n != 2 || d.Count(t, "ride", "true") != 2 {
		t.Errorf("%d ride for good", n)
	}
	other := d.newRoute(t, "Lake Road, morning", "pickup", d.bus.ID)
	// Who names no list at all has forgotten it: nobody loses their seat by that.
	for _, forgotten := range []map[string]any{{}, {"students": nil}, {"fromDate": tomorrow}} {
		d.admin.Refuses(t, "PUT", path, forgotten, 422, "")
	}
	both := map[string]any{"students": []any{map[string]any{"studentId": d.children[0].id, "stopId": other.Stops[0].ID}}}
	d.admin.Refuses(t, "PUT", "/school-admin/transport/route/"+other.ID.String()+"/students", both, 409, "DUPLICATE_ENTRY")
	home := d.newRoute(t, "Lake Road, afternoon", "dropoff", d.bus.ID)
	d.ride(t, home, d.children...)
	stranger := newDepot(t, 1)
	f := d.admin.Refuses(t, "PUT", path,
		map[string]any{"students": []any{entry(stranger.children[0], 0),
			map[string]any{"studentId": d.children[0].id, "stopId": stranger.route.Stops[0].ID}}}, 422, "")
	if len(f.Details) != 2 || d.Count(t, "ride", "end_date is null") != 4 {
		t.Errorf("another school's ids: %+v", f.Details)
	}
}

func TestPeopleSeeTheBusesThatAreTheirs(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 2)
	trip := d.start(t)
	live, students, incidents := "/bus-tracking/bus/"+d.bus.ID.String()+"/live", "/bus-tracking/trip/"+trip.String()+"/students",
		"/bus-tracking/incidents/"+d.bus.ID.String()
	stranger, _ := d.hire(t)
	outsider := d.admit(t, "Zoya")
	for _, c := range []*testkit.Client{stranger, outsider.parent} {
		for _, path := range []string{live, students, incidents, "/bus-tracking/trip/" + trip.String() + "/trail"} {
			c.Refuses(t, "GET", path, nil, 404, "")
		}
	}
	d.As(t, api.Teacher).Refuses(t, "GET", live, nil, 403, "PERMISSION_DENIED")
	own := testkit.Get[transport.TripStudents](t, d.children[0].parent, students)
	if own.Total != 1 || own.Students[0].StudentID != d.children[0].id {
		t.Errorf("a parent sees %+v", own)
	}
	if all := testkit.Get[transport.TripStudents](t, d.driver, students); all.Total != 2 {
		t.Errorf("the driver sees %+v", all)
	}
	for _, c := range []*testkit.Client{d.admin, d.driver, d.children[1].parent} {
		now := testkit.Get[transport.Live](t, c, live)
		if now.Status != "in_progress" || now.Trip.ID != trip || now.Location != nil || !now.IsStale || now.AgeSeconds != nil ||
			len(now.Stops) != 3 {
			t.Errorf("live %+v", now)
		}
	}
}

func TestAnIncidentReachesTheGuardiansOfThoseOnTheTripAndIsResolved(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 3)
	trip := d.start(t)
	d.board(t, trip, d.children[0], "boarded")
	d.board(t, trip, d.children[1], "absent")
	made := testkit.Post[transport.Incident](t, d.driver, "/driver/incident/report",
		map[string]any{"busId": d.bus.ID, "type": "traffic_jam", "description": "Ring road", "lat": 12.97, "lng": 77.59})
	if made.TripID == nil || *made.TripID != trip || made.Severity != "MEDIUM" {
		t.Errorf("reported %+v", made)
	}
	for i, want := range []int{1, 0, 1} {
		if n := d.told(t, d.children[i].parent, "%held up%"); n != want {
			t.Errorf("parent %d was told %d times", i, n)
		}
	}
	if list := testkit.Get[api.Page[transport.Incident]](t, d.children[0].parent, "/bus-tracking/incidents/"+d.bus.ID.String()); list.Total != 1 || list.Items[0].Type != "traffic_jam" {
		t.Errorf("listed %+v", list)
	}
	if list := testkit.Get[api.Page[transport.Incident]](t, d.driver, "/driver/incident/list"); list.Total != 1 {
		t.Errorf("the driver's %+v", list)
	}
	for id, want := range map[uuid.UUID]int{made.ID: 1, api.NewID(): 0} {
		if got := testkit.Get[api.Page[transport.Incident]](t, d.driver, "/driver/incident/list?filters[id]="+id.String()).Total; got != want {
			t.Errorf("%d incidents of the id %s, want %d", got, id, want)
		}
	}
	stranger, _ := d.hire(t)
	stranger.Refuses(t, "POST", "/driver/incident/report", map[string]any{"busId": d.bus.ID, "type": "other"}, 404, "")
	stranger.Refuses(t, "POST", "/driver/incident/resolve", map[string]any{"incidentId": made.ID}, 404, "")
	for range 2 {
		if got := testkit.Post[transport.Incident](t, d.driver, "/driver/incident/resolve",
			map[string]any{"incidentId": made.ID, "resolution": "Cleared"}); got.ResolvedAt == nil || got.Resolution != "Cleared" ||
			got.Version != 2 {
			t.Errorf("resolved %+v", got)
		}
	}
	f := d.driver.Refuses(t, "POST", "/driver/incident/report", map[string]any{"busId": d.bus.ID, "type": "flat", "severity": "x", "lat": 99},
		422, "")
	if len(f.Details) != 3 {
		t.Errorf("it names %+v", f.Details)
	}
}
