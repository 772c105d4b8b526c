package lifecycle

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/singleflight"

	"homeroom/migrations"
	"homeroom/tenancy"
)

// Migrator brings schemas to the latest version: the whole fleet's (Run), or one
// school's on demand (EnsureSchool). Every school is its own transaction under its
// own lock, so any number of migrators may run at once, and one that dies leaves
// nothing to clean up: the next goes on with what is behind.
type Migrator struct {
	// Migrations to run; those the cluster was opened with unless set.
	Migrations []migrations.Migration
	// Workers is how many schools of a node are migrated at a time; 4 unless set.
	Workers int
	// LockTimeout is how long a migration may wait for a table. While it waits,
	// later readers of the table wait behind it; and it should be shorter than
	// Postgres's deadlock_timeout (1 s), so that in a deadlock the migration, which
	// is tried again, gives way and not a request. Half a second unless set.
	LockTimeout time.Duration
	// Tries is how often a school is tried whose tables are busy; 10 unless set.
	Tries int
	// CheckAll looks into every school instead of believing the directory's copy of
	// its version, which is behind after a node was restored from a backup.
	CheckAll bool
	// Only, if set, are the schools to migrate; no other schema and no spare is.
	Only []uuid.UUID
	// Progress, if set, is called after every school. Calls do not overlap.
	Progress func(Progress)

	cluster  *tenancy.Cluster
	ensuring singleflight.Group
	slots    chan struct{}
	ensured  ensured
}

// Progress counts schemas: Done ones include the Failed.
type Progress struct{ Total, Done, Failed int }

// Report is what a run did.
type Report struct {
	Progress
	Migrated int // schemas at least one migration ran in
	Failures []Failure
	Took     time.Duration
}

// Failure is a schema that could not be migrated, and why.
type Failure struct {
	School uuid.UUID // zero for a spare or the template
	Code   string
	Node   string
	Schema string
	Err    error
}

func (f Failure) Error() string {
	what := "schema " + f.Schema
	if f.Code != "" {
		what = "school " + f.Code
	}
	return fmt.Sprintf("%s on node %s: %v", what, f.Node, f.Err)
}

func (f Failure) Unwrap() error { return f.Err }

// NewMigrator migrates the cluster's schools.
func NewMigrator(c *tenancy.Cluster) *Migrator {
	const workers = 4
	return &Migrator{
		Migrations: c.Options().Migrations, Workers: workers, LockTimeout: DefaultLockTimeout, Tries: DefaultTries,
		cluster: c, slots: make(chan struct{}, workers),
	}
}

// Run migrates everything that is behind: on every node the template first, then
// the spares, then the schools. A school that fails is in the report and in
// platform.school.migration_error, and the others go on. The error is for what
// stopped the run as a whole; the report then says how far it came.
func (m *Migrator) Run(ctx context.Context) (*Report, error) {
	started := time.Now()
	run := &migration{Migrator: m}
	nodes, err := m.cluster.Nodes(ctx)
	if err != nil {
		return &run.report, fmt.Errorf("listing nodes: %w", err)
	}
	work := make([]nodeWork, len(nodes))
	for i, name := range nodes {
		if work[i], err = m.behind(ctx, name); err != nil {
			return &run.report, err
		}
		run.report.Total += 1 + len(work[i].spares) + len(work[i].schools)
	}
	run.versions = newVersionRecorder(ctx, m.cluster)
	var wg sync.WaitGroup
	for _, w := range work {
		wg.Go(func() { run.node(ctx, w) })
	}
	wg.Wait()
	err = run.versions.close()
	if err == nil {
		err = ctx.Err()
	}
	run.report.Took = time.Since(started)
	return &run.report, err
}

// nodeWork is what is to be migrated on one node.
type nodeWork struct {
	node            string
	spares, schools []target
}

// behind lists a node's schemas that are not at the latest version. A school whose
// schema was never made is the provisioner's.
func (m *Migrator) behind(ctx context.Context, node string) (nodeWork, error) {
	below := migrations.Latest(m.Migrations)
	if m.CheckAll {
		below = 1 << 30
	}
	work := nodeWork{node: node}
	rows, err := m.cluster.PlatformPool().Query(ctx, `select schema_name, shard, id, code from platform.school
			where node = $1 and schema_name is not null and schema_version between 1 and $2 - 1 and ($3::uuid[] is null or id = any($3))
		union all select schema_name, shard, null, '' from platform.spare_schema
			where node = $1 and ready and schema_version < $2 and $3::uuid[] is null`, node, below, m.Only)
	if err != nil {
		return work, fmt.Errorf("listing what is behind on node %s: %w", node, err)
	}
	t := target{node: node}
	var id *uuid.UUID
	_, err = pgx.ForEachRow(rows, []any{&t.schema, &t.shard, &id, &t.school.code}, func() error {
		if id == nil {
			work.spares = append(work.spares, t)
			return nil
		}
		school := t
		school.school.id = *id
		work.schools = append(work.schools, school)
		return nil
	})
	if err != nil {
		return work, fmt.Errorf("listing what is behind on node %s: %w", node, err)
	}
	// Instances that start together walk different ways instead of queueing for the same locks.
	rand.Shuffle(len(work.schools), func(i, j int) { work.schools[i], work.schools[j] = work.schools[j], work.schools[i] })
	return work, nil
}
