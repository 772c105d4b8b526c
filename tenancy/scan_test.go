package tenancy_test

import (
	"testing"
	"time"

	"homeroom/tenancy"
	"homeroom/testkit/clusters"
)

func TestMomentsAreReadInUTC(t *testing.T) {
	t.Parallel()
	c := onOneConnection(t)
	s := clusters.NewSchool(t, c, clusters.Ask("a"))
	var read []struct {
		At  time.Time
		All []time.Time
	}
	db := clusters.Bound(t, c, s, tenancy.ReadOnly)
	if err := tenancy.Pipeline(db, tenancy.Query{SQL: `select now() as at, array[now()] as "all"`, Scan: tenancy.Collect(&read)}); err != nil {
		t.Fatal(err)
	}
	var platform time.Time
	if err := c.PlatformPool().QueryRow(t.Context(), `select now()`).Scan(&platform); err != nil {
		t.Fatal(err)
	}
	for _, at := range []time.Time{read[0].At, read[0].All[0], platform} {
		if at.Location() != time.UTC {
			t.Errorf("read as %s", at.Location())
		}
	}
}
