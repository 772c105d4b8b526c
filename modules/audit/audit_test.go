package audit_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
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
	if one := list(t, admin, "id", e.ID.String()); one.Total != 1 || one.Items[0].ID != e.ID {
		t.Errorf("by its id %+v", one)
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

// TestAudit_Choosers_NameEverybodyAndEveryKind: a filter has all there is to choose from, however many entries there are.
func TestAudit_Choosers_NameEverybodyAndEveryKind(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin, quiet := s.As(t, api.SchoolAdmin), s.As(t, api.SchoolAdmin)
	old := s.As(t, api.SchoolAdmin)
	if err := s.DB(t).Exec(`update app_user set first_name = 'Quentin' where id in ?`, []any{old.UserID, quiet.UserID}).Error; err != nil {
		t.Fatal(err)
	}
	testkit.Post[roster.Subject](t, old, "/school-admin/subject/create", map[string]any{"name": "Art", "code": "ART"})
	for i := range 110 { // more than a page has
		err := s.DB(t).Exec(`insert into audit_event (id, actor_id, actor_role, action, entity, entity_id, occurred_at)
			values (?, ?, 'SCHOOL_ADMIN', 'create', 'class', ?, now())`, api.NewID(), admin.UserID, fmt.Sprint(i)).Error
		if err != nil {
			t.Fatal(err)
		}
	}
	found := testkit.Get[api.Page[audit.Actor]](t, admin, "/school-admin/audit/actor/list?filters[search]=quent")
	if found.Total != 1 || found.Items[0].ID != old.UserID {
		t.Errorf("found %+v, want %s, who made a subject, alone", found.Items, old.UserID)
	}
	kinds := testkit.Get[api.Page[audit.Kind]](t, admin, "/school-admin/audit/kind/list")
	if kinds.Total != 2 || kinds.Items[0].Entity != "class" || kinds.Items[1].Entity != "subject" {
		t.Errorf("kinds %+v, want class and subject", kinds.Items)
	}
	if file := admin.Call(t, "GET", "/school-admin/audit/kind/list?format=csv", nil); file.Status != 200 ||
		strings.Count(string(file.Body), "\n") != 3 {
		t.Errorf("as a file: %d %s, want a head and two kinds", file.Status, file.Body)
	}
	s.As(t, api.Teacher).Refuses(t, "GET", "/school-admin/audit/actor/list", nil, 403, "")
}

func unmarshal(first []byte, into any, second []byte, also any) error {
	if err := json.Unmarshal(first, into); err != nil {
		return err
	}
	return json.Unmarshal(second, also)
}
