package audit_test

import (
	"encoding/json"
	"net/url"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/modules/audit"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

func list(t *testing.T, c *testkit.Client, filters ...string) api.Page[audit.AuditEvent] {
	t.Helper()
	q := url.Values{}
	for i := 0; i < len(filters); i += 2 {
		q.Set("filters["+filters[i]+"]", filters[i+1])
	}
	return testkit.Get[api.Page[audit.AuditEvent]](t, c, "/school-admin/audit/list?"+q.Encode())
}

func TestTheAuditSaysWhoChangedWhatWithBeforeAndAfterNewestFirst(t *testing.T) {
	t.Parallel()
	s, other := testkit.NewSchool(t), testkit.NewSchool(t)
	admin, colleague := s.As(t, api.SchoolAdmin), s.As(t, api.SchoolAdmin)
	began := s.App.Service.Kernel.Clock()
	class := testkit.Post[roster.Class](t, admin, "/school-admin/class/create", map[string]any{"name": "Class 5"})
	testkit.Put[roster.Class](t, colleague, "/school-admin/class/"+class.ID.String(), map[string]any{"name": "Class Five"})
	testkit.Post[roster.Class](t, other.As(t, api.SchoolAdmin), "/school-admin/class/create", map[string]any{"name": "Theirs"})

	page := list(t, admin, "entity", "class", "entityId", class.ID.String())
	if page.Total != 2 || page.Items[0].Action != "update" || page.Items[1].Action != "create" {
		t.Fatalf("%+v", page)
	}
	e := page.Items[0]
	if *e.ActorID != colleague.UserID || e.ActorRole != "SCHOOL_ADMIN" || e.RequestID == "" || e.OccurredAt.Before(began) {
		t.Errorf("%+v", e)
	}
	var before, after roster.Class
	if err := unmarshal(e.Before, &before, e.After, &after); err != nil || before.Name != "Class 5" || after.Name != "Class Five" {
		t.Errorf("%v, from %s to %s", err, e.Before, e.After)
	}
	if string(page.Items[1].Before) != "null" {
		t.Errorf("what is new was %s", page.Items[1].Before)
	}
	if n := list(t, admin, "actorId", colleague.UserID.String()).Total; n != 1 {
		t.Errorf("%d by the colleague", n)
	}
	if n := list(t, admin, "entity", "class").Total; n != 2 {
		t.Errorf("%d of classes, other schools' among them", n)
	}
	moment := e.OccurredAt.Format(time.RFC3339Nano)
	if n := list(t, admin, "entity", "class", "from", moment).Total; n != 1 {
		t.Errorf("%d since the change", n)
	}
	if n := list(t, admin, "entity", "class", "to", moment).Total; n != 1 {
		t.Errorf("%d before the change", n)
	}
	twin := testkit.Post[api.Page[audit.AuditEvent]](t, admin, "/school-admin/audit/list",
		map[string]any{"filters": map[string]any{"entity": "class"}, "limit": 1})
	if twin.Total != 2 || len(twin.Items) != 1 {
		t.Errorf("by POST %+v", twin)
	}
	admin.Refuses(t, "GET", "/school-admin/audit/list?filters%5Bfrom%5D=yesterday&filters%5BactorId%5D=me", nil, 422, "")
	s.As(t, api.Teacher).Refuses(t, "GET", "/school-admin/audit/list", nil, 403, "")
}

func TestAudit_ByRole_FindsOlderEntriesOfTheServiceItself(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	err := s.DB(t).Exec(`insert into audit_event (id, actor_role, action, entity, entity_id, occurred_at)
		values (?, '', 'turn', 'academic year', ?, now())`, api.NewID(), api.NewID().String()).Error
	if err != nil {
		t.Fatal(err)
	}
	page := list(t, s.As(t, api.SchoolAdmin), "actorRole", "SYSTEM", "action", "turn")
	if page.Total != 1 {
		t.Fatalf("%d entries, want 1", page.Total)
	}
	if got := page.Items[0].ActorRole; got != "SYSTEM" {
		t.Errorf("role %q, want SYSTEM", got)
	}
}

func unmarshal(first []byte, into any, second []byte, also any) error {
	if err := json.Unmarshal(first, into); err != nil {
		return err
	}
	return json.Unmarshal(second, also)
}
