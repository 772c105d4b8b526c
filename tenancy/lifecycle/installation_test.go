package lifecycle_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit/clusters"
)

// twoServers is a platform with a second node, and a school on that.
func twoServers(t *testing.T) (o tenancy.Options, c *tenancy.Cluster, s *tenancy.School, north string) {
	t.Helper()
	o = clusters.Options(t)
	c = clusters.Ready(t, o)
	north = clusters.NewDatabase(t, "north")
	if err := lifecycle.AddNode(t.Context(), c, "north", north, ""); err != nil {
		t.Fatal(err)
	}
	n := clusters.Ask("afar")
	n.Node = "north"
	return o, c, clusters.NewSchool(t, c, n), north
}

// goBack leaves the platform with the generation of an earlier moment.
func goBack(t *testing.T, c *tenancy.Cluster, by int) {
	t.Helper()
	for range by {
		if err := lifecycle.Heartbeat(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	execPlatform(t, c, `update platform.installation set generation = generation - $1`, by)
	execPlatform(t, c, `update homeroom.installation set generation = generation - $1`, by) // of main, on the same server
}

func isStranger(err error) bool {
	var stranger tenancy.StrangerError
	return errors.As(err, &stranger)
}

func TestNode_PlatformWentBack_RefusesANewInstance(t *testing.T) {
	t.Parallel()
	o, c, s, _ := twoServers(t)
	goBack(t, c, 2)
	restored := clusters.Open(t, o)
	if err := clusters.TryRead(t, restored, s); !isStranger(err) {
		t.Errorf("a school on the node is answered %v", err)
	}
	var away *lifecycle.NodesError
	if err := lifecycle.Setup(t.Context(), restored); !errors.As(err, &away) || !isStranger(away.Nodes["north"]) {
		t.Errorf("the set-up says %v", err)
	}
	if err := lifecycle.Heartbeat(t.Context(), restored); !isStranger(err) {
		t.Errorf("its heartbeat says %v", err)
	}
	if _, err := lifecycle.RestoredInPlace(t.Context(), restored); err != nil {
		t.Fatal(err)
	}
	if err := clusters.TryRead(t, restored, s); err != nil {
		t.Errorf("once an operator has said what it is: %v", err)
	}
}

func TestNode_PlatformWentBackUnderAnInstance_RefusesItAtTheNextHeartbeat(t *testing.T) {
	t.Parallel()
	_, c, s, _ := twoServers(t)
	goBack(t, c, 3)
	if err := lifecycle.Heartbeat(t.Context(), c); !isStranger(err) {
		t.Errorf("the heartbeat says %v", err)
	}
	if err := clusters.TryRead(t, c, s); !isStranger(err) {
		t.Errorf("a school on the node is answered %v", err)
	}
}

func TestHeartbeat_FailoverLostTheLastOne_GoesOn(t *testing.T) {
	t.Parallel()
	_, c, s, _ := twoServers(t)
	goBack(t, c, 1)
	if err := lifecycle.Heartbeat(t.Context(), c); err != nil {
		t.Errorf("the heartbeat says %v", err)
	}
	if err := clusters.TryRead(t, c, s); err != nil {
		t.Errorf("a school on the node is answered %v", err)
	}
}

func TestNode_OfAnotherInstallation_IsRefused(t *testing.T) {
	t.Parallel()
	_, _, _, north := twoServers(t)
	other := clusters.Ready(t, clusters.Options(t))
	if err := lifecycle.AddNode(t.Context(), other, "taken", north, ""); !isStranger(err) {
		t.Errorf("adding it says %v", err)
	}
}

func TestCopy_OfThePlatformThatRuns_IsRefused(t *testing.T) {
	t.Parallel()
	_, c, s, north := twoServers(t)
	if err := lifecycle.RestoredAsCopy(t.Context(), c, map[string]string{"north": north}); !errors.Is(err, lifecycle.ErrNotRestored) {
		t.Errorf("it says %v", err)
	}
	if err := clusters.TryRead(t, c, s); err != nil {
		t.Errorf("afterwards a school is answered %v", err)
	}
}

func TestRestored_SchoolThatMovedSince_IsFoundWhereItIs(t *testing.T) {
	t.Parallel()
	o, c, s, _ := twoServers(t)
	// As a move leaves both nodes: the school on north, an old copy on main.
	if _, err := lifecycle.MakeCopy(t.Context(), clusters.Node(t, c, "main"), s, 0); err != nil {
		t.Fatal(err)
	}
	execPlatform(t, c, `update platform.school set node = 'main' where id = $1`, s.ID)
	goBack(t, c, 2)
	restored := clusters.Open(t, o)
	moved, err := lifecycle.RestoredInPlace(t.Context(), restored)
	if err != nil {
		t.Fatal(err)
	}
	if len(moved) != 1 || moved[0].School != s.ID {
		t.Errorf("it found %v", moved)
	}
	if node := clusters.Find(t, c, s.ID).Node; node != "north" {
		t.Errorf("the school is looked for on %s, want north", node)
	}
}

func TestRestored_SchoolOnTwoNodesByLabel_KeepsNoOtherBack(t *testing.T) {
	t.Parallel()
	o, c, one, _ := twoServers(t)
	n := clusters.Ask("further")
	n.Node = "north"
	two := clusters.NewSchool(t, c, n)
	if two.Schema < one.Schema { // the first one met is the one that stays
		one, two = two, one
	}
	for _, s := range []*tenancy.School{one, two} {
		if _, err := lifecycle.MakeCopy(t.Context(), clusters.Node(t, c, "main"), s, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := lifecycle.LabelHome(t.Context(), clusters.Node(t, c, "main"), one); err != nil {
		t.Fatal(err)
	}
	execPlatform(t, c, `update platform.school set node = 'main' where id = any($1)`, []uuid.UUID{one.ID, two.ID})
	execPlatform(t, c, `insert into platform.node (name, url) values ('away', 'postgres://nobody@127.0.0.1:1/none')`)
	goBack(t, c, 2)
	restored := clusters.Open(t, o)
	moved, err := lifecycle.RestoredInPlace(t.Context(), restored)
	var away *lifecycle.NodesError
	if !errors.As(err, &away) || len(away.Nodes) != 1 || away.Nodes["away"] == nil {
		t.Errorf("the node that is away is named by %v", err)
	}
	if len(moved) != 1 || moved[0].School != two.ID {
		t.Errorf("it found %v, want the school %s alone", moved, two.Code)
	}
	for s, want := range map[*tenancy.School]string{one: "main", two: "north"} {
		if node := clusters.Find(t, c, s.ID).Node; node != want {
			t.Errorf("school %s is looked for on %s, want %s", s.Code, node, want)
		}
	}
}

func TestRemoveNode_InUse_IsRefused(t *testing.T) {
	t.Parallel()
	_, c, _, _ := twoServers(t)
	var used lifecycle.NodeInUseError
	if err := lifecycle.RemoveNode(t.Context(), c, "north"); !errors.As(err, &used) || used.Schools != 1 {
		t.Errorf("striking off a node with a school says %v", err)
	}
	if err := lifecycle.RemoveNode(t.Context(), c, "main"); !errors.Is(err, lifecycle.ErrMainNode) {
		t.Errorf("striking main off says %v", err)
	}
}

func TestRemoveNode_Empty_IsForgottenAndMayBeAddedElsewhere(t *testing.T) {
	t.Parallel()
	c := clusters.Ready(t, clusters.Options(t))
	north := clusters.NewDatabase(t, "north")
	if err := lifecycle.AddNode(t.Context(), c, "north", north, ""); err != nil {
		t.Fatal(err)
	}
	execPlatform(t, c, `insert into platform.node (name, url) values ('gone', 'postgres://nobody@127.0.0.1:1/none')`)
	for _, name := range []string{"north", "gone"} {
		if err := lifecycle.RemoveNode(t.Context(), c, name); err != nil {
			t.Errorf("striking %s off: %v", name, err)
		}
	}
	if err := lifecycle.Setup(t.Context(), clusters.Open(t, c.Options())); err != nil {
		t.Errorf("the next start says %v", err)
	}
	other := clusters.Ready(t, clusters.Options(t))
	if err := lifecycle.AddNode(t.Context(), other, "north", north, ""); err != nil {
		t.Errorf("adding it elsewhere: %v", err)
	}
}
