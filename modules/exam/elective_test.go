package exam_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/exam"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// elective adds a subject of class 5 that only these students take.
func (h *hall) elective(t *testing.T, name string, takers ...pupil) roster.Subject {
	t.Helper()
	s := testkit.Post[roster.Subject](t, h.admin, "/school-admin/subject/create",
		map[string]any{"name": name, "code": name, "type": "ELECTIVE"})
	g := testkit.Post[roster.Group](t, h.admin, "/school-admin/group/create",
		map[string]any{"name": name, "subjectId": s.ID, "divisionIds": []any{h.a.ID, h.b.ID}})
	ids := []uuid.UUID{}
	for _, p := range takers {
		ids = append(ids, p.ID)
	}
	testkit.Put[roster.GroupMembers](t, h.admin, fmt.Sprint("/school-admin/group/", g.ID, "/members"),
		map[string]any{"studentIds": ids, "fromDate": "2026-06-01"})
	return s
}

func TestElectivePaper_ExpectsResultsOfThoseWhoTakeIt(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, bina := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.b)
	french := h.elective(t, "French", asha)
	s := h.schedule(t, h.exam(t, "Half-yearly"), paper(h.five, h.maths, 1), paper(h.five, french, 2))
	maths, paperF := s.Papers[0], s.Papers[1]
	h.upload(t, s.Exam, got(maths, asha, 80), got(maths, bina, 60))

	f := h.admin.Refuses(t, "POST", examPath(s.Exam, "/publish"), map[string]any{}, 409, "")
	if !strings.HasPrefix(f.Message, "1 results are missing: Asha Rao (French).") {
		t.Errorf("message %q, want only Asha's French to be missing", f.Message)
	}
	res := testkit.Get[exam.ExamResults](t, h.admin, examPath(s.Exam, "/results"))
	if len(res.Students) != 2 || res.Students[0].Outcome != "INCOMPLETE" || res.Students[1].Outcome != "PASSED" {
		t.Errorf("results %+v", res.Students)
	}
	if not := res.Students[1].NotTaken; len(not) != 1 || not[0] != paperF.ID {
		t.Errorf("Bina does not take %v, want the paper in French", not)
	}
	if not := res.Students[0].NotTaken; len(not) != 0 {
		t.Errorf("Asha does not take %v, want nothing", not)
	}
	bad := h.admin.Refuses(t, "POST", uploadPath, batch(s.Exam, got(paperF, asha, 70), got(paperF, bina, 70)), 422, "")
	if fmt.Sprint(bad.Details) != fmt.Sprint([]api.Detail{{Field: "results[1].studentId", Message: "the student does not take French"}}) {
		t.Errorf("details %v", bad.Details)
	}
	h.upload(t, s.Exam, got(paperF, asha, 70))
	testkit.Post[exam.Publication](t, h.admin, examPath(s.Exam, "/publish"), map[string]any{})
	card := h.card(t, bina)
	if len(card.Subjects) != 1 || card.Subjects[0].Name != "Mathematics" || *card.Overall.Percent != 60 || card.Overall.Outcome != "PASSED" {
		t.Errorf("Bina's card %+v %+v", card.Subjects, card.Overall)
	}
	if card := h.card(t, asha); len(card.Subjects) != 2 || *card.Overall.Percent != 75 {
		t.Errorf("Asha's card %+v %+v", card.Subjects, card.Overall)
	}
}

