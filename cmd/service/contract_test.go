package service_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/api/openapi"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
)

// These tests walk every row there is. A new row is under them without a line here:
// its module's examples (modules/<name>/example.go) say how its records are made. Each is a check of some rows, so that
// a module that the product does not have goes through it too: see TestNewModule_KeepsTheContract.

var everyRole = []api.RoleType{api.SchoolAdmin, api.Teacher, api.Parent, api.Driver, api.SuperAdmin}

// rowsOf are the rows a school's or the platform's users call.
func rowsOf(app *testkit.App) []api.Row {
	return slices.DeleteFunc(slices.Clone(app.Service.Kernel.Rows), func(r api.Row) bool { return len(r.Roles) == 0 || r.Form != nil })
}

// hasSecretAddress tells the one open row that is no sign-in: its path is the secret.
func hasSecretAddress(r api.Row) bool { return r.Path == "/calendar/:token" }

// everyone signs a user of each role in.
func everyone(t *testing.T, s *testkit.School) map[api.RoleType]*testkit.Client {
	t.Helper()
	clients := map[api.RoleType]*testkit.Client{api.SuperAdmin: s.App.SuperAdmin(t)}
	for _, role := range everyRole[:4] {
		clients[role] = s.As(t, role)
	}
	return clients
}

// withID is a row's path with an id where it wants one.
func withID(path string, id uuid.UUID) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if strings.HasPrefix(p, ":") {
			parts[i] = id.String()
		}
	}
	return strings.Join(parts, "/")
}

// call calls a row with an id that is nobody's and, where a body is wanted, an empty one.
func call(t *testing.T, c *testkit.Client, r api.Row) testkit.Answer {
	t.Helper()
	var data any
	if r.Method == http.MethodPost || r.Method == http.MethodPut {
		data = map[string]any{}
	}
	return c.Call(t, r.Method, withID(r.Path, api.NewID()), data)
}

func TestWithoutATokenEveryRowThatWantsOneIs401(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	checkUnauthorized(t, app, app.Service.Kernel.Rows)
}

// checkUnauthorized calls rows without a token that counts.
func checkUnauthorized(t *testing.T, app *testkit.App, rows []api.Row) {
	t.Helper()
	for _, r := range rows {
		if !r.Bearer {
			if !strings.HasPrefix(r.Path, "/auth/") && !strings.Contains(r.Path, "/user-auth/") && !r.Unlisted && !hasSecretAddress(r) &&
				r.Path != "/ims/oneroster/token" {
				t.Errorf("%s is open to everybody", r.Name())
			}
			continue
		}
		for what, c := range map[string]*testkit.Client{
			"no token": app.Nobody(), "a token of nobody": {Token: "abc"}, "another scheme": app.Nobody().With("Authorization", "Basic YTpi"),
			"an empty one": app.Nobody().With("Authorization", "Bearer "),
		} {
			a := call(t, c.On(app), r)
			if a.Status != 401 || r.Form == nil && a.Failure(t).Error != "Unauthorized" {
				t.Errorf("%s with %s: %d %s", r.Name(), what, a.Status, a.Body)
			}
		}
	}
}

func TestEveryOtherRoleIsDenied(t *testing.T) {
	t.Parallel()
	s := testkit.Shared(t).NewSchool(t)
	checkOtherRoles(t, s, rowsOf(s.App))
}

// checkOtherRoles calls rows as users of every role that they are not for.
func checkOtherRoles(t *testing.T, s *testkit.School, rows []api.Row) {
	t.Helper()
	clients := everyone(t, s)
	for _, r := range rows {
		for _, role := range everyRole {
			if slices.Contains(r.Roles, role) {
				continue
			}
			a := call(t, clients[role], r)
			if f := a.Failure(t); a.Status != 403 || f.Error != "PERMISSION_DENIED" {
				t.Errorf("%s as %s: %d %s", r.Name(), role, a.Status, a.Body)
			}
		}
	}
}

// setRights gives every role of the school all rights or none, and says so.
func setRights(t *testing.T, s *testkit.School, granted bool) {
	t.Helper()
	err := s.DB(t).Exec(`with p as (update permission set can_read = ?, can_write = ?, can_delete = ?)
		update school_setting set policy_version = policy_version + 1`, granted, granted, granted).Error
	if err != nil {
		t.Fatal(err)
	}
	s.App.Service.RBAC.Changed(s.ID)
}

// clocksStandStill keeps what is remembered for a while from growing old during a walk
// over every row, however slow the machine.
func clocksStandStill(_ *config.Config, o *service.Options) {
	now := time.Now()
	o.Clock = func() time.Time { return now }
}

