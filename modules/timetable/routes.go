// Package timetable keeps a school's week: periods, the lessons of every division and group,
// substitutions for a day, and calendar feeds of them. It refuses two lessons at one time that
// need the same teacher, room or students. Whom and what lessons are about is the roster's.
package timetable

import (
	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/paper"
)

// DaysOff reads the holidays between two days. What it returns names the one that a division, its
// class or with it the whole school has on a day.
type DaysOff func(db *gorm.DB, from, until api.Date) (func(class, division uuid.UUID, day api.Date) string, error)

// Module serves the timetable.
type Module struct {
	// Schools opens the school that a calendar's address names.
	Schools api.Opener
	// Closed reads on which days a class stays at home, between two days; nil: on none.
	Closed DaysOff
	// OnLeave is which employees have leave on a day, and whether for half of it; nil: nobody has.
	OnLeave func(c api.Ctx, day api.Date) (map[uuid.UUID]bool, error)
	// Letterhead reads what the school's papers begin with.
	Letterhead func(api.Ctx) (paper.Letterhead, error)
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
		NextYear:    nextYear(),
		Names: map[string]string{
			"period": `select id, name from period`,
			"slotId": `select s.id, concat_ws(' ', c.name, d.name, p.name, j.name) from timetable_slot s join division d on d.id = s.division_id
				join class c on c.id = d.class_id join period p on p.id = s.period_id join subject j on j.id = s.subject_id`,
		},
	}
}

// routes are the endpoints of the timetable.
func (m *Module) routes() []api.Row {
	pdf := api.Gives("application/pdf")
	return api.Rows(
		lessons().Rows(),
		api.Create("/school-admin/timetable/period/create", "timetable", "Add a period of the day", createPeriod, api.Says("Period created")),
		api.List("/school-admin/timetable/period/list", "timetable", "List the periods", periodListing, listPeriods, api.MayBeStale, api.Syncs),
		api.Get("/school-admin/timetable/period/:id", "timetable", "Read a period", getPeriod),
		api.Put("/school-admin/timetable/period/:id", "timetable", "Change a period; its lessons move with it", updatePeriod, api.Versioned),
		api.Remove("/school-admin/timetable/period/:id", "timetable", "Delete a period without lessons", deletePeriod),
		api.Get("/school-admin/timetable/division/:divisionId", "timetable", "A division's week", getDivisionWeek, api.MayBeStale),
		api.Put("/school-admin/timetable/division/:divisionId", "timetable", "Set a division's whole week, all or nothing", putDivisionWeek),
		api.Get("/school-admin/timetable/group/:groupId", "timetable", "A group's week", getGroupWeek),
		api.Put("/school-admin/timetable/group/:groupId", "timetable", "Set a group's whole week, all or nothing", putGroupWeek),
		api.Get("/school-admin/timetable/teacher/:employeeId", "timetable", "A teacher's week", getTeacherWeek, api.MayBeStale),
		api.Get("/school-admin/timetable/division/:divisionId/week.pdf", "timetable", "A division's week to print", m.printDivisionWeek, pdf),
		api.Get("/school-admin/timetable/group/:groupId/week.pdf", "timetable", "A group's week to print", m.printGroupWeek, pdf),
		api.Get("/school-admin/timetable/teacher/:employeeId/week.pdf", "timetable", "A teacher's week to print", m.printTeacherWeek, pdf),
		api.Create("/school-admin/timetable/substitution", "timetable", "Give a lesson to another teacher for a day", m.substitute,
			api.Says("Substitution saved")),
		api.Get("/school-admin/timetable/cover", "timetable", "Lessons of a day without a teacher, and who is free", m.getCover),
		api.Put("/school-admin/timetable/cover", "timetable", "Say who is absent on a day and who holds which lesson, all or nothing",
			m.putCover),
		api.List("/school-admin/timetable/substitution/list", "timetable", "List the substitutions", substitutionListing, listSubstitutions,
			api.MayBeStale, api.Syncs),
		api.Remove("/school-admin/timetable/substitution/:id", "timetable", "Take a substitution back", deleteSubstitution),
		api.Get("/teacher/timetable/mine", "timetable", "My lessons of a day, with substitutions, and my week", myDay, api.MayBeStale,
			api.SyncsField[dayRequest]("week", nil)),
		api.Get("/teacher/timetable/lesson/:slotId/students", "timetable", "Who sits in a lesson of mine on a day", myLesson),
		api.Get("/parent/timetable/get", "timetable", "A child's lessons of a day, and their week", childDay, api.MayBeStale,
			api.SyncsField[childDayRequest]("week", nil)),
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
		{Name: "timetable_slot_group_key", Field: "slots", Message: "The group has a lesson at this time"},
		{Name: "timetable_slot_teacher_key", Field: "slots", Message: "The teacher has a lesson at this time"},
		{Name: "timetable_slot_room_key", Field: "slots", Message: "The room is taken at this time"},
	}
}
