package school

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// Profile is one school with everything the platform's record says of it.
type Profile struct {
	School
	WeekendDays []int16 `json:"weekendDays" doc:"1 is Monday, 6 Saturday, 0 Sunday"`
	Address     string  `json:"address"`
	Phone       string  `json:"phone"`
	Email       string  `json:"email"`
}

const profileColumns = `id, code, name, status, node, time_zone, locale, currency, schema_version, migration_error, created_at, updated_at,
	version, weekend_days, address, phone, email`

func (m *Module) get(c api.PlatformCtx, r byID) (Profile, error) { return read(c.DB, r.ID) }

func read(db *gorm.DB, id uuid.UUID) (Profile, error) {
	var p Profile
	err := tenancy.Pipeline(db, tenancy.Query{SQL: `select ` + profileColumns + ` from school where id = $1`, Args: []any{id},
		Scan: tenancy.Row(&p)})
	if errors.Is(err, pgx.ErrNoRows) {
		return p, tenancy.ErrSchoolNotFound
	}
	return p, err
}

// profileFields are what a super-admin may change of a school's record. A school that has
// said something of itself in its own settings says this from then on.
type profileFields struct {
	Name        string    `json:"name" validate:"name,max=120"`
	Code        string    `json:"code" validate:"required,code"`
	TimeZone    string    `json:"timeZone" validate:"required,max=64,timezone"`
	Currency    string    `json:"currency" validate:"required,currency" doc:"Stays as it is once fees were posted: amounts have no currency of their own"`
	Locale      string    `json:"locale" validate:"required,max=20"`
	WeekendDays []int16   `json:"weekendDays" validate:"max=7,unique,dive,min=0,max=7" doc:"1 is Monday, 6 Saturday, 0 Sunday (7 is taken too)"`
	Address     string    `json:"address" validate:"max=500"`
	Phone       api.Phone `json:"phone" validate:"max=20"`
	Email       string    `json:"email" validate:"omitempty,email,max=254"`
}

type profileChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[profileFields]
}

// update changes a school's record. It is in force on every instance within a second.
func (m *Module) update(c api.PlatformCtx, r profileChange) (Profile, error) {
	var before, after profileFields
	var told tenancy.Profile
	err := m.Cluster.Rewrite(c, r.ID, func(version int, p *tenancy.Entry) error {
		if v := c.SentVersion(); v != nil && *v != version {
			return api.Conflict("This school was changed by someone else: it is at version %d, you have %d", version, *v)
		}
		before = profileFields{Name: p.Name, Code: p.Code, TimeZone: p.TimeZone, Currency: p.Currency, Locale: p.Locale,
			WeekendDays: p.WeekendDays,
			Address:     p.Address, Phone: api.Phone(p.Phone), Email: p.Email}
		after = before
		if err := r.Apply(&after); err != nil {
			return err
		}
		after.WeekendDays = api.Weekend(after.WeekendDays)
		if after.Currency != before.Currency {
			if err := m.mayChangeCurrency(c, r.ID); err != nil {
				return err
			}
		}
		*p = tenancy.Entry{Code: after.Code, Profile: tenancy.Profile{Name: after.Name, TimeZone: after.TimeZone, Locale: after.Locale,
			Currency:    after.Currency,
			WeekendDays: after.WeekendDays, Address: after.Address, Phone: string(after.Phone), Email: after.Email}}
		told = p.Profile
		return nil
	}, c.BookChange("update", "school", r.ID, func() (any, any) { return before, after }),
		// Last, when nothing else can be refused: the record follows the school, so it must say the same.
		func(ctx context.Context, _ pgx.Tx) error { return m.Adopt(ctx, r.ID, told) })
	if errors.Is(err, tenancy.ErrCodeTaken) {
		err = api.Duplicate("A school with this code exists")
	}
	if err != nil {
		return Profile{}, err
	}
	return read(c.DB, r.ID)
}

// mayChangeCurrency refuses where the ledger has amounts: they would become another
// currency's without having been changed.
func (m *Module) mayChangeCurrency(c api.PlatformCtx, id uuid.UUID) error {
	s, err := m.Cluster.FindSchool(c, id)
	if err != nil || s.SchemaVersion == 0 {
		return err // without tables there is no ledger
	}
	db, err := m.Cluster.School(c, s, tenancy.ReadOnly)
	if err != nil {
		return err
	}
	var posted bool
	if err := db.Raw(`select exists (select from ledger_entry)`).Scan(&posted).Error; err != nil {
		return fmt.Errorf("looking into the ledger: %w", err)
	}
	if posted {
		return api.Conflict("Fees were posted in %s: the currency cannot be changed any more", s.Currency)
	}
	return nil
}
