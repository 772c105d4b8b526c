package year

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
	"homeroom/modules/roster"
)

type yearChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[roster.YearFields]
}

type byID struct {
	ID uuid.UUID `path:"id"`
}

var yearListing = api.Listing{
	Sorts:   map[string]string{"startDate": "start_date", "name": "name", "createdAt": "created_at"},
	Default: "-startDate",
	Filters: map[string]api.Filter{"search": api.Search("name"), "active": api.ByBool("active")},
}

func (m *Module) createYear(c api.Ctx, r roster.YearFields) (roster.AcademicYear, error) {
	y := roster.AcademicYear{YearFields: r}
	if err := checkDates(&y); err != nil {
		return y, err
	}
	var err error
	if y.Active, err = m.replaceFirst(c, r); err != nil {
		return y, err
	}
	if err := api.Insert(c, "academic year", &y); err != nil || !y.Active || m.AddTerms == nil {
		return y, err
	}
	return y, m.AddTerms(c.DB, c.School, y) // in the place of the first year's
}

func listYears(c api.Ctx, l api.ListRequest) (api.Page[roster.AcademicYear], error) {
	return api.Fetch[roster.AcademicYear](c.DB.Model(&roster.AcademicYear{}), l)
}

func getYear(c api.Ctx, r byID) (roster.AcademicYear, error) {
	return api.Find[roster.AcademicYear](c, "academic year", c.DB, r.ID)
}

func updateYear(c api.Ctx, r yearChange) (roster.AcademicYear, error) {
	return api.Update(c, "academic year", r.ID, func(y *roster.AcademicYear) error {
		if err := r.Apply(&y.YearFields); err != nil {
			return err
		}
		return checkDates(y)
	})
}

func deleteYear(c api.Ctx, r byID) error {
	return api.Erase[roster.AcademicYear](c, "academic year", r.ID)
}

// activateYear makes one year the active one. The year that was active steps back
// first: the database allows one at a time. All years are locked, in one order, so
// that two activations at once queue and the second sees what the first did.
func activateYear(c api.Ctx, r byID) (roster.AcademicYear, error) {
	var years []roster.AcademicYear
	err := c.DB.Raw(`select id, active from academic_year order by id for update`).Scan(&years).Error
	if err != nil {
		return roster.AcademicYear{}, fmt.Errorf("locking academic years: %w", err)
	}
	for _, y := range years {
		if y.Active && y.ID != r.ID {
			if _, err := api.Update(c, "academic year", y.ID, func(y *roster.AcademicYear) error { y.Active = false; return nil }); err != nil {
				return roster.AcademicYear{}, err
			}
		}
	}
	year, err := api.Update(c, "academic year", r.ID, func(y *roster.AcademicYear) error { y.Active = true; return nil })
	if err != nil {
		return year, err
	}
	c.RightsChanged() // assignments count in the active year
	c.Tell(events.Fact{Kind: "academic-year.activated", Data: map[string]any{"academicYearId": year.ID}})
	return year, nil
}

func checkDates(y *roster.AcademicYear) error {
	switch {
	case !y.StartDate.Before(y.EndDate):
		return api.InvalidField("endDate", "endDate must be after startDate")
	case y.StartDate.AddDays(roster.LongestYear).Before(y.EndDate):
		return api.InvalidField("endDate", "an academic year must not be longer than %d days", roster.LongestYear)
	}
	return nil
}
