package transport_test

import (
	"testing"
	"time"

	"homeroom/testkit"
)

// Parents ask for these at eight o'clock, all at once: what a call costs is mostly its
// ways to the database.
func TestAParentsGlanceIsOneRoundTripToTheDatabase(t *testing.T) {
	t.Parallel()
	app, wire := testkit.StartWatched(t)
	d := furnish(t, app.NewSchool(t), 1)
	d.send(t, d.start(t), at(0.5, time.Second))
	testkit.Eventually(t, "the bus is shown", func() bool { return d.live(t).Location != nil })
	asha := d.children[0]
	for _, path := range []string{"/bus-tracking/bus/" + d.bus.ID.String() + "/live", "/parent/attendance/list?studentId=" + asha.id.String(),
		"/parent/student/" + asha.id.String()} {
		look := func() { testkit.Get[any](t, asha.parent, path) }
		if trips := wire.Postgres.Fewest(1, look); trips != 1 {
			t.Errorf("%s takes %d round trips", path, trips)
		}
	}
}
