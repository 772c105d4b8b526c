package rbac_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/rbac"
	"homeroom/testkit"
)

// grants is a school whose people try to give each other rights.
type grants struct {
	*testkit.School
	admin             *testkit.Client
	office            rbac.Role // SCHOOL_ADMIN, with one module's rights
	clerk             *testkit.Client
	self              uuid.UUID // the clerk as an employee
	principal, absent uuid.UUID // administrators; the second is deactivated
	teacher           uuid.UUID
	head              uuid.UUID // a teacher who may write fees
	headRole          rbac.Role
	reached           map[string]bool // rows that were tried
}

func newGrants(t *testing.T, modules ...string) *grants {
	t.Helper()
	s := testkit.NewSchool(t)
	g := &grants{School: s, admin: s.As(t, api.SchoolAdmin), reached: map[string]bool{}}
	g.office = testkit.Post[rbac.Role](t, g.admin, "/school-admin/permission/role/create",
		map[string]any{"name": "Office", "type": "SCHOOL_ADMIN"})
	g.headRole = testkit.Post[rbac.Role](t, g.admin, "/school-admin/permission/role/create",
		map[string]any{"name": "Head", "type": "TEACHER"})
	change(t, g.admin, g.headRole.ID, "fee", true, true, false)
	for _, m := range modules {
		change(t, g.admin, g.office.ID, m, true, true, true)
	}
	employ := func(name, kind string, more map[string]any) uuid.UUID {
		t.Helper()
		data := map[string]any{"firstName": name, "phone": testkit.NewPhone(), "employeeType": kind, "employeeCode": name}
		for k, v := range more {
			data[k] = v
		}
		if kind == "ADMIN" {
			data["email"] = uuid.NewString() + "@school.test"
		}
		return testkit.Post[roster.EmployeeDetail](t, g.admin, "/school-admin/employee/create", data).ID
	}
	g.principal, g.absent = employ("Principal", "ADMIN", nil), employ("Absent", "ADMIN", nil)
	if a := g.admin.Call(t, "DELETE", "/school-admin/employee/"+g.absent.String(), nil); a.Status != 204 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	g.teacher, g.head = employ("Teacher", "TEACHER", nil), employ("Head", "TEACHER", map[string]any{"roleId": g.headRole.ID})
	g.self = employ("Clerk", "ADMIN", map[string]any{"roleId": g.office.ID})
	g.clerk = s.As(t, api.SchoolAdmin)
	for _, sql := range []string{`update app_user set role_id = @role where id = @user`,
		`update employee set user_id = @user where id = @self`} {
		if err := s.DB(t).Exec(sql, map[string]any{"role": g.office.ID, "user": g.clerk.UserID, "self": g.self}).Error; err != nil {
			t.Fatal(err)
		}
	}
	testkit.Eventually(t, "the clerk has the office's rights", func() bool {
		return g.clerk.Call(t, "GET", "/school-admin/"+modules[0]+"/list", nil).Status == 200 &&
			g.clerk.Call(t, "GET", "/school-admin/class/list", nil).Status == 403
	})
	return g
}

