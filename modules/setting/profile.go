package setting

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/events"
	"homeroom/tenancy"
)

// ProfileChanged is the fact that the school says other things of itself than before:
// the platform's record of it follows.
const ProfileChanged = "school.profile_changed"

// Profile is what the school says of itself, on paper and elsewhere.
type Profile struct {
	Name          string     `json:"name" validate:"name,max=120"`
	Address       string     `json:"address" validate:"max=500"`
	Phone         api.Phone  `json:"phone" validate:"max=20"`
	Email         string     `json:"email" validate:"omitempty,email,max=254"`
	Website       string     `json:"website" validate:"max=200" example:"https://green-valley.example.org"`
	PrincipalName string     `json:"principalName" validate:"omitempty,name,max=120"`
	LogoFileID    *uuid.UUID `json:"logoFileId" doc:"A PNG or JPEG image among the school's files; everybody of the school may have it"`
	Locale        string     `json:"locale" validate:"notblank,max=20" doc:"How dates and numbers are written" example:"en-IN"`
}

// described reports whether the school ever said anything of itself. Until then what was
// written down when it was onboarded holds.
func (s *Setting) described() bool { return s.TimeZone != "" }

func (s *Setting) describe(by *tenancy.School) {
	s.Name, s.TimeZone, s.Locale, s.Currency = by.Name, by.TimeZone, by.Locale, by.Currency
	s.Address, s.Phone, s.Email = by.Address, api.Phone(by.Phone), by.Email
}

// profile is what the platform's record of the school has to say.
func (s *Setting) profile() tenancy.Profile {
	return tenancy.Profile{Name: s.Name, TimeZone: s.TimeZone, Locale: s.Locale, Currency: s.Currency, WeekendDays: s.WeekendDays,
		Address: s.Address, Phone: string(s.Phone), Email: s.Email, LogoFileID: s.LogoFileID}
}

// Said is what a school says of itself; nil while it has said nothing.
func Said(db *gorm.DB) (*tenancy.Profile, error) {
	var found []tenancy.Profile
	err := tenancy.Pipeline(db, tenancy.Query{SQL: `select s.name, s.time_zone, s.locale, s.currency, (select w.days from weekend w
		order by w.from_date desc limit 1) as weekend_days,
			s.address, s.phone, s.email, s.logo_file_id
		from school_setting s where s.time_zone <> ''`, Scan: tenancy.Collect(&found)})
	if err != nil {
		return nil, fmt.Errorf("reading what a school says of itself: %w", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	return &found[0], nil
}

func (m *Module) listen(bus *events.Bus) {
	bus.On(ProfileChanged, "platform", func(ctx context.Context, h events.Heard) error {
		db, err := events.DB(ctx)
		if err != nil {
			return err
		}
		_, err = m.follow(ctx, db, h.SchoolID)
		return err
	})
}

// healProfile compares what a school says of itself with the platform's record, and mends
// the record: a fact that was lost costs a day, and nothing else.
func (m *Module) healProfile(ctx context.Context, at api.SchoolWork) error {
	mended, err := m.follow(ctx, at.DB, at.School.ID)
	if err == nil && mended {
		at.Log.Warn("the record of a school differed from its settings and was mended", "schoolId", at.School.ID)
	}
	return err
}

// follow copies what the school says of itself to the platform's record, and reports whether
// that was anything new. A copy that was written while the school changed its mind is written
// again: the last writer has looked afterwards.
func (m *Module) follow(ctx context.Context, db *gorm.DB, school uuid.UUID) (changed bool, err error) {
	said, err := Said(db)
	for err == nil && said != nil {
		var wrote bool
		if wrote, err = m.Record(ctx, school, *said); err != nil || !wrote {
			return changed, err
		}
		changed = true
		var now *tenancy.Profile
		if now, err = Said(db); err == nil && reflect.DeepEqual(now, said) {
			return changed, nil
		}
		said = now
	}
	return changed, err
}

// Adopt makes the school say of itself what an operator entered at the platform. A
// school that never said anything goes on saying nothing.
func Adopt(c api.Ctx, entered tenancy.Profile) error {
	before, err := Said(c.DB)
	if err != nil || before == nil {
		return err
	}
	entered.LogoFileID = before.LogoFileID
	if reflect.DeepEqual(*before, entered) {
		return nil
	}
	queries := []tenancy.Query{{SQL: `update school_setting set name = $1, time_zone = $2, locale = $3, currency = $4, address = $5,
		phone = $6, email = $7, version = version + 1, updated_at = $8`,
		Args: []any{entered.Name, entered.TimeZone, entered.Locale, entered.Currency, entered.Address, entered.Phone, entered.Email, c.Now}}}
	if !slices.Equal(entered.WeekendDays, before.WeekendDays) {
		queries = append(queries, weekendFrom(c, entered.WeekendDays))
	}
	if err := tenancy.Pipeline(c.DB, queries...); err != nil {
		return fmt.Errorf("taking over what the platform says: %w", err)
	}
	c.Changed("update", "setting", c.School.ID, before, entered)
	return nil
}

// MayReadLogo says whether a file is the school's mark, which is for everybody there.
func MayReadLogo(c api.Ctx, file uuid.UUID) (bool, error) {
	var is bool
	err := c.DB.Raw(`select exists (select from school_setting where logo_file_id = ?)`, file).Scan(&is).Error
	if err != nil {
		return false, fmt.Errorf("looking for the logo: %w", err)
	}
	return is, nil
}
