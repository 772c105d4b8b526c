package roster_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/migrations"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

func TestStudentList_GuardianName_FindsTheChildren(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	phone := testkit.NewPhone()
	lakshmi := map[string]any{"firstName": "Lakshmí", "lastName": "Iyer", "phone": phone, "relation": "MOTHER"}
	asha := f.admit(t, "Asha", "Rao", map[string]any{"guardians": []any{lakshmi}})
	find := func(words string) []string { return f.find(t, "filters[search]="+url.QueryEscape(words)) }
	if got := find("lakshmi iyer"); !slices.Equal(got, []string{"Asha"}) {
		t.Errorf("by the mother's name: %v", got)
	}
	f.admit(t, "Ravi", "Rao", map[string]any{"guardians": []any{guardian("Lux", phone, "MOTHER")}})
	if got := find("lakshmi"); !slices.Equal(got, []string{"Asha", "Ravi"}) {
		t.Errorf("a sibling entered with another name for her: %v", got)
	}
	testkit.Put[roster.Guardianship](t, f.admin, path(asha)+"/guardians/"+asha.Guardians[0].GuardianID.String(),
		map[string]any{"firstName": "Radha"})
	if got := find("radha"); !slices.Equal(got, []string{"Asha", "Ravi"}) {
		t.Errorf("by her new name: %v", got)
	}
	if got := find("lakshmi"); got != nil {
		t.Errorf("by her name of before: %v", got)
	}
}

func TestStudentList_NamesThePrimaryGuardian(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	f.admit(t, "Asha", "Rao", map[string]any{"guardians": []any{guardian("Meera", testkit.NewPhone(), "MOTHER"),
		guardian("Arun", testkit.NewPhone(), "FATHER")}})
	page := testkit.Get[api.Page[roster.ListedStudent]](t, f.admin, "/school-admin/student/list")
	if got := page.Items[0].GuardianName; !strings.HasPrefix(got, "Meera") {
		t.Errorf("guardian %q, want Meera", got)
	}
}

func TestMigration_GuardianNames_AreAddedToTheSearch(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	f.admit(t, "Asha", "Rao", map[string]any{"guardians": []any{
		map[string]any{"firstName": "Zoë", "lastName": "सुनीता", "phone": testkit.NewPhone(), "relation": "MOTHER"}}})
	db := f.DB(t)
	if err := db.Exec(`update student set search_text = 'asha rao'`).Error; err != nil {
		t.Fatal(err)
	}
	for _, m := range migrations.School() {
		if strings.HasSuffix(m.Name, "_found_by_guardian") {
			if err := db.Exec(m.SQL).Error; err != nil {
				t.Fatal(err)
			}
		}
	}
	var text string
	if err := db.Raw(`select search_text from student`).Scan(&text).Error; err != nil {
		t.Fatal(err)
	}
	if want := "asha rao " + api.Fold("Zoë सुनीता"); text != want {
		t.Errorf("found by %q, want %q", text, want)
	}
}
