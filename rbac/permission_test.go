package rbac_test

import (
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/modules/roster"
	"homeroom/rbac"
	"homeroom/testkit"
)

type modules struct{ Modules []rbac.Module }

// moduleID finds a module as an administrator would.
func moduleID(t *testing.T, admin *testkit.Client, name string) uuid.UUID {
	t.Helper()
	for _, m := range testkit.Get[modules](t, admin, "/school-admin/permission/modules").Modules {
		if m.Name == name {
			return m.ID
		}
	}
	t.Fatalf("no module %s", name)
	return uuid.Nil
}

func change(t *testing.T, admin *testkit.Client, role uuid.UUID, module string, read, write, del bool) {
	t.Helper()
	a := admin.Call(t, "PUT", "/school-admin/permission/update", map[string]any{"roleId": role, "permissions": []map[string]any{
		{"moduleId": moduleID(t, admin, module), "canRead": read, "canWrite": write, "canDelete": del},
	}})
	if a.Status != 200 {
		t.Fatalf("update: %d %s", a.Status, a.Body)
	}
}

// lesson is a teacher's row about a division, as modules will have them.
type lesson struct {
	DivisionID uuid.UUID  `json:"divisionId" validate:"required"`
	SubjectID  *uuid.UUID `json:"subjectId"`
}

func about(_ api.Ctx, r lesson) (api.Target, error) {
	t := api.Target{DivisionID: r.DivisionID}
	if r.SubjectID != nil {
		t.SubjectID = *r.SubjectID
	}
	return t, nil
}

func teacherRows(_ *config.Config, o *service.Options) {
	do := func(api.Ctx, lesson) (api.Nothing, error) { return api.Nothing{}, nil }
	o.ExtraRows = api.Rows(
		api.Post("/teacher/attendance/try", "attendance", "Write about a division", do, api.About(about)),
		api.Post("/teacher/result/try", "result", "Write about a subject", do, api.About(about)),
		api.Post("/teacher/exam/try", "exam", "Write about an exam", do),
		api.Post("/teacher/notification/try", "notification", "Touch one's own device", do, api.OpenInEvaluationMode),
		api.Get("/teacher/attendance/look", "attendance", "Read about a division", do, api.About(about)),
	)
}

func TestAChangeOfRightsIsInForceOnEveryInstance(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	second := testkit.Start(t)
	admin := s.As(t, api.SchoolAdmin)
	role := testkit.Post[rbac.Role](t, admin, "/school-admin/permission/role/create",
		map[string]any{"name": "Office", "type": "SCHOOL_ADMIN"})
	clerk := s.As(t, api.SchoolAdmin)
	if err := s.DB(t).Exec(`update app_user set role_id = ? where id = ?`, role.ID, clerk.UserID).Error; err != nil {
		t.Fatal(err)
	}
	there := clerk.On(second)
	there.Refuses(t, "GET", "/school-admin/class/list", nil, 403, "PERMISSION_DENIED")
	change(t, admin, role.ID, "class", true, false, false)
	testkit.Eventually(t, "the right is given on the other instance",
		func() bool { return there.Call(t, "GET", "/school-admin/class/list", nil).Status == 200 })
	there.Refuses(t, "POST", "/school-admin/class/create", map[string]any{"name": "x"}, 403, "PERMISSION_DENIED")
	change(t, admin, role.ID, "class", false, false, false)
	clerk.Refuses(t, "GET", "/school-admin/class/list", nil, 403, "PERMISSION_DENIED")
	testkit.Eventually(t, "and taken again", func() bool { return there.Call(t, "GET", "/school-admin/class/list", nil).Status == 403 })
	if n := s.Count(t, "audit_event", "entity = 'permission' and before is not null and after is not null"); n != 2 {
		t.Errorf("%d audit rows", n)
	}
}

