package exam_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/exam"
	"homeroom/testkit"
)

func fields(f testkit.Failure) string {
	var out []string
	for _, d := range f.Details {
		out = append(out, d.Field)
	}
	return strings.Join(out, " ")
}

func TestAnExamIsAddedListedChangedAndDeleted(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	e := h.exam(t, "Half-yearly", map[string]any{"weight": 2.5})
	if e.Status != "DRAFT" || *e.Weight != 2.5 || len(e.ClassIDs) != 1 || e.ClassIDs[0] != h.five.ID || e.StartDate.String() != "2026-09-01" {
		t.Errorf("made %+v", e)
	}
	changed := testkit.Put[exam.Exam](t, h.admin, examPath(e, ""),
		map[string]any{"name": "Mid-year", "classIds": []uuid.UUID{h.six.ID, h.five.ID}, "version": 1})
	if changed.Name != "Mid-year" || len(changed.ClassIDs) != 2 || changed.ClassIDs[0] != h.five.ID || *changed.Weight != 2.5 {
		t.Errorf("changed %+v", changed)
	}
	h.admin.Refuses(t, "PUT", examPath(e, ""), map[string]any{"name": "Late", "version": 1}, 409, "")
	h.admin.Refuses(t, "POST", "/school-admin/exam/create", map[string]any{"name": "mid-YEAR", "classIds": []uuid.UUID{h.five.ID}}, 409,
		"DUPLICATE_ENTRY")
	list := testkit.Get[api.Page[exam.Exam]](t, h.admin,
		"/school-admin/exam/list?filters[classId]="+h.six.ID.String()+"&filters[status]=DRAFT")
	if list.Total != 1 || list.Items[0].ID != e.ID {
		t.Errorf("list %+v", list)
	}
	if a := h.admin.Call(t, "DELETE", examPath(e, ""), nil); a.Status != 204 {
		t.Errorf("delete: %d %s", a.Status, a.Body)
	}
	h.admin.Refuses(t, "GET", examPath(e, ""), nil, 404, "")
	if n := h.Count(t, "audit_event", "entity in ('exam', 'exam classes')"); n != 5 {
		t.Errorf("%d audit rows", n)
	}
	if n := h.Count(t, "exam_class", "true"); n != 0 {
		t.Errorf("%d classes are left", n)
	}
}

func TestBadExamsAreRefusedWithEveryFieldAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	h, theirs := newHall(t), newHall(t)
	create := "/school-admin/exam/create"
	f := h.admin.Refuses(t, "POST", create, map[string]any{"name": " ", "classIds": []any{}, "startDate": "2026-02-30"}, 422, "")
	if got := fields(f); got != "startDate name classIds" {
		t.Errorf("fields %s", got)
	}
	f = h.admin.Refuses(t, "POST", create, map[string]any{"name": "X", "classIds": []uuid.UUID{h.five.ID, theirs.five.ID, h.five.ID},
		"startDate": "2026-05-01", "endDate": "2026-04-01", "termId": api.NewID()}, 422, "")
	if got := fields(f); got != "startDate endDate endDate termId classIds[1] classIds[2]" {
		t.Errorf("fields %s", got)
	}
	f = h.admin.Refuses(t, "POST", create, map[string]any{"name": "X", "academicYearId": theirs.year.ID, "classIds": []uuid.UUID{h.five.ID}},
		422, "")
	if got := fields(f); got != "academicYearId" {
		t.Errorf("fields %s", got)
	}
	if n := h.Count(t, "exam", "true"); n != 0 {
		t.Errorf("%d exams were written", n)
	}
}

