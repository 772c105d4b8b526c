package exam_test

import (
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/testkit"
)

// scripts are names in the scripts of four languages.
var scripts = map[string]string{"Hindi": "श्रीकृष्ण", "Tamil": "ஸ்ரீநிவாசன்", "Arabic": "محمد عبد الله",
	"Vietnamese": "Nguyễn Thị Ánh"}

func TestHallTickets_OfADivision_HavePapersWithDayTimeAndRoom(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	for _, name := range scripts {
		h.admit(t, name, h.a)
	}
	h.admit(t, "Elsewhere", h.b)
	e := h.exam(t, "Half-yearly")
	h.schedule(t, e, paper(h.five, h.maths, 1, map[string]any{"room": "Hall 2"}), paper(h.five, h.art, 2))
	on := h.printed(t, examPath(e, "/hall-tickets?divisionId="+h.a.ID.String()))
	if len(on.Pages) != 4 || len(on.Missing) > 0 {
		t.Fatalf("%d pages, no glyphs for %q", len(on.Pages), on.Missing)
	}
	for _, name := range scripts {
		if !on.Says(name) {
			t.Errorf("nobody is called %s", name)
		}
	}
	if on.Says("Elsewhere") {
		t.Error("there is a ticket of another division")
	}
	for i, page := range on.Pages {
		all := strings.Join(page, "\n")
		for _, want := range []string{"Hall ticket", "Half-yearly", "Class 5 A", "Mathematics", "1 Sep 2026", "09:00–11:00",
			"Hall 2", "Art", "2 Sep 2026"} {
			if !strings.Contains(all, want) {
				t.Errorf("page %d does not say %q: %q", i+1, want, page)
			}
		}
	}
}

func TestHallTickets_WithDues_AreHeldBackIfAskedFor(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, bina := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.a)
	testkit.Post[any](t, h.admin, "/school-admin/fee/fine", map[string]any{"studentId": bina.ID, "amount": 1_000, "reason": "Window"})
	e, _, _ := h.scheduled(t, "Half-yearly")
	of := examPath(e, "/hall-tickets?divisionId="+h.a.ID.String())
	if on := h.printed(t, of); len(on.Pages) != 2 || on.Says("Held back") {
		t.Errorf("not asked for: %q", on.Pages)
	}
	on := h.printed(t, of+"&holdBackDues=true")
	if len(on.Pages) != 2 {
		t.Fatalf("%d pages", len(on.Pages))
	}
	ticket, list := strings.Join(on.Pages[0], "\n"), strings.Join(on.Pages[1], "\n")
	if !strings.Contains(ticket, "Asha") || strings.Contains(ticket, "Bina") {
		t.Errorf("the ticket is %q", ticket)
	}
	if !strings.Contains(list, "held back") || !strings.Contains(list, "Bina") || strings.Contains(list, "Asha") {
		t.Errorf("the list of those held back is %q", list)
	}
	testkit.Post[any](t, h.admin, "/school-admin/fee/collection/record",
		map[string]any{"studentId": bina.ID, "amount": 1_000, "paymentMode": "CASH"})
	if on := h.printed(t, of+"&holdBackDues=true"); len(on.Pages) != 2 || on.Says("held back") {
		t.Errorf("after the payment: %q", on.Pages)
	}
	if on := h.printed(t, examPath(e, "/hall-tickets?studentId="+asha.ID.String())); len(on.Pages) != 1 || !on.Says("Asha") {
		t.Errorf("one ticket: %q", on.Pages)
	}
}

func TestHallTickets_AreRefused(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.admit(t, "Asha", h.a)
	h.admit(t, "Chand", h.other)
	e, _, _ := h.scheduled(t, "Half-yearly")
	h.admin.Refuses(t, "GET", examPath(e, "/hall-tickets"), nil, 422, "")
	h.admin.Refuses(t, "GET", examPath(e, "/hall-tickets?divisionId="+h.other.ID.String()), nil, 409, "") // class 6 has no paper
	h.admin.Refuses(t, "GET", examPath(e, "/hall-tickets?divisionId="+h.b.ID.String()), nil, 404, "")     // nobody sits there
	h.admin.Refuses(t, "GET", "/school-admin/exam/"+api.NewID().String()+"/hall-tickets?divisionId="+h.a.ID.String(), nil, 404, "")
	h.As(t, api.Teacher).Refuses(t, "GET", examPath(e, "/hall-tickets?divisionId="+h.a.ID.String()), nil, 403, "")
}
