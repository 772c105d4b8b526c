package importing_test

import (
	"testing"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/testkit"
)

func TestEmployeeImport_OpensAccountsAndRoundTrips(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	path := "/school-admin/employee/import"
	send := func(file, options string) (int, imports.ImportResult) {
		a := admin.Send(t, "POST", path+options, "text/csv", []byte(file))
		var r imports.ImportResult
		if a.Status == 200 {
			a.Read(t, &r)
		} else {
			t.Logf("%s", a.Body)
		}
		return a.Status, r
	}
	testkit.Post[any](t, admin, "/school-admin/custom-field/create", map[string]any{"appliesTo": "EMPLOYEE", "kind": "DATE", "label": "Police check"})
	phone := testkit.NewPhone()
	file := "First Name,Last Name,Type,Phone,Department,Joining Date,Employee Code,POLICE-CHECK\n" +
		"Meera,Iyer,teacher," + phone + ",Science,2020-06-01,,25/04/2024\n" +
		"Ravi,Rao,Driver," + testkit.NewPhone() + ",,,D-7,\n" +
		"Gopal,,support," + testkit.NewPhone() + ",,,,\n"
	if status, _ := send(file+"Nobody,,ADMIN,123,,,,\n", ""); status != 422 || s.Count(t, "employee", "true") != 0 {
		t.Errorf("a bad row: %d", status)
	}
	if status, r := send(file, ""); status != 200 || r.Creates != 3 {
		t.Fatalf("%d %+v", status, r)
	}
	if status, r := send(file, ""); status != 200 || r.Unchanged != 3 {
		t.Errorf("again: %d %+v", status, r)
	}
	if n := s.Count(t, "employee", `custom_fields = '{"policeCheck": "2024-04-25"}'`); n != 1 {
		t.Errorf("%d have the custom field's day", n)
	}
	if n := s.Count(t, "employee", "user_id is not null"); n != 2 {
		t.Errorf("%d have an account", n)
	}
	var accounts int
	err := s.App.Service.Cluster.PlatformPool().QueryRow(t.Context(),
		`select count(*) from platform.account where school_id = $1 and phone = $2 and role_type = 'TEACHER'`, s.ID, phone).Scan(&accounts)
	if err != nil || accounts != 1 {
		t.Errorf("%d accounts for the teacher's phone %v", accounts, err)
	}
	out := admin.Call(t, "GET", "/school-admin/employee/export", nil)
	if status, r := send(string(out.Body), ""); status != 200 || r.Unchanged != 3 || r.Bad != 0 {
		t.Errorf("the export: %d %+v\n%s", status, r, out.Body)
	}
	if status, r := send("employeeCode,designation\nd-7,Head driver\n", ""); status != 200 || r.Updates != 1 ||
		s.Count(t, "employee", "designation = 'Head driver' and first_name = 'Ravi'") != 1 {
		t.Errorf("an update: %d %+v", status, r)
	}
}

func TestImport_PhonesWithoutTheirCountry_AreOfTheSchools(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	teacher, mother := testkit.NewPhone(), testkit.NewPhone()
	for path, file := range map[string]string{
		"/school-admin/employee/import": "firstName,employeeType,phone\nMeera,TEACHER,0" + teacher[3:] + "\n",
		"/school-admin/student/import":  "firstName,guardian1Relation,guardian1FirstName,guardian1Phone\nAsha,MOTHER,Lata," + mother[3:8] + " " + mother[8:] + "\n",
	} {
		if a := admin.Send(t, "POST", path, "text/csv", []byte(file)); a.Status != 200 {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	if s.Count(t, "employee", "phone = '"+teacher+"'") != 1 {
		t.Errorf("the teacher has another phone than %s", teacher)
	}
	if s.Count(t, "guardian", "phone = '"+mother+"'") != 1 {
		t.Errorf("the mother has another phone than %s", mother)
	}
}
