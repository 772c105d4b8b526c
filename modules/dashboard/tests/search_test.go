package dashboard_test

import (
	"net/url"
	"testing"

	"homeroom/api"
	"homeroom/modules/dashboard"
	"homeroom/modules/fee"
	"homeroom/modules/fee/charging"
	"homeroom/modules/library"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

func find(t *testing.T, by *testkit.Client, text string) dashboard.Found {
	t.Helper()
	return testkit.Get[dashboard.Found](t, by, "/school-admin/search?text="+url.QueryEscape(text))
}

// only leaves everybody with one module to read; with every one for "".
func only(t *testing.T, s *place, module string) {
	t.Helper()
	s.exec(t, `with p as (update permission set can_read = ?::text in ('', (select name from module where id = module_id)))
		update school_setting set policy_version = policy_version + 1`, module)
	s.App.Service.RBAC.Changed(s.ID)
}

func TestSearch_FindsEveryKindOfRecord(t *testing.T) {
	t.Parallel()
	s := &place{testkit.NewSchool(t)}
	admin := s.As(t, api.SchoolAdmin)
	seat := s.Seat(t, "Class 5")
	phone := testkit.NewPhone()
	child := testkit.Post[roster.StudentDetail](t, admin, "/school-admin/student/create", map[string]any{
		"firstName": "Aarav", "lastName": "Das", "divisionId": seat.DivisionID,
		"guardians": []any{map[string]any{"firstName": "Lakshmi", "lastName": "Iyer", "phone": phone, "relation": "MOTHER"}}})
	for _, text := range []string{"lakshmi iyer", "AARAV", phone, child.AdmissionNumber} {
		found := find(t, admin, text).Students
		if len(found) != 1 || found[0].ID != child.ID {
			t.Fatalf("%q finds %+v", text, found)
		}
		if f := found[0]; f.GuardianName != "Lakshmi Iyer" || f.ClassName != "Class 5" {
			t.Errorf("%q: guardian %q, class %q", text, f.GuardianName, f.ClassName)
		}
	}
	worker := testkit.Post[roster.EmployeeDetail](t, admin, "/school-admin/employee/create", map[string]any{
		"firstName": "Gopal", "lastName": "Nair", "phone": testkit.NewPhone(), "employeeType": "SUPPORT", "employeeCode": "W-77"})
	if found := find(t, admin, "w-77").Employees; len(found) != 1 || found[0].ID != worker.ID {
		t.Errorf("the employee's code finds %+v", found)
	}
	testkit.Post[charging.Fined](t, admin, "/school-admin/fee/fine", map[string]any{"studentId": child.ID, "amount": 900, "reason": "Window"})
	receipt := testkit.Post[fee.Collection](t, admin, "/school-admin/fee/collection/record",
		map[string]any{"studentId": child.ID, "amount": 900, "paymentMode": "CASH"})
	if found := find(t, admin, receipt.ReceiptNumber).Receipts; len(found) != 1 || found[0].ReceiptNumber != receipt.ReceiptNumber {
		t.Errorf("%s finds %+v", receipt.ReceiptNumber, found)
	}
	book := testkit.Post[library.Book](t, admin, "/school-admin/library/book/create", map[string]any{"title": "Malgudi Days", "author": "Narayan"})
	testkit.Post[library.CopyView](t, admin, "/school-admin/library/copy/create", map[string]any{"bookId": book.ID, "accessionNumber": "ACC-9"})
	if found := find(t, admin, "malgudi").Books; len(found) != 1 || found[0].ID != book.ID {
		t.Errorf("the title finds %+v", found)
	}
	if found := find(t, admin, "acc-9").Books; len(found) != 1 || found[0].AccessionNumber != "ACC-9" {
		t.Errorf("the accession number finds %+v", found)
	}
	for _, text := range []string{"%", "_", "100%"} {
		if found := find(t, admin, text); len(found.Students)+len(found.Employees)+len(found.Receipts)+len(found.Books) > 0 {
			t.Errorf("%q finds %+v", text, found)
		}
	}
	admin.Refuses(t, "GET", "/school-admin/search?text=", nil, 422, "")
}

func TestSearch_OwnName_ComesBeforeAParents(t *testing.T) {
	t.Parallel()
	s := &place{testkit.NewSchool(t)}
	admin := s.As(t, api.SchoolAdmin)
	for _, names := range [][2]string{{"Asha", "Ravi"}, {"Ravi", "Meera"}} {
		testkit.Post[roster.StudentDetail](t, admin, "/school-admin/student/create", map[string]any{"firstName": names[0],
			"guardians": []any{map[string]any{"firstName": names[1], "phone": testkit.NewPhone(), "relation": "OTHER"}}})
	}
	found := find(t, admin, "ravi").Students
	if len(found) != 2 || found[0].FirstName != "Ravi" {
		t.Errorf("found %+v, want Ravi, then his namesake's child", found)
	}
}

func TestSearch_GoesByThePermissionOfEachKind(t *testing.T) {
	t.Parallel()
	s := &place{testkit.NewSchool(t)}
	admin := s.As(t, api.SchoolAdmin)
	testkit.Post[roster.StudentDetail](t, admin, "/school-admin/student/create", map[string]any{"firstName": "Malgudi"})
	testkit.Post[library.Book](t, admin, "/school-admin/library/book/create", map[string]any{"title": "Malgudi Days"})
	only(t, s, "library")
	found := find(t, admin, "malgudi")
	if len(found.Students) != 0 {
		t.Errorf("a librarian finds students: %+v", found.Students)
	}
	if len(found.Books) != 1 {
		t.Errorf("a librarian finds the books %+v, want one", found.Books)
	}
	only(t, s, "event")
	admin.Refuses(t, "GET", "/school-admin/search?text=malgudi", nil, 403, "PERMISSION_DENIED")
}

func TestSearch_OfMoreThanItShows_SaysSo(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	seat := s.Seat(t, "Class 5")
	for _, c := range []struct {
		n    int
		want bool
	}{{8, false}, {9, true}} {
		n, want := c.n, c.want
		for s.Count(t, "student", "true") < n {
			s.Child(t, seat, 0)
		}
		if err := s.DB(t).Exec(`update student set search_text = 'asha rao'`).Error; err != nil {
			t.Fatal(err)
		}
		found := find(t, admin, "asha")
		if len(found.Students) != 8 {
			t.Errorf("of %d students %d are shown, want 8", n, len(found.Students))
		}
		if found.More != want {
			t.Errorf("of %d students there are more: %t, want %t", n, found.More, want)
		}
	}
}
