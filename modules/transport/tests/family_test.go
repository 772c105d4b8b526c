package transport_test

import (
	"testing"

	"homeroom/modules/transport"
	"homeroom/testkit"
)

// TestDriver_OnATripUnderWay_MayCallTheFamiliesOfItsRiders: before and after it, and of who is absent, nobody's phone is theirs.
func TestDriver_OnATripUnderWay_MayCallTheFamiliesOfItsRiders(t *testing.T) {
	t.Parallel()
	d := newDepot(t, 3)
	trip := d.schedule(t, d.route.ID, "07:00")
	path := "/driver/trip/" + trip.ID.String() + "/contacts"
	d.driver.Refuses(t, "GET", path, nil, 409, "")
	testkit.Post[any](t, d.children[1].parent, "/parent/transport/not-riding",
		map[string]any{"studentId": d.children[1].id, "date": d.today(), "tripType": "pickup"})
	if err := d.DB(t).Exec(`update student_guardian set can_view_data = false where student_id = ?`, d.children[2].id).Error; err != nil {
		t.Fatal(err)
	}
	d.command(t, trip.ID, "start")
	got := testkit.Get[transport.TripContacts](t, d.driver, path)
	if len(got.Riders) != 1 || got.Riders[0].StudentID != d.children[0].id || len(got.Riders[0].Guardians) != 1 ||
		got.Riders[0].Guardians[0].Phone == "" {
		t.Errorf("contacts %+v, want those of %s alone", got, d.children[0].name)
	}
	stranger, _ := d.hire(t)
	stranger.Refuses(t, "GET", path, nil, 404, "")
}
