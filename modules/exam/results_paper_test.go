package exam_test

import (
	"slices"
	"strings"
	"testing"

	"homeroom/api"
)

func TestResults_OnPaper_HaveMarksRanksAndOutcome(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	e, maths, art := h.scheduled(t, "Half-yearly")
	marks := 90
	for _, name := range scripts {
		p := h.admit(t, name, h.a)
		h.upload(t, e, got(maths, p, marks), got(art, p, 50))
		marks -= 10
	}
	absent := h.admit(t, "Zeta", h.b)
	h.upload(t, e, map[string]any{"paperId": maths.ID, "studentId": absent.ID, "isAbsent": true})
	on := h.printed(t, examPath(e, "/results.pdf"))
	if len(on.Missing) > 0 {
		t.Errorf("no glyphs for %q", on.Missing)
	}
	want := []string{"Results of Half-yearly, Class 5", "Mathematics", "of 100", "90 A", "140 / 200", "70 %", "passed", "AB", "incomplete", "Zeta Rao"}
	for _, name := range scripts {
		want = append(want, name)
	}
	for _, text := range want {
		if !on.Says(text) {
			t.Errorf("the sheet does not say %q: %q", text, on.Pages)
		}
	}
	if wide := on.Sizes[0]; wide[0] <= wide[1] {
		t.Errorf("the page is %v, want it on its long side", wide)
	}
	file := string(h.admin.Call(t, "GET", examPath(e, "/results.csv?byRank=true&classId="+maths.ClassID.String()), nil).Body)
	for _, text := range []string{"Rank,Roll no.,Admission no.,Student,Class,Division,Mathematics,", "\n1,", ",90,50,140,200,70,", ",AB,,", ",incomplete"} {
		if !strings.Contains(file, text) {
			t.Errorf("the file does not say %q: %s", text, file)
		}
	}
	if on := h.printed(t, examPath(e, "/results.pdf?divisionId="+h.b.ID.String())); on.Says("90 A") || !on.Says("Zeta") {
		t.Errorf("of one division: %q", on.Pages)
	}
}

func TestResults_OnPaperByRank_NameTheBestFirst(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	e, maths, art := h.scheduled(t, "Half-yearly")
	low, high := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.a)
	h.upload(t, e, got(maths, low, 50), got(art, low, 50), got(maths, high, 90), got(art, high, 90))
	order := func(query string) bool {
		page := h.printed(t, examPath(e, "/results.pdf"+query)).Pages[0]
		at := func(name string) int {
			return slices.IndexFunc(page, func(line string) bool { return strings.Contains(line, name) })
		}
		return at("Bina") < at("Asha")
	}
	if order("") {
		t.Error("by roll number, Bina stands before Asha")
	}
	if !order("?byRank=true") {
		t.Error("by rank, Asha stands before Bina")
	}
}

func TestResults_OnPaper_OfNothing_AreRefused(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	e := h.exam(t, "Half-yearly")
	h.admin.Refuses(t, "GET", examPath(e, "/results.pdf"), nil, 409, "")
	h.admin.Refuses(t, "GET", "/school-admin/exam/"+api.NewID().String()+"/results.pdf", nil, 404, "")
}
