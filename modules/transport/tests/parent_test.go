package transport_test

import (
	"testing"

	"homeroom/modules/transport"
	"homeroom/testkit"
)

func (d *depot) busesOf(t *testing.T, c child) transport.ParentsBuses {
	t.Helper()
	return testkit.Get[transport.ParentsBuses](t, c.parent, "/parent/transport/my-buses")
}

func TestParentsBuses_ChangedStopTime_ShowsOldAndNew(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 2)
	if got := d.busesOf(t, d.children[0]).Buses[0].PreviousTime; got != "" {
		t.Errorf("a time that never changed was %q before", got)
	}
	route := d.route
	stops := []any{}
	for _, s := range route.Stops {
		at := s.PlannedTime
		if s.Name == "Temple" {
			at = "06:45"
		}
		stops = append(stops, map[string]any{"id": s.ID, "name": s.Name, "lat": s.Lat, "lng": s.Lng, "plannedTime": at})
	}
	testkit.Put[transport.RouteDetail](t, d.admin, "/school-admin/transport/route/"+route.ID.String(),
		map[string]any{"version": route.Version, "stops": stops})
	if got := d.busesOf(t, d.children[0]).Buses[0]; got.PlannedTime != "06:45" || got.PreviousTime != "07:00" {
		t.Errorf("the changed stop is at %s, before at %s, want 06:45 and 07:00", got.PlannedTime, got.PreviousTime)
	}
	if got := d.busesOf(t, d.children[1]).Buses[0].PreviousTime; got != "" {
		t.Errorf("the other stop was at %s before, want nothing", got)
	}
	if err := d.DB(t).Exec(`update stop set time_changed_on = time_changed_on - 7`).Error; err != nil {
		t.Fatal(err)
	}
	if got := d.busesOf(t, d.children[0]).Buses[0].PreviousTime; got != "" {
		t.Errorf("after a week the old time is still %s", got)
	}
}

func TestParentsBuses_NotRidingDays_AreThoseOfTheOwnChildren(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 2)
	day := testkit.Post[transport.NotRidingAnswer](t, d.children[0].parent, "/parent/transport/not-riding",
		map[string]any{"studentId": d.children[0].id, "tripType": "pickup", "date": d.inDays(3)}).Date
	got := d.busesOf(t, d.children[0]).NotRidingDays
	if len(got) != 1 || got[0] != (transport.NotRidingDay{StudentID: d.children[0].id, Date: day, TripType: "pickup"}) {
		t.Errorf("days %+v", got)
	}
	if other := d.busesOf(t, d.children[1]).NotRidingDays; other == nil || len(other) != 0 {
		t.Errorf("another family's days %+v", other)
	}
	testkit.Post[transport.NotRidingAnswer](t, d.children[0].parent, "/parent/transport/not-riding",
		map[string]any{"studentId": d.children[0].id, "tripType": "pickup", "date": day, "riding": true})
	if got := d.busesOf(t, d.children[0]).NotRidingDays; len(got) != 0 {
		t.Errorf("days after taking it back %+v", got)
	}
}
