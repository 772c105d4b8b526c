package service_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/api/openapi"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/modules/privacy"
	"homeroom/rbac"
	"homeroom/testkit"
	"homeroom/testkit/nurse"
)

const visitPath = "/school-admin/nurse/visit/"

// withNurse adds a module that the product does not have.
func withNurse(_ *config.Config, o *service.Options) {
	o.Modules, o.Migrations = append(o.Modules, nurse.Describe()), nurse.Migrations()
}

// startWithNurse runs a service with the module in a database of its own.
func startWithNurse(t *testing.T, database string) *testkit.App {
	t.Helper()
	return testkit.StartOn(t, testkit.Stack(t), database, withNurse)
}

func newDatabase(purpose string) string {
	return fmt.Sprintf("%s_%s%d", testkit.DatabaseName(), purpose, testkit.Unique())
}

func TestNewModule_IsServedPermittedAndDocumented(t *testing.T) {
	t.Parallel()
	app := startWithNurse(t, newDatabase("nurse"))
	s := app.NewSchool(t)
	office := newMaker(t, s)
	visit := visitPath + office.Example(visitPath+":id").String()

	if v := testkit.Get[nurse.Visit](t, office.admin, visit); v.Complaint != "Headache" {
		t.Errorf("the visit's complaint is %q, want Headache", v.Complaint)
	}
	s.As(t, api.Parent).Refuses(t, "GET", visit, nil, 403, "PERMISSION_DENIED")
	if modules := modulesOf(t, office.admin); !slices.Contains(modules, "nurse") {
		t.Errorf("permissions are given for %v, without nurse", modules)
	}
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
	if n := len(doc.Paths[visitPath+"{id}"]); n != 3 {
		t.Errorf("the document has %d operations on a visit, want 3", n)
	}
}

func TestNewModule_KeepsTheContract(t *testing.T) {
	t.Parallel()
	app := testkit.StartOn(t, testkit.Stack(t), newDatabase("nurse"), withNurse, withClassLimits)
	rows := slices.DeleteFunc(rowsOf(app), func(r api.Row) bool { return r.Module != "nurse" })
	if len(rows) != 6 { // with the list by POST
		t.Fatalf("the module has %d rows", len(rows))
	}
	checkUnauthorized(t, app, rows)
	checkDocumented(t, app, rows)
	checkIdempotencyKeys(t, rows)
	checkBounds(t, app, "/school-admin/nurse/")
	checkForeignIDs(t, app, rows)
	checkPuts(t, app, rows)

	s := app.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	newMaker(t, s).Example(visitPath + ":id")
	checkOtherRoles(t, s, rows)
	checkHead(t, s, rows)
	checkCSV(t, rows, map[api.RoleType]*testkit.Client{api.SchoolAdmin: admin})
	if said := checkLabels(t, s, rows); said == 0 {
		t.Error("no field was refused")
	}
	if took, refused := checkKeys(t, s, rows); took != len(rows) {
		t.Errorf("%d rows take keys and %d refuse them", took, refused)
	}
	checkEvaluationMode(t, s, rows)
	checkClasses(t, s, rows)
	for _, r := range rows {
		if a := call(t, admin, r); a.Status != 403 || a.Failure(t).Error != "PERMISSION_DENIED" {
			t.Errorf("%s without the right: %d %s", r.Name(), a.Status, a.Body)
		}
	}
}

func TestNewModule_PersonalData_IsExportedAndErased(t *testing.T) {
	t.Parallel()
	s := startWithNurse(t, newDatabase("nurse")).NewSchool(t)
	office := newMaker(t, s)
	visit := testkit.Get[nurse.Visit](t, office.admin, visitPath+office.Example(visitPath+":id").String())
	student := "/school-admin/student/" + visit.StudentID.String()

	var export struct {
		Data struct {
			NurseVisits []struct{ Complaint string } `json:"nurseVisits"`
		} `json:"data"`
	}
	a := office.admin.Call(t, "GET", student+"/personal-data", nil)
	if err := json.Unmarshal(a.Body, &export); err != nil || len(export.Data.NurseVisits) != 1 ||
		export.Data.NurseVisits[0].Complaint != "Headache" {
		t.Errorf("the export has the visits %+v (%d, %v), want one with the complaint", export.Data.NurseVisits, a.Status, err)
	}

	number := testkit.Get[struct{ AdmissionNumber string }](t, office.admin, student).AdmissionNumber
	testkit.Post[any](t, office.admin, student+"/transfer", map[string]any{"reason": "Moved"})
	testkit.Post[privacy.Erased](t, office.admin, student+"/erase", map[string]any{"admissionNumber": number, "reason": "Asked in writing"})
	if n := s.Count(t, "nurse_visit", "complaint = 'Erased'"); n != 1 {
		t.Errorf("%d visits have an erased complaint, want 1", n)
	}
	if n := s.Count(t, "audit_event", "after::text like '%Headache%'"); n != 0 {
		t.Errorf("%d lines of the audit log have the complaint after the erasure", n)
	}
}

