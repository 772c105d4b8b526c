package setting

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gorm.io/gorm/clause"

	"homeroom/api"
	"homeroom/events"
	"homeroom/tenancy"
)

type change struct{ api.Change[Fields] }

// update changes what the caller names, in the row's lock: of two who change the settings
// at once, the second sees what the first did.
func (m *Module) update(c api.Ctx, r change) (Setting, error) {
	s, err := m.read(c, c.DB.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}))
	if err != nil {
		return s, err
	}
	if v := c.SentVersion(); v != nil && *v != s.Version {
		return s, api.Conflict("The settings were changed by someone else: they are at version %d, you have %d", s.Version, *v)
	}
	before := s
	if err := r.Apply(&s.Fields); err != nil {
		return s, err
	}
	if err := m.check(c, &s, before, r.Names); err != nil {
		return s, err
	}
	if s.SecondFactorRequired != before.SecondFactorRequired {
		if err := c.NeedFresh(); err != nil {
			return s, err
		}
	}
	if reflect.DeepEqual(s, before) {
		c.Unchanged()
		return s, nil
	}
	s.Version, s.UpdatedBy, s.UpdatedAt = s.Version+1, &c.User.ID, c.Now
	s.EvaluationModeActive = s.evaluates(c.Now)
	if err := m.write(c, &s, before); err != nil {
		return s, err
	}
	c.Changed("update", "setting", c.School.ID, before, s)
	if !s.same(before.Evaluation) {
		c.RightsChanged()
	}
	if !reflect.DeepEqual(s.profile(), before.profile()) {
		c.Tell(events.Fact{Kind: ProfileChanged, Data: api.Nothing{}})
	}
	return s, nil
}

// check names everything that is wrong with the settings as they would be.
func (m *Module) check(c api.Ctx, s *Setting, before Setting, named func(string) bool) error {
	bad := s.Evaluation.normalize(c, before.Evaluation, named)
	fail := func(field, message string) { bad = append(bad, api.Detail{Field: field, Message: message}) }
	s.Name, s.Locale, s.Website = strings.TrimSpace(s.Name), strings.TrimSpace(s.Locale), strings.TrimSpace(s.Website)
	if s.Website != "" && !strings.HasPrefix(s.Website, "https://") && !strings.HasPrefix(s.Website, "http://") {
		fail("website", "website must be an address like https://example.org")
	}
	if s.LateFineType != "NONE" && s.LateFineAmount == 0 {
		fail("lateFineAmount", "lateFineAmount is required for a fine")
	}
	if s.LogoFileID != nil && named("logoFileId") {
		kind, err := m.Files.ContentType(c, *s.LogoFileID)
		if err != nil {
			return err
		}
		if kind != "image/png" && kind != "image/jpeg" {
			fail("logoFileId", "logoFileId must name a PNG or JPEG image of the school's files")
		}
	}
	if named("weekendDays") {
		s.WeekendDays = append([]int16{}, api.Weekend(s.WeekendDays)...)
	}
	s.FirstDayOfWeek %= 7
	if bad != nil {
		return api.Invalid(bad...)
	}
	if s.Currency != before.Currency {
		return unpriced(c, before.Currency)
	}
	return nil
}

// unpriced refuses another currency once there are amounts in the ledger: they would
// become amounts of money nobody ever asked for.
func unpriced(c api.Ctx, currency string) error {
	var used bool
	if err := c.DB.Raw(`select exists (select from ledger_entry)`).Scan(&used).Error; err != nil {
		return fmt.Errorf("looking into the ledger: %w", err)
	}
	if used {
		return api.Conflict("The ledger has amounts in %s: the currency cannot be changed any more", currency)
	}
	return nil
}

// write puts each setting where it is kept.
func (m *Module) write(c api.Ctx, s *Setting, before Setting) error {
	if err := c.DB.Select("*").Where("id").Updates(s).Error; err != nil {
		return fmt.Errorf("changing the settings: %w", err)
	}
	queries := []tenancy.Query{{SQL: `insert into weekend (from_date, days) select '0001-01-01', $1 where not exists (select from weekend)`,
		Args: []any{before.WeekendDays}}}
	if !slices.Equal(s.WeekendDays, before.WeekendDays) {
		queries = append(queries, weekendFrom(c, s.WeekendDays))
	}
	if err := tenancy.Pipeline(c.DB, queries...); err != nil {
		return fmt.Errorf("changing the weekend: %w", err)
	}
	if g, was := s.GradeScaleID, before.GradeScaleID; (g == nil) != (was == nil) || g != nil && *g != *was {
		return m.Grades.MakeDefault(c, g)
	}
	return nil
}

// weekendFrom writes down which days are off from today on.
func weekendFrom(c api.Ctx, days []int16) tenancy.Query {
	return tenancy.Query{SQL: `insert into weekend (from_date, days) values ($1, $2) on conflict (from_date) do update
		set days = excluded.days`, Args: []any{c.Today(), days}}
}
