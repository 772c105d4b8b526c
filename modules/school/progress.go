package school

import (
	"context"
	"reflect"
	"time"

	"homeroom/api"
	"homeroom/tenancy"
)

// progressEvery is how often an onboarding that is watched is looked at. It takes
// seconds, and few people watch one.
const progressEvery = 200 * time.Millisecond

// onboarding is how far a school has come.
type onboarding struct {
	Status  string `json:"status" enum:"PROVISIONING,ACTIVE,SUSPENDED,ARCHIVED,FAILED"`
	Percent int    `json:"percent"`
	Error   string `json:"error,omitempty"`
	Steps   []step `json:"steps"`
}

type step struct {
	Name       string     `json:"name" enum:"reserve,schema,permissions,administrator,invitation,'academic year','no quiet hours',activate"`
	StartedAt  *time.Time `json:"startedAt"`
	FinishedAt *time.Time `json:"finishedAt"`
	Attempts   int        `json:"attempts"`
	Error      string     `json:"error,omitempty"`
}

func (m *Module) provisioning(c api.PlatformCtx, r byID) (onboarding, error) {
	return m.progress(c, r)
}

func (m *Module) progress(ctx context.Context, r byID) (onboarding, error) {
	p, err := m.Provisioner.Progress(ctx, r.ID)
	if err != nil {
		return onboarding{}, err
	}
	out := onboarding{Status: string(p.School.Status), Percent: p.Percent, Error: p.Error}
	for _, s := range p.Steps {
		out.Steps = append(out.Steps, step(s))
	}
	return out, nil
}

// watch tells how far the school is, and again whenever it has come further, until it is
// ready or has failed.
func (m *Module) watch(_ api.PlatformCtx, r byID) (api.Feed[onboarding], error) {
	return api.Feed[onboarding]{Run: func(ctx context.Context, tell func(onboarding) error) error {
		var told onboarding
		for {
			now, err := m.progress(ctx, r)
			if err != nil {
				return err
			}
			if !reflect.DeepEqual(now, told) {
				if err := tell(now); err != nil {
					return err
				}
				told = now
			}
			if now.Status != string(tenancy.Provisioning) {
				return nil
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(progressEvery):
			}
		}
	}}, nil
}
