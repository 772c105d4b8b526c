package service_test

import (
	"testing"

	"homeroom/api"
	"homeroom/modules/integration"
	"homeroom/testkit"
)

// TestKey_EveryRow_TakesItOrRefusesIt calls every row with an API key that has all rights. Rows of
// the office take it by their permission alone; those of a person, a fresh proof or another client
// refuse it. A row that needs more of its caller than a school and a permission fails here.
func TestKey_EveryRow_TakesItOrRefusesIt(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	if took, refused := checkKeys(t, app.NewSchool(t), app.Service.Kernel.Rows); took < 200 || refused < 100 {
		t.Errorf("%d rows take keys and %d refuse them", took, refused)
	}
}

// checkKeys calls rows with a key. It returns how many took and how many refused it.
func checkKeys(t *testing.T, s *testkit.School, rows []api.Row) (took, refused int) {
	t.Helper()
	app := s.App
	var all []any
	for _, p := range app.Service.Kernel.Catalogue {
		all = append(all, map[string]any{"module": p.Key, "canRead": true, "canWrite": true, "canDelete": true})
	}
	key := app.Nobody()
	key.Token = testkit.Post[integration.NewKey](t, s.As(t, api.SchoolAdmin), "/school-admin/integration/key/create",
		map[string]any{"name": "All", "permissions": all, "perMinute": 600}).Key
	for _, r := range rows {
		if !r.Bearer {
			continue
		}
		a := call(t, key, r)
		switch {
		case a.Status == 429:
			t.Fatalf("%s: %s", r.Name(), a.Body)
		case r.TakesKeys():
			took++
			if a.Status == 401 || a.Status >= 500 || (a.Status == 403 && r.SometimesFresh == "") {
				t.Errorf("%s with a key: %d %s", r.Name(), a.Status, a.Body)
			}
		default:
			refused++
			if f := a.Failure(t); a.Status != 403 || f.Error != "PERMISSION_DENIED" {
				t.Errorf("%s with a key: %d %s", r.Name(), a.Status, a.Body)
			}
		}
	}
	return took, refused
}