func TestATeacherNeedsTheRightAndTheAssignment(t *testing.T) {
	t.Parallel()
	app := testkit.Start(t, teacherRows)
	s := app.NewSchool(t)
	admin, teacher := s.As(t, api.SchoolAdmin), s.As(t, api.Teacher)
	class := testkit.Post[roster.Class](t, admin, "/school-admin/class/create", map[string]any{"name": "Class 5"})
	var divisions []uuid.UUID
	for _, name := range []string{"A", "B", "C"} {
		divisions = append(divisions, testkit.Post[roster.Division](t, admin, "/school-admin/division/create",
			map[string]any{"classId": class.ID, "name": name}).ID)
	}
	subject := func(code string) uuid.UUID {
		return testkit.Post[struct{ ID uuid.UUID }](t, admin, "/school-admin/subject/create", map[string]any{"name": code, "code": code}).ID
	}
	maths, art := subject("MATH"), subject("ART")
	assign := func(division, subject *uuid.UUID) {
		t.Helper()
		err := s.DB(t).Exec(`insert into teacher_assignment (id, user_id, class_id, division_id, subject_id) values (?, ?, ?, ?, ?)`,
			api.NewID(), teacher.UserID, class.ID, division, subject).Error
		if err != nil {
			t.Fatal(err)
		}
		app.Service.RBAC.Changed(s.ID)
	}
	try := func(path string, division uuid.UUID, subject *uuid.UUID) int {
		t.Helper()
		return teacher.Call(t, "POST", path, map[string]any{"divisionId": division, "subjectId": subject}).Status
	}
	if try("/teacher/attendance/try", divisions[0], nil) != 403 {
		t.Error("without an assignment")
	}
	assign(&divisions[0], &maths)
	for _, c := range []struct {
		path     string
		division uuid.UUID
		subject  *uuid.UUID
		want     int
	}{
		{"/teacher/attendance/try", divisions[0], nil, 200},
		{"/teacher/attendance/try", divisions[1], nil, 403},
		{"/teacher/attendance/try", api.NewID(), nil, 404},
		{"/teacher/result/try", divisions[0], &maths, 200},
		{"/teacher/result/try", divisions[0], &art, 403},
		{"/teacher/result/try", divisions[1], &maths, 403},
	} {
		if got := try(c.path, c.division, c.subject); got != c.want {
			t.Errorf("%s %v %v: %d, want %d", c.path, c.division, c.subject, got, c.want)
		}
	}
	if a := teacher.Call(t, "GET", "/teacher/attendance/look?divisionId="+divisions[1].String(), nil); a.Status != 403 {
		t.Errorf("a read of another division: %d", a.Status)
	}
	assign(nil, nil) // the whole class, all subjects
	if try("/teacher/attendance/try", divisions[2], nil) != 200 || try("/teacher/result/try", divisions[1], &art) != 200 {
		t.Error("a teacher of the class is a teacher of its divisions")
	}
	later := testkit.Post[roster.Division](t, admin, "/school-admin/division/create", map[string]any{"classId": class.ID, "name": "D"})
	if try("/teacher/attendance/try", later.ID, nil) != 200 {
		t.Error("a division added later is one of the class")
	}
	change(t, admin, rbac.RoleID(s.ID, api.Teacher), "attendance", true, false, false)
	if try("/teacher/attendance/try", divisions[0], nil) != 403 {
		t.Error("the assignment alone is not enough")
	}
}

