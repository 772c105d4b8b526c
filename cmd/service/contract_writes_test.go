package service_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/testkit"
)

// withoutKey are the POSTs that write and take no Idempotency-Key, with the reason.
func withoutKey(r api.Row) bool {
	switch {
	case r.Kind() == api.KindOpen, r.Action == api.Read:
		return true // signing in, and reads
	case r.Upload, r.TakesCSV():
		return true // a file: an import is known by its id, its rows by their own keys
	case r.OwnTx:
		return true // an operator's work in several transactions: the record's own name or state refuses it twice
	case r.SecretAnswer:
		return true // the secret must not be kept
	}
	return false
}

func TestContract_PostsThatWrite_TakeAnIdempotencyKey(t *testing.T) {
	t.Parallel()
	checkIdempotencyKeys(t, rowsOf(testkit.Shared(t)))
}

// checkIdempotencyKeys looks which rows take them.
func checkIdempotencyKeys(t *testing.T, rows []api.Row) {
	t.Helper()
	for _, r := range rows {
		if r.Method == http.MethodPost && !withoutKey(r) && !r.Idempotent {
			t.Errorf("%s takes no Idempotency-Key", r.Name())
		}
	}
}

func TestContract_CreatedTwiceUnderOneKey_IsOneRecord(t *testing.T) {
	t.Parallel()
	s := testkit.Shared(t).NewSchool(t)
	admin := s.As(t, api.SchoolAdmin).With("Idempotency-Key", "once")
	body := map[string]any{"firstName": "Asha"}
	first := testkit.Post[struct{ ID uuid.UUID }](t, admin, "/school-admin/student/create", body)
	again := testkit.Post[struct{ ID uuid.UUID }](t, admin, "/school-admin/student/create", body)
	if first.ID != again.ID {
		t.Errorf("answered %s, then %s", first.ID, again.ID)
	}
	if n := s.Count(t, "student", "true"); n != 1 {
		t.Errorf("%d students", n)
	}
}

func TestContract_PutOfPartsInOtherTables_IsANewVersion(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	other := func(path string) func(*exampleMaker) any {
		return func(m *exampleMaker) any { return []any{create(m.t, m.admin, path, map[string]any{"name": "Class 9"})} }
	}
	for path, parts := range map[string]struct {
		field string
		value func(*exampleMaker) any
	}{
		"/school-admin/event/:id":        {"classIds", other("/school-admin/class/create")},
		"/school-admin/exam/:id":         {"classIds", other("/school-admin/class/create")},
		"/school-admin/announcement/:id": {"classIds", other("/school-admin/class/create")},
		"/school-admin/student/:id": {"divisionId", func(m *exampleMaker) any {
			m.Call("POST", "/school-admin/academic-year/"+m.Example("/school-admin/academic-year/:id").String()+"/activate", nil, &struct{}{})
			return m.Example("/school-admin/division/:id")
		}},
		"/school-admin/fee/structure/:id": {"heads", func(m *exampleMaker) any {
			head := create(m.t, m.admin, "/school-admin/fee/head/create", map[string]any{"name": "Bus", "code": "BUS", "type": "TRANSPORT"})
			return []any{map[string]any{"feeHeadId": head, "amount": 777}}
		}},
		"/school-admin/transport/route/:id": {"stops", func(*exampleMaker) any {
			return []any{map[string]any{"name": "Gate", "lat": 12.9, "lng": 77.5}}
		}},
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			s := app.NewSchool(t)
			m := newMaker(t, s)
			e, ok := exampleOf(app, path)
			if !ok {
				t.Fatal("no module has an example")
			}
			id := e.Make(m)
			version := func() (v int) {
				if err := s.DB(t).Raw(`select version from `+e.Table+` where id = ?`, id).Scan(&v).Error; err != nil {
					t.Fatal(err)
				}
				return v
			}
			body := map[string]any{parts.field: parts.value(m)}
			before := version()
			testkit.Put[map[string]any](t, m.admin, withID(path, id), body)
			if v := version(); v != before+1 {
				t.Errorf("version %d, then %d", before, v)
			}
		})
	}
}
