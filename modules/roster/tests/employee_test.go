package roster_test

import (
	"regexp"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/rbac"
	"homeroom/testkit"
)

func TestEmployee_NewTeacher_SignsInByPhoneAtOnce(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	e := r.employ(t, "Meera", map[string]any{"lastName": "Iyer", "department": "Science"})
	if e.EmployeeCode != "E0001" || e.Status != "ACTIVE" || e.UserID == nil || e.RoleName != "Teacher" {
		t.Errorf("made %+v", e)
	}
	meera := r.App.SignIn(t, "teacher", string(e.Phone))
	if a := meera.Call(t, "GET", "/teacher/subject/list", nil); a.Status != 200 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	driver := r.employ(t, "Ravi", map[string]any{"employeeType": "DRIVER", "licenceNumber": "KA01"})
	r.App.SignIn(t, "driver", string(driver.Phone))
	cook := r.employ(t, "Lata", map[string]any{"employeeType": "SUPPORT"})
	if cook.UserID != nil || cook.EmployeeCode != "E0003" {
		t.Errorf("support staff %+v", cook)
	}
}

func TestEmployee_NewAdministrator_IsInvitedByEmail(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	f := r.admin.Refuses(t, "POST", "/school-admin/employee/create", person("Asha", map[string]any{"employeeType": "ADMIN"}), 422, "")
	if f.Details[0].Field != "email" {
		t.Errorf("details %+v", f.Details)
	}
	email := "asha." + uuid.NewString() + "@school.test"
	r.employ(t, "Asha", map[string]any{"employeeType": "ADMIN", "email": email})
	testkit.Eventually(t, "the invitation", func() bool { return len(r.App.Sent(t, email)) == 1 })
	token := regexp.MustCompile(`token=(\S+)`).FindStringSubmatch(r.App.Sent(t, email)[0].Text)[1]
	if a := r.App.Nobody().Call(t, "POST", "/auth/password/reset", map[string]any{"token": token, "password": "a long enough pass phrase"}); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if a := r.App.Nobody().Call(t, "POST", "/auth/login", map[string]any{"email": email, "password": "a long enough pass phrase"}); a.Status != 200 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	r.admin.Refuses(t, "POST", "/school-admin/employee/create", person("Other", map[string]any{"employeeType": "ADMIN", "email": email}), 409,
		"DUPLICATE_ENTRY")
	other := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	// Another office is not told who is at this school.
	if a := other.Call(t, "POST", "/school-admin/employee/create", person("Other", map[string]any{"employeeType": "ADMIN", "email": email})); a.Status != 201 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

func TestEmployee_InvitationDeliveredTwice_IsOneLink(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	email := uuid.NewString() + "@school.test"
	p := s.Add(t, testkit.Person{Email: email, Role: api.SchoolAdmin})
	occasion := api.NewID()
	for range 2 {
		if err := s.App.Service.Auth.InviteOn(t.Context(), occasion, s.ID, p.UserID, s.Name); err != nil {
			t.Fatal(err)
		}
	}
	sent := s.App.Sent(t, email)
	if len(sent) == 0 || sent[0].Text != sent[len(sent)-1].Text {
		t.Fatalf("sent %+v", sent)
	}
	token := regexp.MustCompile(`token=(\S+)`).FindStringSubmatch(sent[0].Text)[1]
	if a := s.App.Nobody().Call(t, "POST", "/auth/password/reset", map[string]any{"token": token, "password": "a long enough pass phrase"}); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if err := s.App.Service.Auth.InviteOn(t.Context(), occasion, s.ID, p.UserID, s.Name); err != nil ||
		len(s.App.Sent(t, email)) != len(sent) {
		t.Errorf("invited after the link was used: %v", err)
	}
}

func TestEmployee_Deactivated_IsSignedOutUntilReinstated(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	e := r.employ(t, "Meera")
	r.assign(t, e, map[string]any{"classId": r.class.ID, "divisionId": r.a.ID, "isClassTeacher": true})
	meera := r.App.SignIn(t, "teacher", string(e.Phone))
	path := "/school-admin/employee/" + e.ID.String()
	if a := r.admin.Call(t, "DELETE", path, nil); a.Status != 204 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	testkit.Eventually(t, "she is signed out", func() bool { return meera.Call(t, "GET", "/teacher/subject/list", nil).Status == 401 })
	gone := testkit.Get[roster.EmployeeDetail](t, r.admin, path)
	if gone.Status != "INACTIVE" || gone.LeavingDate == nil || len(gone.Assignments) != 1 {
		t.Errorf("after: %+v", gone)
	}
	if page := testkit.Get[api.Page[roster.Employee]](t, r.admin, "/school-admin/employee/list?filters[status]=ACTIVE"); page.Total != 0 {
		t.Errorf("active: %+v", page)
	}
	// Her division is free for another class teacher.
	next := r.employ(t, "Nila")
	r.assign(t, next, map[string]any{"classId": r.class.ID, "divisionId": r.a.ID, "isClassTeacher": true})
	back := testkit.Put[roster.EmployeeDetail](t, r.admin, path, map[string]any{"status": "ACTIVE"})
	if back.LeavingDate != nil {
		t.Errorf("back with a leaving date %v", back.LeavingDate)
	}
	r.App.SignIn(t, "teacher", string(e.Phone))
}

func TestEmployee_PhoneTypeOrRoleChanged_AccountFollows(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	e := r.employ(t, "Meera")
	path := "/school-admin/employee/" + e.ID.String()
	phone := testkit.NewPhone()
	testkit.Put[roster.EmployeeDetail](t, r.admin, path, map[string]any{"phone": phone})
	teacher := r.App.SignIn(t, "teacher", phone)
	librarian := testkit.Post[rbac.Role](t, r.admin, "/school-admin/permission/role/create",
		map[string]any{"name": "Librarian", "type": "TEACHER"})
	if got := testkit.Put[roster.EmployeeDetail](t, r.admin, path, map[string]any{"roleId": librarian.ID}); got.RoleName != "Librarian" {
		t.Errorf("role %+v", got)
	}
	testkit.Eventually(t, "the role's rights hold", func() bool { return teacher.Call(t, "GET", "/teacher/subject/list", nil).Status == 403 })
	if got := testkit.Put[roster.EmployeeDetail](t, r.admin, path, map[string]any{"designation": "Head"}); got.RoleName != "Librarian" {
		t.Errorf("another change took the role away: %+v", got)
	}
	f := r.admin.Refuses(t, "PUT", path, map[string]any{"employeeType": "DRIVER", "roleId": librarian.ID}, 422, "")
	if f.Details[0].Field != "roleId" {
		t.Errorf("details %+v", f.Details)
	}
	if got := testkit.Put[roster.EmployeeDetail](t, r.admin, path, map[string]any{"employeeType": "DRIVER"}); got.RoleName != "Driver" {
		t.Errorf("type %+v", got)
	}
	testkit.Eventually(t, "a driver is no teacher", func() bool { return teacher.Call(t, "GET", "/teacher/subject/list", nil).Status == 401 })
	r.App.SignIn(t, "driver", phone)
	testkit.Put[roster.EmployeeDetail](t, r.admin, path, map[string]any{"employeeType": "SUPPORT"})
	if n := r.Count(t, "app_user", "id = ? and status = 'DISABLED'", *e.UserID); n != 1 {
		t.Error("support staff kept an open account")
	}
}

func TestEmployeeList_SearchesNameCodePhoneAndDepartment(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	e := r.employ(t, "Zoë", map[string]any{"lastName": "D’Souza", "employeeCode": "T-77", "department": "Arts"})
	r.employ(t, "Ravi", map[string]any{"employeeType": "DRIVER"})
	for _, query := range []string{"filters[search]=zoe", "filters[search]=t-77", "filters[search]=" + string(e.Phone)[1:],
		"filters[department]=Arts", "filters[employeeType]=TEACHER"} {
		page := testkit.Get[api.Page[roster.Employee]](t, r.admin, "/school-admin/employee/list?"+query)
		if page.Total != 1 || page.Items[0].ID != e.ID {
			t.Errorf("%s: %+v", query, page)
		}
	}
	r.admin.Refuses(t, "POST", "/school-admin/employee/create", person("Other", map[string]any{"employeeCode": "t-77"}), 409,
		"DUPLICATE_ENTRY")
	f := r.admin.Refuses(t, "POST", "/school-admin/employee/create", map[string]any{}, 422, "")
	if len(f.Details) != 3 {
		t.Errorf("details %+v", f.Details)
	}
}

func TestEmployee_OnePhoneAtOnce_IsOneTeacher(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	data := person("Meera")
	statuses := make([]int, 12)
	var group sync.WaitGroup
	for i := range statuses {
		group.Go(func() {
			a, err := r.admin.TryCall("POST", "/school-admin/employee/create", data)
			if err == nil {
				statuses[i] = a.Status
			}
		})
	}
	group.Wait()
	made := 0
	for _, s := range statuses {
		if s == 201 {
			made++
		} else if s != 409 {
			t.Errorf("status %d", s)
		}
	}
	if made != 1 || r.Count(t, "employee", "true") != 1 {
		t.Errorf("%d made", made)
	}
}

func TestEmployee_OwnAccount_CannotBeTakenAway(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	email := uuid.NewString() + "@school.test"
	e := r.employ(t, "Asha", map[string]any{"employeeType": "ADMIN", "email": email})
	path := "/school-admin/employee/" + e.ID.String()
	if err := r.DB(t).Exec(`update employee set user_id = ? where id = ?`, r.admin.UserID, e.ID).Error; err != nil {
		t.Fatal(err)
	}
	r.admin.Refuses(t, "DELETE", path, nil, 409, "")
	r.admin.Refuses(t, "PUT", path, map[string]any{"employeeType": "TEACHER"}, 409, "")
}
