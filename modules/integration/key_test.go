package integration_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/modules/audit"
	"homeroom/modules/integration"
	"homeroom/modules/roster"
	"homeroom/rbac"
	"homeroom/testkit"
)

// may is what a key is given: "class:rw" is read and write on classes.
func may(rights ...string) []any {
	var out []any
	for _, r := range rights {
		module, letters, _ := strings.Cut(r, ":")
		out = append(out, map[string]any{"module": module, "canRead": strings.Contains(letters, "r"),
			"canWrite": strings.Contains(letters, "w"), "canDelete": strings.Contains(letters, "d")})
	}
	return out
}

// makeKey makes a key and returns a client that calls with it.
func makeKey(t *testing.T, maker *testkit.Client, app *testkit.App, data map[string]any) (integration.NewKey, *testkit.Client) {
	t.Helper()
	if data["name"] == nil {
		data["name"] = "Website"
	}
	made := testkit.Post[integration.NewKey](t, maker, "/school-admin/integration/key/create", data)
	c := app.Nobody()
	c.Token = made.Key
	return made, c
}

func revoke(t *testing.T, c *testkit.Client, id uuid.UUID) {
	t.Helper()
	testkit.Post[integration.KeyDetail](t, c, "/school-admin/integration/key/"+id.String()+"/revoke", nil)
}

func status(t *testing.T, c *testkit.Client, method, path string, data any) int {
	t.Helper()
	return c.Call(t, method, path, data).Status
}

func TestKey_WithSomeRights_DoesThatAndNoMore(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	made, key := makeKey(t, admin, s.App, map[string]any{"permissions": may("class:rw", "subject:r")})
	if !strings.HasPrefix(made.Key, "hrk_") || len(made.Key) != 100 {
		t.Errorf("the key is %d characters, %.8s…", len(made.Key), made.Key)
	}
	class := testkit.Post[roster.Class](t, key, "/school-admin/class/create", map[string]any{"name": "Class 5"})
	if class.CreatedBy == nil || *class.CreatedBy != made.ID {
		t.Errorf("the class is made by %v, want the key", class.CreatedBy)
	}
	for _, refused := range [][2]string{
		{"DELETE", "/school-admin/class/" + class.ID.String()}, {"POST", "/school-admin/subject/create"}, {"GET", "/school-admin/student/list"},
	} {
		key.Refuses(t, refused[0], refused[1], map[string]any{}, 403, "PERMISSION_DENIED")
	}
	if got := status(t, key, "GET", "/school-admin/subject/list", nil); got != 200 {
		t.Errorf("reading subjects: %d", got)
	}
	for _, other := range []string{"/auth/me", "/auth/sessions", "/school-admin/integration/key/list", "/teacher/class/list",
		"/super-admin/school/list", "/school-admin/notification/unread-count"} {
		key.Refuses(t, "GET", other, nil, 403, "PERMISSION_DENIED")
	}
	log := testkit.Get[api.Page[audit.AuditEvent]](t, admin, "/school-admin/audit/list?filters[actorRole]=KEY")
	if log.Total != 1 || log.Items[0].ActorName != "Website" || log.Items[0].Entity != "class" || *log.Items[0].ActorID != made.ID {
		t.Errorf("the audit log has %+v", log.Items)
	}
	list := testkit.Get[api.Page[integration.APIKey]](t, admin, "/school-admin/integration/key/list")
	if list.Total != 1 || list.Items[0].LastUsedAt == nil || list.Items[0].Status != "ACTIVE" || list.Items[0].PerMinute != 60 {
		t.Errorf("the list has %+v", list.Items)
	}
	if raw, _ := json.Marshal(list); strings.Contains(string(raw), made.Key[90:]) {
		t.Error("the list shows the key")
	}
	if n := s.Count(t, "api_key", "secret_hash = sha256(convert_to(?::text, 'UTF8'))", made.Key); n != 1 {
		t.Errorf("%d records have the key's hash", n)
	}
	roles := testkit.Get[api.Page[rbac.Role]](t, admin, "/school-admin/permission/role/list")
	for _, r := range roles.Items {
		if r.ID == made.ID {
			t.Error("the key's own role is among the roles of people")
		}
	}
	admin.Refuses(t, "PUT", "/school-admin/permission/update", map[string]any{"roleId": made.ID,
		"permissions": []any{map[string]any{"moduleId": api.NewID(), "canRead": true}}}, 404, "")
}

