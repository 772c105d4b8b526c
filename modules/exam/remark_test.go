package exam_test

import (
	"bytes"
	"slices"
	"testing"

	"homeroom/api"
	"homeroom/modules/exam"
	"homeroom/rbac"
	"homeroom/testkit"
)

func TestTheClassTeacherAndTheOfficeWriteTheRemarkOnTheReportCard(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, bina := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.b)
	leader, _ := h.teacher(t, "Meera", map[string]any{"classId": h.five.ID, "divisionId": h.a.ID, "isClassTeacher": true})
	colleague, _ := h.teacher(t, "Ravi", assigned(h.a, h.maths))
	const path = "/teacher/result/remark"
	says := func(p pupil, text string, more ...any) map[string]any {
		data := map[string]any{"studentId": p.ID, "remark": text}
		if more != nil {
			data["version"] = more[0]
		}
		return data
	}
	made := testkit.Put[exam.Remark](t, leader, path, says(asha, "Works hard"))
	if made.Remark != "Works hard" || made.AcademicYearID != h.year.ID || made.Version != 1 {
		t.Errorf("made %+v", made)
	}
	// Another division's child, and another teacher's class, are not there for them.
	leader.Refuses(t, "PUT", path, says(bina, "x"), 404, "STUDENT_NOT_FOUND")
	colleague.Refuses(t, "PUT", path, says(asha, "x"), 404, "STUDENT_NOT_FOUND")
	office := "/school-admin/exam/report-card/" + asha.ID.String()
	testkit.Put[exam.Remark](t, h.admin, office+"/remark", map[string]any{"remark": "Works very hard", "version": 1})
	leader.Refuses(t, "PUT", path, says(asha, "Too late", 1), 409, "")
	h.admin.Refuses(t, "PUT", "/school-admin/exam/report-card/"+api.NewID().String()+"/remark", map[string]any{"remark": "x"}, 404,
		"STUDENT_NOT_FOUND")
	h.admin.Refuses(t, "PUT", office+"/remark", map[string]any{"remark": "x", "academicYearId": api.NewID()}, 404, "")
	// Writing is open in evaluation mode, as results are.
	testkit.Put[struct{}](t, h.admin, "/school-admin/setting", map[string]any{"evaluationMode": true, "evaluationModeReason": "Inspection"})
	testkit.Put[exam.Remark](t, leader, path, says(asha, "Works very hard, and sings", 2))

	list := testkit.Get[exam.StudentRemarks](t, leader, "/teacher/result/remarks")
	if len(list.Students) != 1 || list.Students[0].StudentID != asha.ID || list.Students[0].Version != 3 {
		t.Errorf("the class teacher's list %+v", list)
	}
	if none := testkit.Get[exam.StudentRemarks](t, colleague, "/teacher/result/remarks"); len(none.Students) != 0 {
		t.Errorf("the colleague's list %+v", none)
	}
	card := testkit.Get[exam.ReportCard](t, h.parent(t, asha), "/parent/exam/report-card?studentId="+asha.ID.String())
	if card.Remark == nil || card.Remark.Remark != "Works very hard, and sings" || card.Remark.By != "Meera" {
		t.Errorf("the card says %+v", card.Remark)
	}
	with := h.admin.Call(t, "GET", office+"?format=pdf", nil)
	testkit.Put[exam.Remark](t, h.admin, office+"/remark", map[string]any{"remark": ""})
	without := h.admin.Call(t, "GET", office+"?format=pdf", nil)
	if with.Status != 200 || without.Status != 200 || bytes.Equal(with.Body, without.Body) {
		t.Errorf("printed %d and %d", with.Status, without.Status)
	}
	if card := testkit.Get[exam.ReportCard](t, h.admin, office); card.Remark != nil {
		t.Errorf("taken off, the card says %+v", card.Remark)
	}
}

