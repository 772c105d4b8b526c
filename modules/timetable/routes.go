// Package timetable keeps a school's week: periods, the lessons of every division,
// substitutions for a day, and calendar feeds of them. It refuses two lessons at one time that
// need the same teacher, room or division. Whom and what lessons are about is the roster's.
package timetable

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// DaysOff reads the holidays between two days. What it returns says whether a division, its class or
// with it the whole school, has one on a day.
type DaysOff func(c api.Ctx, from, until api.Date) (func(class, division uuid.UUID, day api.Date) bool, error)

// Module serves the timetable.
type Module struct {
	// Schools opens the school that a calendar's address names.
	Schools api.Opener
	// Closed reads on which days a class stays at home, between two days; nil: on none.
	Closed DaysOff
	// PublicURL is where people reach the service; calendar addresses begin with it.
	PublicURL string
}

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name:        "timetable",
		Permissions: []api.Permission{{Key: "timetable", Title: "Timetable", Teacher: "r", Parent: "r"}},
		Rows:        m.routes(),
		Constraints: constraints(),
		Personal:    personal(),
		Examples:    examples(),
	}
}

// routes are the endpoints of the timetable.
func (m *Module) routes() []api.Row {
	return api.Rows(
		api.Create("/school-admin/timetable/period/create", "timetable", "Add a period of the day", createPeriod, api.Says("Period created")),
		api.List("/school-admin/timetable/period/list", "timetable", "List the periods", periodListing, listPeriods),
		api.Get("/school-admin/timetable/period/:id", "timetable", "Read a period", getPeriod),
		api.Put("/school-admin/timetable/period/:id", "timetable", "Change a period; its lessons move with it", updatePeriod, api.Versioned),
		api.Remove("/school-admin/timetable/period/:id", "timetable", "Delete a period without lessons", deletePeriod),
		api.Get("/school-admin/timetable/division/:divisionId", "timetable", "A division's week", getDivisionWeek),
		api.Put("/school-admin/timetable/division/:divisionId", "timetable", "Set a division's whole week, all or nothing", putDivisionWeek),
		api.Get("/school-admin/timetable/teacher/:employeeId", "timetable", "A teacher's week", getTeacherWeek),
		api.Create("/school-admin/timetable/substitution", "timetable", "Give a lesson to another teacher for a day", substitute,
			api.Says("Substitution saved")),
		api.List("/school-admin/timetable/substitution/list", "timetable", "List the substitutions", substitutionListing, listSubstitutions),
		api.Remove("/school-admin/timetable/substitution/:id", "timetable", "Take a substitution back", deleteSubstitution),
		api.Get("/teacher/timetable/mine", "timetable", "My lessons of a day, with substitutions, and my week", myDay),
		api.Get("/parent/timetable/get", "timetable", "A child's lessons of a day, and their week", childDay),
		api.Post("/teacher/timetable/feed", "timetable", "Make a secret calendar address of my timetable", m.makeTeacherFeed,
			api.Needs(api.Read), api.OpenInEvaluationMode, api.NoAudit, api.SecretAnswer),
		api.Remove("/teacher/timetable/feed", "timetable", "End my calendar address", endTeacherFeed, api.Needs(api.Read),
			api.OpenInEvaluationMode, api.NoAudit),
		api.Post("/parent/timetable/feed", "timetable", "Make a secret calendar address of a child's timetable", m.makeChildFeed,
			api.Needs(api.Read), api.OpenInEvaluationMode, api.NoAudit, api.SecretAnswer),
		api.Remove("/parent/timetable/feed/:studentId", "timetable", "End a child's calendar address", endChildFeed, api.Needs(api.Read),
			api.OpenInEvaluationMode, api.NoAudit),
		api.Open("GET", "/calendar/:token", "The timetable as a calendar, by its secret address", api.Read, m.serveFeed,
			api.Limit(api.LimitRead), api.Gives("text/calendar")),
	)
}

// constraints are the database's refusals in people's words.
func constraints() []api.Constraint {
	return []api.Constraint{
		{Name: "period_name_key", Field: "name", Message: "A period of this name exists"},
		{Name: "period_times_check", Field: "endTime", Message: "endTime must be after startTime"},
		{Name: "timetable_slot_division_key", Field: "slots", Message: "The division has a lesson at this time"},
		{Name: "timetable_slot_teacher_key", Field: "slots", Message: "The teacher has a lesson at this time"},
		{Name: "timetable_slot_room_key", Field: "slots", Message: "The room is taken at this time"},
	}
}
