package realtime_test

import (
	"testing"

	"homeroom/api"
	"homeroom/modules/transport"
	"homeroom/testkit"
)

func TestAHandedOverTripIsDrivenByTheNewDriverAloneOnWhateverInstance(t *testing.T) {
	t.Parallel()
	one, two := testkit.Shared(t), testkit.Start(t)
	l := newLine(t, one)
	l.command(t, "start")
	second, employee := l.As(t, api.Driver), api.NewID()
	l.exec(t, `insert into employee (id, user_id, employee_code, first_name, phone, employee_type) values (?, ?, 'E2', 'Sita', '', 'DRIVER')`,
		employee, second.UserID)
	before, after, parent := dial(t, two, l.driver), dial(t, one, second), dial(t, one, l.parent)
	must(t, parent, "join-bus-room", l.room())
	must(t, before, "update-location", at(10))
	if a := call(t, after, "update-location", at(11)); a.OK {
		t.Error("somebody who does not drive the bus reported where it is")
	}
	testkit.Post[transport.TripDetail](t, l.admin, "/school-admin/transport/trip/"+l.trip.String()+"/driver",
		map[string]any{"driverId": employee})
	testkit.Eventually(t, "the first driver's phone is not believed any more",
		func() bool { return !call(t, before, "update-location", at(12)).OK })
	must(t, after, "update-location", at(20))
	hears(t, parent, "location", func(s seen) bool { return s.Lat == at(20)["lat"] })
	kept := l.Count(t, "location", "trip_id = ?", l.trip)
	if a := call(t, before, "update-location", at(40)); a.OK || a.Message == "" {
		t.Errorf("the first driver: %+v", a)
	}
	if n := l.Count(t, "location", "trip_id = ?", l.trip); n != kept {
		t.Errorf("%d positions became %d", kept, n)
	}
}
