// Package nurse is a module that the product does not have: students' visits to the school's
// nurse. Tests add it to a service, to show that a module is its folder, one migration and
// one line in a list. It refuses nothing that a module of the product would not.
package nurse

import "homeroom/api"

// Describe is everything about the module.
func Describe() api.Module {
	return api.Module{
		Name:        "nurse",
		Permissions: []api.Permission{{Key: "nurse", Title: "Nurse", Teacher: "r"}},
		Rows:        routes(),
		Constraints: []api.Constraint{{Name: "nurse_visit_student_fkey", Field: "studentId", Message: "studentId does not exist"}},
		Personal:    personal(),
		Examples:    examples(),
	}
}

func routes() []api.Row {
	return api.Rows(
		api.Create("/school-admin/nurse/visit/create", "nurse", "Add a student's visit to the nurse", createVisit, api.Says("Visit added")),
		api.List("/school-admin/nurse/visit/list", "nurse", "List the visits to the nurse", visitListing, listVisits),
		api.Get("/school-admin/nurse/visit/:id", "nurse", "Read a visit to the nurse", getVisit),
		api.Put("/school-admin/nurse/visit/:id", "nurse", "Change a visit to the nurse", updateVisit, api.Versioned),
		api.Remove("/school-admin/nurse/visit/:id", "nurse", "Delete a visit to the nurse", deleteVisit),
	)
}
