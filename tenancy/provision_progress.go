package tenancy

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Onboarding is how far a school has come.
type Onboarding struct {
	School  *School
	Percent int
	Error   string // why it failed, if it did
	Steps   []StepProgress
}

// StepProgress is one step of it.
type StepProgress struct {
	Name       string
	StartedAt  *time.Time
	FinishedAt *time.Time
	Attempts   int
	Error      string
}

// Progress tells how far a school has come.
func (p *Provisioner) Progress(ctx context.Context, id uuid.UUID) (*Onboarding, error) {
	school, err := p.cluster.FindSchool(ctx, id)
	if err != nil {
		return nil, err
	}
	rows, err := p.cluster.platform.Query(ctx, `select step, started_at, finished_at, attempts, error
		from platform.provisioning_step where school_id = $1 order by position, step`, id)
	if err != nil {
		return nil, fmt.Errorf("reading provisioning steps: %w", err)
	}
	o := &Onboarding{School: school}
	o.Steps, err = pgx.CollectRows(rows, pgx.RowToStructByPos[StepProgress])
	if err != nil {
		return nil, fmt.Errorf("reading provisioning steps: %w", err)
	}
	finished := 0
	for _, s := range o.Steps {
		if s.FinishedAt != nil {
			finished++
		}
		if s.Error != "" && school.Status == Failed {
			o.Error = s.Error
		}
	}
	if len(o.Steps) > 0 {
		o.Percent = 100 * finished / len(o.Steps)
	}
	return o, nil
}

// Resume goes on with schools that wait and that nobody works on: whoever did was
// killed. The lock tells, for it dies with its holder, so that nobody has to wait for
// a time limit to pass. It returns the first error and tries them all.
func (p *Provisioner) Resume(ctx context.Context) error {
	rows, err := p.cluster.platform.Query(ctx, `select id from platform.school where status = 'PROVISIONING' order by created_at, id`)
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
	lock, free, err := tryLock(ctx, p.cluster.platform, provisionLock(id))
	if err != nil || !free {
		return err
	}
	defer lock.release()
	return p.run(ctx, lock, id)
}
