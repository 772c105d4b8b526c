package exam_test

import (
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/modules/exam"
	"homeroom/testkit"
)

// told counts the lines in the guardians' logs of results.
func (h *hall) told(t *testing.T, where string, args ...any) int {
	t.Helper()
	return h.Count(t, "notification", "type = 'RESULT' and "+where, args...)
}

func TestPublishingTellsTheGuardiansOfThoseWithAResultOnceAndNoOneElse(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, bina, dev := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.a), h.admit(t, "Dev", h.other)
	e, maths, _ := h.scheduled(t, "Half-yearly")
	h.admin.Refuses(t, "POST", examPath(e, "/publish"), nil, 409, "") // there is nothing to publish
	h.upload(t, e, got(maths, asha, 87))
	if look := testkit.Post[exam.Publication](t, h.admin, examPath(e, "/publish"), map[string]any{"preview": true}); look.Status != "SCHEDULED" || look.Students != 1 || look.Missing != 3 || h.told(t, "true") != 0 {
		t.Errorf("looked at %+v", look)
	}
	done := h.publish(t, e)
	if done.Status != "PUBLISHED" || done.Students != 1 || done.Missing != 3 || done.Publication != 1 || done.PublishedAt == nil {
		t.Errorf("published %+v", done)
	}
	if n := h.told(t, "student_id = ? and record_id = ?", asha.ID, e.ID); n != 1 {
		t.Errorf("%d lines for Asha's guardian", n)
	}
	if n := h.told(t, "student_id in ?", []any{bina.ID, dev.ID}); n != 0 {
		t.Errorf("%d lines for the others'", n)
	}
	var notice struct{ Title, Teaser, Body, Key string }
	if err := h.DB(t).Table("notice").Take(&notice).Error; err != nil {
		t.Fatal(err)
	}
	if strings.Contains(notice.Title+notice.Teaser+notice.Body, "87") || notice.Teaser == "" {
		t.Errorf("notice %+v", notice)
	}
	if f := h.admin.Refuses(t, "POST", examPath(e, "/publish"), map[string]any{}, 409, ""); !strings.Contains(f.Message, "PUBLISHED") {
		t.Errorf("message %q", f.Message)
	}
	if n := h.told(t, "true"); n != 1 {
		t.Errorf("%d lines after publishing twice", n)
	}
	if n := h.Count(t, "audit_event",
		"entity = 'exam' and action = 'publish' and before ->> 'status' = 'SCHEDULED' and after ->> 'status' = 'PUBLISHED'"); n != 1 {
		t.Errorf("%d audit rows", n)
	}
	// What is published stays as it is until it is taken back.
	h.admin.Refuses(t, "POST", uploadPath, batch(e, got(maths, asha, 88)), 409, "")
	h.admin.Refuses(t, "PUT", examPath(e, ""), map[string]any{"weight": 3}, 409, "")
	h.admin.Refuses(t, "POST", "/school-admin/exam/schedule", map[string]any{"examId": e.ID, "papers": []any{paper(h.five, h.maths, 1)}}, 409,
		"")
	back := testkit.Post[exam.Exam](t, h.admin, examPath(e, "/unpublish"), map[string]any{"reason": "A mistake in maths"})
	if back.Status != "SCHEDULED" || back.PublishedAt != nil {
		t.Errorf("taken back %+v", back)
	}
	if n := h.Count(t, "audit_event", "action = 'unpublish' and after ->> 'reason' = 'A mistake in maths'"); n != 1 {
		t.Errorf("%d audit rows of it", n)
	}
	h.admin.Refuses(t, "POST", examPath(e, "/unpublish"), nil, 409, "")
	h.upload(t, e, got(maths, asha, 88), got(maths, bina, 50))
	if again := h.publish(t, e); again.Students != 2 || again.Publication != 2 {
		t.Errorf("again %+v", again)
	}
	if n := h.told(t, "true"); n != 3 {
		t.Errorf("%d lines: a new publication is told again", n)
	}
}