func TestGroup_OfTwoDivisions_HasOneMarkSheetAndItsOwnTeacher(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, bina, chand := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.b), h.admit(t, "Chand", h.a)
	french := testkit.Post[roster.Subject](t, h.admin, "/school-admin/subject/create",
		map[string]any{"name": "French", "code": "FR", "type": "ELECTIVE"})
	period := testkit.Post[struct{ ID uuid.UUID }](t, h.admin, "/school-admin/timetable/period/create",
		map[string]any{"name": "Period 1", "startTime": "09:00", "endTime": "09:45"})
	group := func(name string, teacher uuid.UUID, takers ...pupil) uuid.UUID {
		t.Helper()
		g := testkit.Post[roster.Group](t, h.admin, "/school-admin/group/create",
			map[string]any{"name": name, "subjectId": french.ID, "divisionIds": []any{h.a.ID, h.b.ID}})
		ids := []uuid.UUID{}
		for _, p := range takers {
			ids = append(ids, p.ID)
		}
		testkit.Put[roster.GroupMembers](t, h.admin, fmt.Sprint("/school-admin/group/", g.ID, "/members"),
			map[string]any{"studentIds": ids, "fromDate": "2026-06-01"})
		testkit.Put[any](t, h.admin, "/school-admin/timetable/group/"+g.ID.String(),
			map[string]any{"slots": []any{map[string]any{"dayOfWeek": 1, "periodId": period.ID, "teacherId": teacher}}})
		return g.ID
	}
	ravi, first := h.teacher(t, "Ravi", assigned(h.a, french), assigned(h.b, french))
	zoe, second := h.teacher(t, "Zoe", assigned(h.a, french))
	head, _ := h.teacher(t, "Head", assigned(h.a, french), assigned(h.b, french))
	early, late := group("French 1", first, asha, bina), group("French 2", second, chand)
	s := h.schedule(t, h.exam(t, "Half-yearly"), paper(h.five, h.maths, 1), paper(h.five, french, 2))
	maths, paperF := s.Papers[0], s.Papers[1]
	h.upload(t, s.Exam, got(maths, asha, 80), got(maths, bina, 60), got(maths, chand, 40))

	upload := "/teacher/result/upload"
	testkit.Post[exam.Uploaded](t, ravi, upload, batch(s.Exam, got(paperF, asha, 70), got(paperF, bina, 71)))
	ravi.Refuses(t, "POST", upload, batch(s.Exam, got(paperF, asha, 72), got(paperF, chand, 1)), 403, "PERMISSION_DENIED")
	zoe.Refuses(t, "POST", upload, batch(s.Exam, got(paperF, asha, 1)), 403, "PERMISSION_DENIED")
	own := testkit.Post[exam.Uploaded](t, zoe, upload, batch(s.Exam, got(paperF, chand, 90))).Results[0]
	ravi.Refuses(t, "PUT", "/teacher/result/update", map[string]any{"id": own.ID, "marksObtained": 1}, 403, "PERMISSION_DENIED")
	for teacher, want := range map[*testkit.Client]string{ravi: "[French 1 [Asha Bina] 2]", zoe: "[French 2 [Chand] 1]", head: "[]"} {
		var got []any
		for _, sheet := range testkit.Get[exam.GroupSheets](t, teacher, "/teacher/exam/"+s.Exam.ID.String()+"/groups").Sheets {
			var names []string
			for _, one := range sheet.Students {
				names = append(names, one.FirstName)
			}
			got = append(got, sheet.GroupName, names, len(sheet.DivisionIDs))
			if sheet.PaperID != paperF.ID {
				t.Errorf("a sheet of paper %s, want French", sheet.PaperID)
			}
		}
		if fmt.Sprint(got) != want {
			t.Errorf("sheets %v, want %s", got, want)
		}
	}
	// Who holds no group's lessons is responsible for the whole subject.
	testkit.Post[exam.Uploaded](t, head, upload, batch(s.Exam, got(paperF, asha, 75), got(paperF, chand, 91)))

	for id, want := range map[uuid.UUID]string{early: "[Asha 75 Bina 71]", late: "[Chand 91]"} {
		sheet := testkit.Get[exam.ExamResults](t, h.admin, examPath(s.Exam, "/results?groupId="+id.String()))
		var got []string
		for _, r := range sheet.Students {
			got = append(got, r.FirstName, r.Results[0].MarksObtained.String())
			if len(r.Results) != 1 {
				t.Errorf("%s has results %+v on a sheet of French", r.FirstName, r.Results)
			}
		}
		if fmt.Sprint(got) != want || len(sheet.Papers) != 1 || sheet.Papers[0].ID != paperF.ID || sheet.Total != len(sheet.Students) {
			t.Errorf("the sheet has %v of %+v, want %s", got, sheet.Papers, want)
		}
	}
	h.admin.Refuses(t, "GET", examPath(s.Exam, "/results?groupId="+api.NewID().String()), nil, 422, "")
}

