package api

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/events"
	"homeroom/tenancy"
)

// InSchool does a listener's work at the school of a fact, in the transaction that publishes the fact. It is done at a school
// in any status, since a fact is published once: messages of a suspended school are queued and wait, for delivery opens
// active schools only, and what its users may no longer see is taken from them all the same. Of a school that is gone nothing
// is done.
func InSchool(ctx context.Context, schools Schools, id uuid.UUID, work func(*gorm.DB, *tenancy.School) error) error {
	school, err := schools.School(ctx, id)
	if errors.Is(err, tenancy.ErrSchoolNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	db, err := events.DB(ctx)
	if err != nil {
		return err
	}
	return work(db, school)
}
