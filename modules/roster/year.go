package roster

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
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

// FirstYearID is the id of the year a school is made with: it follows from the school's, so that making it twice makes it once.
func FirstYearID(school uuid.UUID) uuid.UUID {
	return uuid.NewSHA1(school, []byte("first academic year"))
}

// LongestYear is more days than any academic year has, and less than a mistyped date: what is
// made for each week of a year, a calendar, stays small.
const LongestYear = 3 * 366

// ActiveYear is the year everything new belongs to; having none is a conflict.
func ActiveYear(c api.Ctx) (AcademicYear, error) {
	var years []AcademicYear
	if err := c.DB.Where("active").Find(&years).Error; err != nil {
		return AcademicYear{}, fmt.Errorf("reading the active year: %w", err)
	}
	if len(years) == 0 {
		return AcademicYear{}, api.Conflict("No academic year is active: activate one before placing students")
	}
	return years[0], nil
}

// activeYearID is the school's active year, or nil before there is one.
func activeYearID(c api.Ctx) (*uuid.UUID, error) {
	var ids []uuid.UUID
	if err := c.DB.Model(&AcademicYear{}).Where("active").Pluck("id", &ids).Error; err != nil {
		return nil, fmt.Errorf("looking for the active year: %w", err)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return &ids[0], nil
}