func TestElectivePaper_IsOnTheHallTicketsOfThoseWhoTakeIt(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, bina := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.a)
	french, sanskrit := h.elective(t, "French", asha), h.elective(t, "Sanskrit")
	both := h.schedule(t, h.exam(t, "Half-yearly"), paper(h.five, h.maths, 1), paper(h.five, french, 2), paper(h.five, sanskrit, 2))
	on := h.printed(t, examPath(both.Exam, "/hall-tickets?divisionId="+h.a.ID.String()))
	if len(on.Pages) != 2 || on.Says("Sanskrit") {
		t.Fatalf("tickets %q, want two, without Sanskrit, which nobody takes", on.Pages)
	}
	for i, want := range []bool{true, false} {
		ticket := strings.Join(on.Pages[i], "\n")
		if strings.Contains(ticket, "French") != want || !strings.Contains(ticket, "Mathematics") {
			t.Errorf("ticket %d is %q, want Mathematics, and French: %v", i+1, ticket, want)
		}
	}
	one := h.schedule(t, h.exam(t, "Test"), paper(h.five, french, 3))
	if on := h.printed(t, examPath(one.Exam, "/hall-tickets?divisionId="+h.a.ID.String())); len(on.Pages) != 1 || on.Says("Bina") {
		t.Errorf("tickets %q, want Asha's alone", on.Pages)
	}
	f := h.admin.Refuses(t, "GET", examPath(one.Exam, "/hall-tickets?studentId="+bina.ID.String()), nil, 409, "")
	if f.Message != "Test has no papers that they take" {
		t.Errorf("Bina's ticket is refused by %q", f.Message)
	}
}

func TestElectivePaper_IsOnTheScheduleOfThoseWhoTakeIt(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, bina := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.b)
	french, sanskrit := h.elective(t, "French", asha), h.elective(t, "Sanskrit", bina)
	s := h.schedule(t, h.exam(t, "Half-yearly"), paper(h.five, french, 1), paper(h.five, sanskrit, 1))
	testkit.Post[exam.Publication](t, h.admin, examPath(s.Exam, "/publish"), map[string]any{"what": "SCHEDULE"})
	mine := testkit.Get[exam.ChildSchedule](t, h.parent(t, asha), "/parent/exam/schedule?studentId="+asha.ID.String())
	if len(mine.Papers) != 1 || mine.Papers[0].SubjectName != "French" {
		t.Errorf("papers %+v, want French", mine.Papers)
	}
}

func TestElectivePapersAtOneHour_WithACommonStudent_AreAClash(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, bina := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.b)
	french, sanskrit := h.elective(t, "French", asha, bina), h.elective(t, "Sanskrit", bina)
	e := h.exam(t, "Half-yearly")
	h.admin.Refuses(t, "POST", "/school-admin/exam/schedule", map[string]any{"examId": e.ID,
		"papers": []any{paper(h.five, french, 1), paper(h.five, sanskrit, 1)}}, 409, "")
	h.admin.Refuses(t, "POST", "/school-admin/exam/schedule", map[string]any{"examId": e.ID,
		"papers": []any{paper(h.five, french, 1), paper(h.five, h.maths, 1)}}, 409, "")
}

func TestBatchGroup_LeavesTheSubjectToEverybody(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, bina := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.a)
	g := testkit.Post[roster.Group](t, h.admin, "/school-admin/group/create",
		map[string]any{"name": "Lab 1", "subjectId": h.maths.ID, "divisionIds": []any{h.a.ID}, "kind": "BATCH"})
	testkit.Put[roster.GroupMembers](t, h.admin, fmt.Sprint("/school-admin/group/", g.ID, "/members"),
		map[string]any{"studentIds": []any{asha.ID}, "fromDate": "2026-06-01"})
	s := h.schedule(t, h.exam(t, "Half-yearly"), paper(h.five, h.maths, 1))
	h.upload(t, s.Exam, got(s.Papers[0], asha, 80))
	f := h.admin.Refuses(t, "POST", examPath(s.Exam, "/publish"), map[string]any{}, 409, "")
	if !strings.Contains(f.Message, "Bina Rao (Mathematics)") {
		t.Errorf("message %q, want Bina's to be missing", f.Message)
	}
	h.upload(t, s.Exam, got(s.Papers[0], bina, 70))
}