func TestKey_Revoked_IsRefusedOnEveryInstance(t *testing.T) {
	t.Parallel()
	// The other instance's clock stands: what it remembers does not grow old by itself.
	now := time.Now()
	app, elsewhere := testkit.Shared(t), testkit.Start(t, func(_ *config.Config, o *service.Options) {
		o.Clock = func() time.Time { return now }
	})
	s := app.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	made, key := makeKey(t, admin, app, map[string]any{"permissions": may("class:r")})
	for _, at := range []*testkit.App{app, elsewhere} {
		if got := status(t, key.On(at), "GET", "/school-admin/class/list", nil); got != 200 {
			t.Fatalf("before: %d", got)
		}
	}
	revoke(t, admin, made.ID)
	if got := status(t, key, "GET", "/school-admin/class/list", nil); got != 401 {
		t.Errorf("where it was revoked it is answered %d", got)
	}
	testkit.Eventually(t, "the other instance refuses it", func() bool {
		return status(t, key.On(elsewhere), "GET", "/school-admin/class/list", nil) == 401
	})
	again, _ := makeKey(t, admin, app, map[string]any{"permissions": may("class:r")}) // the name is free
	admin.Refuses(t, "POST", "/school-admin/integration/key/create",
		map[string]any{"name": again.Name, "permissions": may("class:r")}, 409, "DUPLICATE_ENTRY")
}

func TestKey_OfOneSchool_OpensNoOther(t *testing.T) {
	t.Parallel()
	s, other := testkit.NewSchool(t), testkit.NewSchool(t)
	admin, stranger := s.As(t, api.SchoolAdmin), other.As(t, api.SchoolAdmin)
	theirs := testkit.Post[roster.Class](t, stranger, "/school-admin/class/create", map[string]any{"name": "Theirs"})
	made, key := makeKey(t, admin, s.App, map[string]any{"permissions": may("class:rwd")})
	list := testkit.Get[api.Page[roster.Class]](t, key, "/school-admin/class/list")
	if list.Total != 0 {
		t.Errorf("it lists %d classes of another school", list.Total)
	}
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		key.Refuses(t, method, "/school-admin/class/"+theirs.ID.String(), map[string]any{"name": "Mine"}, 404, "")
	}
	// The record of the key in the other school's tables opens nothing there: the hash is of the school too.
	for _, sql := range []string{`insert into role (id, name, type) values (@id, 'key', 'KEY')`,
		`insert into app_user (id, role_id) values (@id, @id)`,
		`insert into permission (id, role_id, module_id, can_read) select gen_random_uuid(), @id, id, true from module`,
		`insert into api_key (id, name, secret_hash, per_minute, created_by, created_at) values (@id, 'Copy', sha256(convert_to(@key, 'UTF8')), 60, @by, now())`} {
		if err := other.DB(t).Exec(sql, map[string]any{"id": made.ID, "key": made.Key, "by": stranger.UserID}).Error; err != nil {
			t.Fatal(err)
		}
	}
	if list := testkit.Get[api.Page[roster.Class]](t, key, "/school-admin/class/list"); list.Total != 0 {
		t.Errorf("a copy of the key opens the other school: %+v", list.Items)
	}
	stranger.Refuses(t, "GET", "/school-admin/integration/key/"+api.NewID().String(), nil, 404, "")
}

