package lifecycle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"homeroom/tenancy"
	"homeroom/tenancy/internal/advisory"
	"runtime/debug"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// step is a Step or one of the provisioner's own.
type step struct {
	name string
	run  func(ctx context.Context, o *onboarding) error
}

// onboarding is one run for one school. Its platform work is done on the connection
// that holds the lock.
type onboarding struct {
	platform advisory.Conn
	school   *tenancy.School
	admin    json.RawMessage
	claimed  bool // its schema was a spare until this run
}

// Run does what is left to do for a school. It may be called any number of times and
// from several instances at once: they take turns, and one that finds nothing to do
// returns. On an error the school is FAILED, with the reason at the step; a context
// that is cancelled leaves it PROVISIONING, for another instance to go on.
func (p *Provisioner) Run(ctx context.Context, id uuid.UUID) error {
	lock, err := advisory.Lock(ctx, p.cluster.PlatformPool(), provisionLock(id))
	if err != nil {
		return err
	}
	defer lock.Unlock()
	return p.run(ctx, lock, id)
}

// Resume goes on with schools that wait and that no instance works on: the one that did
// was killed. The lock shows it, for it ends with its holder, so that no time limit has to
// pass first. Resume tries all of them and returns the first error.
func (p *Provisioner) Resume(ctx context.Context) error {
	rows, err := p.cluster.PlatformPool().Query(ctx, `select id from platform.school where status = 'PROVISIONING' order by created_at, id`)
	if err != nil {
		return fmt.Errorf("listing schools that wait: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return fmt.Errorf("listing schools that wait: %w", err)
	}
	var first error
	for _, id := range ids {
		err := p.resume(ctx, id)
		if first == nil {
			first = err
		}
	}
	return first
}

func (p *Provisioner) resume(ctx context.Context, id uuid.UUID) error {
	lock, free, err := advisory.TryLock(ctx, p.cluster.PlatformPool(), provisionLock(id))
	if err != nil || !free {
		return err
	}
	defer lock.Unlock()
	return p.run(ctx, lock, id)
}

func provisionLock(id uuid.UUID) string { return "provision " + id.String() }

func (p *Provisioner) run(ctx context.Context, platform advisory.Conn, id uuid.UUID) error {
	o := &onboarding{platform: platform}
	left, err := p.begin(ctx, o, id)
	if err != nil {
		return fmt.Errorf("provisioning school %s: %w", id, err)
	}
	done := ""
	for _, s := range left {
		if err := p.mark(ctx, o, done, s.name); err != nil {
			return fmt.Errorf("provisioning school %s: %w", id, err)
		}
		if err := p.do(ctx, s, o); err != nil {
			err = fmt.Errorf("provisioning school %s, step %s: %w", id, s.name, err)
			if errors.Is(ctx.Err(), context.Canceled) {
				return err
			}
			return errors.Join(err, p.fail(context.WithoutCancel(ctx), id, s.name, err))
		}
		done = s.name
	}
	if done != "" {
		p.stepped(id, done, true) // the last one recorded itself
	}
	return nil
}

// begin reads the school and what is left to do for it: nothing, unless it is being
// provisioned or failed.
func (p *Provisioner) begin(ctx context.Context, o *onboarding, id uuid.UUID) ([]step, error) {
	var err error
	o.school, err = tenancy.ScanSchool(o.platform.QueryRow(ctx, `select `+tenancy.SchoolColumns+` from platform.school where id = $1`, id))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, tenancy.ErrSchoolNotFound
	}
	if err != nil {
		return nil, err
	}
	failed := o.school.Status == tenancy.Failed
	switch o.school.Status {
	case tenancy.Provisioning:
	case tenancy.Failed:
		if _, err := o.platform.Exec(ctx, `update platform.school set status = 'PROVISIONING', updated_at = now() where id = $1`,
			id); err != nil {
			return nil, err
		}
		p.cluster.NotifyChanged(id)
	default:
		return nil, nil
	}
	var finished []string
	err = o.platform.QueryRow(ctx, `select coalesce((select admin from platform.provisioning_request where school_id = $1), '{}'),
		(select coalesce(array_agg(step), '{}') from platform.provisioning_step where school_id = $1 and finished_at is not null)`,
		id).Scan(&o.admin, &finished)
	if err != nil {
		return nil, err
	}
	is := map[string]bool{}
	for _, name := range finished {
		is[name] = true
	}
	var left []step
	for _, s := range p.steps {
		// One that failed long ago may have been overtaken by a new version.
		overtaken := s.name == "schema" && o.school.SchemaVersion < p.cluster.SchoolVersion()
		// One whose node was restored to an earlier moment has lost what was done there.
		if !is[s.name] || overtaken || failed && s.name != "reserve" {
			left = append(left, s)
		}
	}
	return left, nil
}

// mark records that one step is done and the next begun. Losing the mark in a crash
// of the server means doing a step twice, so the commit does not wait for the disk.
func (p *Provisioner) mark(ctx context.Context, o *onboarding, done, next string) error {
	batch := &pgx.Batch{}
	batch.Queue(`select set_config('synchronous_commit', 'off', true)`)
	if done != "" {
		batch.Queue(finishStep, o.school.ID, done)
	}
	batch.Queue(`insert into platform.provisioning_step (school_id, step, position, started_at, attempts) values ($1, $2, $3, now(), 1)
		on conflict (school_id, step) do update set started_at = now(), attempts = provisioning_step.attempts + 1, error = ''`,
		o.school.ID, next, p.position(next))
	if err := o.platform.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("recording step %s: %w", next, err)
	}
	if done != "" {
		p.stepped(o.school.ID, done, true)
	}
	p.stepped(o.school.ID, next, false)
	return nil
}

const finishStep = `update platform.provisioning_step set finished_at = now(), error = '' where school_id = $1 and step = $2`

func (p *Provisioner) position(name string) int {
	for i, s := range p.steps {
		if s.name == name {
			return i + 1
		}
	}
	return 0
}

func (p *Provisioner) stepped(id uuid.UUID, name string, done bool) {
	if p.Stepped != nil {
		p.Stepped(id, name, done)
	}
}

// do runs a step; one that panics has failed.
func (p *Provisioner) do(ctx context.Context, s step, o *onboarding) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return s.run(ctx, o)
}

func (p *Provisioner) fail(ctx context.Context, id uuid.UUID, step string, reason error) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	// The connection of the run may be what failed: this takes another.
	err := pgx.BeginFunc(ctx, p.cluster.PlatformPool(), func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `update platform.school set status = 'FAILED', updated_at = now() where id = $1 and status = 'PROVISIONING'`, id)
		if err == nil {
			_, err = tx.Exec(ctx, `update platform.provisioning_step set error = $3 where school_id = $1 and step = $2`, id, step, reason.Error())
		}
		return err
	})
	p.cluster.NotifyChanged(id)
	if err != nil {
		return fmt.Errorf("recording the failure: %w", err)
	}
	return nil
}