// state is who holds which role, signs in with what, and may do what.
func (g *grants) state(t *testing.T) string {
	t.Helper()
	var sum string
	err := g.DB(t).Raw(`select md5(
		(select string_agg(concat_ws('|', id, role_id, phone, email, status), ',' order by id) from app_user) ||
		(select string_agg(concat_ws('|', id, name, type), ',' order by id) from role) ||
		(select string_agg(concat_ws('|', role_id, module_id, can_read, can_write, can_delete), ',' order by role_id, module_id)
		from permission) ||
		(select string_agg(concat_ws('|', id, user_id, employee_type, phone, email, status, first_name), ',' order by id)
		from employee))`).Scan(&sum).Error
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// refuses has the clerk try it: 403, and nothing has changed.
func (g *grants) refuses(t *testing.T, what, method, row, path string, data any) {
	t.Helper()
	g.reached[method+" "+row] = true
	before := g.state(t)
	a := g.clerk.Call(t, method, path, data)
	if a.Status != 403 || a.Failure(t).Error != "PERMISSION_DENIED" {
		t.Errorf("%s: %d %s, want 403", what, a.Status, a.Body)
	}
	if g.state(t) != before {
		t.Errorf("%s: something changed", what)
	}
}

func (g *grants) tryEmployees(t *testing.T) {
	t.Helper()
	const create, one = "/school-admin/employee/create", "/school-admin/employee/:id"
	person := func(kind string, more ...any) map[string]any {
		data := map[string]any{"firstName": "New", "phone": testkit.NewPhone(), "employeeType": kind, "email": uuid.NewString() + "@school.test"}
		for i := 0; i < len(more); i += 2 {
			data[more[i].(string)] = more[i+1]
		}
		return data
	}
	school := rbac.RoleID(g.ID, api.SchoolAdmin)
	g.refuses(t, "an administrator is added", "POST", create, create, person("ADMIN"))
	g.refuses(t, "an administrator is added, deactivated", "POST", create, create, person("ADMIN", "status", "INACTIVE"))
	g.refuses(t, "an administrator of the own role is added", "POST", create, create, person("ADMIN", "roleId", g.office.ID))
	g.refuses(t, "a teacher with more rights is added", "POST", create, create, person("TEACHER", "roleId", g.headRole.ID))
	for _, c := range []struct {
		what string
		id   uuid.UUID
		data map[string]any
	}{
		{"the own role is raised", g.self, map[string]any{"roleId": school}},
		{"the own e-mail is changed", g.self, map[string]any{"email": uuid.NewString() + "@school.test"}},
		{"the principal's e-mail is changed", g.principal, map[string]any{"email": uuid.NewString() + "@school.test"}},
		{"the principal's phone is changed", g.principal, map[string]any{"phone": testkit.NewPhone()}},
		{"the principal gets another role", g.principal, map[string]any{"roleId": g.office.ID}},
		{"the principal becomes a teacher", g.principal, map[string]any{"employeeType": "TEACHER"}},
		{"the principal becomes support staff", g.principal, map[string]any{"employeeType": "SUPPORT"}},
		{"the principal is deactivated", g.principal, map[string]any{"status": "INACTIVE"}},
		{"an administrator is reinstated", g.absent, map[string]any{"status": "ACTIVE"}},
		{"a deactivated administrator's e-mail is changed", g.absent, map[string]any{"email": uuid.NewString() + "@school.test"}},
		{"a teacher becomes an administrator", g.teacher, map[string]any{"employeeType": "ADMIN", "email": uuid.NewString() + "@school.test"}},
		{"a teacher gets more rights", g.teacher, map[string]any{"roleId": g.headRole.ID}},
		{"the phone of a teacher with more rights is changed", g.head, map[string]any{"phone": testkit.NewPhone()}},
	} {
		g.refuses(t, c.what, "PUT", one, "/school-admin/employee/"+c.id.String(), c.data)
	}
	g.refuses(t, "the principal is deleted", "DELETE", one, "/school-admin/employee/"+g.principal.String(), nil)
}

func (g *grants) tryPermissions(t *testing.T) {
	t.Helper()
	const update = "/school-admin/permission/update"
	for what, role := range map[string]uuid.UUID{"the own role": g.office.ID, "the teachers' role": rbac.RoleID(g.ID, api.Teacher),
		"another role": g.headRole.ID} {
		g.refuses(t, what+" gets a right the clerk lacks", "PUT", update, update, map[string]any{"roleId": role, "permissions": []map[string]any{
			{"moduleId": moduleID(t, g.admin, "library"), "canRead": true, "canWrite": true, "canDelete": true},
		}})
	}
}

// TestGrant_ByRow_NobodyGivesWhatTheyLack tries every row that can set a role or an administrator's
// contact, as somebody who has all rights of that row's module and no other.
func TestGrant_ByRow_NobodyGivesWhatTheyLack(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "rights that the giver lacks", 1)
	reached := map[string]bool{}
	for module, try := range map[string]func(*grants, *testing.T){
		"employee":   (*grants).tryEmployees,
		"permission": (*grants).tryPermissions,
	} {
		g := newGrants(t, module)
		try(g, t)
		for row := range g.reached {
			reached[row] = true
		}
	}
	// What remains of these modules' writing rows gives nothing.
	harmless := map[string]string{
		"PUT /school-admin/employee/:id/assignments":              "divisions a teacher may reach with the rights of their role",
		"POST /school-admin/employee/import":                      "answers row by row: TestGrant_ByFile_NamesTheRow",
		"POST /school-admin/employee/import/:id/undo":             "imports asks for the rights that a change would ask for",
		"POST /school-admin/employee/assignments/import":          "divisions a teacher may reach with the rights of their role",
		"POST /school-admin/employee/assignments/import/:id/undo": "the same",
		"POST /school-admin/permission/role/create":               "a role without rights",
		"PUT /school-admin/permission/role/:id":                   "a role's name",
		"DELETE /school-admin/permission/role/:id":                "a role nobody holds",
		"POST /school-admin/student/:id/erase":                    "students have no account",
		"POST /school-admin/guardian/:id/erase":                   "guardians hold the parents' role",
		"POST /school-admin/employee/:id/erase":                   "TestGrant_Erase_AdministratorNeedsPermissionWrite",
	}
	for _, row := range testkit.Shared(t).Service.Kernel.Rows {
		writes := row.Action != api.Read && slices.Contains(row.Roles, api.SchoolAdmin)
		if !writes || (row.Module != "employee" && row.Module != "permission" && !names(row.Request, "RoleID")) {
			continue
		}
		if !reached[row.Name()] && harmless[row.Name()] == "" {
			t.Errorf("%s may give rights: try it above, or say why it cannot", row.Name())
		}
	}
}

