package web_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/modules/transport"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// greenValley is a school before its day begins: a class of forty, of whom 32 ride bus 7 in the morning and two in the afternoon, two
// families with two children each, a class teacher, a driver, fees to be charged, an exam that was sat and a book that is late.
func greenValley(t *testing.T, app *testkit.App) (*testkit.School, map[string]any) {
	t.Helper()
	s, clerk, stage := office(t, app, lifecycle.NewSchool{WeekendDays: []int16{}}) // today is a school day
	post := func(path string, data map[string]any) made {
		return testkit.Post[made](t, clerk, "/school-admin/"+path, data)
	}
	today := api.DateOf(app.Service.Kernel.Clock().In(s.Location()))
	year := post("academic-year/create", map[string]any{"name": "Year", "startDate": today.AddDays(-99), "endDate": today.AddDays(200)})
	testkit.Post[made](t, clerk, "/school-admin/academic-year/"+year.ID.String()+"/activate", nil)
	class := post("class/create", map[string]any{"name": "Class 5"})
	division := post("division/create", map[string]any{"classId": class.ID, "name": "A"})

	mother, father, teacherPhone, driverPhone := testkit.NewPhone(), testkit.NewPhone(), testkit.NewPhone(), testkit.NewPhone()
	rows := []string{"admissionNumber,firstName,lastName,class,division,rollNumber,guardian1Relation,guardian1FirstName,guardian1Phone"}
	row := func(roll int, name, guardian, phone string) {
		rows = append(rows, fmt.Sprintf("G-%02d,%s,Class 5,A,%d,%s,%s", roll, name, roll, guardian, phone))
	}
	row(1, "Asha,Rao", "MOTHER,Meera", mother)
	row(2, "Dev,Rao", "MOTHER,Meera", mother)
	row(3, "Ravi,Das", "FATHER,Sunil", father)
	row(4, "Kiran,Das", "FATHER,Sunil", father)
	for roll := 5; roll <= 40; roll++ {
		row(roll, fmt.Sprintf("Child%02d,Roy", roll), fmt.Sprintf("MOTHER,Mother%02d", roll), testkit.NewPhone())
	}
	imported(t, clerk, rows...)
	type student struct {
		ID              uuid.UUID
		AdmissionNumber string
	}
	ids := map[string]uuid.UUID{}
	for _, one := range testkit.Get[struct{ Items []student }](t, clerk, "/school-admin/student/list?limit=100").Items {
		ids[one.AdmissionNumber] = one.ID
	}
	child := func(roll int) uuid.UUID { return ids[fmt.Sprintf("G-%02d", roll)] }

	employee := func(first, phone, kind string) made {
		return post("employee/create", map[string]any{"firstName": first, "lastName": "Iyer", "phone": phone, "employeeType": kind})
	}
	teacher, driver := employee("Latha", teacherPhone, "TEACHER"), employee("Salim", driverPhone, "DRIVER")
	testkit.Put[roster.AssignmentList](t, clerk, "/school-admin/employee/"+teacher.ID.String()+"/assignments", map[string]any{
		"assignments": []any{map[string]any{"classId": class.ID, "divisionId": division.ID, "isClassTeacher": true}}})

	bus := post("transport/bus/create", map[string]any{"busNumber": "7", "capacity": 40, "driverId": driver.ID})
	schedule := func(direction, at string, riders func(stop int) []int) uuid.UUID {
		var stops []any
		for i, name := range []string{"Temple", "Market", "Lake"} {
			stops = append(stops, map[string]any{"name": name, "lat": 12.97 + float64(i)*0.01, "lng": 77.59, "plannedTime": at + fmt.Sprintf("%d0", i)})
		}
		route := testkit.Post[transport.RouteDetail](t, clerk, "/school-admin/transport/route/create", map[string]any{
			"name": "Hill Road, " + direction, "busId": bus.ID, "direction": direction, "stops": stops})
		var students []any
		for i, stop := range route.Stops {
			for _, roll := range riders(i) {
				students = append(students, map[string]any{"studentId": child(roll), "stopId": stop.ID})
			}
		}
		testkit.Put[transport.RouteDetail](t, clerk, "/school-admin/transport/route/"+route.ID.String()+"/students",
			map[string]any{"students": students})
		return post("transport/trip/schedule", map[string]any{"routeId": route.ID, "tripDate": today, "scheduledStartTime": at + "00"}).ID
	}
	morning := schedule("pickup", "07:", func(stop int) []int {
		all := []int{1, 2, 4, 5} // Dev does not ride today, and Child05 is not at the stop
		from, to := 6, 13
		if stop > 0 {
			all, from, to = nil, 4+10*stop, 13+10*stop
		}
		for roll := from; roll <= to; roll++ {
			all = append(all, roll)
		}
		return all
	})
	afternoon := schedule("dropoff", "15:", func(stop int) []int {
		if stop != 0 {
			return nil
		}
		return []int{1, 4}
	})

	head := post("fee/head/create", map[string]any{"name": "Tuition", "code": "TUI", "type": "TUITION"})
	post("fee/structure/create", map[string]any{"classId": class.ID, "name": "Class 5 fees",
		"heads":       []any{map[string]any{"feeHeadId": head.ID, "amount": 1_000_000}},
		"instalments": []any{map[string]any{"name": "Term 1", "dueDate": today.AddDays(10), "percent": 100}}})
	hindi := post("subject/create", map[string]any{"name": "Hindi", "code": "H"})
	exam := post("exam/create", map[string]any{"name": "Half-yearly", "academicYearId": year.ID, "classIds": []any{class.ID},
		"startDate": today.AddDays(-3), "endDate": today})
	post("exam/schedule", map[string]any{"examId": exam.ID, "papers": []any{map[string]any{"classId": class.ID, "subjectId": hindi.ID,
		"examDate": today.AddDays(-1), "startTime": "09:00", "endTime": "10:00", "maxMarks": 50, "passMarks": 20}}})
	testkit.Put[struct{}](t, clerk, "/school-admin/setting", map[string]any{"libraryFinePerDay": 200})
	book := post("library/book/create", map[string]any{"title": "Malgudi Days"})
	post("library/copy/create", map[string]any{"bookId": book.ID, "accessionNumber": "L-1"})
	loan := post("library/loan/issue", map[string]any{"code": "L-1", "studentId": child(3)})
	if err := s.DB(t).Exec(`update library_loan set issued_on = ?, due_on = ? where id = ?`, today.AddDays(-19), today.AddDays(-5),
		loan.ID).Error; err != nil {
		t.Fatal(err)
	}
	stage["phones"] = map[string]any{"mother": mother, "father": father, "teacher": teacherPhone, "driver": driverPhone}
	stage["division"], stage["exam"], stage["today"] = division.ID, exam.ID, today
	stage["teacher"], stage["bus"] = teacher.ID, bus.ID
	stage["trips"] = map[string]any{"morning": morning, "afternoon": afternoon}
	stage["asha"], stage["ravi"], stage["kiran"] = child(1), child(3), child(4)
	return s, stage
}