func TestNewModule_ReachesSchoolsThatExist(t *testing.T) {
	t.Parallel()
	database := newDatabase("grown")
	older := testkit.StartOn(t, testkit.Stack(t), database)
	s := older.NewSchool(t)
	admin, teacher := s.As(t, api.SchoolAdmin), s.As(t, api.Teacher)
	// What an administrator took away stays away.
	err := s.DB(t).Exec(`update permission set can_read = false where role_id = ? and module_id = (select id from module
		where name = 'class')`, rbac.RoleID(s.ID, api.Teacher)).Error
	if err != nil {
		t.Fatal(err)
	}
	if modules := modulesOf(t, admin); slices.Contains(modules, "nurse") {
		t.Fatalf("the older service knows %v", modules)
	}
	newer, another := startWithNurse(t, database), startWithNurse(t, database)

	answers := make(chan testkit.Answer, 2)
	for _, app := range []*testkit.App{newer, another} {
		go func() {
			a, err := admin.On(app).TryCall("GET", visitPath+"list", nil)
			if err != nil {
				t.Error(err)
			}
			answers <- a
		}()
	}
	for range 2 {
		if a := <-answers; a.Status != 200 {
			t.Errorf("the administrator reads visits: %d %s", a.Status, a.Body)
		}
	}
	// The older service runs beside the newer ones for a while.
	for _, app := range []*testkit.App{older, newer} {
		if modules := modulesOf(t, admin.On(app)); !slices.Contains(modules, "nurse") {
			t.Errorf("permissions are given for %v, without nurse", modules)
		}
	}
	teacher.On(newer).Refuses(t, "GET", "/teacher/class/list", nil, 403, "PERMISSION_DENIED")
	if n := s.Count(t, "permission", "module_id = (select id from module where name = 'nurse') and can_read"); n != 2 {
		t.Errorf("%d roles may read visits, want 2: the administrator and the teacher", n)
	}
}

// modulesOf are the names of what permissions are given for.
func modulesOf(t *testing.T, admin *testkit.Client) (names []string) {
	t.Helper()
	for _, m := range testkit.Get[struct{ Modules []rbac.Module }](t, admin, "/school-admin/permission/modules").Modules {
		names = append(names, m.Name)
	}
	return names
}

func TestNewModule_LeavingSomethingOut_IsRefusedAtStart(t *testing.T) {
	t.Parallel()
	c, err := config.Load(config.Local, map[string]string{"DATABASE_URL": "postgres://localhost:1/none",
		"HOMEROOM_NODE_URL": "postgres://localhost:1/none", "REDIS_URL": "redis://localhost:1"})
	if err != nil {
		t.Fatal(err)
	}
	for what, test := range map[string]struct {
		spoil func(*api.Module)
		want  []string
	}{
		"no Personal": {func(m *api.Module) { m.Personal = nil }, []string{"module nurse", "Personal", "modules/nurse/routes.go"}},
		"no example": {func(m *api.Module) { m.Examples = nil },
			[]string{"GET " + visitPath + ":id", "no module has an example", "modules/nurse/example.go"}},
		"a permission twice": {func(m *api.Module) { m.Permissions[0].Key = "library" },
			[]string{"library and nurse", `permission "library"`, "modules/nurse/routes.go"}},
		"a rule that cannot be documented": {func(m *api.Module) {
			m.Rows = append(m.Rows, api.Create("/school-admin/nurse/card/create", "nurse", "Add a card", addCard))
		}, []string{"POST /school-admin/nurse/card/create", "field number", "luhn_checksum"}},
	} {
		m := nurse.Describe()
		test.spoil(&m)
		_, err := service.New(t.Context(), c, service.Options{Modules: []api.Module{m}})
		if err == nil {
			t.Errorf("%s: the service starts", what)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not say %q", what, err, want)
			}
		}
	}
}

// addCard takes a request with a rule that JSON Schema has no word for.
func addCard(api.Ctx, struct {
	Number string `json:"number" validate:"luhn_checksum"`
}) (api.Nothing, error) {
	return api.Nothing{}, nil
}
