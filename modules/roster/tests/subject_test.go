package roster_test

import (
	"testing"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

func TestSubject_InUse_CannotBeDeleted(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	if r.maths.Type != "CORE" {
		t.Errorf("type %q", r.maths.Type)
	}
	r.admin.Refuses(t, "POST", "/school-admin/subject/create", map[string]any{"name": "Maths", "code": "math"}, 409, "DUPLICATE_ENTRY")
	r.admin.Refuses(t, "POST", "/school-admin/subject/create",
		map[string]any{"name": "Music", "code": "MUS", "maxMarks": 50, "passMarks": 60}, 422, "")
	path := "/school-admin/subject/" + r.maths.ID.String()
	if got := testkit.Put[roster.Subject](t, r.admin, path, map[string]any{"maxMarks": 100, "passMarks": 35}); *got.PassMarks != 35 ||
		got.Name != "Mathematics" {
		t.Errorf("changed %+v", got)
	}
	testkit.Put[roster.ClassSubjects](t, r.admin, "/school-admin/subject/class-subjects",
		map[string]any{"classId": r.class.ID, "subjects": []map[string]any{{"subjectId": r.maths.ID}}})
	r.admin.Refuses(t, "DELETE", path, nil, 409, "")
	if a := r.admin.Call(t, "DELETE", "/school-admin/subject/"+r.art.ID.String(), nil); a.Status != 204 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if page := testkit.Get[api.Page[roster.Subject]](t, r.admin, "/school-admin/subject/list?filters[search]=mat"); page.Total != 1 {
		t.Errorf("list %+v", page)
	}
}

func TestClassSubjects_AreReplaced(t *testing.T) {
	t.Parallel()
	r, theirs := newStaffroom(t), newStaffroom(t)
	const path = "/school-admin/subject/class-subjects"
	testkit.Put[roster.ClassSubjects](t, r.admin, path,
		map[string]any{"classId": r.class.ID, "subjects": []map[string]any{{"subjectId": r.maths.ID, "weeklyPeriods": 6}}})
	testkit.Put[roster.ClassSubjects](t, r.admin, path,
		map[string]any{"classId": r.class.ID, "subjects": []map[string]any{{"subjectId": r.maths.ID, "weeklyPeriods": 5},
			{"subjectId": r.art.ID, "weeklyPeriods": 2}}})
	got := testkit.Get[roster.ClassSubjects](t, r.admin, path+"?classId="+r.class.ID.String())
	if len(got.Subjects) != 2 || got.Subjects[0].Name != "Art" || got.Subjects[1].WeeklyPeriods != 5 {
		t.Errorf("takes %+v", got)
	}
	f := r.admin.Refuses(t, "PUT", path, map[string]any{"classId": r.class.ID,
		"subjects": []map[string]any{{"subjectId": theirs.maths.ID}, {"subjectId": r.art.ID}, {"subjectId": r.art.ID}}}, 422, "")
	if len(f.Details) != 2 || f.Details[0].Field != "subjects[0].subjectId" || f.Details[1].Field != "subjects[2].subjectId" {
		t.Errorf("details %+v", f.Details)
	}
	r.admin.Refuses(t, "GET", path+"?classId="+theirs.class.ID.String(), nil, 404, "")
	r.admin.Refuses(t, "PUT", path, map[string]any{"classId": theirs.class.ID, "subjects": []any{}}, 404, "")
	// A teacher of the whole division teaches all of the class's subjects.
	e := r.employ(t, "Meera")
	r.assign(t, e, map[string]any{"classId": r.class.ID, "divisionId": r.a.ID})
	if page := testkit.Get[api.Page[roster.Subject]](t, r.App.SignIn(t, "teacher", string(e.Phone)), "/teacher/subject/list"); page.Total != 2 {
		t.Errorf("mine %+v", page)
	}
}
