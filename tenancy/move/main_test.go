package move_test

import (
	"context"
	"testing"

	"homeroom/tenancy"
	"homeroom/tenancy/move"
	"homeroom/testkit/clusters"
)

func TestMain(m *testing.M) { clusters.Main(m, moveAsChild) }

// moveAsChild goes on with the move of the child's school.
func moveAsChild(ctx context.Context, c clusters.Child, cluster *tenancy.Cluster) error {
	m := move.NewMover(cluster)
	m.Stepped = c.Stepped
	return m.Run(ctx, c.School)
}
