package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"homeroom/tenancy"

	"github.com/jackc/pgx/v5"
)

// reserve decides where the school lives: a spare that is ready, or the name of a
// schema that does not exist yet. From then on neither changes.
func (p *Provisioner) reserve(ctx context.Context, o *onboarding) error {
	if o.school.Schema != "" {
		return nil // reserved by a run that died before it could record the step
	}
	n, err := chooseNode(ctx, p.cluster, o.platform, o.school.Node)
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, o.platform, func(tx pgx.Tx) error {
		schema, shard, version, err := claimSpare(ctx, p.cluster, tx, n, o.school.ID)
		if errors.Is(err, pgx.ErrNoRows) {
			schema, version = newSchemaName(), 0
			shard, err = EmptiestShard(ctx, tx, n)
		}
		if err != nil {
			return fmt.Errorf("reserving a schema on node %s: %w", n.Name, err)
		}
		o.school, err = tenancy.ScanSchool(tx.QueryRow(ctx, `update platform.school
			set node = $2, schema_name = $3, shard = $4, schema_version = $5, updated_at = now()
			where id = $1 and schema_name is null returning `+tenancy.SchoolColumns, o.school.ID, n.Name, schema, shard, version))
		o.claimed = err == nil && version > 0
		return err
	})
}

// schema makes the school's schema, unless it came as a spare, and brings it to the
// latest version. A schema that is another's on its node is given up for a new one.
func (p *Provisioner) schema(ctx context.Context, o *onboarding) error {
	if o.claimed && o.school.SchemaVersion == p.cluster.SchoolVersion() {
		return nil
	}
	n, err := p.cluster.Node(ctx, o.school.Node)
	if err != nil {
		return err
	}
	version, err := makeFor(ctx, n, o.school)
	var not NotSpareError
	if errors.As(err, &not) {
		if err := p.reserveAgain(ctx, o); err != nil {
			return err
		}
		version, err = makeFor(ctx, n, o.school)
	}
	if err != nil {
		return err
	}
	s := o.school
	o.school, err = tenancy.ScanSchool(o.platform.QueryRow(ctx,
		`update platform.school set schema_version = $2, migration_error = '', updated_at = now()
		where id = $1 returning `+tenancy.SchoolColumns, s.ID, version))
	if err != nil {
		return fmt.Errorf("recording the schema's version: %w", err)
	}
	return nil
}

func makeFor(ctx context.Context, n *tenancy.Node, s *tenancy.School) (version int, err error) {
	return makeOrMigrate(ctx, n, target{node: s.Node, schema: s.Schema, shard: s.Shard, school: schoolRef{s.ID, s.Code}})
}

// reserveAgain reserves another schema on the same node.
func (p *Provisioner) reserveAgain(ctx context.Context, o *onboarding) error {
	var err error
	o.school, err = tenancy.ScanSchool(o.platform.QueryRow(ctx, `update platform.school set schema_name = null, schema_version = 0,
		updated_at = now() where id = $1 and status = 'PROVISIONING' returning `+tenancy.SchoolColumns, o.school.ID))
	if err != nil {
		return fmt.Errorf("giving up a schema that is another's: %w", err)
	}
	return p.reserve(ctx, o)
}

// activate opens the school and forgets what was asked for, which may hold a password.
func (p *Provisioner) activate(ctx context.Context, o *onboarding) error {
	err := pgx.BeginFunc(ctx, o.platform, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		batch.Queue(`update platform.school set status = 'ACTIVE', version = version + 1, updated_at = now() where id = $1
			and status = 'PROVISIONING'`, o.school.ID)
		batch.Queue(`delete from platform.provisioning_request where school_id = $1`, o.school.ID)
		batch.Queue(finishStep, o.school.ID, "activate")
		return tx.SendBatch(ctx, batch).Close()
	})
	if err == nil {
		p.cluster.NotifyChanged(o.school.ID)
	}
	return err
}