func TestKey_ThatIsNone_Is401(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	made, key := makeKey(t, s.As(t, api.SchoolAdmin), s.App, map[string]any{"permissions": may("class:r")})
	if got := status(t, key, "GET", "/school-admin/class/list", nil); got != 200 {
		t.Fatalf("the key itself: %d", got)
	}
	end := byte('a')
	if made.Key[99] == 'a' {
		end = 'b'
	}
	for what, text := range map[string]string{
		"cut short": made.Key[:90], "another end": made.Key[:99] + string(end), "in capitals": "hrk_" + strings.ToUpper(made.Key[4:]),
		"nothing but the beginning": "hrk_", "no base32": "hrk_" + strings.Repeat("1", 96),
	} {
		c := s.App.Nobody()
		c.Token = text
		if got := status(t, c, "GET", "/school-admin/class/list", nil); got != 401 {
			t.Errorf("a key %s: %d", what, got)
		}
	}
}

func TestKey_BeyondItsLimit_Is429(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	const most = 3
	_, key := makeKey(t, admin, s.App, map[string]any{"permissions": may("class:rw"), "perMinute": most})
	_, beside := makeKey(t, admin, s.App, map[string]any{"name": "Other", "permissions": may("class:r"), "perMinute": most})
	limited := 0
	for range 2*most + 1 { // a minute may end in between
		a := key.Call(t, "GET", "/school-admin/class/list", nil)
		if a.Header.Get("X-RateLimit-Limit") != strconv.Itoa(most) {
			t.Fatalf("its limit is said to be %s", a.Header.Get("X-RateLimit-Limit"))
		}
		if a.Status == http.StatusTooManyRequests {
			limited++
		}
	}
	if limited == 0 {
		t.Errorf("%d calls were taken of a key with %d a minute", 2*most+1, most)
	}
	if got := status(t, beside, "GET", "/school-admin/class/list", nil); got != 200 {
		t.Errorf("another key of the school: %d", got)
	}
	if got := status(t, admin, "GET", "/school-admin/class/list", nil); got != 200 {
		t.Errorf("who made it: %d", got)
	}
}

// narrow is an administrator whose role may do these things alone.
func narrow(t *testing.T, s *testkit.School, admin *testkit.Client, rights ...string) (clerk *testkit.Client, role uuid.UUID) {
	t.Helper()
	role = testkit.Post[rbac.Role](t, admin, "/school-admin/permission/role/create", map[string]any{"name": "Clerk", "type": "SCHOOL_ADMIN"}).ID
	grant(t, s, admin, role, rights...)
	clerk = s.As(t, api.SchoolAdmin)
	if err := s.DB(t).Exec(`update app_user set role_id = ? where id = ?`, role, clerk.UserID).Error; err != nil {
		t.Fatal(err)
	}
	return clerk, role
}

func grant(t *testing.T, s *testkit.School, admin *testkit.Client, role uuid.UUID, rights ...string) {
	t.Helper()
	var given []any
	for _, r := range may(rights...) {
		p := r.(map[string]any)
		var id uuid.UUID
		if err := s.DB(t).Raw(`select id from module where name = ?`, p["module"]).Row().Scan(&id); err != nil {
			t.Fatal(err)
		}
		p["moduleId"] = id
		given = append(given, p)
	}
	testkit.Put[any](t, admin, "/school-admin/permission/update", map[string]any{"roleId": role, "permissions": given})
}

