package tenancy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Entry is what the platform's record of a school says of it.
type Entry struct {
	Code string
	Profile
}

// Rewrite changes a school's entry under its lock, and does what the caller wants done in
// the same transaction. change is given the record's version and the entry as it is; the
// logo stays. Every instance knows within a second.
func (c *Cluster) Rewrite(ctx context.Context, id uuid.UUID, change func(version int, e *Entry) error, also ...InTx) error {
	err := pgx.BeginFunc(ctx, c.platform, func(tx pgx.Tx) error {
		var version int
		var p Entry
		err := tx.QueryRow(ctx, `select version, code, name, time_zone, locale, currency, weekend_days, address, phone, email
			from platform.school where id = $1 for update`, id).
			Scan(&version, &p.Code, &p.Name, &p.TimeZone, &p.Locale, &p.Currency, &p.WeekendDays, &p.Address, &p.Phone, &p.Email)
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrSchoolNotFound
		}
		if err != nil {
			return err
		}
		if err := change(version, &p); err != nil {
			return err
		}
		if _, err := time.LoadLocation(p.TimeZone); err != nil || p.TimeZone == "" {
			return fmt.Errorf("%q is not a time zone", p.TimeZone)
		}
		if p.WeekendDays == nil {
			p.WeekendDays = []int16{}
		}
		_, err = tx.Exec(ctx, `update platform.school set code = $2, name = $3, time_zone = $4, locale = $5, currency = $6, weekend_days = $7, address = $8,
			phone = $9, email = $10, version = version + 1, updated_at = now() where id = $1`,
			id, p.Code, p.Name, p.TimeZone, p.Locale, p.Currency, p.WeekendDays, p.Address, p.Phone, p.Email)
		var pg *pgconn.PgError
		if errors.As(err, &pg) && pg.Code == uniqueViolation && pg.ConstraintName == "school_code_key" {
			return ErrCodeTaken
		}
		if err != nil {
			return err
		}
		return runInTx(ctx, tx, also)
	})
	if err != nil {
		return fmt.Errorf("rewriting the record of school %s: %w", id, err)
	}
	c.changed(id)
	return nil
}
