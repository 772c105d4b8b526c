package exam_test

import (
	"slices"
	"strings"
	"testing"

	"homeroom/modules/exam"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

func (h *hall) card(t *testing.T, p pupil) exam.ReportCard {
	t.Helper()
	return testkit.Get[exam.ReportCard](t, h.admin, "/school-admin/exam/report-card/"+p.ID.String())
}

func (h *hall) set(t *testing.T, settings map[string]any) {
	t.Helper()
	testkit.Put[struct{}](t, h.admin, "/school-admin/setting", settings)
}

// coScholastic adds a subject that is graded and does not count.
func (h *hall) coScholastic(t *testing.T) roster.Subject {
	t.Helper()
	return testkit.Post[roster.Subject](t, h.admin, "/school-admin/subject/create",
		map[string]any{"name": "Sport", "code": "SPO", "type": "CO_SCHOLASTIC"})
}

func TestResult_WithMissingPapers_IsIncomplete(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, bina := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.a)
	h.admit(t, "Chand", h.b)
	e, maths, art := h.scheduled(t, "Half-yearly")
	h.upload(t, e, got(maths, asha, 100), got(maths, bina, 60), got(art, bina, 60))
	all := testkit.Get[exam.ExamResults](t, h.admin, examPath(e, "/results"))
	if len(all.Students) != 3 {
		t.Fatalf("%d students, want everybody who sat in the class", len(all.Students))
	}
	for _, s := range all.Students {
		switch s.FirstName {
		case "Asha":
			if s.Percent != nil || s.Grade != "" || s.Rank != 0 || s.IsPass || s.Missing != 1 || s.Outcome != "INCOMPLETE" {
				t.Errorf("one of two papers: %+v", s.Standing)
			}
		case "Bina":
			if s.Rank != 1 || s.OutOf != 1 || *s.Percent != 60 || s.Outcome != "PASSED" {
				t.Errorf("the only complete one: %+v", s.Standing)
			}
		case "Chand":
			if s.Missing != 2 || s.Outcome != "INCOMPLETE" || len(s.Results) != 0 {
				t.Errorf("nothing entered: %+v", s)
			}
		}
	}
}

func TestPublish_WithMissingResults_NamesThemAndRefuses(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, bina := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.a)
	e, maths, art := h.scheduled(t, "Half-yearly")
	h.upload(t, e, got(maths, asha, 100), got(maths, bina, 60), got(art, bina, 60))
	refused := h.admin.Refuses(t, "POST", examPath(e, "/publish"), nil, 409, "")
	if !strings.Contains(refused.Message, "1 results are missing: Asha Rao (Art)") {
		t.Errorf("refused with %q", refused.Message)
	}
	if n := h.told(t, "true"); n != 0 {
		t.Errorf("%d people were told", n)
	}
	look := testkit.Post[exam.Publication](t, h.admin, examPath(e, "/publish"), map[string]any{"preview": true})
	if look.Missing != 1 || len(look.MissingResults) != 1 || look.MissingResults[0].StudentID != asha.ID ||
		look.MissingResults[0].SubjectName != "Art" {
		t.Errorf("preview %+v", look)
	}
	h.publish(t, e)
	parent := h.parent(t, asha)
	r := testkit.Get[exam.ChildResults](t, parent, "/parent/exam/results?studentId="+asha.ID.String())
	if len(r.Exams) != 1 || r.Exams[0].Percent != nil || r.Exams[0].Rank != 0 || r.Exams[0].Outcome != "INCOMPLETE" {
		t.Errorf("the parent sees %+v", r)
	}
	if o := h.card(t, asha).Overall; o.Percent != nil || o.Rank != 0 || o.IsPass || o.Outcome != "INCOMPLETE" {
		t.Errorf("the year %+v", o)
	}
	if o := h.card(t, bina).Overall; o.Rank != 1 || o.OutOf != 1 || !o.IsPass {
		t.Errorf("the other's year %+v", o)
	}
}

func TestPublish_WhenAllWereEntered_NeedsNoFlag(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha := h.admit(t, "Asha", h.a)
	e, maths, art := h.scheduled(t, "Half-yearly")
	h.upload(t, e, got(maths, asha, 70), map[string]any{"paperId": art.ID, "studentId": asha.ID, "isExempt": true})
	testkit.Post[struct{}](t, h.admin, "/school-admin/student/create", map[string]any{ // came after the papers
		"firstName": "Dev", "lastName": "Rao", "classId": h.five.ID, "divisionId": h.a.ID, "admissionDate": "2026-10-05"})
	if done := testkit.Post[exam.Publication](t, h.admin, examPath(e, "/publish"), nil); done.Missing != 0 || done.Students != 1 {
		t.Errorf("published %+v", done)
	}
}

func TestCoScholasticPaper_FailsNobody(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, bina := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.a)
	s := h.schedule(t, h.exam(t, "Annual"), paper(h.five, h.maths, 1), paper(h.five, h.coScholastic(t), 2))
	h.upload(t, s.Exam, got(s.Papers[0], asha, 70), got(s.Papers[1], asha, 3),
		got(s.Papers[0], bina, 70), map[string]any{"paperId": s.Papers[1].ID, "studentId": bina.ID, "isAbsent": true})
	h.publish(t, s.Exam)
	for _, rule := range []string{"TOTAL", "SUBJECTS", "EXAMS"} {
		h.set(t, map[string]any{"passRule": rule})
		for _, p := range []pupil{asha, bina} {
			card := h.card(t, p)
			if !card.Overall.IsPass || !card.Exams[0].IsPass {
				t.Errorf("by %s %s: year %s, exam %s", rule, card.Student.FirstName, card.Overall.Outcome, card.Exams[0].Outcome)
			}
			for _, r := range card.Exams[0].Results {
				if !r.IsPass {
					t.Errorf("by %s %s's paper in %s is failed", rule, card.Student.FirstName, r.SubjectName)
				}
			}
		}
	}
}

