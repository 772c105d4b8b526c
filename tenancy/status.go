package tenancy

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Status is the stage of a school's life.
type Status string

const (
	Provisioning Status = "PROVISIONING"
	Active       Status = "ACTIVE"
	Suspended    Status = "SUSPENDED"
	Archived     Status = "ARCHIVED"
	Failed       Status = "FAILED"
)

// transitions are the statuses that can follow a status.
var transitions = map[Status][]Status{
	Provisioning: {Active, Failed},
	Failed:       {Provisioning},
	Active:       {Suspended},
	Suspended:    {Active, Archived},
}

// TransitionError says that a school cannot go from the status it has to the one asked for.
type TransitionError struct{ From, To Status }

func (e TransitionError) Error() string {
	return fmt.Sprintf("tenancy: a school that is %s cannot become %s", e.From, e.To)
}

// SetStatus gives a school another status, if the one it has allows it, and runs also in the same transaction. A school
// that is being made becomes ACTIVE or FAILED by its provisioner only. Users of a suspended school cannot sign in; its data
// stays. An archived school is closed for good.
func (c *Cluster) SetStatus(ctx context.Context, id uuid.UUID, to Status, also ...InTx) (*School, error) {
	var school *School
	err := Transact(ctx, c.platform, also, func(tx pgx.Tx) error {
		var from Status
		err := tx.QueryRow(ctx, `select status from platform.school where id = $1 for update`, id).Scan(&from)
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrSchoolNotFound
		}
		if err != nil {
			return err
		}
		if !slices.Contains(transitions[from], to) || from == Provisioning {
			return TransitionError{from, to}
		}
		school, err = ScanSchool(tx.QueryRow(ctx, `update platform.school set status = $2, version = version + 1, updated_at = now()
			where id = $1 returning `+SchoolColumns, id, to))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("making school %s %s: %w", id, to, err)
	}
	c.NotifyChanged(id)
	return school, nil
}
