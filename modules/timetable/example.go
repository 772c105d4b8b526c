package timetable

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// examples are records for the contract tests.
func examples() []api.Example {
	period := api.Created("/school-admin/timetable/period/create",
		map[string]any{"name": "Period 1", "startTime": "09:00", "endTime": "09:45"})
	same := func(path string) func(api.Maker) uuid.UUID {
		return func(m api.Maker) uuid.UUID { return m.Example(path) }
	}
	return []api.Example{
		lessons().Example(),
		{Path: "/school-admin/timetable/period/:id", Table: "period", Make: period, Change: map[string]any{"name": "Mine"}},
		{Path: "/school-admin/timetable/division/:id", Table: "division", Make: same("/school-admin/division/:id"),
			Change: map[string]any{"slots": []any{}}},
		{Path: "/school-admin/timetable/group/:id", Table: "student_group", Make: same("/school-admin/group/:id"),
			Change: map[string]any{"slots": []any{}}},
		{Path: "/school-admin/timetable/teacher/:id", Table: "employee", Make: same("/school-admin/employee/:id")},
		{Path: "/school-admin/timetable/substitution/:id", Table: "substitution", Make: exampleSubstitution},
		{Path: "/teacher/timetable/lesson/:id", Table: "timetable_slot", Make: exampleLesson},
		{Path: "/parent/timetable/feed/:id", Table: "student", Make: same("/school-admin/student/:id")},
	}
}

func exampleLesson(m api.Maker) uuid.UUID {
	lesson := map[string]any{"dayOfWeek": 1, "periodId": m.Example("/school-admin/timetable/period/:id"),
		"subjectId": m.Example("/school-admin/subject/:id")}
	var week struct{ Slots []struct{ ID uuid.UUID } }
	m.Call("PUT", "/school-admin/timetable/division/"+m.Example("/school-admin/division/:id").String(),
		map[string]any{"slots": []any{lesson}}, &week)
	return week.Slots[0].ID
}

func exampleSubstitution(m api.Maker) uuid.UUID {
	return m.Create("/school-admin/timetable/substitution", map[string]any{
		"slotId": exampleLesson(m), "date": "2026-11-30", "substituteTeacherId": m.Example("/school-admin/employee/:id")})
}
