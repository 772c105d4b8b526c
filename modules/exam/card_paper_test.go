package exam_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/modules/exam"
	"homeroom/testkit"
)

// printed reads a paper of the office's.
func (h *hall) printed(t *testing.T, path string) testkit.Printed {
	t.Helper()
	a := h.admin.Call(t, "GET", path, nil)
	if a.Status != 200 {
		t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
	return testkit.ReadPaper(t, a.Body)
}

func TestReportCard_HasAGridOfSubjectsByExam(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha := h.admit(t, strings.Join(slices.Sorted(maps.Values(scripts)), " "), h.a)
	e, maths, art := h.scheduled(t, "Half-yearly")
	h.upload(t, e, got(maths, asha, 81.5), map[string]any{"paperId": art.ID, "studentId": asha.ID, "isAbsent": true})
	h.publish(t, e)
	path := "/school-admin/exam/report-card/" + asha.ID.String()
	card := testkit.Get[exam.ReportCard](t, h.admin, path)
	if len(card.Subjects) != 2 || card.Subjects[0].Exams[0].State != "MARKED" || *card.Subjects[0].Percent != 81.5 {
		t.Errorf("subjects %+v", card.Subjects)
	}
	for _, template := range []string{"SIMPLE", "CBSE", "BRITISH"} {
		testkit.Put[struct{}](t, h.admin, "/school-admin/setting", map[string]any{"reportCardTemplate": template})
		on := h.printed(t, path+"?format=pdf")
		if len(on.Missing) > 0 {
			t.Errorf("%s: no glyphs for %q", template, on.Missing)
		}
		if len(on.Pages) != 1 {
			t.Errorf("%s: %d pages", template, len(on.Pages))
		}
		if marks := on.Says("81.5 / 100"); marks != (template != "BRITISH") {
			t.Errorf("%s says the marks: %t", template, marks)
		}
		for script, name := range scripts {
			if !on.Says(name) {
				t.Errorf("%s does not say the name in %s: %q", template, script, on.Pages)
			}
		}
	}
	h.admin.Refuses(t, "PUT", "/school-admin/setting", map[string]any{"reportCardTemplate": "MINE"}, 422, "")
}

func TestReportCard_MissingResult_IsADash(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha := h.admit(t, "Asha", h.a)
	e, maths, _ := h.scheduled(t, "Half-yearly")
	h.upload(t, e, got(maths, asha, 40))
	card := testkit.Get[exam.ReportCard](t, h.admin, "/school-admin/exam/report-card/"+asha.ID.String()+"?includeUnpublished=true")
	states := map[string]string{}
	for _, s := range card.Subjects {
		states[s.Name] = s.Exams[0].State
		if s.Exams[0].State == "MISSING" && s.Percent != nil {
			t.Errorf("%s is missing and has %v", s.Name, *s.Percent)
		}
	}
	if len(states) != 2 || states[h.art.Name] != "MISSING" {
		t.Errorf("states %v", states)
	}
}

func TestReportCards_OfADivision_AreOneFile(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, bina := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.a)
	h.admit(t, "Chand", h.other)
	e, maths, _ := h.scheduled(t, "Half-yearly")
	h.upload(t, e, got(maths, asha, 81), got(maths, bina, 62))
	on := h.printed(t, "/school-admin/exam/report-cards?divisionId="+h.a.ID.String()+"&includeUnpublished=true")
	if len(on.Pages) != 2 || !on.Says("Asha") || !on.Says("Bina") || on.Says("Chand") {
		t.Errorf("%q", on.Pages)
	}
	h.admin.Refuses(t, "GET", "/school-admin/exam/report-cards", nil, 422, "")
	h.admin.Refuses(t, "GET", "/school-admin/exam/report-cards?divisionId="+api.NewID().String(), nil, 404, "")
	h.As(t, api.Teacher).Refuses(t, "GET", "/school-admin/exam/report-cards?divisionId="+h.a.ID.String(), nil, 403, "")
}

func TestReportCardSample_ShowsATemplate(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	for _, template := range []string{"SIMPLE", "CBSE", "BRITISH"} {
		t.Run(template, func(t *testing.T) {
			t.Parallel()
			on := h.printed(t, "/school-admin/exam/report-card-sample?template="+template)
			if len(on.Pages) != 1 || !on.Says("This is an invented student.") || on.Says("Co-scholastic areas") != (template == "CBSE") {
				t.Errorf("%q", on.Pages)
			}
		})
	}
	h.admin.Refuses(t, "GET", "/school-admin/exam/report-card-sample?template=MINE", nil, 422, "")
}

func TestReportCards_OfADivision_TakeAFewRoundTrips(t *testing.T) {
	t.Parallel()
	app, wire := testkit.StartWatched(t)
	h := furnish(t, app.NewSchool(t))
	e, maths, art := h.scheduled(t, "Half-yearly")
	var results []map[string]any
	for n := range 20 {
		s := h.admit(t, "Child "+string(rune('A'+n)), h.a)
		results = append(results, got(maths, s, 50+n), got(art, s, 90-n))
	}
	h.upload(t, e, results...)
	print := func() {
		if on := h.printed(t, "/school-admin/exam/report-cards?divisionId="+h.a.ID.String()+"&includeUnpublished=true"); len(on.Pages) != 20 {
			t.Errorf("%d pages", len(on.Pages))
		}
	}
	// One by one they took 264, twelve for each student.
	if trips := wire.Postgres.Fewest(60, print); trips > 60 {
		t.Errorf("20 cards took %d round trips", trips)
	}
}

func TestReportCards_OfADivision_AreThoseOfTheStudents(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, bina, chand := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.a), h.admit(t, "Chand", h.b)
	e, maths, art := h.scheduled(t, "Half-yearly")
	h.upload(t, e, got(maths, asha, 81), got(art, asha, 70), got(maths, bina, 62), got(maths, chand, 90), got(art, chand, 95))
	six := h.exam(t, "Test of class 6", map[string]any{"classIds": []any{h.six.ID}})
	other := h.schedule(t, six, paper(h.six, h.maths, 3)).Papers[0]
	// Bina sat in class 6 first: its exam is on her card alone.
	if err := h.DB(t).Exec(`insert into exam_result (id, paper_id, student_id, marks_obtained) values (gen_random_uuid(), ?, ?, 33)`,
		other.ID, bina.ID).Error; err != nil {
		t.Fatal(err)
	}
	testkit.Put[any](t, h.admin, "/school-admin/exam/report-card/"+asha.ID.String()+"/remark", map[string]any{"remark": "Works well"})
	all := h.printed(t, "/school-admin/exam/report-cards?divisionId="+h.a.ID.String()+"&includeUnpublished=true")
	if len(all.Pages) != 2 {
		t.Fatalf("%d pages", len(all.Pages))
	}
	for i, s := range []pupil{asha, bina} {
		one := h.printed(t, "/school-admin/exam/report-card/"+s.ID.String()+"?format=pdf&includeUnpublished=true")
		if !slices.Equal(one.Pages[0], all.Pages[i]) {
			t.Errorf("the card of the file\n%q\nis not the student's own\n%q", all.Pages[i], one.Pages[0])
		}
	}
}
