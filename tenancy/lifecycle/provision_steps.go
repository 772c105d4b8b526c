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
		schema, shard, version, err := claimSpare(ctx, p.cluster, tx, n.Name)
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
		return err
	})
}

// schema makes the school's schema, unless it came as a spare, and brings it to the
// latest version.
func (p *Provisioner) schema(ctx context.Context, o *onboarding) error {
	s := o.school
	if s.SchemaVersion == p.cluster.SchoolVersion() {
		return nil
	}
	n, err := p.cluster.Node(ctx, s.Node)
	if err != nil {
		return err
	}
	version, err := MakeSchema(ctx, n, s.Schema, s.Shard)
	if err != nil {
		return err
	}
	o.school, err = tenancy.ScanSchool(o.platform.QueryRow(ctx,
		`update platform.school set schema_version = $2, migration_error = '', updated_at = now()
		where id = $1 returning `+tenancy.SchoolColumns, s.ID, version))
	if err != nil {
		return fmt.Errorf("recording the schema's version: %w", err)
	}
	return nil
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