func TestWithoutThePermissionEveryRowIsDeniedBeforeAnyQuery(t *testing.T) {
	t.Parallel()
	app, wire := testkit.StartWatched(t, contractRows, clocksStandStill)
	s := app.NewSchool(t)
	clients := everyone(t, s)
	setRights(t, s, false)
	platform := s.App.Service.Cluster.PlatformPool()
	// The instance's own work uses the platform's database too, now and then: a row that
	// needs it does so every time.
	asks := func(r api.Row, role api.RoleType) bool {
		for range 20 {
			before := platform.Stat().AcquireCount()
			a := call(t, clients[role], r)
			if f := a.Failure(t); a.Status != 403 || f.Error != "PERMISSION_DENIED" {
				t.Errorf("%s as %s: %d %s", r.Name(), role, a.Status, a.Body)
			}
			if platform.Stat().AcquireCount() == before {
				return false
			}
		}
		return true
	}
	known := false
	walk := func() {
		for _, r := range rowsOf(s.App) {
			if r.Module == "" {
				continue
			}
			for _, role := range r.Roles {
				if asks(r, role) && known {
					t.Errorf("refusing %s as %s takes the platform's database", r.Name(), role)
				}
			}
		}
	}
	walk() // sessions, school and policy are known from here on
	known = true
	if trips := wire.Postgres.Fewest(0, walk); trips != 0 {
		t.Errorf("refusing took %d round trips to the school's database", trips)
	}
}

func TestEveryRowCountsAgainstItsClass(t *testing.T) {
	t.Parallel()
	app := testkit.Start(t, contractRows, withClassLimits)
	checkClasses(t, app.NewSchool(t), app.Service.Kernel.Rows)
}

// classLimits are limits that nobody reaches, each another number.
var classLimits = map[api.LimitClass]string{api.LimitAuth: "100001", api.LimitRead: "100002", api.LimitWrite: "100003",
	api.LimitRide: "100004"}

func withClassLimits(c *config.Config, _ *service.Options) {
	c.LimitAuth, c.LimitRead = classLimits[api.LimitAuth]+"-M", classLimits[api.LimitRead]+"-M"
	c.LimitWrite, c.LimitRide = classLimits[api.LimitWrite]+"-M", classLimits[api.LimitRide]+"-M"
}

// checkClasses looks which limit rows count against, at an instance with classLimits. It takes all rights from the school.
func checkClasses(t *testing.T, s *testkit.School, rows []api.Row) {
	t.Helper()
	app, limits := s.App, classLimits
	clients := everyone(t, s)
	setRights(t, s, false)
	for _, r := range rows {
		want, c := api.LimitWrite, app.Nobody()
		switch {
		case hasSecretAddress(r), r.Console && r.Class == api.LimitRead:
			want = api.LimitRead
		case len(r.Roles) == 0 && r.Bearer && !r.Counted:
			// Somebody who is signed in counts for themselves.
			if c = s.As(t, api.SchoolAdmin); r.Action == api.Read {
				want = api.LimitRead
			}
		case len(r.Roles) == 0:
			if want = api.LimitAuth; r.Bearer {
				c = s.As(t, api.SchoolAdmin)
			}
		case r.Class == api.LimitRide && strings.HasPrefix(r.Path, "/driver/"):
			want = api.LimitRide
		case r.Action == api.Read:
			want = api.LimitRead
		}
		if len(r.Roles) > 0 {
			c = clients[r.Roles[0]]
		}
		if r.Unlisted {
			continue
		}
		if a := call(t, c, r); a.Header.Get("X-RateLimit-Limit") != limits[want] {
			t.Errorf("%s: limit %s, want the %s limit %s (%d %s)", r.Name(), a.Header.Get("X-RateLimit-Limit"), want, limits[want], a.Status,
				a.Body)
		}
		if r.Twin && r.Action != api.Read {
			t.Errorf("%s: the POST form of a list is no read", r.Name())
		}
	}
}

func TestEveryRowIsDocumentedWithItsSummary(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	checkDocumented(t, app, app.Service.Kernel.Rows)
}

// checkDocumented looks for rows in the document.
func checkDocumented(t *testing.T, app *testkit.App, rows []api.Row) {
	t.Helper()
	raw, err := openapi.Document(app.Service.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Summary == "" {
			t.Errorf("%s has no summary", r.Name())
		}
		if r.Unlisted {
			continue
		}
		parts := strings.Split(r.Path, "/")
		for i, p := range parts {
			if name, ok := strings.CutPrefix(p, ":"); ok {
				parts[i] = "{" + name + "}"
			}
		}
		var operation struct{ Summary string }
		_ = json.Unmarshal(doc.Paths[strings.Join(parts, "/")][strings.ToLower(r.Method)], &operation)
		if operation.Summary != r.Summary {
			t.Errorf("%s: the document says %q, the row %q", r.Name(), operation.Summary, r.Summary)
		}
	}
}

