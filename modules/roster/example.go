package roster

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// examples are records for the contract tests.
func examples() []api.Example {
	name := map[string]any{"name": "Mine"}
	class := api.Created("/school-admin/class/create", map[string]any{"name": "Class 5"})
	division := func(m api.Maker) uuid.UUID {
		return m.Create("/school-admin/division/create", map[string]any{"classId": class(m), "name": "A"})
	}
	student := api.Created("/school-admin/student/create", map[string]any{"firstName": "Asha"})
	employee := func(m api.Maker) uuid.UUID {
		return m.Create("/school-admin/employee/create", map[string]any{"firstName": "Meera", "phone": m.Phone(), "employeeType": "TEACHER"})
	}
	subject := api.Created("/school-admin/subject/create", map[string]any{"name": "Mathematics", "code": "MATH"})
	bonafide := func(m api.Maker) uuid.UUID {
		m.Call("POST", "/school-admin/academic-year/"+m.Example("/school-admin/academic-year/:id").String()+"/activate", nil, nil)
		seat := map[string]any{"firstName": "Nila", "divisionId": m.Example("/school-admin/division/:id")}
		return m.Create("/school-admin/student/bonafide/create", map[string]any{"studentId": m.Create("/school-admin/student/create", seat)})
	}
	group := func(m api.Maker) uuid.UUID {
		return m.Create("/school-admin/group/create", map[string]any{"name": "French", "divisionIds": []any{division(m)},
			"subjectId": m.Create("/school-admin/subject/create", map[string]any{"name": "French", "code": "FR"})})
	}
	field := api.Created("/school-admin/custom-field/create", map[string]any{"appliesTo": "STUDENT", "kind": "TEXT", "label": "House"})
	return []api.Example{
		{Path: "/school-admin/custom-field/:id", Table: "custom_field", Make: field, Change: map[string]any{"label": "Mine"}},
		{Path: "/school-admin/group/:id", Table: "student_group", Make: group, Change: map[string]any{"name": "Mine", "studentIds": []any{}}},
		{Path: "/school-admin/student/bonafide/:id", Table: "certificate", Make: bonafide},
		{Path: "/parent/student/certificate/:id", Table: "certificate", Make: bonafide},
		{Path: "/school-admin/class/:id", Table: "class", Make: class, Change: name},
		{Path: "/school-admin/division/:id", Table: "division", Make: division, Change: name},
		{Path: "/school-admin/subject/:id", Table: "subject", Make: subject, Change: name},
		{Path: "/school-admin/employee/:id", Table: "employee", Make: employee,
			Change: map[string]any{"firstName": "Mine", "assignments": []any{}, "employeeCode": "E-77", "reason": "Asked"}},
		{Path: "/school-admin/guardian/:id", Table: "guardian", Make: exampleGuardian,
			Change: map[string]any{"phone": "+919812300077", "reason": "Asked"}},
		{Path: "/school-admin/student/:id", Table: "student", Make: student, Change: map[string]any{
			"firstName": "Mine", "phone": "+919812300077", "relation": "MOTHER", "leavingDate": "2026-11-02", "reason": "Moved",
			"admissionNumber": "A-77", "groupIds": []any{}}},
		{Path: "/parent/student/:id", Table: "student", Make: student},
		{Path: "/teacher/class/:id", Table: "division", Make: division},
	}
}

func exampleGuardian(m api.Maker) uuid.UUID {
	path := "/school-admin/student/" + m.Example("/school-admin/student/:id").String()
	m.Create(path+"/guardians", map[string]any{"firstName": "Meera", "phone": m.Phone(), "relation": "MOTHER"})
	var student struct{ Guardians []struct{ ID uuid.UUID } }
	m.Call("GET", path, nil, &student)
	return student.Guardians[0].ID
}
