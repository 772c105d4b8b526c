package service

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/events"
	"homeroom/tenancy"
)

// readySchools finds schools as requests need them: one that is behind this binary
// is brought up to date first.
type readySchools struct{ s *Service }

func (r readySchools) School(ctx context.Context, id uuid.UUID) (*tenancy.School, error) {
	school, err := r.s.Registry.School(ctx, id)
	if err != nil || school.Status != tenancy.Active || school.SchemaVersion >= r.s.Cluster.SchoolVersion() {
		return school, err
	}
	if err := r.s.Migrator.EnsureSchool(ctx, school); err != nil {
		if errors.Is(err, tenancy.ErrBehind) {
			return nil, api.Unavailable("This school is being brought up to date, try again in a moment").Because(err)
		}
		return nil, err
	}
	r.s.Registry.Forget(id)
	return r.s.Registry.School(ctx, id)
}

// relaySchools is how the relay reaches the schools' outboxes.
type relaySchools struct{ s *Service }

func (r relaySchools) EachID(ctx context.Context, f func(id uuid.UUID) error) error {
	var ids []uuid.UUID // the listing is closed before the work on each begins
	err := r.s.Cluster.EachSchool(ctx, func(school *tenancy.School) error {
		ids = append(ids, school.ID)
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := f(id); err != nil {
			return err
		}
	}
	return nil
}

func (r relaySchools) Tx(ctx context.Context, id uuid.UUID, f func(tx *gorm.DB) error) error {
	school, err := r.s.Registry.School(ctx, id)
	if errors.Is(err, tenancy.ErrSchoolNotFound) {
		return events.ErrGone
	}
	if err != nil {
		return err
	}
	db, err := r.s.Cluster.School(ctx, school, tenancy.ReadWrite)
	if err != nil {
		return err
	}
	return db.Transaction(f)
}

// rights lets auth list a role's rights; rbac is made after auth.
type rights struct{ s *Service }

func (r rights) Effective(ctx context.Context, school *tenancy.School, role uuid.UUID) (map[string]api.Granted, error) {
	return r.s.RBAC.Effective(ctx, school, role)
}

// Announce tells every running instance that a school changed, or why it could not:
// they then notice when what they remember grows old.
func (s *Service) Announce(ctx context.Context, school uuid.UUID) error {
	return s.Hints.Tell(ctx, hintSchool, school.String())
}
