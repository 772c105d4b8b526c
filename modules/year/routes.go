// Package year keeps a school's academic years, and takes classes from one into the next. One
// year is active at a time and no two share a day; a promotion can be undone until its new year
// begins. The year everybody else speaks of is roster.AcademicYear.
package year

import "homeroom/api"

// Describe is everything about the module.
func Describe() api.Module {
	return api.Module{
		Name:        "year",
		Permissions: []api.Permission{{Key: "academic-year", Title: "Academic years"}},
		Rows:        routes(),
		Constraints: constraints(),
		Personal:    personal(),
		Examples:    examples(),
	}
}

// routes are the endpoints of years and promotions.
func routes() []api.Row {
	return api.Rows(
		api.Create("/school-admin/academic-year/create", "academic-year", "Add an academic year", createYear, api.Says("Academic year created")),
		api.List("/school-admin/academic-year/list", "academic-year", "List the academic years", yearListing, listYears, api.MayBeStale),
		api.Get("/school-admin/academic-year/:id", "academic-year", "Read an academic year", getYear),
		api.Put("/school-admin/academic-year/:id", "academic-year", "Change an academic year", updateYear, api.Versioned),
		api.Remove("/school-admin/academic-year/:id", "academic-year", "Delete an academic year nothing refers to", deleteYear),
		api.Post("/school-admin/academic-year/:id/activate", "academic-year", "Make a year the school's active one", activateYear,
			api.Says("Academic year activated")),
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