// TestAnExamCountsInOneClassForWhoChangedClassDuringIt moves a student from class 5 to 6
// between two papers of one exam.
func TestAnExamCountsInOneClassForWhoChangedClassDuringIt(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, bina, chand := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.a), h.admit(t, "Chand", h.other)
	e := h.exam(t, "Half-yearly", map[string]any{"classIds": []any{h.five.ID, h.six.ID}})
	s := h.schedule(t, e, paper(h.five, h.maths, 1), paper(h.six, h.art, 20))
	maths, art := s.Papers[0], s.Papers[1]
	h.upload(t, e, got(maths, asha, 90), got(maths, bina, 50))
	if err := h.DB(t).Exec(`update enrolment set end_date = '2026-09-10' where student_id = ?`, asha.ID).Error; err != nil {
		t.Fatal(err)
	}
	err := h.DB(t).Exec(`insert into enrolment (id, student_id, academic_year_id, class_id, division_id, start_date)
		values (?, ?, ?, ?, ?, '2026-09-11')`, api.NewID(), asha.ID, h.year.ID, h.six.ID, h.other.ID).Error
	if err != nil {
		t.Fatal(err)
	}
	h.upload(t, e, got(art, asha, 60), got(art, chand, 70))
	h.publish(t, e)

	check := func(what string, s exam.Standing, papers int) {
		t.Helper()
		if s.Obtained.String() != "60" || s.MaxMarks.String() != "100" || s.Rank != 2 || s.OutOf != 2 || papers != 2 {
			t.Errorf("%s: %+v of %d papers", what, s, papers)
		}
	}
	for range 5 { // it was as the map fell
		results := testkit.Get[exam.ExamResults](t, h.admin, examPath(e, "/results"))
		if results.Total != 3 {
			t.Fatalf("%d students", results.Total)
		}
		for _, one := range results.Students {
			switch one.StudentID {
			case asha.ID:
				check("the office's", one.Standing, len(one.Results))
				if one.ClassID != h.six.ID {
					t.Errorf("in class %s", one.ClassName)
				}
			case bina.ID:
				if one.Rank != 1 || one.OutOf != 1 {
					t.Errorf("who stayed behind is ranked among others: %+v", one.Standing)
				}
			}
		}
	}
	if only := testkit.Get[exam.ExamResults](t, h.admin, examPath(e, "/results?classId="+h.five.ID.String())); only.Total != 1 ||
		only.Students[0].StudentID != bina.ID {
		t.Errorf("of class 5: %+v", only.Students)
	}
	parent := h.parent(t, asha)
	child := testkit.Get[exam.ChildResults](t, parent, "/parent/exam/results?studentId="+asha.ID.String())
	check("the parent's", child.Exams[0].Standing, len(child.Exams[0].Results))
	card := testkit.Get[exam.ReportCard](t, parent, "/parent/exam/report-card?studentId="+asha.ID.String())
	check("the card's", card.Exams[0].Standing, len(card.Exams[0].Results))
	if *card.Overall.Percent != 60 {
		t.Errorf("overall %+v", card.Overall)
	}
}

func TestPrincipalsRemark_IsBesideTheClassTeachersOnEveryTemplate(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha := h.admit(t, "Asha", h.a)
	e, maths, _ := h.scheduled(t, "Half-yearly")
	h.upload(t, e, got(maths, asha, 80))
	office := "/school-admin/exam/report-card/" + asha.ID.String()
	testkit.Put[exam.Remark](t, h.admin, office+"/remark", map[string]any{"remark": "Works hard"})
	path := office + "/principal-remark"
	made := testkit.Put[exam.Remark](t, h.admin, path, map[string]any{"remark": "Keep it up", "version": 0})
	if made.Remark != "Keep it up" || made.Version != 1 {
		t.Errorf("made %+v", made)
	}
	h.admin.Refuses(t, "PUT", path, map[string]any{"remark": "Other", "version": 7}, 409, "")
	h.admin.Refuses(t, "PUT", "/school-admin/exam/report-card/"+api.NewID().String()+"/principal-remark", map[string]any{"remark": "x"}, 404,
		"STUDENT_NOT_FOUND")
	card := testkit.Get[exam.ReportCard](t, h.admin, office+"?includeUnpublished=true")
	if card.Remark == nil || card.Remark.Remark != "Works hard" || card.PrincipalRemark == nil || card.PrincipalRemark.Remark != "Keep it up" {
		t.Errorf("remarks %+v and %+v, want both", card.Remark, card.PrincipalRemark)
	}
	for template, heading := range map[string]string{"SIMPLE": "Principal's remarks", "CBSE": "Principal's remarks",
		"BRITISH": "Principal's comment"} {
		testkit.Put[any](t, h.admin, "/school-admin/setting", map[string]any{"reportCardTemplate": template})
		on := h.printed(t, office+"?includeUnpublished=true&format=pdf")
		for _, want := range []string{heading, "Keep it up", "Works hard"} {
			if !on.Says(want) {
				t.Errorf("the card by %s does not say %q: %q", template, want, on.Pages)
			}
		}
	}
	testkit.Put[exam.Remark](t, h.admin, path, map[string]any{"remark": ""})
	if on := h.printed(t, office+"?includeUnpublished=true&format=pdf"); on.Says("Principal's comment") {
		t.Errorf("an empty remark is on the card: %q", on.Pages)
	}
}

func TestPrincipalsRemark_NeedsARightOfItsOwn(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha := h.admit(t, "Asha", h.a)
	role := testkit.Post[rbac.Role](t, h.admin, "/school-admin/permission/role/create",
		map[string]any{"name": "Exam office", "type": "SCHOOL_ADMIN"})
	clerk := h.As(t, api.SchoolAdmin)
	if err := h.DB(t).Exec(`update app_user set role_id = ? where id = ?`, role.ID, clerk.UserID).Error; err != nil {
		t.Fatal(err)
	}
	modules := testkit.Get[struct{ Modules []rbac.Module }](t, h.admin, "/school-admin/permission/modules").Modules
	i := slices.IndexFunc(modules, func(m rbac.Module) bool { return m.Name == "result" })
	testkit.Put[struct{}](t, h.admin, "/school-admin/permission/update", map[string]any{"roleId": role.ID,
		"permissions": []any{map[string]any{"moduleId": modules[i].ID, "canRead": true, "canWrite": true, "canDelete": false}}})
	office := "/school-admin/exam/report-card/" + asha.ID.String()
	testkit.Put[exam.Remark](t, clerk, office+"/remark", map[string]any{"remark": "Works hard"})
	clerk.Refuses(t, "PUT", office+"/principal-remark", map[string]any{"remark": "Keep it up"}, 403, "PERMISSION_DENIED")
}
