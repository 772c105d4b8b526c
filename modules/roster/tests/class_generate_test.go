package roster_test

import (
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

const generatePath = "/school-admin/class/generate"

func TestGenerate_OneToTen_MakesClassesThatFollowEachOther(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	office := s.As(t, api.SchoolAdmin)
	ask := map[string]any{"classes": "Nursery, LKG, 1 to 10", "divisions": "A to C", "dryRun": true}
	dry := testkit.Post[roster.Generated](t, office, generatePath, ask)
	if dry.NewClasses != 12 || dry.NewDivisions != 36 || s.Count(t, "class", "true") != 0 {
		t.Fatalf("dry run %+v", dry)
	}
	delete(ask, "dryRun")
	testkit.Post[roster.Generated](t, office, generatePath, ask)
	if n, d := s.Count(t, "class", "true"), s.Count(t, "division", "true"); n != 12 || d != 36 {
		t.Errorf("%d classes and %d divisions, want 12 and 36", n, d)
	}
	if n := s.Count(t, "class k", "exists (select from class n where n.id = k.next_class_id and n.level = k.level + 1)"); n != 11 {
		t.Errorf("%d classes have the one after them as their next, want 11", n)
	}
	// What is there stays, what is missing is added.
	again := testkit.Post[roster.Generated](t, office, generatePath, map[string]any{"classes": "10 to 12", "divisions": "A-D"})
	if again.NewClasses != 2 || again.NewDivisions != 9 || again.Classes[0].New {
		t.Errorf("again %+v", again)
	}
	if n := s.Count(t, "class k", "name = 'Class 10' and exists (select from class n where n.id = k.next_class_id and n.name = 'Class 11')"); n != 1 {
		t.Error("Class 11 does not follow Class 10")
	}
}

func TestGenerate_NumberAboveEveryLevel_IsAName(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	made := testkit.Post[roster.Generated](t, s.As(t, api.SchoolAdmin), generatePath, map[string]any{"classes": "100, 919800000000"})
	if made.NewClasses != 2 || s.Count(t, "class", "level = 100") != 2 {
		t.Errorf("made %+v", made)
	}
}

func TestGenerate_BadList_AddsNothing(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	office := s.As(t, api.SchoolAdmin)
	for _, ask := range []map[string]any{
		{"classes": "10 to 1"}, {"classes": "1 to 100"}, {"classes": "1, 1"}, {"classes": ","}, {"classes": "1 to 3", "divisions": "A to C, B"},
		{"classes": strings.Repeat("x", 61)}, {"classes": "1", "divisions": strings.Repeat("x", 31)},
	} {
		office.Refuses(t, "POST", generatePath, ask, 422, "")
	}
	if n := s.Count(t, "class", "true"); n != 0 {
		t.Errorf("%d classes were added", n)
	}
}
