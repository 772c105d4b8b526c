package year

import (
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// firstMonths are the months in which school years begin, by country. Where schools of a country differ (by state or kind),
// it is the one most pupils have; an office changes the dates of its year as it likes.
var firstMonths = map[string]time.Month{
	"IN": time.April, "PK": time.April, "JP": time.April, "NP": time.April,
	"AF": time.March, "AR": time.March, "CL": time.March, "KR": time.March, "PE": time.March, "PY": time.March, "UY": time.March,
	"BO": time.February, "BR": time.February, "CR": time.February, "NZ": time.February, "PH": time.June, "TH": time.May,
	"AU": time.January, "BD": time.January, "BN": time.January, "BT": time.January, "BW": time.January, "CO": time.January,
	"FJ": time.January, "GT": time.January, "HN": time.January, "KE": time.January, "LK": time.January, "LS": time.January,
	"MM": time.June, "MW": time.September, "MY": time.January, "MZ": time.January, "NA": time.January, "PA": time.March,
	"PG": time.January, "SG": time.January, "SZ": time.January, "TZ": time.January, "UG": time.February, "ZA": time.January,
	"ZM": time.January, "ZW": time.January,
	"CH": time.August, "DE": time.August, "DK": time.August, "FI": time.August, "IS": time.August, "NO": time.August, "SE": time.August,
	"ID": time.July, "MX": time.August, "US": time.August, "AE": time.August, "SA": time.August, "QA": time.August,
}

// elsewhere is the month in most countries.
const elsewhere = time.September

// First is the academic year a new school begins with: the twelve months around today that are usual in its country.
func First(s *tenancy.School, today api.Date) roster.YearFields {
	month, known := firstMonths[api.PhoneRegion(s)]
	if !known {
		month = elsewhere
	}
	start := api.Date{Year: today.Year, Month: month, Day: 1}
	if today.Before(start) {
		start.Year--
	}
	end := api.Date{Year: start.Year + 1, Month: month, Day: 1}.AddDays(-1)
	name := fmt.Sprint(start.Year)
	if end.Year != start.Year {
		name = fmt.Sprintf("%d-%02d", start.Year, end.Year%100)
	}
	return roster.YearFields{Name: name, StartDate: start, EndDate: end}
}

// AddFirst gives a new school its first year, active, and returns it. Again it adds nothing, nor where there is a year.
func AddFirst(db *gorm.DB, s *tenancy.School, today api.Date) (*roster.AcademicYear, error) {
	y := roster.AcademicYear{Record: api.Record{ID: roster.FirstYearID(s.ID), Version: 1}, YearFields: First(s, today), Active: true}
	if err := db.Clauses(clause.OnConflict{DoNothing: true}).Create(&y).Error; err != nil {
		return nil, fmt.Errorf("adding the first academic year: %w", err)
	}
	var found []roster.AcademicYear
	if err := db.Where("id = ?", y.ID).Find(&found).Error; err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// replaceFirst removes the year a school began with if another is added for some of the same days: an office, or a program
// written for a school without one, says what its year is. It stays once somebody has changed it or anything refers to it.
// It reports whether the new year is the active one in its place.
func (m *Module) replaceFirst(c api.Ctx, y roster.YearFields) (active bool, err error) {
	var found []roster.AcademicYear
	err = c.DB.Where(`id = ? and version = 1 and start_date <= ? and end_date >= ?`, roster.FirstYearID(c.School.ID), y.EndDate, y.StartDate).
		Find(&found).Error
	if err != nil || len(found) == 0 {
		return false, err
	}
	if err := c.DB.SavePoint("first_year").Error; err != nil {
		return false, fmt.Errorf("replacing the first year: %w", err)
	}
	if m.DropTerms != nil {
		if err := m.DropTerms(c, found[0].ID); err != nil {
			return false, err
		}
	}
	err = c.DB.Exec(`delete from academic_year where id = ?`, found[0].ID).Error
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &pg) && pg.Code == "23503":
		return false, c.DB.RollbackTo("first_year").Error
	case err != nil:
		return false, fmt.Errorf("replacing the first year: %w", err)
	}
	c.Changed("delete", "academic year", found[0].ID, found[0], nil)
	return found[0].Active, nil
}
