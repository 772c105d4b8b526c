package lifecycle

import (
	"context"
	"fmt"
	"homeroom/tenancy"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Onboarding is how far the provisioning of a school has come.
type Onboarding struct {
	School  *tenancy.School
	Percent int
	Error   string // why it failed, if it did
	Steps   []StepProgress
}

// StepProgress is one step of an onboarding or of a move.
type StepProgress struct {
	Name       string
	StartedAt  *time.Time
	FinishedAt *time.Time
	Attempts   int
	Error      string
}

// Progress reads how far a school has come.
func (p *Provisioner) Progress(ctx context.Context, id uuid.UUID) (*Onboarding, error) {
	school, err := p.cluster.FindSchool(ctx, id)
	if err != nil {
		return nil, err
	}
	rows, err := p.cluster.PlatformPool().Query(ctx, `select step, started_at, finished_at, attempts, error
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
		if s.Error != "" && school.Status == tenancy.Failed {
			o.Error = s.Error
		}
	}
	if len(o.Steps) > 0 {
		o.Percent = 100 * finished / len(o.Steps)
	}
	return o, nil
}