func TestPublishingAgainWithTheSameKeyGivesTheFirstAnswer(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha := h.admit(t, "Asha", h.a)
	e, maths, _ := h.scheduled(t, "Half-yearly")
	h.upload(t, e, got(maths, asha, 87))
	office, all := h.admin.With("Idempotency-Key", "publish-1"), map[string]any{"allowMissing": true}
	first, second := office.Call(t, "POST", examPath(e, "/publish"), all), office.Call(t, "POST", examPath(e, "/publish"), all)
	if first.Status != 200 || second.Status != 200 || string(first.Body) != string(second.Body) {
		t.Errorf("%d %s / %d %s", first.Status, first.Body, second.Status, second.Body)
	}
	if n := h.told(t, "true"); n != 1 {
		t.Errorf("%d lines", n)
	}
}

func TestThePublicationKeepsItsGradesWhenTheScaleChanges(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha := h.admit(t, "Asha", h.a)
	e, maths, _ := h.scheduled(t, "Half-yearly")
	h.upload(t, e, got(maths, asha, 85))
	own := scale("Strict")
	own["bands"] = []any{map[string]any{"grade": "O", "minPercent": 85}, map[string]any{"grade": "F", "minPercent": 0}}
	made := testkit.Post[exam.GradeScale](t, h.admin, "/school-admin/exam/grade-scale/create", own)
	if a := h.admin.Call(t, "PUT", "/school-admin/class/"+h.five.ID.String(), map[string]any{"gradeScaleId": made.ID}); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	h.publish(t, e)
	if n := h.Count(t, "exam_result", "grade = 'O'"); n != 1 {
		t.Error("it was not graded by the class's scale of the day")
	}
	testkit.Put[exam.GradeScale](t, h.admin, "/school-admin/exam/grade-scale/"+made.ID.String(),
		map[string]any{"bands": []any{map[string]any{"grade": "Z", "minPercent": 0}}})
	if n := h.Count(t, "exam_result", "grade = 'O'"); n != 1 {
		t.Error("what was published has another grade now")
	}
}

func TestAParentSeesOnlyWhatIsPublishedOfTheirOwnChild(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, bina := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.b)
	parent := h.parent(t, asha)
	e, maths, art := h.scheduled(t, "Half-yearly")
	h.upload(t, e, got(maths, asha, 90), got(art, asha, 70), got(maths, bina, 95), got(art, bina, 95))
	of := func(path string, p pupil) string {
		return "/parent/exam/" + path + "?studentId=" + p.ID.String() + "&examId=" + e.ID.String()
	}
	list := func() api.Page[exam.ChildExam] {
		return testkit.Get[api.Page[exam.ChildExam]](t, parent, "/parent/exam/list")
	}
	if l := list(); l.Total != 0 {
		t.Errorf("before anything is published: %+v", l)
	}
	parent.Refuses(t, "GET", of("schedule", asha), nil, 404, "")
	parent.Refuses(t, "GET", of("results", asha), nil, 404, "")
	if all := testkit.Get[exam.ChildResults](t, parent, "/parent/exam/results?studentId="+asha.ID.String()); len(all.Exams) != 0 {
		t.Errorf("results %+v", all)
	}

	// The schedule is published apart from the results.
	shown := testkit.Post[exam.Publication](t, h.admin, examPath(e, "/publish"), map[string]any{"what": "SCHEDULE"})
	if shown.Status != "SCHEDULED" || shown.SchedulePublishedAt == nil {
		t.Errorf("schedule published %+v", shown)
	}
	h.admin.Refuses(t, "POST", examPath(e, "/publish"), map[string]any{"what": "SCHEDULE"}, 409, "")
	if l := list(); l.Total != 1 || l.Items[0].Status != "SCHEDULED" || len(l.Items[0].StudentIDs) != 1 ||
		l.Items[0].StudentIDs[0] != asha.ID {
		t.Errorf("list %+v", l)
	}
	if s := testkit.Get[exam.ChildSchedule](t, parent, of("schedule", asha)); len(s.Papers) != 2 || s.Papers[0].SubjectName != "Mathematics" {
		t.Errorf("schedule %+v", s)
	}
	parent.Refuses(t, "GET", of("results", asha), nil, 404, "")
	if n := h.told(t, "true"); n != 0 {
		t.Errorf("a schedule told %d people of results", n)
	}

	h.publish(t, e)
	r := testkit.Get[exam.ChildResults](t, parent, of("results", asha))
	if len(r.Exams) != 1 || r.Exams[0].Rank != 2 || r.Exams[0].OutOf != 2 || len(r.Exams[0].Results) != 2 ||
		r.Exams[0].Results[0].Grade != "A" {
		t.Errorf("results %+v", r)
	}
	for _, path := range []string{of("schedule", bina), of("results", bina), "/parent/exam/report-card?studentId=" + bina.ID.String()} {
		parent.Refuses(t, "GET", path, nil, 404, "STUDENT_NOT_FOUND")
	}
	if l := testkit.Get[api.Page[exam.ChildExam]](t, parent, "/parent/exam/list?filters[studentId]="+bina.ID.String()); l.Total != 0 {
		t.Errorf("of another's child %+v", l)
	}
	testkit.Post[exam.Exam](t, h.admin, examPath(e, "/unpublish"), nil)
	parent.Refuses(t, "GET", of("results", asha), nil, 404, "")
	testkit.Post[exam.Exam](t, h.admin, examPath(e, "/unpublish"), map[string]any{"what": "SCHEDULE"})
	if l := list(); l.Total != 0 {
		t.Errorf("after all was taken back: %+v", l)
	}
}