func TestGrant_ByFile_NamesTheRow(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "rights that the giver lacks", 1)
	g := newGrants(t, "employee")
	before := g.state(t)
	file := "employeeCode,firstName,employeeType,phone,email\n" +
		"Principal,,," + testkit.NewPhone() + ",\n" +
		"Head,,," + testkit.NewPhone() + ",\n" +
		"Teacher,,," + testkit.NewPhone() + ",\n" +
		"X9,New,ADMIN," + testkit.NewPhone() + ",x9@school.test\n"
	a := g.clerk.Send(t, "POST", "/school-admin/employee/import", "text/csv", []byte(file))
	if a.Status != 422 || g.state(t) != before {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	bad := map[string]string{}
	for _, d := range a.Failure(t).Details {
		bad[d.Field] += d.Message
	}
	for field, says := range map[string]string{"rows[2].phone": "may write permissions",
		"rows[3].phone": "rights that your role does not have", "rows[5].employeeType": "administrators"} {
		if !strings.Contains(bad[field], says) {
			t.Errorf("%s: %q, want %q", field, bad[field], says)
		}
	}
	if _, refused := bad["rows[4].phone"]; refused {
		t.Errorf("a teacher's phone is refused: %v", bad)
	}
}

func TestGrant_FileAndItsUndo_NeedTheRightToChangeTheAccount(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "rights that the giver lacks", 3)
	g := newGrants(t, "employee")
	proof := func(age string) {
		t.Helper()
		_, err := g.App.Service.Cluster.PlatformPool().Exec(t.Context(),
			`update platform.session set proved_at = now() - $2::interval where id = $1`, g.admin.SessionID, age)
		if err != nil {
			t.Fatal(err)
		}
	}
	signsInWith := func(phone string) func() bool {
		return func() bool {
			var n int
			err := g.App.Service.Cluster.PlatformPool().QueryRow(t.Context(), `select count(*) from platform.account a where a.school_id = $1
				and a.phone = $2 and a.email is not null and not a.disabled`, g.ID, phone).Scan(&n)
			return err == nil && n == 1
		}
	}
	const path = "/school-admin/employee/import"
	old := testkit.Get[roster.EmployeeDetail](t, g.admin, "/school-admin/employee/"+g.principal.String())
	phone := testkit.NewPhone()
	file := []byte("employeeCode,phone\nPrincipal," + phone + "\n")
	before := g.state(t)
	if a := g.clerk.Send(t, "POST", path, "text/csv", file); a.Status != 422 {
		t.Errorf("a clerk's file: %d %s", a.Status, a.Body)
	}
	proof("11 minutes")
	if a := g.admin.Send(t, "POST", path, "text/csv", file); a.Status != 403 || a.Failure(t).Error != "REAUTHENTICATION_NEEDED" {
		t.Errorf("an administrator's phone in a file, with an old proof: %d %s", a.Status, a.Body)
	}
	if g.state(t) != before {
		t.Error("the phone was changed")
	}
	proof("0")
	a := g.admin.Send(t, "POST", path, "text/csv", file)
	var run struct {
		ID      uuid.UUID `json:"id"`
		Updates int       `json:"updates"`
	}
	if a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if a.Read(t, &run); run.Updates != 1 || !signsInWith(phone)() {
		t.Fatalf("%s", a.Body)
	}
	undo, after := path+"/"+run.ID.String()+"/undo", g.state(t)
	if a := g.clerk.Call(t, "POST", undo, nil); a.Status != 403 {
		t.Errorf("a clerk's undo: %d %s", a.Status, a.Body)
	}
	proof("11 minutes")
	if a := g.admin.Call(t, "POST", undo, nil); a.Status != 403 || a.Failure(t).Error != "REAUTHENTICATION_NEEDED" {
		t.Errorf("an undo with an old proof: %d %s", a.Status, a.Body)
	}
	if g.state(t) != after {
		t.Error("the file was taken back")
	}
	proof("0")
	if a := g.admin.Call(t, "POST", undo, nil); a.Status != 200 || g.state(t) != before {
		t.Errorf("the undo: %d %s", a.Status, a.Body)
	}
	testkit.Eventually(t, "the principal signs in as before", signsInWith(string(old.Phone)))

	named := g.clerk.Send(t, "POST", path, "text/csv", []byte("employeeCode,designation\nPrincipal,Head of school\n"))
	if named.Status != 200 {
		t.Fatalf("a clerk names the principal's post: %d %s", named.Status, named.Body)
	}
	named.Read(t, &run)
	if a := g.clerk.Call(t, "POST", path+"/"+run.ID.String()+"/undo", nil); a.Status != 200 {
		t.Errorf("and takes it back: %d %s", a.Status, a.Body)
	}
}

