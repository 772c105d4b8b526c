// Package roster holds the school's frame and people: academic years, classes and
// divisions. Every other module may speak of them; it speaks of no other module.
package roster

import "homeroom/api"

// Routes are the endpoints of academic years, classes and divisions.
func (m *Module) Routes() []api.Row {
	return api.Rows(
		api.Create("/school-admin/academic-year/create", "academic-year", "Add an academic year", createYear, api.Says("Academic year created")),
		api.List("/school-admin/academic-year/list", "academic-year", "List the academic years", yearListing, listYears),
		api.Get("/school-admin/academic-year/:id", "academic-year", "Read an academic year", getYear),
		api.Put("/school-admin/academic-year/:id", "academic-year", "Change an academic year", updateYear, api.Versioned),
		api.Remove("/school-admin/academic-year/:id", "academic-year", "Delete an academic year nothing refers to", deleteYear),
		api.Post("/school-admin/academic-year/:id/activate", "academic-year", "Make a year the school's active one", activateYear, api.Says("Academic year activated")),

		api.Create("/school-admin/class/create", "class", "Add a class", createClass, api.Says("Class created")),
		api.List("/school-admin/class/list", "class", "List the classes", classListing, listClasses),
		api.Get("/school-admin/class/:id", "class", "Read a class", getClass),
		api.Put("/school-admin/class/:id", "class", "Change a class", updateClass, api.Versioned),
		api.Remove("/school-admin/class/:id", "class", "Delete a class nothing refers to", deleteClass),

		api.Create("/school-admin/division/create", "division", "Add a division to a class", createDivision, api.Says("Division created")),
		api.List("/school-admin/division/list", "division", "List the divisions", divisionListing, listDivisions),
		api.Get("/school-admin/division/:id", "division", "Read a division", getDivision),
		api.Put("/school-admin/division/:id", "division", "Change a division", updateDivision, api.Versioned),
		api.Remove("/school-admin/division/:id", "division", "Delete a division nothing refers to", deleteDivision),
	)
}

// Constraints are the database's refusals in people's words.
func Constraints() []api.Constraint {
	return []api.Constraint{
		{Name: "academic_year_name_key", Field: "name", Message: "An academic year of this name exists"},
		{Name: "academic_year_overlap_excl", Field: "startDate", Message: "These dates overlap another academic year"},
		{Name: "academic_year_dates_check", Field: "endDate", Message: "endDate must be after startDate"},
		{Name: "class_name_key", Field: "name", Message: "A class of this name exists"},
		{Name: "class_next_class_fkey", Field: "nextClassId", Message: "nextClassId names no class"},
		{Name: "class_next_class_check", Field: "nextClassId", Message: "A class cannot follow itself"},
		{Name: "division_name_key", Field: "name", Message: "The class has a division of this name"},
		{Name: "division_class_fkey", Field: "classId", Message: "classId names no class"},
	}
}