func TestYear_IsPassedByTheSchoolsRule(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha := h.admit(t, "Asha", h.a)
	first := h.schedule(t, h.exam(t, "Unit test", map[string]any{"weight": 1}), paper(h.five, h.maths, 1), paper(h.five, h.art, 2))
	h.upload(t, first.Exam, got(first.Papers[0], asha, 20), got(first.Papers[1], asha, 80)) // maths failed here
	h.publish(t, first.Exam)
	second := h.schedule(t, h.exam(t, "Annual", map[string]any{"weight": 4}), paper(h.five, h.maths, 11), paper(h.five, h.art, 12))
	h.upload(t, second.Exam, got(second.Papers[0], asha, 45), got(second.Papers[1], asha, 30)) // art failed here
	h.publish(t, second.Exam)
	// Over the year: maths (20 + 4·45) / 5 = 40, art (80 + 4·30) / 5 = 40, total (50 + 4·37.5) / 5 = 40.
	for _, c := range []struct {
		settings map[string]any
		outcome  string
		subjects []string
	}{
		{map[string]any{"passRule": "SUBJECTS", "passPercent": 0}, "PASSED", nil},
		{map[string]any{"passRule": "EXAMS"}, "FAILED", []string{"Art", "Mathematics"}},
		{map[string]any{"compartmentSubjects": 1}, "FAILED", []string{"Art", "Mathematics"}},
		{map[string]any{"compartmentSubjects": 2}, "COMPARTMENT", []string{"Art", "Mathematics"}},
		{map[string]any{"graceMarks": 10}, "COMPARTMENT", []string{"Mathematics"}}, // art lacks 10, and one subject may have grace
		{map[string]any{"graceMarks": 20, "graceSubjects": 2}, "PASSED_WITH_GRACE", nil},
		{map[string]any{"passRule": "SUBJECTS", "passPercent": 41, "graceMarks": 0}, "COMPARTMENT", []string{"Art", "Mathematics"}},
		{map[string]any{"graceMarks": 1}, "PASSED_WITH_GRACE", nil},
		{map[string]any{"passRule": "TOTAL", "passPercent": 40}, "PASSED", nil},
		{map[string]any{"passPercent": 41}, "PASSED_WITH_GRACE", nil},
		{map[string]any{"passPercent": 42}, "FAILED", nil},
		{map[string]any{"passPercent": 0}, "PASSED", nil}, // the papers ask for 40
	} {
		h.set(t, c.settings)
		o := h.card(t, asha).Overall
		if o.Outcome != c.outcome || !slices.Equal(o.FailedSubjects, append([]string{}, c.subjects...)) {
			t.Errorf("after %v: %s %q, want %s %q", c.settings, o.Outcome, o.FailedSubjects, c.outcome, c.subjects)
		}
		if o.IsPass != strings.HasPrefix(c.outcome, "PASSED") {
			t.Errorf("after %v: isPass %v of %s", c.settings, o.IsPass, o.Outcome)
		}
	}
}

func TestRank_LeaversDoNotStandInIt(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, bina, chand := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.a), h.admit(t, "Chand", h.b)
	e, maths, art := h.scheduled(t, "Half-yearly")
	h.upload(t, e, got(maths, asha, 90), got(art, asha, 90), got(maths, bina, 80), got(art, bina, 80), got(maths, chand, 70),
		got(art, chand, 70))
	h.publish(t, e)
	testkit.Post[struct{}](t, h.admin, "/school-admin/student/"+asha.ID.String()+"/transfer",
		map[string]any{"status": "TRANSFERRED", "leavingDate": "2026-11-01", "reason": "Moved"})
	if o := h.card(t, bina).Overall; o.Rank != 1 || o.OutOf != 2 || o.DivisionRank != 1 || o.DivisionOutOf != 1 {
		t.Errorf("next to the leaver %+v", o)
	}
	if o := h.card(t, asha).Overall; o.Rank != 0 || *o.Percent != 90 {
		t.Errorf("the leaver %+v", o)
	}
	if s := h.card(t, chand).Exams[0]; s.Rank != 2 || s.OutOf != 2 || s.DivisionRank != 1 {
		t.Errorf("of the exam %+v", s.Places)
	}
}

func TestRank_OfEquals_IsAsTheSchoolChose(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	e, maths, art := h.scheduled(t, "Half-yearly")
	for name, marks := range map[string]int{"Asha": 90, "Bina": 80, "Chand": 80, "Dev": 70} {
		p := h.admit(t, name, h.a)
		h.upload(t, e, got(maths, p, marks), got(art, p, marks))
	}
	for ties, want := range map[string]int{"SKIP": 4, "DENSE": 3} {
		h.set(t, map[string]any{"rankTies": ties})
		for _, s := range testkit.Get[exam.ExamResults](t, h.admin, examPath(e, "/results")).Students {
			if s.FirstName == "Dev" && s.Rank != want {
				t.Errorf("by %s the last has rank %d, want %d", ties, s.Rank, want)
			}
		}
	}
}
