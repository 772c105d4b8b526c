package service

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/events"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

// schools opens schools, for requests and for work that no request asked for. The rules, which nothing else repeats:
//   - School finds one in any status; an active school behind this binary is migrated first.
//   - Open opens an active school that is up to date, for all that is done at a school. Any other is as good as not there.
//   - OpenAny opens one in any status, for what goes on while it is suspended: its entries in the directory of accounts.
//   - Tx opens one in any status and at any version, for the outbox alone: facts from before a school was suspended are
//     still published. Their messages are sent once it is active again.
//
// Kernel.Work is a transaction of an active school with its facts and notices; api.InSchool a listener's part of Tx.
type schools struct {
	cluster  *tenancy.Cluster
	registry *tenancy.Registry
	migrator *lifecycle.Migrator
}

// School finds a school as requests need it.
func (s *schools) School(ctx context.Context, id uuid.UUID) (*tenancy.School, error) {
	school, err := s.registry.School(ctx, id)
	if err != nil || school.Status != tenancy.Active || school.SchemaVersion >= s.cluster.SchoolVersion() {
		return school, err
	}
	if err := s.migrator.EnsureSchool(ctx, school); err != nil {
		if errors.Is(err, tenancy.ErrBehind) {
			return nil, api.Unavailable("This school is being brought up to date, try again in a moment").Because(err)
		}
		return nil, err
	}
	s.registry.Forget(id)
	return s.registry.School(ctx, id)
}

// Open opens an active school; tenancy.ErrSchoolNotFound: there is none, tenancy.ErrNotActive among it: it is not active.
func (s *schools) Open(ctx context.Context, id uuid.UUID, mode tenancy.Mode) (*tenancy.School, *gorm.DB, error) {
	school, err := s.School(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	if school.Status != tenancy.Active {
		return nil, nil, tenancy.ErrNotActive
	}
	db, err := s.cluster.School(ctx, school, mode)
	return school, db, err
}

// OpenAny opens a school in any status; tenancy.ErrSchoolNotFound: there is none.
func (s *schools) OpenAny(ctx context.Context, id uuid.UUID, mode tenancy.Mode) (*tenancy.School, *gorm.DB, error) {
	school, err := s.School(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	db, err := s.cluster.School(ctx, school, mode)
	return school, db, err
}

// EachID calls f with the id of every school, one after another.
func (s *schools) EachID(ctx context.Context, f func(id uuid.UUID) error) error {
	var ids []uuid.UUID // the listing is closed before the work on each begins
	err := s.cluster.EachSchool(ctx, func(school *tenancy.School) error {
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

// Tx runs f in a transaction of a school's; events.ErrGone: there is no such school.
func (s *schools) Tx(ctx context.Context, id uuid.UUID, f func(tx *gorm.DB) error) error {
	school, err := s.registry.School(ctx, id)
	if errors.Is(err, tenancy.ErrSchoolNotFound) {
		return events.ErrGone
	}
	if err != nil {
		return err
	}
	db, err := s.cluster.School(ctx, school, tenancy.ReadWrite)
	if err != nil {
		return err
	}
	return db.Transaction(f)
}

// Announce tells every running instance that a school changed, or why it could not:
// they then notice when their caches expire.
func (s *Service) Announce(ctx context.Context, school uuid.UUID) error {
	return s.Hints.SendConfirmed(ctx, hintSchool, school.String())
}