func TestInEvaluationModeTeachersOnlyReadExceptExamsAndResults(t *testing.T) {
	t.Parallel()
	s := testkit.Shared(t).NewSchool(t)
	before := s.Count(t, "class", "true")
	if refused := checkEvaluationMode(t, s, rowsOf(s.App)); refused < 3 {
		t.Errorf("only %d rows were refused", refused)
	}
	if n := s.Count(t, "class", "true"); n != before {
		t.Errorf("%d classes were written", n-before)
	}
	clients := everyone(t, s)
	for role, path := range map[api.RoleType]string{api.Parent: "/parent/leave/contract", api.Driver: "/driver/transport/contract",
		api.SchoolAdmin: "/school-admin/class/create"} {
		if a := clients[role].Call(t, "POST", path, map[string]any{"name": "Class 5"}); a.Status >= 300 {
			t.Errorf("%s is no teacher: %d %s", role, a.Status, a.Body)
		}
	}
}

// checkEvaluationMode switches it on and calls the rows of teachers. It returns how many were refused.
func checkEvaluationMode(t *testing.T, s *testkit.School, rows []api.Row) (refused int) {
	t.Helper()
	teacher := s.As(t, api.Teacher)
	setRights(t, s, true)
	if err := s.DB(t).Exec(`update school_setting set evaluation_mode = true, policy_version = policy_version + 1`).Error; err != nil {
		t.Fatal(err)
	}
	s.App.Service.RBAC.Changed(s.ID)
	for _, r := range rows {
		if !slices.Contains(r.Roles, api.Teacher) {
			continue
		}
		a := call(t, teacher, r)
		readOnly := strings.Contains(string(a.Body), "EVALUATION_MODE_READONLY")
		want := r.Action != api.Read && !r.OpenInEvaluationMode && r.Module != "exam" && r.Module != "result"
		if want {
			refused++
		}
		if readOnly != want || (want && a.Status != 403) || a.Status >= 500 {
			t.Errorf("%s: %d %s", r.Name(), a.Status, a.Body)
		}
	}
	return refused
}

func TestAnotherSchoolsIDIsLikeAnIDThatIsNobodys(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	checkForeignIDs(t, app, rowsOf(app))
}

// checkForeignIDs calls the rows that name a record with the id of one at another school.
func checkForeignIDs(t *testing.T, app *testkit.App, rows []api.Row) {
	t.Helper()
	mine := app.NewSchool(t)
	setRights(t, mine, true)
	clients := everyone(t, mine)
	type foreignRecord struct {
		school *testkit.School
		id     uuid.UUID
	}
	records := map[string]foreignRecord{}
	for _, r := range rows {
		if r.Module == "" || !strings.Contains(r.Path, ":") {
			continue
		}
		prefix := r.Path[:strings.Index(r.Path, ":")] + ":id"
		example, ok := exampleOf(app, prefix)
		if !ok {
			t.Errorf("%s: no module has an example of %s", r.Name(), prefix)
			continue
		}
		if _, ok := records[prefix]; !ok {
			school := app.NewSchool(t)
			records[prefix] = foreignRecord{school, example.Make(newMaker(t, school))}
		}
		theirs, id := records[prefix].school, records[prefix].id
		var data any
		if r.Method == http.MethodPut || r.Method == http.MethodPost {
			data = example.Change
		}
		before := record(t, theirs, example.Table, id)
		for _, role := range r.Roles {
			nobodys := clients[role].Call(t, r.Method, withID(r.Path, api.NewID()), data)
			foreign := clients[role].Call(t, r.Method, withID(r.Path, id), data)
			if foreign.Status != 404 || nobodys.Status != 404 || !bytes.Equal(foreign.Body, nobodys.Body) {
				t.Errorf("%s as %s: another school's id %d %s, nobody's %d %s", r.Name(), role, foreign.Status, foreign.Body, nobodys.Status,
					nobodys.Body)
			}
		}
		if after := record(t, theirs, example.Table, id); after != before || after == "" {
			t.Errorf("%s changed the other school's record\nfrom %s\nto   %s", r.Name(), before, after)
		}
	}
}

// record is a row as it stands.
func record(t *testing.T, s *testkit.School, table string, id uuid.UUID) string {
	t.Helper()
	var text string
	if err := s.DB(t).Raw(fmt.Sprintf(`select to_jsonb(x)::text from %s x where id = ?`, table), id).Scan(&text).Error; err != nil {
		t.Fatal(err)
	}
	return text
}