func TestPapersAreSetAtOnceAndMakeADraftScheduled(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	e := h.exam(t, "Half-yearly")
	s := h.schedule(t, e, paper(h.five, h.art, 2),
		paper(h.five, h.maths, 1, map[string]any{"room": "Hall", "maxMarks": 80.5, "passMarks": 32.25}))
	if s.Exam.Status != "SCHEDULED" || len(s.Papers) != 2 || s.Papers[0].SubjectName != "Mathematics" || s.Papers[0].MaxMarks != 8050 ||
		s.Papers[0].Room != "Hall" {
		t.Errorf("schedule %+v", s)
	}
	// The same subject again is the same paper, changed; two can change places.
	again := h.schedule(t, e, paper(h.five, h.art, 1), paper(h.five, h.maths, 2))
	if len(again.Papers) != 2 || again.Papers[0].ID != s.Papers[1].ID || again.Papers[1].ID != s.Papers[0].ID ||
		again.Papers[1].MaxMarks != 10000 {
		t.Errorf("again %+v", again)
	}
	only := testkit.Post[exam.Schedule](t, h.admin, "/school-admin/exam/schedule",
		map[string]any{"examId": e.ID, "replace": true, "papers": []any{paper(h.five, h.art, 3)}})
	if len(only.Papers) != 1 {
		t.Errorf("replaced %+v", only)
	}
	read := testkit.Get[exam.Schedule](t, h.admin, examPath(e, "/schedule"))
	if len(read.Papers) != 1 || read.Papers[0].ID != s.Papers[1].ID || read.Exam.PaperCount != 1 {
		t.Errorf("read %+v", read)
	}
	h.admin.Refuses(t, "PUT", examPath(e, ""), map[string]any{"classIds": []uuid.UUID{h.six.ID}}, 409, "")
	h.admin.Refuses(t, "PUT", examPath(e, ""), map[string]any{"startDate": "2026-09-10"}, 409, "")
	if n := h.Count(t, "audit_event", "action = 'schedule' and entity_id = ?", e.ID.String()); n != 3 {
		t.Errorf("%d audit rows", n)
	}
}

func TestBadPapersAreNamedAllAtOnce(t *testing.T) {
	t.Parallel()
	h, theirs := newHall(t), newHall(t)
	e := h.exam(t, "Half-yearly")
	path := "/school-admin/exam/schedule"
	f := h.admin.Refuses(t, "POST", path, map[string]any{"examId": e.ID, "papers": []any{
		paper(h.five, h.maths, 1), paper(h.six, h.maths, 1), paper(h.five, theirs.art, 1), paper(h.five, h.maths, 2),
		paper(h.five, h.art, 3, map[string]any{"examDate": "2026-10-01", "endTime": "08:00", "invigilatorId": api.NewID(), "passMarks": 101}),
	}}, 422, "")
	if got := fields(f); got != "papers[1].classId papers[2].subjectId papers[3].subjectId papers[4].examDate papers[4].endTime papers[4].invigilatorId papers[4].passMarks" {
		t.Errorf("fields %s", got)
	}
	f = h.admin.Refuses(t, "POST", path, map[string]any{"examId": e.ID,
		"papers": []any{paper(h.five, h.maths, 1, map[string]any{"examDate": "2026-02-30", "startTime": "25:00", "maxMarks": 10.005})}}, 422, "")
	if got := fields(f); got != "papers[0].examDate papers[0].startTime papers[0].maxMarks" {
		t.Errorf("fields %s", got)
	}
	h.admin.Refuses(t, "POST", path, map[string]any{"examId": theirs.exam(t, "Theirs").ID, "papers": []any{paper(h.five, h.maths, 1)}}, 404,
		"")
	if n := h.Count(t, "exam_paper", "true"); n != 0 {
		t.Errorf("%d papers were written", n)
	}
}

