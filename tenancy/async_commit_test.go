package tenancy_test

import (
	"context"
	"testing"

	"homeroom/tenancy"
	"homeroom/testkit/clusters"
)

func TestWithAsyncCommit_NextTransaction_WaitsAgain(t *testing.T) {
	t.Parallel()
	c := onOneConnection(t)
	s := clusters.NewSchool(t, c, clusters.Ask("a"))
	ask := func(ctx context.Context, sql string) (how string) {
		db, err := c.School(ctx, s, tenancy.ReadWrite)
		if err == nil {
			err = db.Raw(sql).Scan(&how).Error
		}
		if err != nil {
			t.Fatal(err)
		}
		return how
	}
	const current = `select current_setting('synchronous_commit')`
	ask(t.Context(), `select set_config('synchronous_commit', 'on', false)`) // of the connection: tests' servers have it off
	if how := ask(tenancy.WithAsyncCommit(t.Context()), current); how != "off" {
		t.Errorf("synchronous_commit is %s, want off", how)
	}
	if how := ask(t.Context(), current); how != "on" {
		t.Errorf("synchronous_commit stays %s, want on", how)
	}
}
