package api_test

import (
	"testing"

	"homeroom/api"
	"homeroom/tenancy"
	"homeroom/testkit"
)

// laterClass is a class that is written with the COMMIT.
type laterClass struct {
	Name string `json:"name" validate:"required"`
}

func addsLater(c api.Ctx, r laterClass) (api.Nothing, error) {
	c.Finally(tenancy.Query{SQL: `insert into class (id, name) values ($1, $2)`, Args: []any{api.NewID(), r.Name}})
	return api.Nothing{}, nil
}

func TestWhatIsWrittenFinallyIsWrittenWithTheCommitOrRefusedAsAnythingElse(t *testing.T) {
	t.Parallel()
	app, wire := testkit.StartWatched(t, labRows)
	s := app.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	const path = "/school-admin/event/later"
	add := func() { testkit.Post[api.Nothing](t, admin, path, map[string]any{"name": api.NewID().String()}) }
	if trips := wire.Postgres.Fewest(1, add); trips != 1 {
		t.Errorf("it took %d round trips", trips)
	}
	before := s.Count(t, "class", "true")
	testkit.Post[api.Nothing](t, admin, path, map[string]any{"name": "Five"})
	admin.Refuses(t, "POST", path, map[string]any{"name": "five"}, 409, "DUPLICATE_ENTRY")
	if n := s.Count(t, "class", "true") - before; n != 1 {
		t.Errorf("%d classes", n)
	}
	if n := s.Count(t, "audit_event", "true"); n != before+1 {
		t.Errorf("%d audit rows of %d changes", n, before+1)
	}
}
