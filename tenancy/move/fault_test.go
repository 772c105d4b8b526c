package move_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/tenancy/move"
	"homeroom/testkit/clusters"
)

// movesAtLength has the long form of these tests run: a kill at every point.
var movesAtLength = os.Getenv("MOVE_TEST_ALL") != ""

// killPoints are all the moments at which a mover is killed; switched says whether the
// school is served from its new home by then.
func killPoints() (points []string, switched map[string]bool) {
	for _, step := range move.Steps {
		if step == "switch" {
			points = append(points, "switch begun", "held done", "fenced done", "caught up done", "compared done", "shut done", "flipped done",
				"switch done")
			continue
		}
		points = append(points, step+" begun", step+" done")
	}
	switched = map[string]bool{"flipped done": true, "switch done": true, "release begun": true, "release done": true}
	if !movesAtLength {
		points = []string{"copy begun", "fenced done", "flipped done"}
	}
	return points, switched
}

func TestAMoveWhoseMoverIsKilledAtAnyMomentIsResumed(t *testing.T) {
	t.Parallel()
	o, c := twoNodes(t, withLedger)
	points, switched := killPoints()
	// One after another: they would wait for each other's turn otherwise.
	for _, point := range points {
		t.Run(point, func(t *testing.T) {
			s := movable(t, c, strings.ReplaceAll(point, " ", "-"))
			m := move.NewMover(c)
			requestMove(t, m, s, "north")
			clusters.Child{School: s.ID, KillAt: point}.Die(t, o)
			now := clusters.Find(t, c, s.ID)
			if (now.Node == "north") != switched[point] {
				t.Errorf("after the kill it is on %s", now.Node)
			}
			if err := clusters.TryRead(t, c, s); err != nil && !errors.Is(err, tenancy.ErrMoving) {
				t.Errorf("after the kill it cannot be read: %v", err)
			}
			if err := m.Resume(t.Context()); err != nil {
				t.Fatal(err)
			}
			p, err := m.Progress(t.Context(), s.ID)
			if err != nil || p.State != move.Moved || !p.Clean {
				t.Fatalf("the move is %+v: %v", p, err)
			}
			for _, step := range p.Steps {
				if step.FinishedAt == nil {
					t.Errorf("step %s is not finished", step.Name)
				}
			}
			mustLiveOn(t, c, s, "north", 500)
			mustBeClean(t, c, s, "main", "north")
		})
	}
}