func TestADecisionIsExplained(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin, teacher := s.As(t, api.SchoolAdmin), s.As(t, api.Teacher)
	type explanation struct {
		Allowed   bool
		Role, Why string
	}
	ask := func(query string) explanation {
		t.Helper()
		return testkit.Get[explanation](t, admin, "/school-admin/permission/explain?userId="+teacher.UserID.String()+query)
	}
	if e := ask("&module=attendance&action=write"); !e.Allowed || e.Role != "Teacher" {
		t.Errorf("%+v", e)
	}
	if e := ask("&module=fee&action=read"); e.Allowed || e.Why != "Your role may not read in fee" {
		t.Errorf("%+v", e)
	}
	class := testkit.Post[roster.Class](t, admin, "/school-admin/class/create", map[string]any{"name": "Class 5"})
	division := testkit.Post[roster.Division](t, admin, "/school-admin/division/create", map[string]any{"classId": class.ID, "name": "A"})
	if e := ask("&module=attendance&action=write&divisionId=" + division.ID.String()); e.Allowed ||
		e.Why != "You are not assigned to this division or subject" {
		t.Errorf("%+v", e)
	}
	if e := ask("&module=attendance&action=write&divisionId=" + api.NewID().String()); e.Allowed || e.Why != "There is no such division" {
		t.Errorf("%+v", e)
	}
	admin.Refuses(t, "GET", "/school-admin/permission/explain?userId="+api.NewID().String()+"&module=fee&action=read", nil, 404, "")
	testkit.NewSchool(t).As(t, api.SchoolAdmin).Refuses(t, "GET",
		"/school-admin/permission/explain?userId="+teacher.UserID.String()+"&module=fee&action=read", nil, 404, "")
	admin.Refuses(t, "GET", "/school-admin/permission/explain?module=fee", nil, 422, "")
}

