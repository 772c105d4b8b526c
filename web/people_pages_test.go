package web_test

import (
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// TestPeoplePages_ReachWhatTheAPICanDo is a school with a class, a teacher, and students who have left long ago.
func TestPeoplePages_ReachWhatTheAPICanDo(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	school, admin, stage := office(t, app, lifecycle.NewSchool{})
	seat := school.Seat(t, "Class 5")
	today := api.DateOf(app.Service.Kernel.Clock().In(school.Location()))
	since := today.AddDays(-30).String()
	imported(t, admin, "admissionNumber,firstName,lastName,class,division,rollNumber,admissionDate",
		"P-1,Sita,Rao,Class 5,A,1,"+since, "P-2,Asha,Rao,Class 5,A,2,"+since, "P-3,Asha,Rao,Class 5,A,3,"+since,
		"P-4,Ravi,Iyer,Class 5,A,4,"+since)
	class := testkit.Get[roster.DivisionRoster](t, admin, "/school-admin/division/"+seat.DivisionID.String()+"/students")
	ids := map[string]uuid.UUID{}
	for _, s := range class.Students {
		ids[s.AdmissionNumber] = s.ID
		if s.AdmissionNumber != "P-1" {
			testkit.Post[any](t, admin, "/school-admin/student/"+s.ID.String()+"/transfer",
				map[string]any{"reason": "Moved", "leavingDate": today.AddDays(-2)})
		}
	}
	meera := testkit.Post[roster.EmployeeDetail](t, admin, "/school-admin/employee/create",
		map[string]any{"firstName": "Meera", "lastName": "Rao", "employeeType": "TEACHER", "phone": testkit.NewPhone()})
	french := testkit.Post[roster.Subject](t, admin, "/school-admin/subject/create", map[string]any{"name": "French", "code": "FR"})
	testkit.Post[roster.Group](t, admin, "/school-admin/group/create",
		map[string]any{"name": "French", "subjectId": french.ID, "divisionIds": []any{seat.DivisionID}})
	stage["student"], stage["employee"] = ids["P-1"], meera.ID
	stage["wide"] = map[string]any{"left": ids["P-2"], "number": "P-2"}
	stage["phone"] = map[string]any{"left": ids["P-3"], "number": "P-3"}
	stage["gone"], stage["goneNumber"] = ids["P-4"], "P-4"
	browse(t, app, "people-pages", stage)
}
