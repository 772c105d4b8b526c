package web_test

import (
	"testing"
	"time"

	"homeroom/api"
	"homeroom/modules/fee/charging"
	"homeroom/modules/roster"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// TestNewYear_IsPlannedAndTakenBack is a school with two classes, two students, fees of one class, and a next year.
func TestNewYear_IsPlannedAndTakenBack(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	school, admin, stage := office(t, app, lifecycle.NewSchool{})
	today := api.DateOf(time.Now().In(school.Location()))
	year := func(name string, from, to int) roster.AcademicYear {
		return testkit.Post[roster.AcademicYear](t, admin, "/school-admin/academic-year/create",
			map[string]any{"name": name, "startDate": today.AddDays(from), "endDate": today.AddDays(to)})
	}
	now, _ := year("This year", -300, 30), year("Next year", 31, 390)
	testkit.Post[roster.AcademicYear](t, admin, "/school-admin/academic-year/"+now.ID.String()+"/activate", nil)
	class := func(name string, level int, next any) (roster.Class, roster.Division) {
		k := testkit.Post[roster.Class](t, admin, "/school-admin/class/create", map[string]any{"name": name, "level": level, "nextClassId": next})
		return k, testkit.Post[roster.Division](t, admin, "/school-admin/division/create", map[string]any{"classId": k.ID, "name": "A"})
	}
	six, _ := class("Class 6", 6, nil)
	five, a := class("Class 5", 5, six.ID)
	for _, name := range []string{"Asha", "Bala"} {
		testkit.Post[roster.StudentDetail](t, admin, "/school-admin/student/create",
			map[string]any{"firstName": name, "lastName": "Rao", "divisionId": a.ID})
	}
	head := testkit.Post[charging.Head](t, admin, "/school-admin/fee/head/create", map[string]any{"name": "Tuition", "code": "TUI", "type": "TUITION"})
	testkit.Post[charging.Structure](t, admin, "/school-admin/fee/structure/create", map[string]any{"classId": five.ID, "name": "Class 5",
		"heads":       []map[string]any{{"feeHeadId": head.ID, "amount": 100_000}},
		"instalments": []map[string]any{{"name": "All", "dueDate": today, "percent": 100}}})
	stage["student"] = "Asha Rao"
	browse(t, app, "new-year", stage)
}
