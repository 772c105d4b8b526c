package tenancy

import (
	"context"
	"fmt"
	"time"
)

// directory writes what became of schemas into the platform's copy of their versions,
// many at a time and beside the work: a round trip to another server for every school
// would cost more than its migration. What a crash keeps from being written is healed
// by the next run, or by the first request for the school.
type directory struct {
	cluster *Cluster
	notes   chan note
	closed  chan error
}

// note is one schema's version (0: not known) and what went wrong with it, if it did.
type note struct {
	target
	version int
	err     string
}

const (
	directoryBatch = 200
	directoryDelay = 250 * time.Millisecond
)

// directory starts to write; close ends it.
func (c *Cluster) directory(ctx context.Context) *directory {
	d := &directory{cluster: c, notes: make(chan note, directoryBatch), closed: make(chan error, 1)}
	go func() { d.closed <- d.write(context.WithoutCancel(ctx)) }()
	return d
}

func (d *directory) record(t target, version int, err error) {
	n := note{target: t, version: version}
	if err != nil {
		n.err = err.Error()
	}
	d.notes <- n
}

// close writes what is left and returns the first error there was.
func (d *directory) close() error {
	close(d.notes)
	return <-d.closed
}

func (d *directory) write(ctx context.Context) (first error) {
	tick := time.NewTicker(directoryDelay)
	defer tick.Stop()
	var batch []note
	flush := func() {
		if err := d.flush(ctx, batch); err != nil && first == nil {
			first = fmt.Errorf("recording schema versions: %w", err)
		}
		batch = nil
	}
	for {
		select {
		case n, more := <-d.notes:
			if !more {
				flush()
				return first
			}
			if batch = append(batch, n); len(batch) == directoryBatch {
				flush()
			}
		case <-tick.C:
			flush()
		}
	}
}

func (d *directory) flush(ctx context.Context, batch []note) error {
	if len(batch) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	schemas, versions, errs, nodes := make([]string, len(batch)), make([]int, len(batch)), make([]string, len(batch)), make([]string, len(batch))
	for i, n := range batch {
		schemas[i], versions[i], errs[i], nodes[i] = n.schema, n.version, n.err, n.node
	}
	// A spare may have become a school meanwhile: schemas are found by name in both tables.
	// A school may have moved: what was done to its old copy says nothing about it.
	_, err := d.cluster.platform.Exec(ctx, `with noted as (select * from unnest($1::text[], $2::int[], $3::text[], $4::text[]) as n (name, version, error, node)),
		spares as (update platform.spare_schema s set schema_version = n.version from noted n where s.schema_name = n.name and n.version > 0)
		update platform.school s set schema_version = case when n.version > 0 then n.version else s.schema_version end, migration_error = n.error
		from noted n where s.schema_name = n.name and s.node = n.node`, schemas, versions, errs, nodes)
	if err != nil {
		return err
	}
	for _, n := range batch {
		if n.school.code != "" {
			d.cluster.changed(n.school.id)
		}
	}
	return nil
}
