package file_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee"
	"homeroom/modules/fee/charging"
	"homeroom/testkit"
)

func TestPhotos_AreForViewersOfTheStudent_LogoForAll(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	seat, elsewhere := s.Seat(t, "Class 5"), s.Seat(t, "Class 6")
	child, stranger := s.Child(t, seat, 1), s.Child(t, elsewhere, 1)
	admin, teacher, colleague := s.As(t, api.SchoolAdmin), s.Teacher(t, seat), s.Teacher(t, elsewhere)
	gets := func(who string, c *testkit.Client, role string, id uuid.UUID, status int) {
		t.Helper()
		if a := c.Call(t, "GET", "/"+role+"/file/"+id.String()+"?thumbnail=true", nil); a.Status != status {
			t.Errorf("%s: %d %s, want %d", who, a.Status, a.Body, status)
		}
	}
	photo := uploaded(t, admin, "school-admin", picture(t, 40, 40), "purpose", "PHOTO")
	gets("a parent, before it is anybody's", child.Parents[0], "parent", photo.ID, 404)
	testkit.Put[struct{ ID uuid.UUID }](t, admin, "/school-admin/student/"+child.ID.String(), map[string]any{"photoFileId": photo.ID})
	gets("the parent", child.Parents[0], "parent", photo.ID, 200)
	gets("the teacher", teacher, "teacher", photo.ID, 200)
	gets("another parent", stranger.Parents[0], "parent", photo.ID, 404)
	gets("another teacher", colleague, "teacher", photo.ID, 404)
	driver, employee := s.As(t, api.Driver), api.NewID()
	if err := s.DB(t).Exec(`insert into employee (id, user_id, employee_code, first_name, phone, employee_type)
		values (?, ?, 'D-1', 'Ravi', '', 'DRIVER')`, employee, driver.UserID).Error; err != nil {
		t.Fatal(err)
	}
	type made struct {
		ID    uuid.UUID
		Stops []struct{ ID uuid.UUID }
	}
	const transport = "/school-admin/transport"
	bus := testkit.Post[made](t, admin, transport+"/bus/create", map[string]any{"busNumber": "7", "driverId": employee})
	route := testkit.Post[made](t, admin, transport+"/route/create", map[string]any{"name": "Hill Road", "busId": bus.ID,
		"direction": "pickup", "stops": []any{map[string]any{"name": "Temple", "lat": 12.97, "lng": 77.59}}})
	rides := func(students ...any) {
		t.Helper()
		testkit.Put[any](t, admin, transport+"/route/"+route.ID.String()+"/students", map[string]any{"students": append([]any{}, students...)})
	}
	rides(map[string]any{"studentId": child.ID, "stopId": route.Stops[0].ID})
	gets("a driver without a trip", driver, "driver", photo.ID, 404)
	testkit.Post[any](t, admin, transport+"/trip/schedule", map[string]any{"routeId": route.ID,
		"tripDate": api.DateOf(time.Now().In(s.Location())), "scheduledStartTime": "07:00"})
	gets("the driver of today's bus", driver, "driver", photo.ID, 200)
	rides()
	gets("the driver, when the child rides no more", driver, "driver", photo.ID, 404)
	if err := s.DB(t).Exec(`update student_guardian set can_view_data = false where student_id = ?`, child.ID).Error; err != nil {
		t.Fatal(err)
	}
	gets("a parent who may not see the child any more", child.Parents[0], "parent", photo.ID, 404)

	face := uploaded(t, admin, "school-admin", picture(t, 40, 40), "purpose", "PHOTO")
	testkit.Post[struct{ ID uuid.UUID }](t, admin, "/school-admin/employee/create",
		map[string]any{"firstName": "Ravi", "employeeType": "SUPPORT", "phone": testkit.NewPhone(), "photoFileId": face.ID})
	gets("the office, of an employee", admin, "school-admin", face.ID, 200)
	gets("a teacher, of another employee", teacher, "teacher", face.ID, 404)
	admin.Refuses(t, "DELETE", "/school-admin/file/"+face.ID.String(), nil, 409, "")
	if err := s.DB(t).Exec(`update employee set photo_file_id = ? where user_id = ?`, face.ID, teacher.UserID).Error; err != nil {
		t.Fatal(err)
	}
	gets("a teacher, of themselves", teacher, "teacher", face.ID, 200)

	const setting = "/school-admin/setting"
	logo := uploaded(t, admin, "school-admin", picture(t, 40, 20), "purpose", "LOGO")
	gets("a parent, before it is the logo", stranger.Parents[0], "parent", logo.ID, 404)
	admin.Refuses(t, "PUT", setting, map[string]any{"logoFileId": uploaded(t, admin, "school-admin", pdf).ID}, 422, "")
	theirs := uploaded(t, testkit.NewSchool(t).As(t, api.SchoolAdmin), "school-admin", picture(t, 40, 20), "purpose", "LOGO")
	admin.Refuses(t, "PUT", setting, map[string]any{"logoFileId": theirs.ID}, 422, "")
	testkit.Put[struct{}](t, admin, setting, map[string]any{"logoFileId": logo.ID})
	gets("a parent", stranger.Parents[0], "parent", logo.ID, 200)
	gets("a teacher", colleague, "teacher", logo.ID, 200)
	admin.Refuses(t, "DELETE", "/school-admin/file/"+logo.ID.String(), nil, 409, "")
	testkit.Put[struct{}](t, admin, setting, map[string]any{"logoFileId": nil})
	gets("a parent, when it is the logo no more", stranger.Parents[0], "parent", logo.ID, 404)
	if a := admin.Call(t, "DELETE", "/school-admin/file/"+logo.ID.String(), nil); a.Status != 204 {
		t.Errorf("deleting it: %d %s", a.Status, a.Body)
	}
}

