// Package year keeps a school's academic years, and takes classes from one into the next: a class
// by a promotion, which can be undone until its new year begins, or the whole school by a plan, which
// is carried out by itself on the first day and can be undone until the first mark or payment. One
// year is active at a time and no two share a day. The year everybody else speaks of is roster.AcademicYear.
package year

import (
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// Module serves years.
type Module struct {
	// Parts are what the modules carry over at the turn of the year.
	Parts []api.NextYear
	// AddTerms and DropTerms are the terms that a school's first year has beside it; nil: there are none.
	AddTerms  func(*gorm.DB, *tenancy.School, roster.AcademicYear) error
	DropTerms func(c api.Ctx, year uuid.UUID) error
}

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name:        "year",
		Permissions: []api.Permission{{Key: "academic-year", Title: "Academic years"}},
		Rows:        m.routes(),
		Constraints: constraints(),
		Personal:    personal(),
		Examples:    examples(),
		Scheduled:   []api.Scheduled{{Name: "turn-of-the-year", Every: 15 * time.Minute, School: m.turnDue}},
	}
}

// routes are the endpoints of years and promotions.
func (m *Module) routes() []api.Row {
	return api.Rows(
		api.Create("/school-admin/academic-year/create", "academic-year", "Add an academic year", m.createYear,
			api.Says("Academic year created")),
		api.List("/school-admin/academic-year/list", "academic-year", "List the academic years", yearListing, listYears, api.MayBeStale),
		api.Get("/school-admin/academic-year/:id", "academic-year", "Read an academic year", getYear),
		api.Put("/school-admin/academic-year/:id", "academic-year", "Change an academic year", updateYear, api.Versioned),
		api.Remove("/school-admin/academic-year/:id", "academic-year", "Delete an academic year nothing refers to", deleteYear),
		api.Post("/school-admin/academic-year/:id/activate", "academic-year", "Make a year the school's active one", activateYear,
			api.Says("Academic year activated")),
		api.Post("/school-admin/academic-year/:id/plan", "academic-year",
			"Plan the turn to this year: a dry run says what will happen, a plan is carried out by itself on the first day", m.makePlan,
			api.Says("Plan read"), api.MayFail(errPlanChanged, errPlanDone, errYearActive), api.MayTake(time.Minute)),
		api.Get("/school-admin/academic-year/:id/plan", "academic-year", "Read the plan of the turn to this year", m.getPlan),
		api.Remove("/school-admin/academic-year/:id/plan", "academic-year",
			"Take the plan back: what it did is undone, until the first mark or payment of the new year", m.undoPlan,
			api.Needs(api.Write), api.Says("Plan undone"), api.MayFail(errPlanInUse), api.MayTake(time.Minute)),
		api.Post("/school-admin/student/promote", "student", "Take a class into the next year; a dry run says who goes where", promote),
		api.Post("/school-admin/student/promote/:id/undo", "student", "Take a promotion back, until the new year starts", undoPromotion,
			api.Says("Promotion undone")),
	)
}

// constraints are the database's refusals in people's words.
func constraints() []api.Constraint {
	return []api.Constraint{
		{Name: "academic_year_name_key", Field: "name", Message: "An academic year of this name exists"},
		{Name: "academic_year_overlap_excl", Field: "startDate", Message: "These dates overlap another academic year"},
		{Name: "academic_year_dates_check", Field: "endDate", Message: "endDate must be after startDate"},
	}
}
