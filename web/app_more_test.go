package web_test

import (
	"bytes"
	"image"
	"image/png"
	"mime/multipart"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/file"
	"homeroom/modules/message"
	"homeroom/testkit"
)

// TestApp_ParentReadsSchoolAndMessages is a family with a teacher, two exams with results, one to come, a book, an event, two
// certificates, a refund and an announcement with a file. Another family of the school has a child and a thread.
func TestApp_ParentReadsSchoolAndMessages(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	s, clerk, stage := familySchool(t, app)
	today := api.DateOf(app.Service.Kernel.Clock().In(s.Location()))
	post := func(path string, data map[string]any) made {
		return testkit.Post[made](t, clerk, "/school-admin/"+path, data)
	}
	seat := testkit.Seat{YearID: stage["year"].(uuid.UUID), ClassID: stage["class"].(uuid.UUID), DivisionID: stage["division"].(uuid.UUID)}
	asha, maths := stage["ashaId"].(uuid.UUID), stage["subject"].(uuid.UUID)
	teacher := s.Teacher(t, seat)

	before := post("academic-year/create", map[string]any{"name": "Last year", "startDate": today.AddDays(-400), "endDate": today.AddDays(-101)})
	err := s.DB(t).Exec(`insert into enrolment (id, student_id, academic_year_id, class_id, division_id, start_date, end_date, outcome)
		values (?, ?, ?, ?, ?, ?, ?, 'PROMOTED')`, api.NewID(), asha, before.ID, seat.ClassID, seat.DivisionID, today.AddDays(-400),
		today.AddDays(-101)).Error
	if err != nil {
		t.Fatal(err)
	}
	sit := func(name string, year uuid.UUID, day api.Date, marks int) {
		exam := post("exam/create", map[string]any{"name": name, "academicYearId": year, "classIds": []uuid.UUID{seat.ClassID}})
		paper := testkit.Post[struct{ Papers []made }](t, clerk, "/school-admin/exam/schedule", map[string]any{"examId": exam.ID, "papers": []any{
			map[string]any{"classId": seat.ClassID, "subjectId": maths, "examDate": day, "startTime": "09:30", "endTime": "11:30",
				"maxMarks": 100, "passMarks": 35, "room": "4"}}}).Papers[0]
		publish := "/school-admin/exam/" + exam.ID.String() + "/publish"
		if marks == 0 {
			testkit.Post[any](t, clerk, publish, map[string]any{"what": "SCHEDULE"})
			return
		}
		post("exam/result/upload", map[string]any{"examId": exam.ID, "results": []any{
			map[string]any{"paperId": paper.ID, "studentId": asha, "marksObtained": marks}}})
		testkit.Post[any](t, clerk, publish, map[string]any{"allowMissing": true})
	}
	sit("Unit test 1", seat.YearID, today.AddDays(-20), 86)
	sit("Final exam", before.ID, today.AddDays(-120), 71)
	sit("Half-yearly", seat.YearID, today.AddDays(5), 0)

	book := post("library/book/create", map[string]any{"title": "Malgudi Days"})
	post("library/copy/create", map[string]any{"bookId": book.ID, "accessionNumber": "L-1"})
	post("library/loan/issue", map[string]any{"code": "L-1", "studentId": asha})
	post("event/create", map[string]any{"title": "Sports day", "eventDate": today.AddDays(9), "startTime": "10:00", "venue": "Field",
		"capacity": 2})

	post("student/bonafide/create", map[string]any{"studentId": asha, "purpose": "Passport application"})
	post("fee/certificate", map[string]any{"studentId": stage["ravi"], "academicYearId": seat.YearID})
	post("fee/collection/record", map[string]any{"studentId": asha, "amount": 90_000, "paymentMode": "CASH"})
	post("fee/refund", map[string]any{"studentId": asha, "amount": 40_000, "paymentMode": "CASH", "reason": "Paid twice"})

	notes := post("announcement/create", map[string]any{"title": "School closes early", "body": "At noon on Friday.",
		"attachmentFileIds": []uuid.UUID{uploadPDF(t, clerk)}})
	testkit.Post[any](t, clerk, "/school-admin/announcement/"+notes.ID.String()+"/publish", nil)
	err = s.DB(t).Exec(`insert into announcement select (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(),
		'title', 'Old news ' || n, 'published_at', a.published_at - n * interval '1 day'))).* from announcement a, generate_series(1, 50) n
		where a.id = ?`, notes.ID).Error
	if err != nil {
		t.Fatal(err)
	}

	other, six := otherFamily(t, s, clerk, stage)
	thread := testkit.Post[message.Message](t, other.Parents[0], "/parent/message/send", map[string]any{"toOffice": true, "body": "A secret"})
	theirs := post("announcement/create", map[string]any{"title": "For class 6", "body": "Only them.",
		"targetAudience": "PARENTS", "classIds": []uuid.UUID{six}})
	testkit.Post[any](t, clerk, "/school-admin/announcement/"+theirs.ID.String()+"/publish", nil)
	stage["teacherToken"], stage["otherStudent"], stage["otherThread"] = teacher.Token, other.ID, thread.ThreadID
	stage["otherAnnouncement"] = theirs.ID
	browse(t, app, "app-parent-more", stage)
}