func TestAMoveThatFailsBeforeTheSwitchLeavesTheSchoolWhereItWas(t *testing.T) {
	t.Parallel()
	_, c := twoNodes(t, withLedger)
	s := movable(t, c, "one")
	north := clusters.Node(t, c, "north").Admin()
	m := move.NewMover(c)
	requestMove(t, m, s, "north")
	m.Stepped = func(_ uuid.UUID, step string, done bool) {
		if step == "caught up" { // somebody works on the copy: the comparison must see it
			if _, err := north.Exec(t.Context(), `update `+tenancy.Ident(s.Schema)+`.class set name = 'tampered' where name = 'Class 7'`); err != nil {
				t.Error(err)
			}
		}
	}
	if err := m.Run(t.Context(), s.ID); err == nil {
		t.Fatal("the copies differ and the move succeeded")
	}
	p, err := m.Progress(t.Context(), s.ID)
	if err != nil || p.State != move.Failed || !p.Clean ||
		!strings.Contains(p.Error, "the copies differ in class: 500 rows on node main, 500 on node north") {
		t.Fatalf("the move is %+v: %v", p, err)
	}
	mustLiveOn(t, c, s, "main", 500)
	mustBeClean(t, c, s, "main")
	m.Stepped = nil
	requestMove(t, m, s, "north") // and may be tried again
	if err := m.Run(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	mustLiveOn(t, c, s, "north", 500)
}

func TestALongWriterIsWaitedForAndAMigrationStartsTheCopyAnew(t *testing.T) {
	t.Parallel()
	o, c := twoNodes(t, withLedger)
	s := movable(t, c, "one")
	o.Migrations = clusters.AndThen(o.Migrations, `alter table class add column motto text not null default ''`)
	newer := clusters.Open(t, o) // a newer binary, which finds a move half done
	m := move.NewMover(c)
	requestMove(t, m, s, "north")
	ctx, cut := context.WithCancel(t.Context())
	m.Stepped = func(_ uuid.UUID, step string, done bool) {
		if step == "copy" && done {
			cut()
		}
	}
	if err := m.Run(ctx, s.ID); err == nil {
		t.Fatal("it was cut off and did not notice")
	}
	if err := lifecycle.NewMigrator(newer).EnsureSchool(t.Context(), clusters.Find(t, newer, s.ID)); err != nil {
		t.Fatal(err)
	}
	again := move.NewMover(newer)
	var steps []string
	written := make(chan error, 1)
	hold, release := make(chan struct{}), make(chan struct{})
	again.Stepped = func(_ uuid.UUID, step string, done bool) {
		steps = append(steps, step)
		if step == "copy" && done {
			go func() { // an import that takes its time
				db, err := newer.School(context.Background(), s, tenancy.LongWrite)
				if err == nil {
					err = db.Transaction(func(tx *gorm.DB) error {
						if err := tx.Exec(clusters.AddClass, "imported").Error; err != nil {
							return err
						}
						close(hold)
						<-release
						return tx.Exec(`insert into subject (id, name, code) values (gen_random_uuid(), 'Imported', 'IMP')`).Error
					})
				}
				written <- err
			}()
			<-hold
		}
		if step == "switch" && !done && slices.Contains(steps, "copy") {
			close(release) // its transaction is a while old by the time it is looked at
		}
	}
	if err := again.Run(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	if err := <-written; err != nil {
		t.Errorf("the import was broken off: %v", err)
	}
	if n := len(slices.DeleteFunc(steps, func(s string) bool { return s != "schema" })); n != 2 {
		t.Errorf("the schema was begun and done %d times after the migration", n)
	}
	mustLiveOn(t, newer, s, "north", 501)
	version, err := clusters.Node(t, newer, "north").SchemaVersion(t.Context(), s.Schema)
	if err != nil || version != newer.SchoolVersion() {
		t.Errorf("it arrived with version %d, want %d: %v", version, newer.SchoolVersion(), err)
	}
}

func TestServersThatCannotMoveSchoolsSaySo(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	c := clusters.Ready(t, o)
	if err := lifecycle.AddNode(t.Context(), c, "north", clusters.NewDatabase(t, "north"), ""); err != nil {
		t.Fatal(err)
	}
	s := movable(t, c, "one")
	m := move.NewMover(c)
	var refused move.RefusedError
	if _, err := m.Request(t.Context(), s.ID, "north"); !errors.As(err, &refused) || !strings.Contains(refused.Reason, "may not replicate") {
		t.Errorf("without the right to replicate: %v", err)
	}
	for want, target := range map[error]string{move.ErrSameNode: "main", lifecycle.ErrNoNode: "nowhere"} {
		if _, err := m.Request(t.Context(), s.ID, target); !errors.Is(err, want) {
			t.Errorf("to %s: %v", target, err)
		}
	}
	if _, err := m.Request(t.Context(), uuid.New(), "north"); !errors.Is(err, tenancy.ErrSchoolNotFound) {
		t.Errorf("of nobody: %v", err)
	}
	mustBeClean(t, c, s, "main")
}

func TestADrainedNodeIsEmptiedOneSchoolAfterAnother(t *testing.T) {
	t.Parallel()
	_, c := twoNodes(t, withLedger)
	schools := []*tenancy.School{movable(t, c, "a"), movable(t, c, "b")}
	m := move.NewMover(c)
	if err := m.Drain(t.Context(), "main"); err != nil {
		t.Fatal(err)
	}
	if err := m.Drain(t.Context(), "north"); !errors.Is(err, move.ErrLastNode) {
		t.Errorf("the last node: %v", err)
	}
	if err := m.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range schools {
		mustLiveOn(t, c, s, "north", 500)
	}
	if n := clusters.One[int](t, c.PlatformPool(), `select count(*) from platform.school where node = 'main'`); n != 0 {
		t.Errorf("%d schools are left", n)
	}
	if err := m.Reopen(t.Context(), "main"); err != nil {
		t.Fatal(err)
	}
}
