package auth_test

import (
	"context"
	"testing"

	"homeroom/localstack"
)

// hurtableStack is servers of a test's own, which it may stop.
func hurtableStack(t *testing.T) *localstack.Stack {
	t.Helper()
	stack, err := localstack.Start(context.Background(),
		localstack.Options{Dir: t.TempDir(), Postgres: []string{"main", "north"}, Redis: true, MaxConnections: 100})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stack.Stop(); err != nil {
			t.Error(err)
		}
	})
	return stack
}
