package roster

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
)

// AcademicYear is the span everything dated belongs to. One is active at a time,
// and no two share a day.
type AcademicYear struct {
	api.Record
	YearFields
	Active bool `json:"active"`
}

// YearFields are what an administrator says of a year.
type YearFields struct {
	Name      string   `json:"name" validate:"name,max=60" example:"2026-27"`
	StartDate api.Date `json:"startDate" validate:"required"`
	EndDate   api.Date `json:"endDate" validate:"required"`
}

type yearChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[YearFields]
}

type byID struct {
	ID uuid.UUID `path:"id"`
}

var yearListing = api.Listing{
	Sorts:   map[string]string{"startDate": "start_date", "name": "name", "createdAt": "created_at"},
	Default: "-startDate",
	Filters: map[string]api.Filter{"search": api.Search("name"), "active": api.ByBool("active")},
}

func createYear(c api.Ctx, r YearFields) (AcademicYear, error) {
	y := AcademicYear{YearFields: r}
	if err := y.checkDates(); err != nil {
		return y, err
	}
	return y, api.Insert(c, "academic year", &y)
}

func listYears(c api.Ctx, l api.ListRequest) (api.Page[AcademicYear], error) {
	return api.Fetch[AcademicYear](c.DB.Model(&AcademicYear{}), l)
}

func getYear(c api.Ctx, r byID) (AcademicYear, error) {
	return api.Find[AcademicYear](c, "academic year", c.DB, r.ID)
}

func updateYear(c api.Ctx, r yearChange) (AcademicYear, error) {
	return api.Update(c, "academic year", r.ID, func(y *AcademicYear) error {
		if err := r.Apply(&y.YearFields); err != nil {
			return err
		}
		return y.checkDates()
	})
}

func deleteYear(c api.Ctx, r byID) error {
	return api.Erase[AcademicYear](c, "academic year", r.ID)
}

// activateYear makes one year the active one. The year that was active steps back
// first: the database allows one at a time. All years are locked, in one order, so
// that two activations at once queue and the second sees what the first did.
func activateYear(c api.Ctx, r byID) (AcademicYear, error) {
	var years []AcademicYear
	err := c.DB.Raw(`select id, active from academic_year order by id for update`).Scan(&years).Error
	if err != nil {
		return AcademicYear{}, fmt.Errorf("locking academic years: %w", err)
	}
	for _, y := range years {
		if y.Active && y.ID != r.ID {
			if _, err := api.Update(c, "academic year", y.ID, func(y *AcademicYear) error { y.Active = false; return nil }); err != nil {
				return AcademicYear{}, err
			}
		}
	}
	year, err := api.Update(c, "academic year", r.ID, func(y *AcademicYear) error { y.Active = true; return nil })
	if err != nil {
		return year, err
	}
	c.RightsChanged() // assignments count in the active year
	c.Tell(events.Fact{Kind: "academic-year.activated", Data: map[string]any{"academicYearId": year.ID}})
	return year, nil
}

// longestYear is more days than any academic year has, and less than a mistyped date: what is
// made for each week of a year, a calendar, stays small.
const longestYear = 3 * 366

func (y *AcademicYear) checkDates() error {
	switch {
	case !y.StartDate.Before(y.EndDate):
		return api.InvalidField("endDate", "endDate must be after startDate")
	case y.StartDate.AddDays(longestYear).Before(y.EndDate):
		return api.InvalidField("endDate", "an academic year must not be longer than %d days", longestYear)
	}
	return nil
}
