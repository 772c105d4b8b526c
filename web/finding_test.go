package web_test

import (
	"fmt"
	"slices"
	"testing"

	"homeroom/api"
	"homeroom/modules/fee"
	"homeroom/modules/fee/charging"
	"homeroom/modules/library"
	"homeroom/modules/roster"
	"homeroom/rbac"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// TestSearch_FindsEveryRecordByKeyboard is a school with a child, who has paid, an employee and a book.
func TestSearch_FindsEveryRecordByKeyboard(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	school, admin, stage := office(t, app, lifecycle.NewSchool{})
	seat := school.Seat(t, "Class 5")
	child := testkit.Post[roster.StudentDetail](t, admin, "/school-admin/student/create", map[string]any{
		"firstName": "Aarav", "lastName": "Das", "divisionId": seat.DivisionID, "guardians": []any{map[string]any{
			"firstName": "Lakshmi", "lastName": "Iyer", "phone": testkit.NewPhone(), "relation": "MOTHER"}}})
	testkit.Post[charging.Fined](t, admin, "/school-admin/fee/fine", map[string]any{"studentId": child.ID, "amount": 900_00, "reason": "Window"})
	receipt := testkit.Post[fee.Collection](t, admin, "/school-admin/fee/collection/record",
		map[string]any{"studentId": child.ID, "amount": 900_00, "paymentMode": "CASH"})
	testkit.Post[roster.EmployeeDetail](t, admin, "/school-admin/employee/create", map[string]any{
		"firstName": "Gopal", "lastName": "Nair", "phone": testkit.NewPhone(), "employeeType": "SUPPORT", "employeeCode": "W-77"})
	testkit.Post[library.Book](t, admin, "/school-admin/library/book/create",
		map[string]any{"title": "Malgudi Days", "author": "R. K. Narayan"})
	stage["receipt"] = receipt.ReceiptNumber
	browse(t, app, "finding", stage)
}

// TestOverview_EachRole_HasItsDay is a school of 40 children of whom 10 are marked, seen by people of narrower roles.
func TestOverview_EachRole_HasItsDay(t *testing.T) {
	t.Parallel()
	for role, o := range map[string]struct{ modules, shown, hidden []string }{
		"Accountant": {[]string{"fee"}, []string{"Collected today ₹300.00", "Cheques in clearing", "Day closing Not closed", "Dues over 30 days"},
			[]string{"Marked today", "Not in a class", "Lessons without a teacher"}},
		"Principal": {[]string{"report", "attendance", "leave", "timetable", "student", "event"},
			[]string{"Marked today 10 of 40 90 % at school, 1 absent", "Leave waiting", "Lessons without a teacher", "Not in a class"},
			[]string{"Collected today", "Day closing"}},
		"Registrar": {[]string{"student", "class", "division", "attendance"},
			[]string{"Marked today 10 of 40", "Admitted this week", "Not in a class 1"},
			[]string{"Collected today", "Leave waiting"}},
		"Librarian":   {[]string{"library"}, nil, []string{"Collected today", "Not in a class"}},
		"Night guard": {nil, nil, []string{"Collected today", "Not in a class"}},
	} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			app := testkit.Shared(t)
			school, admin, stage := office(t, app, lifecycle.NewSchool{WeekendDays: []int16{}})
			marked(t, app, school, admin)
			give(t, school, admin, stage["email"].(string), role, o.modules)
			stage["role"], stage["shown"], stage["hidden"] = role, o.shown, o.hidden
			browse(t, app, "roles", stage)
		})
	}
}

// marked is 40 children in 5-A, of whom ten are marked and one absent, a child in no class, and two who paid.
func marked(t *testing.T, app *testkit.App, school *testkit.School, admin *testkit.Client) {
	t.Helper()
	seat := school.Seat(t, "Class 5")
	today := api.DateOf(app.Service.Kernel.Clock().In(school.Location()))
	rows := []string{"admissionNumber,firstName,lastName,class,division,rollNumber,admissionDate"}
	for i := range 40 {
		rows = append(rows, fmt.Sprintf("D-%d,Child,%02d,Class 5,A,%d,%s", i+1, i+1, i+1, today.AddDays(-60)))
	}
	imported(t, admin, rows...)
	testkit.Post[any](t, admin, "/school-admin/student/create", map[string]any{"firstName": "Nila"})
	class := testkit.Get[roster.DivisionRoster](t, admin, "/school-admin/division/"+seat.DivisionID.String()+"/students")
	var marks []any
	for i, s := range class.Students[:10] {
		status := "PRESENT"
		if i == 0 {
			status = "ABSENT"
		}
		marks = append(marks, map[string]any{"studentId": s.ID, "status": status})
	}
	testkit.Post[any](t, admin, "/school-admin/attendance/mark",
		map[string]any{"divisionId": seat.DivisionID, "date": today, "records": marks})
	for i, amount := range []int{100_00, 200_00} {
		testkit.Post[any](t, admin, "/school-admin/fee/fine",
			map[string]any{"studentId": class.Students[i].ID, "amount": amount, "reason": "Window"})
		testkit.Post[any](t, admin, "/school-admin/fee/collection/record",
			map[string]any{"studentId": class.Students[i].ID, "amount": amount, "paymentMode": "CASH"})
	}
}

// give makes a role that may read and write some modules, and gives it to who has the e-mail.
func give(t *testing.T, school *testkit.School, admin *testkit.Client, email, name string, modules []string) {
	t.Helper()
	role := testkit.Post[rbac.Role](t, admin, "/school-admin/permission/role/create", map[string]any{"name": name, "type": "SCHOOL_ADMIN"})
	known := testkit.Get[struct{ Modules []rbac.Module }](t, admin, "/school-admin/permission/modules").Modules
	permissions := []any{}
	for _, m := range known {
		if slices.Contains(modules, m.Name) {
			permissions = append(permissions, map[string]any{"moduleId": m.ID, "canRead": true, "canWrite": true, "canDelete": false})
		}
	}
	if len(permissions) > 0 {
		testkit.Put[struct{}](t, admin, "/school-admin/permission/update", map[string]any{"roleId": role.ID, "permissions": permissions})
	}
	if err := school.DB(t).Exec(`update app_user set role_id = ? where email = ?`, role.ID, email).Error; err != nil {
		t.Fatal(err)
	}
}