func TestGrant_DeputyWithPermissions_GivesWhatTheyHaveAndNoMore(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "rights that the giver lacks", 1)
	g := newGrants(t, "employee", "permission", "library")
	g.refuses(t, "the deputy becomes the school's administrator", "PUT", "", "/school-admin/employee/"+g.self.String(),
		map[string]any{"roleId": rbac.RoleID(g.ID, api.SchoolAdmin)})
	g.refuses(t, "the principal's e-mail is changed", "PUT", "", "/school-admin/employee/"+g.principal.String(),
		map[string]any{"email": uuid.NewString() + "@school.test"})
	made := testkit.Post[roster.EmployeeDetail](t, g.clerk, "/school-admin/employee/create",
		map[string]any{"firstName": "New", "phone": testkit.NewPhone(),
			"employeeType": "ADMIN", "email": uuid.NewString() + "@school.test", "roleId": g.office.ID})
	if made.RoleName != "Office" {
		t.Errorf("role %q, want Office", made.RoleName)
	}
	change(t, g.clerk, g.headRole.ID, "library", true, true, false)
}

func TestGrant_Clerk_StillAddsTeachersAndChangesThem(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "rights that the giver lacks", 1)
	g := newGrants(t, "employee")
	made := testkit.Post[roster.EmployeeDetail](t, g.clerk, "/school-admin/employee/create",
		map[string]any{"firstName": "New", "phone": testkit.NewPhone(), "employeeType": "TEACHER"})
	path := "/school-admin/employee/" + made.ID.String()
	testkit.Put[roster.EmployeeDetail](t, g.clerk, path, map[string]any{"phone": testkit.NewPhone()})
	testkit.Put[roster.EmployeeDetail](t, g.clerk, path, map[string]any{"employeeType": "DRIVER"})
	// What is no way in of an administrator is the office's to write.
	named := testkit.Put[roster.EmployeeDetail](t, g.clerk, "/school-admin/employee/"+g.principal.String(),
		map[string]any{"designation": "Principal"})
	if named.Designation != "Principal" {
		t.Errorf("designation %q", named.Designation)
	}
	if a := g.clerk.Call(t, "DELETE", path, nil); a.Status != 204 {
		t.Errorf("delete: %d %s", a.Status, a.Body)
	}
}

func TestGrant_SchoolAdministrator_GivesBackWhatWasTakenFromTheirRole(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "rights that the giver lacks", 1)
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	own := rbac.RoleID(s.ID, api.SchoolAdmin)
	change(t, admin, own, "fee", false, false, false)
	change(t, admin, own, "fee", true, true, true)
}

func TestGrant_Erase_AdministratorNeedsPermissionWrite(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "rights that the giver lacks", 1)
	g := newGrants(t, "permission")
	change(t, g.admin, g.office.ID, "permission", true, false, true)
	g.refuses(t, "an administrator who has left is erased", "POST", "", "/school-admin/employee/"+g.absent.String()+"/erase",
		map[string]any{"reason": "Asked in writing", "employeeCode": "Absent"})
}

// names says whether a request has a field of the name, at any depth.
func names(request reflect.Type, field string) bool {
	for request.Kind() == reflect.Pointer || request.Kind() == reflect.Slice {
		request = request.Elem()
	}
	if request.Kind() != reflect.Struct {
		return false
	}
	for _, f := range reflect.VisibleFields(request) {
		if f.Name == field || (!f.Anonymous && names(f.Type, field)) {
			return true
		}
	}
	return false
}