func TestATeacherSeesTheExamsOfTheirClassesAndThoseTheyInvigilate(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	meera, _ := h.teacher(t, "Meera", assigned(h.a, h.maths))
	nila, guard := h.teacher(t, "Nila", assigned(h.other, h.maths))
	stranger, _ := h.teacher(t, "Om")
	e := h.exam(t, "Half-yearly")
	list := func(c *testkit.Client) int {
		return testkit.Get[api.Page[exam.Exam]](t, c, "/teacher/exam/list").Total
	}
	if n := list(meera); n != 0 {
		t.Errorf("she sees %d drafts", n)
	}
	h.schedule(t, e, paper(h.five, h.maths, 1), paper(h.five, h.art, 2, map[string]any{"invigilatorId": guard}))
	path := "/teacher/exam/" + e.ID.String() + "/schedule"
	if s := testkit.Get[exam.Schedule](t, meera, path); len(s.Papers) != 2 || list(meera) != 1 {
		t.Errorf("hers %+v", s)
	}
	if s := testkit.Get[exam.Schedule](t, nila, path); len(s.Papers) != 1 || s.Papers[0].SubjectName != "Art" || list(nila) != 1 {
		t.Errorf("invigilated %+v", s)
	}
	stranger.Refuses(t, "GET", path, nil, 404, "")
	if n := list(stranger); n != 0 {
		t.Errorf("a stranger sees %d", n)
	}
}

func TestInEvaluationModeATeacherStillEntersResults(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha := h.admit(t, "Asha", h.a)
	e, maths, _ := h.scheduled(t, "Half-yearly")
	teacher, _ := h.teacher(t, "Meera", assigned(h.a, h.maths))
	testkit.Put[struct{}](t, h.admin, "/school-admin/setting", map[string]any{"evaluationMode": true, "evaluationModeReason": "Inspection"})
	event := map[string]any{"title": "Sports day", "eventDate": "2026-12-01"}
	testkit.Eventually(t, "teachers can only read", func() bool {
		return teacher.Call(t, "POST", "/teacher/co-curricular/add-event", event).Status == 403
	})
	teacher.Refuses(t, "POST", "/teacher/co-curricular/add-event", event, 403, "EVALUATION_MODE_READONLY")
	done := testkit.Post[exam.Uploaded](t, teacher, "/teacher/result/upload", batch(e, got(maths, asha, 70)))
	testkit.Put[exam.Result](t, teacher, "/teacher/result/update", map[string]any{"id": done.Results[0].ID, "marksObtained": 71})
}