// otherFamily is a child of another class of the school, with a parent who is signed in.
func otherFamily(t *testing.T, s *testkit.School, clerk *testkit.Client, stage map[string]any) (testkit.Child, uuid.UUID) {
	t.Helper()
	class := testkit.Post[made](t, clerk, "/school-admin/class/create", map[string]any{"name": "Class 6"})
	division := testkit.Post[made](t, clerk, "/school-admin/division/create", map[string]any{"classId": class.ID, "name": "A"})
	return s.Child(t, testkit.Seat{YearID: stage["year"].(uuid.UUID), ClassID: class.ID, DivisionID: division.ID}, 1), class.ID
}

func uploadPDF(t *testing.T, c *testkit.Client) uuid.UUID {
	t.Helper()
	return uploadFile(t, c, "notice.pdf", "ATTACHMENT",
		[]byte("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Count 0/Kids[]>>endobj\n%%EOF\n"))
}

// uploadPhoto is a picture that has a size of its own when it is drawn.
func uploadPhoto(t *testing.T, c *testkit.Client) uuid.UUID {
	t.Helper()
	var photo bytes.Buffer
	if err := png.Encode(&photo, image.NewRGBA(image.Rect(0, 0, 60, 80))); err != nil {
		t.Fatal(err)
	}
	return uploadFile(t, c, "face.png", "PHOTO", photo.Bytes())
}

func uploadFile(t *testing.T, c *testkit.Client, name, purpose string, content []byte) uuid.UUID {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("purpose", purpose)
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write(content)
	_ = form.Close()
	a := c.Send(t, "POST", "/school-admin/file/upload", form.FormDataContentType(), body.Bytes())
	if a.Status != 201 {
		t.Fatalf("uploading: %d %s", a.Status, a.Body)
	}
	var stored file.View
	a.Read(t, &stored)
	return stored.ID
}

// TestApp_ParentWatchesTheBus is a family whose daughter rides a bus that its driver drives through the API. The time of her stop
// has changed this week.
func TestApp_ParentWatchesTheBus(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	s, clerk, stage := familySchool(t, app)
	driver := s.As(t, api.Driver)
	employee := api.NewID()
	err := s.DB(t).Exec(`insert into employee (id, user_id, employee_code, first_name, last_name, phone, employee_type)
		values (?, ?, 'D-1', 'Salim', 'Sheikh', '', 'DRIVER')`, employee, driver.UserID).Error
	if err != nil {
		t.Fatal(err)
	}
	today := api.DateOf(app.Service.Kernel.Clock().In(s.Location()))
	post := func(path string, data map[string]any) made {
		return testkit.Post[made](t, clerk, "/school-admin/transport/"+path, data)
	}
	bus := post("bus/create", map[string]any{"busNumber": "7", "capacity": 40, "driverId": employee})
	type route struct {
		ID      uuid.UUID
		Version int
		Stops   []struct{ ID uuid.UUID }
	}
	stop := func(i int, name, at string, id *uuid.UUID) map[string]any {
		return map[string]any{"id": id, "name": name, "lat": 12.97 + float64(i)*0.01, "lng": 77.59, "plannedTime": at}
	}
	r := testkit.Post[route](t, clerk, "/school-admin/transport/route/create", map[string]any{"name": "Hill Road, morning", "busId": bus.ID,
		"direction": "pickup", "stops": []any{stop(0, "Temple", "07:00", nil), stop(1, "Market", "07:20", nil), stop(2, "School", "07:40", nil)}})
	testkit.Put[any](t, clerk, "/school-admin/transport/route/"+r.ID.String(), map[string]any{"version": r.Version, "stops": []any{
		stop(0, "Temple", "07:00", &r.Stops[0].ID), stop(1, "Market", "07:10", &r.Stops[1].ID), stop(2, "School", "07:40", &r.Stops[2].ID)}})
	testkit.Put[any](t, clerk, "/school-admin/transport/route/"+r.ID.String()+"/students", map[string]any{"students": []any{
		map[string]any{"studentId": stage["ashaId"], "stopId": r.Stops[1].ID}}})
	trip := post("trip/schedule", map[string]any{"routeId": r.ID, "tripDate": today, "scheduledStartTime": "07:00"})
	stage["driverToken"], stage["trip"] = driver.Token, trip.ID
	other, _ := otherFamily(t, s, clerk, stage)
	stage["otherStudent"] = other.ID
	browse(t, app, "app-bus", stage)
}
