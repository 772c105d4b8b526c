package tenancy

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// transitions are the only ways a school goes from one status to another.
var transitions = map[Status][]Status{
	Provisioning: {Active, Failed},
	Failed:       {Provisioning},
	Active:       {Suspended},
	Suspended:    {Active, Archived},
}

// ErrTransition says that a school cannot go from the status it has to the one asked for.
type ErrTransition struct{ From, To Status }

func (e ErrTransition) Error() string {
	return fmt.Sprintf("tenancy: a school that is %s cannot become %s", e.From, e.To)
}

// Suspend shuts an active school: its people cannot sign in, its data stays.
func (c *Cluster) Suspend(ctx context.Context, id uuid.UUID, also ...InTx) (*School, error) {
	return c.change(ctx, id, Suspended, also)
}

// Activate opens a suspended school again. New schools are opened by the provisioner.
func (c *Cluster) Activate(ctx context.Context, id uuid.UUID, also ...InTx) (*School, error) {
	return c.change(ctx, id, Active, also)
}

// Archive shuts a suspended school for good.
func (c *Cluster) Archive(ctx context.Context, id uuid.UUID, also ...InTx) (*School, error) {
	return c.change(ctx, id, Archived, also)
}

// change moves a school to another status, if there is a way there, and does what
// the caller wants done in the same transaction.
func (c *Cluster) change(ctx context.Context, id uuid.UUID, to Status, also []InTx) (*School, error) {
	var school *School
	err := pgx.BeginFunc(ctx, c.platform, func(tx pgx.Tx) error {
		var from Status
		err := tx.QueryRow(ctx, `select status from platform.school where id = $1 for update`, id).Scan(&from)
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrSchoolNotFound
		}
		if err != nil {
			return err
		}
		// Only the provisioner may call a school it is making active.
		if !slices.Contains(transitions[from], to) || from == Provisioning {
			return ErrTransition{from, to}
		}
		school, err = scanSchool(tx.QueryRow(ctx, `update platform.school set status = $2, version = version + 1, updated_at = now()
			where id = $1 returning `+schoolColumns, id, to))
		if err != nil {
			return err
		}
		return runInTx(ctx, tx, also)
	})
	if err != nil {
		return nil, fmt.Errorf("making school %s %s: %w", id, to, err)
	}
	c.changed(id)
	return school, nil
}