func TestClashesOfClassRoomAndInvigilatorAreRefusedNamingBothPapers(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	_, meera := h.teacher(t, "Meera")
	first := h.exam(t, "Half-yearly", map[string]any{"classIds": []uuid.UUID{h.five.ID, h.six.ID}})
	h.schedule(t, first, paper(h.five, h.maths, 1, map[string]any{"room": "Hall", "invigilatorId": meera}))
	second := h.exam(t, "Unit test", map[string]any{"classIds": []uuid.UUID{h.five.ID, h.six.ID}})
	a := h.admin.Call(t, "POST", "/school-admin/exam/schedule", map[string]any{"examId": second.ID, "papers": []any{
		paper(h.six, h.maths, 1, map[string]any{"room": "hall", "startTime": "10:30", "endTime": "12:00"}),
		paper(h.five, h.art, 1, map[string]any{"startTime": "10:00", "endTime": "10:30"}),
		paper(h.six, h.art, 1, map[string]any{"invigilatorId": meera, "startTime": "08:00", "endTime": "09:01"}),
		paper(h.five, h.maths, 1, map[string]any{"startTime": "11:00", "endTime": "12:00"}),
	}})
	if a.Status != 409 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	f := a.Failure(t)
	got := map[string]string{}
	for _, d := range f.Details {
		got[d.Field] = d.Message
	}
	for field, want := range map[string]string{
		"papers[0]": "Room hall is booked twice: Unit test Class 6 Mathematics, 2026-09-01 10:30–12:00 and Half-yearly Class 5 Mathematics, 2026-09-01 09:00–11:00",
		"papers[1]": "Class 5 is booked twice: Unit test Class 5 Art, 2026-09-01 10:00–10:30 and Half-yearly Class 5 Mathematics, 2026-09-01 09:00–11:00",
		"papers[2]": "Meera is booked twice: Unit test Class 6 Art, 2026-09-01 08:00–09:01 and Half-yearly Class 5 Mathematics, 2026-09-01 09:00–11:00",
	} {
		if got[field] != want {
			t.Errorf("%s: %q", field, got[field])
		}
	}
	if len(f.Details) != 3 || !strings.HasSuffix(f.Message, "(and 2 more)") {
		t.Errorf("%d details, message %q", len(f.Details), f.Message)
	}
	var body struct {
		Data struct{ Clashes []exam.Clash }
	}
	if err := json.Unmarshal(a.Body, &body); err != nil || len(body.Data.Clashes) != 3 {
		t.Errorf("data %s", a.Body)
	}
	if n := h.Count(t, "exam_paper", "exam_id = ?", second.ID); n != 0 {
		t.Errorf("%d papers were written", n)
	}
	if e := testkit.Get[exam.Exam](t, h.admin, examPath(second, "")); e.Status != "DRAFT" {
		t.Errorf("status %s", e.Status)
	}
}

func TestAGradeScaleCoversEveryPercentOnceAndOneIsTheDefault(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	create := "/school-admin/exam/grade-scale/create"
	f := h.admin.Refuses(t, "POST", create, map[string]any{"name": "Odd", "bands": []any{
		map[string]any{"grade": "A", "minPercent": 50}, map[string]any{"grade": "a", "minPercent": 50},
		map[string]any{"grade": "C", "minPercent": 101},
	}}, 422, "")
	if got := fields(f); got != "bands[2].minPercent" {
		t.Errorf("fields %s", got)
	}
	f = h.admin.Refuses(t, "POST", create, map[string]any{"name": "Odd",
		"bands": []any{map[string]any{"grade": "A", "minPercent": 50}, map[string]any{"grade": "a", "minPercent": 50}}}, 422, "")
	if got := fields(f); got != "bands[1].grade bands[1].minPercent bands" {
		t.Errorf("fields %s", got)
	}
	made := testkit.Post[exam.GradeScale](t, h.admin, create, scale("Second"))
	if made.Bands[0].Grade != "A" || made.Bands[2].Grade != "E" || !made.IsDefault {
		t.Errorf("made %+v", made)
	}
	if n := h.Count(t, "grade_scale", "is_default"); n != 1 {
		t.Errorf("%d default scales", n)
	}
	if n := h.Count(t, "audit_event", "entity = 'grade scale' and action = 'update' and after ->> 'isDefault' = 'false'"); n != 1 {
		t.Errorf("%d audit rows of the one that stepped back", n)
	}
	path := "/school-admin/exam/grade-scale/" + made.ID.String()
	if a := h.admin.Call(t, "PUT", "/school-admin/class/"+h.five.ID.String(), map[string]any{"gradeScaleId": made.ID}); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	h.admin.Refuses(t, "DELETE", path, nil, 409, "")
	h.admin.Refuses(t, "PUT", "/school-admin/class/"+h.five.ID.String(), map[string]any{"gradeScaleId": api.NewID()}, 422, "")
	if again := testkit.Put[exam.GradeScale](t, h.admin, path, map[string]any{"name": "Third", "version": 1}); again.Name != "Third" ||
		len(again.Bands) != 3 {
		t.Errorf("changed %+v", again)
	}
}