func TestEvaluationModeLetsTeachersReadOnlyExceptForExams(t *testing.T) {
	t.Parallel()
	app := testkit.Start(t, teacherRows)
	s := app.NewSchool(t)
	admin, teacher := s.As(t, api.SchoolAdmin), s.As(t, api.Teacher)
	change(t, admin, rbac.RoleID(s.ID, api.Teacher), "exam", true, true, false)
	class := testkit.Post[roster.Class](t, admin, "/school-admin/class/create", map[string]any{"name": "Class 5"})
	division := testkit.Post[roster.Division](t, admin, "/school-admin/division/create", map[string]any{"classId": class.ID, "name": "A"})
	if err := s.DB(t).Exec(`insert into teacher_assignment (id, user_id, class_id, division_id) values (?, ?, ?, ?)`, api.NewID(),
		teacher.UserID, class.ID, division.ID).Error; err != nil {
		t.Fatal(err)
	}
	app.Service.RBAC.Changed(s.ID)
	type setting struct {
		EvaluationMode       bool
		EvaluationModeReason string
		Version              int
	}
	on := testkit.Put[setting](t, admin, "/school-admin/setting",
		map[string]any{"evaluationMode": true, "evaluationModeReason": "Inspection", "version": 1})
	if !on.EvaluationMode || on.Version != 2 {
		t.Errorf("%+v", on)
	}
	admin.Refuses(t, "PUT", "/school-admin/setting", map[string]any{"evaluationMode": false, "version": 1}, 409, "")
	body := map[string]any{"divisionId": division.ID, "subjectId": api.NewID()}
	f := teacher.Refuses(t, "POST", "/teacher/attendance/try", body, 403, "EVALUATION_MODE_READONLY")
	if want := "The school is in evaluation mode: teachers can read only (Inspection)"; f.Message != want {
		t.Errorf("a refused write says %q, not %q", f.Message, want)
	}
	for _, path := range []string{"/teacher/result/try", "/teacher/exam/try", "/teacher/notification/try"} {
		if a := teacher.Call(t, "POST", path, body); a.Status != 200 {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	if a := teacher.Call(t, "GET", "/teacher/attendance/look?divisionId="+division.ID.String(), nil); a.Status != 200 {
		t.Errorf("a read: %d %s", a.Status, a.Body)
	}
	if a := admin.Call(t, "POST", "/school-admin/class/create", map[string]any{"name": "Class 6"}); a.Status != 201 {
		t.Errorf("an administrator: %d %s", a.Status, a.Body)
	}
	off := testkit.Put[setting](t, admin, "/school-admin/setting", map[string]any{"evaluationMode": false})
	if off.EvaluationMode || off.EvaluationModeReason != "" {
		t.Errorf("%+v", off)
	}
	if a := teacher.Call(t, "POST", "/teacher/attendance/try", body); a.Status != 200 {
		t.Errorf("after it: %d %s", a.Status, a.Body)
	}
	if n := s.Count(t, "audit_event", "entity = 'setting' and after->>'evaluationModeReason' = 'Inspection'"); n != 1 {
		t.Errorf("%d audit rows", n)
	}
}

func TestRolesAreAddedRenamedAndDeletedButSystemOnesStay(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	role := testkit.Post[rbac.Role](t, admin, "/school-admin/permission/role/create", map[string]any{"name": "Librarian", "type": "TEACHER"})
	admin.Refuses(t, "POST", "/school-admin/permission/role/create", map[string]any{"name": "librarian", "type": "TEACHER"}, 409,
		"DUPLICATE_ENTRY")
	admin.Refuses(t, "POST", "/school-admin/permission/role/create", map[string]any{"name": "Boss", "type": "SUPER_ADMIN"}, 422, "")
	if renamed := testkit.Put[rbac.Role](t, admin, "/school-admin/permission/role/"+role.ID.String(),
		map[string]any{"name": "Library", "type": "DRIVER"}); renamed.Name != "Library" || renamed.Type != api.Teacher {
		t.Errorf("%+v", renamed)
	}
	if list := testkit.Get[api.Page[rbac.Role]](t, admin, "/school-admin/permission/role/list"); list.Total != 5 {
		t.Errorf("%d roles", list.Total)
	}
	user := s.As(t, api.Teacher)
	if err := s.DB(t).Exec(`update app_user set role_id = ? where id = ?`, role.ID, user.UserID).Error; err != nil {
		t.Fatal(err)
	}
	admin.Refuses(t, "DELETE", "/school-admin/permission/role/"+role.ID.String(), nil, 409, "")
	if err := s.DB(t).Exec(`update app_user set role_id = ? where id = ?`, rbac.RoleID(s.ID, api.Teacher), user.UserID).Error; err != nil {
		t.Fatal(err)
	}
	if a := admin.Call(t, "DELETE", "/school-admin/permission/role/"+role.ID.String(), nil); a.Status != 204 {
		t.Errorf("delete: %d %s", a.Status, a.Body)
	}
	admin.Refuses(t, "DELETE", "/school-admin/permission/role/"+rbac.RoleID(s.ID, api.Teacher).String(), nil, 409, "")
}

func TestRightsOnModulesOrRolesThatAreNotThereAreRefusedWhole(t *testing.T) {
	t.Parallel()
	s, other := testkit.NewSchool(t), testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	teacher := rbac.RoleID(s.ID, api.Teacher)
	fee := moduleID(t, admin, "fee")
	theirs := moduleID(t, other.As(t, api.SchoolAdmin), "fee")
	right := func(module uuid.UUID) map[string]any {
		return map[string]any{"moduleId": module, "canRead": true, "canWrite": true, "canDelete": true}
	}
	update := func(role uuid.UUID, rights ...map[string]any) map[string]any {
		return map[string]any{"roleId": role, "permissions": rights}
	}
	f := admin.Refuses(t, "PUT", "/school-admin/permission/update", update(teacher, right(fee), right(theirs)), 422, "")
	if f.Details[0].Field != "permissions[1].moduleId" {
		t.Errorf("%+v", f)
	}
	admin.Refuses(t, "PUT", "/school-admin/permission/update", update(rbac.RoleID(other.ID, api.Teacher), right(fee)), 404, "")
	if n := s.Count(t, "permission", "role_id = ? and module_id = ? and can_read", teacher, fee); n != 0 {
		t.Error("half of a refused change was written")
	}
	shut := map[string]any{"moduleId": moduleID(t, admin, "permission"), "canRead": true, "canWrite": false}
	admin.Refuses(t, "PUT", "/school-admin/permission/update", update(rbac.RoleID(s.ID, api.SchoolAdmin), shut), 409, "")
}
