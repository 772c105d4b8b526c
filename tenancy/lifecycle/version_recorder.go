package lifecycle

import (
	"context"
	"fmt"
	"homeroom/tenancy"
	"time"
)

// versionRecorder writes the schemas' versions into the platform's copy of them, many at
// a time and beside the work: a round trip to another server for every school would cost
// more than its migration. What a crash keeps from being written is corrected by the next
// run, or by the first request for the school.
type versionRecorder struct {
	cluster  *tenancy.Cluster
	outcomes chan recordedVersion
	closed   chan error
}

// recordedVersion is one schema's version (0: not known) and what went wrong with it, if anything did.
type recordedVersion struct {
	target
	version int
	err     string
}

const (
	recorderBatch = 200
	recorderDelay = 250 * time.Millisecond
)

// newVersionRecorder starts to write; close ends it.
func newVersionRecorder(ctx context.Context, c *tenancy.Cluster) *versionRecorder {
	r := &versionRecorder{cluster: c, outcomes: make(chan recordedVersion, recorderBatch), closed: make(chan error, 1)}
	go func() { r.closed <- r.write(context.WithoutCancel(ctx)) }()
	return r
}

func (r *versionRecorder) record(t target, version int, err error) {
	n := recordedVersion{target: t, version: version}
	if err != nil {
		n.err = err.Error()
	}
	r.outcomes <- n
}

// close writes what is left and returns the first error there was.
func (r *versionRecorder) close() error {
	close(r.outcomes)
	return <-r.closed
}

func (r *versionRecorder) write(ctx context.Context) (first error) {
	tick := time.NewTicker(recorderDelay)
	defer tick.Stop()
	var batch []recordedVersion
	flush := func() {
		if err := r.flush(ctx, batch); err != nil && first == nil {
			first = fmt.Errorf("recording schema versions: %w", err)
		}
		batch = nil
	}
	for {
		select {
		case n, more := <-r.outcomes:
			if !more {
				flush()
				return first
			}
			if batch = append(batch, n); len(batch) == recorderBatch {
				flush()
			}
		case <-tick.C:
			flush()
		}
	}
}

func (r *versionRecorder) flush(ctx context.Context, batch []recordedVersion) error {
	if len(batch) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	schemas, versions, errs, nodes := make([]string, len(batch)), make([]int, len(batch)), make([]string, len(batch)),
		make([]string, len(batch))
	for i, n := range batch {
		schemas[i], versions[i], errs[i], nodes[i] = n.schema, n.version, n.err, n.node
	}
	// A spare may have become a school meanwhile: schemas are found by name in both tables.
	// A school may have moved: what was done to its old copy says nothing about it.
	_, err := r.cluster.PlatformPool().Exec(ctx, `with noted as (select * from unnest($1::text[], $2::int[], $3::text[],
		$4::text[]) as n (name, version, error, node)),
		spares as (update platform.spare_schema s set schema_version = n.version from noted n where s.schema_name = n.name and n.version > 0)
		update platform.school s set schema_version = case when n.version > 0 then n.version else s.schema_version end, migration_error = n.error
		from noted n where s.schema_name = n.name and s.node = n.node`, schemas, versions, errs, nodes)
	if err != nil {
		return err
	}
	for _, n := range batch {
		if n.school.code != "" {
			r.cluster.NotifyChanged(n.school.id)
		}
	}
	return nil
}
