package tenancy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/tenancy/internal/sqlstate"
)

// Profile is a school's name, time zone, address and the like, as its own settings have them. The platform's record is a
// copy that follows, so that every request knows it without a query to the school's database.
type Profile struct {
	Name        string     `json:"name"`
	TimeZone    string     `json:"timeZone"`
	Locale      string     `json:"locale"`
	Currency    string     `json:"currency"`
	WeekendDays []int16    `json:"weekendDays"`
	Address     string     `json:"address"`
	Phone       string     `json:"phone"`
	Email       string     `json:"email"`
	LogoFileID  *uuid.UUID `json:"logoFileId"`
}

// Entry is the part of a school's record that an operator may change.
type Entry struct {
	Code string
	Profile
}

// SchoolRecord is a school's whole record, as an archive keeps it.
type SchoolRecord struct {
	ID     uuid.UUID `json:"id"`
	Code   string    `json:"code"`
	Status Status    `json:"status"`
	Profile
	CreatedAt time.Time `json:"createdAt"`
}

// ErrCodeTaken says that another school has the code asked for.
var ErrCodeTaken = errors.New("tenancy: another school has this code")

// Record reads a school's record.
func (c *Cluster) Record(ctx context.Context, id uuid.UUID) (SchoolRecord, error) {
	rows, err := c.platform.Query(ctx, `select id, code, status, name, time_zone, locale, currency, weekend_days, address, phone, email,
		logo_file_id, created_at
		from platform.school where id = $1`, id)
	if err != nil {
		return SchoolRecord{}, fmt.Errorf("reading a school's record: %w", err)
	}
	record, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[SchoolRecord])
	if errors.Is(err, pgx.ErrNoRows) {
		return record, ErrSchoolNotFound
	}
	if err != nil {
		return record, fmt.Errorf("reading a school's record: %w", err)
	}
	return record, nil
}

// InUse reports whether there is a school of this id that is not archived.
func (c *Cluster) InUse(ctx context.Context, id uuid.UUID) (bool, error) {
	s, err := c.FindSchool(ctx, id)
	if errors.Is(err, ErrSchoolNotFound) {
		return false, nil
	}
	return err == nil && s.Status != Archived, err
}

// Describe copies a school's profile into the platform's record and tells every instance. It reports whether that
// changed anything.
func (c *Cluster) Describe(ctx context.Context, id uuid.UUID, p Profile) (changed bool, err error) {
	done, err := c.platform.Exec(ctx, `update platform.school set name = $2, time_zone = $3, locale = $4, currency = $5, weekend_days = $6,
		address = $7, phone = $8, email = $9,
			logo_file_id = $10, version = version + 1, updated_at = now()
		where id = $1 and (name, time_zone, locale, currency, weekend_days, address, phone, email, logo_file_id) is distinct
		from ($2, $3, $4, $5, $6::smallint[], $7, $8, $9, $10::uuid)`,
		id, p.Name, p.TimeZone, p.Locale, p.Currency, p.WeekendDays, p.Address, p.Phone, p.Email, p.LogoFileID)
	if err != nil {
		return false, fmt.Errorf("describing school %s: %w", id, err)
	}
	if done.RowsAffected() == 0 {
		return false, nil
	}
	c.NotifyChanged(id)
	return true, nil
}

// Rewrite changes a school's entry under the lock of its row, and runs also in the same transaction. change is given the
// record's version and the entry as it is; the logo stays. Every instance knows within a second.
func (c *Cluster) Rewrite(ctx context.Context, id uuid.UUID, change func(version int, e *Entry) error, also ...InTx) error {
	err := Transact(ctx, c.platform, also, func(tx pgx.Tx) error {
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
		_, err = tx.Exec(ctx, `update platform.school set code = $2, name = $3, time_zone = $4, locale = $5, currency = $6, weekend_days = $7,
			address = $8,
			phone = $9, email = $10, version = version + 1, updated_at = now() where id = $1`,
			id, p.Code, p.Name, p.TimeZone, p.Locale, p.Currency, p.WeekendDays, p.Address, p.Phone, p.Email)
		if sqlstate.IsUnique(err, "school_code_key") {
			return ErrCodeTaken
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("rewriting the record of school %s: %w", id, err)
	}
	c.NotifyChanged(id)
	return nil
}