func TestTheSchoolsNameAddressAndLogoAreOnItsPapers(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin, child := s.As(t, api.SchoolAdmin), s.Child(t, s.Seat(t, "Class 5"), 1)
	testkit.Post[charging.Fined](t, admin, "/school-admin/fee/fine", map[string]any{"studentId": child.ID, "amount": 500, "reason": "Window"})
	paid := testkit.Post[fee.Collection](t, admin, "/school-admin/fee/collection/record",
		map[string]any{"studentId": child.ID, "amount": 500, "paymentMode": "CASH"})
	testkit.Post[struct{}](t, admin, "/school-admin/student/"+child.ID.String()+"/transfer", map[string]any{"reason": "Moved"})
	papers := []string{
		"/school-admin/fee/receipt/" + paid.ID.String(), "/school-admin/fee/report/" + child.ID.String(),
		"/school-admin/exam/report-card/" + child.ID.String(), "/school-admin/student/" + child.ID.String() + "/leaving-certificate",
	}
	printed := func(path string) []byte {
		t.Helper()
		a := admin.Call(t, "GET", path+"?format=pdf", nil)
		if a.Status != 200 || !bytes.HasPrefix(a.Body, []byte("%PDF-")) {
			t.Fatalf("%s: %d %.200s", path, a.Status, a.Body)
		}
		return a.Body
	}
	plain := map[string][]byte{}
	for _, path := range papers {
		plain[path] = printed(path)
		if bytes.Contains(plain[path], []byte("/Subtype /Image")) {
			t.Errorf("%s has a picture", path)
		}
	}
	logo := uploaded(t, admin, "school-admin", picture(t, 40, 20), "purpose", "LOGO")
	testkit.Put[struct{}](t, admin, "/school-admin/setting",
		map[string]any{"logoFileId": logo.ID, "address": "12 Temple Street\nMylapore", "principalName": "Dr. Mehta"})
	for _, path := range papers {
		with := printed(path)
		if !bytes.Contains(with, []byte("/Subtype /Image")) || bytes.Equal(with, plain[path]) || !bytes.Equal(with, printed(path)) {
			t.Errorf("%s has no logo, or another each time", path)
		}
	}
}
