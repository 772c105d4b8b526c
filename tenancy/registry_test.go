package tenancy_test

import (
	"testing"
	"time"

	"homeroom/tenancy"
	"homeroom/testkit/clusters"
	"homeroom/testkit/wait"
)

func TestRegistry_BelievesASchoolByItsClock(t *testing.T) {
	t.Parallel()
	o, clock := clusters.Options(t), wait.NewClock()
	o.Clock = clock.Now
	c := clusters.Ready(t, o)
	r, s := tenancy.NewRegistry(c), clusters.NewSchool(t, c, clusters.Ask("one"))
	name := func() string {
		t.Helper()
		found, err := r.School(t.Context(), s.ID)
		if err != nil {
			t.Fatal(err)
		}
		return found.Name
	}
	before := name()
	if _, err := c.PlatformPool().Exec(t.Context(), `update platform.school set name = 'Renamed' where id = $1`, s.ID); err != nil {
		t.Fatal(err)
	}
	clock.Pass(20*time.Second - 1)
	if got := name(); got != before {
		t.Errorf("within 20 seconds the name is %q, want the remembered %q", got, before)
	}
	clock.Pass(1)
	if got := name(); got != "Renamed" {
		t.Errorf("after 20 seconds the name is %q, want Renamed", got)
	}
}
