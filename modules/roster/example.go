package roster

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
)

// examples are records for the contract tests.
func examples() []api.Example {
	name := map[string]any{"name": "Mine"}
	year := api.Created("/school-admin/academic-year/create", map[string]any{"name": "2026-27", "startDate": "2026-06-01", "endDate": "2027-04-30"})
	class := api.Created("/school-admin/class/create", map[string]any{"name": "Class 5"})
	division := func(m api.Maker) uuid.UUID {
		return m.Create("/school-admin/division/create", map[string]any{"classId": class(m), "name": "A"})
	}
	student := api.Created("/school-admin/student/create", map[string]any{"firstName": "Asha"})
	employee := func(m api.Maker) uuid.UUID {
		return m.Create("/school-admin/employee/create", map[string]any{"firstName": "Meera", "phone": m.Phone(), "employeeType": "TEACHER"})
	}
	subject := api.Created("/school-admin/subject/create", map[string]any{"name": "Mathematics", "code": "MATH"})
	period := api.Created("/school-admin/timetable/period/create", map[string]any{"name": "Period 1", "startTime": "09:00", "endTime": "09:45"})
	importRun := func(kind string) func(api.Maker) uuid.UUID {
		return func(m api.Maker) uuid.UUID {
			id := api.NewID()
			m.Exec(`insert into import_run (id, kind, state, dry_run) values (?, ?, 'DONE', true)`, id, kind)
			return id
		}
	}
	return []api.Example{
		{Path: "/school-admin/academic-year/:id", Table: "academic_year", Make: year, Change: name},
		{Path: "/school-admin/class/:id", Table: "class", Make: class, Change: name},
		{Path: "/school-admin/division/:id", Table: "division", Make: division, Change: name},
		{Path: "/school-admin/subject/:id", Table: "subject", Make: subject, Change: name},
		{Path: "/school-admin/employee/:id", Table: "employee", Make: employee,
			Change: map[string]any{"firstName": "Mine", "assignments": []any{}, "employeeCode": "E-77", "reason": "Asked"}},
		{Path: "/school-admin/guardian/:id", Table: "guardian", Make: exampleGuardian, Change: map[string]any{"phone": "+919812300077", "reason": "Asked"}},
		{Path: "/school-admin/student/:id", Table: "student", Make: student, Change: map[string]any{
			"firstName": "Mine", "phone": "+919812300077", "relation": "MOTHER", "leavingDate": "2026-11-02", "reason": "Moved", "admissionNumber": "A-77"}},
		{Path: "/parent/student/:id", Table: "student", Make: student},
		{Path: "/teacher/class/:id", Table: "division", Make: division},
		{Path: "/school-admin/student/import/:id", Table: "import_run", Make: importRun("STUDENT")},
		{Path: "/school-admin/employee/import/:id", Table: "import_run", Make: importRun("EMPLOYEE")},
		{Path: "/school-admin/student/promote/:id", Table: "promotion", Make: examplePromotion, Change: map[string]any{}},
		{Path: "/school-admin/timetable/period/:id", Table: "period", Make: period, Change: name},
		{Path: "/school-admin/timetable/division/:id", Table: "division", Make: division, Change: map[string]any{"slots": []any{}}},
		{Path: "/school-admin/timetable/teacher/:id", Table: "employee", Make: employee},
		{Path: "/school-admin/timetable/substitution/:id", Table: "substitution", Make: exampleSubstitution},
		{Path: "/parent/timetable/feed/:id", Table: "student", Make: student},
	}
}

func exampleGuardian(m api.Maker) uuid.UUID {
	path := "/school-admin/student/" + m.Example("/school-admin/student/:id").String()
	m.Create(path+"/guardians", map[string]any{"firstName": "Meera", "phone": m.Phone(), "relation": "MOTHER"})
	var student struct{ Guardians []struct{ ID uuid.UUID } }
	m.Call("GET", path, nil, &student)
	return student.Guardians[0].ID
}

func examplePromotion(m api.Maker) uuid.UUID {
	year := func(n int) uuid.UUID {
		return m.Create("/school-admin/academic-year/create", map[string]any{
			"name": fmt.Sprint(n), "startDate": fmt.Sprintf("%d-06-01", n), "endDate": fmt.Sprintf("%d-04-30", n+1)})
	}
	id := api.NewID()
	m.Exec(`insert into promotion (id, from_year_id, to_year_id, class_id, summary) values (?, ?, ?, ?, '{}')`,
		id, year(2026), year(2027), m.Example("/school-admin/class/:id"))
	return id
}

func exampleSubstitution(m api.Maker) uuid.UUID {
	lesson := map[string]any{"dayOfWeek": 1, "periodId": m.Example("/school-admin/timetable/period/:id"), "subjectId": m.Example("/school-admin/subject/:id")}
	var week struct{ Slots []struct{ ID uuid.UUID } }
	m.Call("PUT", "/school-admin/timetable/division/"+m.Example("/school-admin/division/:id").String(), map[string]any{"slots": []any{lesson}}, &week)
	return m.Create("/school-admin/timetable/substitution", map[string]any{
		"slotId": week.Slots[0].ID, "date": "2026-11-30", "substituteTeacherId": m.Example("/school-admin/employee/:id")})
}