func TestKey_NeverMayDoMoreThanItsMaker(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	clerk, role := narrow(t, s, admin, "integration:rw", "class:rw")
	clerk.Refuses(t, "POST", "/school-admin/integration/key/create", map[string]any{"name": "Website", "permissions": may("class:rwd")}, 403, "")
	clerk.Refuses(t, "POST", "/school-admin/integration/key/create", map[string]any{"name": "Website", "permissions": may("fee:r")}, 403, "")
	_, key := makeKey(t, clerk, s.App, map[string]any{"permissions": may("class:rw")})
	if got := status(t, key, "POST", "/school-admin/class/create", map[string]any{"name": "Class 1"}); got != 201 {
		t.Fatalf("with its maker's right: %d", got)
	}
	grant(t, s, admin, role, "class:r")
	testkit.Eventually(t, "the key has lost what its maker lost", func() bool {
		return status(t, key, "POST", "/school-admin/class/create", map[string]any{"name": "Class 2"}) == 403
	})
	if got := status(t, key, "GET", "/school-admin/class/list", nil); got != 200 {
		t.Errorf("with the right that is left: %d", got)
	}
	if err := s.DB(t).Exec(`update app_user set status = 'DISABLED' where id = ?`, clerk.UserID).Error; err != nil {
		t.Fatal(err)
	}
	if err := s.App.Service.Auth.FollowUser(t.Context(), s.ID, clerk.UserID); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "a key whose maker is gone is refused", func() bool {
		return status(t, key, "GET", "/school-admin/class/list", nil) == 401
	})
	if list := testkit.Get[api.Page[integration.APIKey]](t, admin, "/school-admin/integration/key/list"); list.Items[0].Status != "SUSPENDED" {
		t.Errorf("it is listed as %s", list.Items[0].Status)
	}
}

func TestKey_Administrators_AreOutOfItsReach(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	_, key := makeKey(t, s.As(t, api.SchoolAdmin), s.App, map[string]any{"permissions": may("employee:rwd", "permission:rwd")})
	fields := func(kind string) map[string]any {
		return map[string]any{"firstName": "Ravi", "phone": testkit.NewPhone(), "employeeType": kind, "employeeCode": kind,
			"email": uuid.NewString() + "@school.test"}
	}
	key.Refuses(t, "POST", "/school-admin/employee/create", fields("ADMIN"), 403, "PERMISSION_DENIED")
	if a := key.Call(t, "POST", "/school-admin/employee/create", fields("TEACHER")); a.Status != 201 {
		t.Errorf("adding a teacher: %d %s", a.Status, a.Body)
	}
	key.Refuses(t, "POST", "/school-admin/permission/role/create", map[string]any{"name": "Mine", "type": "SCHOOL_ADMIN"}, 403, "PERMISSION_DENIED")
	key.Refuses(t, "GET", "/school-admin/employee/list?format=csv", nil, 403, "PERMISSION_DENIED")
}

func TestKey_AfterItsLastDay_IsRefused(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	today := api.DateOf(s.App.Service.Kernel.Clock().In(s.Location()))
	admin.Refuses(t, "POST", "/school-admin/integration/key/create",
		map[string]any{"name": "Over", "permissions": may("class:r"), "endsOn": today.AddDays(-1)}, 422, "")
	made, key := makeKey(t, admin, s.App, map[string]any{"permissions": may("class:r"), "endsOn": today})
	if got := status(t, key, "GET", "/school-admin/class/list", nil); got != 200 {
		t.Errorf("on its last day: %d", got)
	}
	if err := s.DB(t).Exec(`update api_key set ends_on = ? where id = ?`, today.AddDays(-1), made.ID).Error; err != nil {
		t.Fatal(err)
	}
	s.App.Service.Auth.ForgetAll()
	if got := status(t, key, "GET", "/school-admin/class/list", nil); got != 401 {
		t.Errorf("the day after: %d", got)
	}
	list := testkit.Get[api.Page[integration.APIKey]](t, admin, "/school-admin/integration/key/list?filters[inUse]=false")
	if list.Total != 1 || list.Items[0].Status != "ENDED" {
		t.Errorf("%+v", list.Items)
	}
}

func TestKey_BadPermissions_AreNamed(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	a := admin.Call(t, "POST", "/school-admin/integration/key/create", map[string]any{"name": "Website",
		"permissions": may("class:r", "class:w", "magic:r", "fee:")})
	var fields []string
	for _, d := range a.Failure(t).Details {
		fields = append(fields, d.Field)
	}
	if got := strings.Join(fields, " "); a.Status != 422 || got != "permissions[1].module permissions[2].module permissions[3].canRead" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}
