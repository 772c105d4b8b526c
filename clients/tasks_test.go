package clients_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/realtime/ioclient"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

// world is a school at which the tasks are done: a division of two children, its class teacher, a parent, a driver, the office.
type world struct {
	*testkit.School
	*document
	parent, teacher, driver, office *program
	parentPhone                     string
	division, class, year, child    string
	childID                         uuid.UUID
}

func newWorld(t *testing.T) *world {
	t.Helper()
	s := testkit.NewSchool(t)
	d := readDocument(t, s.App.URL)
	seat := s.Seat(t, "5")
	child := s.Child(t, seat, 0)
	s.Child(t, seat, 0)
	parent := s.Add(t, testkit.Person{Role: api.Parent})
	s.Link(t, &testkit.Client{UserID: parent.UserID}, child.ID)
	teacher, driver, admin := s.Teacher(t, seat), s.As(t, api.Driver), s.As(t, api.SchoolAdmin)
	db := s.DB(t)
	if err := db.Exec(`update teacher_assignment set is_class_teacher = true where user_id = ?`, teacher.UserID).Error; err != nil {
		t.Fatal(err)
	}
	if err := db.Exec(`insert into employee (id, user_id, employee_code, first_name, phone, employee_type)
		values (?, ?, 'D1', 'Ravi', '', 'DRIVER')`, api.NewID(), driver.UserID).Error; err != nil {
		t.Fatal(err)
	}
	w := &world{School: s, document: d, teacher: d.as(s.App, teacher), driver: d.as(s.App, driver), office: d.as(s.App, admin),
		parent:   &program{document: d, address: s.App.URL, http: http.DefaultClient},
		division: seat.DivisionID.String(), class: seat.ClassID.String(), year: seat.YearID.String(), child: child.ID.String(), childID: child.ID,
		parentPhone: parent.Phone}
	return w
}

func (w *world) day(n int) string {
	return api.DateOf(time.Now().In(w.Location())).AddDays(n).String()
}

// TestTasks_FromTheDocumentsAlone_AreAllDone does what an app's developer is asked to do, with calls by their operation's ids.
// What is sent and what comes back has nothing that the documents do not say.
func TestTasks_FromTheDocumentsAlone_AreAllDone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, task := range []struct {
		name string
		do   func(*testing.T)
	}{
		{"a parent signs in by code, and later by PIN", w.signIn},
		{"a parent sees their children", w.children},
		{"a teacher marks the register, the parent sees it", w.register},
		{"a parent asks for leave, the class teacher decides", w.leave},
		{"a teacher adds an event, the parent signs the child up", w.event},
		{"the office receives a fee, though the answer is lost", w.fee},
		{"a parent's phone takes push messages and shows the log", w.push},
		{"the office brings students in from a file", w.importStudents},
		{"a results file is uploaded and published", w.results},
		{"a parent and a teacher write to each other", w.messages},
		{"a driver drives a trip and boards a child", w.drive},
		{"a parent watches the bus, with a token that ends", w.watch},
		{"an app keeps its lists and asks what is new", w.keep},
	} {
		t.Run(task.name, task.do)
	}
}

func (w *world) signIn(t *testing.T) {
	phone := object{"phone": w.parentPhone}
	w.parent.call(t, "postParentUserAuthSendOtp", nil, phone)
	wrong := object{"phone": w.parentPhone, "otp": "000000"}
	code := w.App.OTP(t, w.parentPhone)
	if code == "000000" {
		wrong["otp"] = "111111"
	}
	status, said := w.parent.send(t, "postParentUserAuthVerifyOtp", nil, "application/json", wrong)
	if status != 400 || at(t, said, "error") != "OTP_INVALID" {
		t.Errorf("a wrong code: %d %v", status, said)
	}
	signedIn := w.parent.call(t, "postParentUserAuthVerifyOtp", nil, object{"phone": w.parentPhone, "otp": code})
	w.parent.token = text(t, signedIn, "accessToken")
	w.parent.call(t, "postParentUserAuthSetPin", nil, object{"pin": "4826"})
	again := w.parent.call(t, "postParentUserAuthVerifyPin", nil, object{"phone": w.parentPhone, "pin": "4826"})
	pair := w.parent.call(t, "postAuthRefresh", nil, object{"refreshToken": text(t, again, "refreshToken")})
	w.parent.token = text(t, pair, "accessToken")
}

func (w *world) children(t *testing.T) {
	got := w.parent.call(t, "postParentStudentList", nil, object{})
	if text(t, got, "students", 0, "id") != w.child || at(t, got, "students", 0, "firstName") != "Asha" {
		t.Errorf("the children: %v", got)
	}
}

func (w *world) register(t *testing.T) {
	classes := w.teacher.call(t, "getTeacherClassList", nil, nil)
	division := text(t, classes, "items", 0, "divisionId")
	register := w.teacher.call(t, "getTeacherAttendanceRegister", values{"divisionId": division, "date": w.day(0)}, nil)
	var marks []any
	for _, student := range at(t, register, "students").([]any) {
		marks = append(marks, object{"studentId": text(t, student, "studentId"), "status": "PRESENT"})
	}
	status, said := w.teacher.send(t, "postTeacherAttendanceMark", nil, "application/json",
		object{"divisionId": division, "date": w.day(0), "records": marks})
	if status == 422 { // a day off: the register says so too, and so does the parent's month
		if text(t, register, "dayOff") == "" {
			t.Errorf("marking: %v", said)
		}
		return
	}
	month := w.parent.call(t, "getParentAttendanceList", values{"studentId": w.child, "month": w.day(0)[:7]}, nil)
	for _, day := range at(t, month, "days").([]any) {
		if at(t, day, "date") == w.day(0) && at(t, day, "status") != "PRESENT" {
			t.Errorf("the parent sees %v", day)
		}
	}
}

func (w *world) leave(t *testing.T) {
	asked := w.parent.call(t, "postParentLeaveApply", values{"Idempotency-Key": uuid.NewString()}, object{
		"studentId": w.child, "leaveType": "SICK", "fromDate": w.day(1), "toDate": w.day(9), "reason": "Measles"})
	waiting := w.teacher.call(t, "getTeacherLeaveRequests", values{"filters[status]": "PENDING"}, nil)
	if at(t, waiting, "items", 0, "id") != at(t, asked, "id") {
		t.Fatalf("the teacher sees %v", waiting)
	}
	decided := w.teacher.call(t, "postTeacherLeaveDecide", nil, object{"leaveId": text(t, asked, "id"), "status": "APPROVED"})
	if at(t, decided, "status") != "APPROVED" {
		t.Errorf("decided: %v", decided)
	}
}

func (w *world) event(t *testing.T) {
	made := w.office.call(t, "postSchoolAdminEventCreate", nil, object{"title": "Sports day", "eventDate": w.day(20), "startTime": "09:00",
		"targetAudience": "ALL"})
	seen := w.parent.call(t, "getParentEventList", values{"filters[studentId]": w.child}, nil)
	if at(t, seen, "items", 0, "id") != at(t, made, "id") {
		t.Fatalf("the parent sees %v", seen)
	}
	if got := w.parent.call(t, "postParentEventSignUp", nil, object{"eventId": text(t, made, "id"), "studentId": w.child}); at(t, got,
		"signedUp") != true {
		t.Errorf("signed up: %v", got)
	}
}

func (w *world) fee(t *testing.T) {
	w.Owe(t, w.childID, 125_000, api.DateOf(time.Now()).AddDays(-3))
	key := values{"Idempotency-Key": uuid.NewString()}
	paid := object{"studentId": w.child, "amount": 100_000, "paymentMode": "CASH"}
	first := w.office.call(t, "postSchoolAdminFeeCollectionRecord", key, paid)
	second := w.office.call(t, "postSchoolAdminFeeCollectionRecord", key, paid)
	if at(t, first, "id") != at(t, second, "id") {
		t.Errorf("a lost answer made another payment: %v, %v", first, second)
	}
	if dues := w.parent.call(t, "getParentFeeDues", nil, nil); text(t, dues, "items", 0, "student", "id") != w.child {
		t.Errorf("the parent's dues: %v", dues)
	}
	if receipt := w.parent.call(t, "getParentFeeReceiptById", values{"id": text(t, first, "id")}, nil); receipt == nil {
		t.Error("the parent cannot read the receipt")
	}
}

func (w *world) push(t *testing.T) {
	w.parent.call(t, "postParentNotificationToken", nil, object{"fcmToken": "token-" + w.child, "platform": "android"})
	draft := w.office.call(t, "postSchoolAdminAnnouncementCreate", nil, object{"title": "Holiday", "body": "Closed on Monday"})
	w.office.call(t, "postSchoolAdminAnnouncementByIdPublish", values{"id": text(t, draft, "id")}, nil)
	var log any
	testkit.Eventually(t, "a notification", func() bool {
		log = w.parent.call(t, "getParentNotificationDeliveredNotifications", values{"unread": "true"}, nil)
		return len(at(t, log, "notifications").([]any)) > 0
	})
	kind := text(t, log, "notifications", 0, "type")
	page := string(fetch(t, w.App.URL+"/api-docs/push"))
	for _, word := range []string{kind, "deliveryId", "studentId", "school_", "student_"} {
		if !strings.Contains(page, word) {
			t.Errorf("the page on push messages has no %s", word)
		}
	}
	w.parent.call(t, "postParentNotificationRead", nil, object{"notificationId": text(t, log, "notifications", 0, "id")})
}

// columns are those of a file as its page names them.
func (w *world) columns(t *testing.T, path string) string {
	t.Helper()
	_, section, found := strings.Cut(string(fetch(t, w.App.URL+"/api-docs/files")), "POST "+path+"</code>")
	if !found {
		t.Fatalf("the page on files has nothing on %s", path)
	}
	section, _, _ = strings.Cut(section, "</table>")
	return section
}

func (w *world) importStudents(t *testing.T) {
	columns := w.columns(t, "/school-admin/student/import")
	for _, name := range []string{"firstName", "lastName", "class", "division"} {
		if !strings.Contains(columns, "<code>"+name+"</code>") {
			t.Fatalf("the page has no column %s: %s", name, columns)
		}
	}
	file := "firstName,lastName,class,division\nKiran,Shah,5,A\nNoor,Khan,5,A\n"
	status, ran := w.office.send(t, "postSchoolAdminStudentImport", nil, "text/csv", file)
	if status != 200 || text(t, ran, "state") != "DONE" {
		t.Fatalf("importing: %d %v", status, ran)
	}
	found := w.office.call(t, "getSchoolAdminStudentList", values{"filters[search]": "noor"}, nil)
	if text(t, found, "items", 0, "className") != "5" {
		t.Errorf("imported: %v", found)
	}
}

func (w *world) results(t *testing.T) {
	subject := w.office.call(t, "postSchoolAdminSubjectCreate", nil, object{"name": "Mathematics", "code": "M"})
	exam := w.office.call(t, "postSchoolAdminExamCreate", nil, object{"name": "Unit test", "classIds": []string{w.class},
		"academicYearId": w.year})
	set := w.office.call(t, "postSchoolAdminExamSchedule", nil, object{"examId": text(t, exam, "id"), "papers": []any{object{
		"classId": w.class, "subjectId": text(t, subject, "id"), "examDate": w.day(0), "startTime": "09:00", "endTime": "10:00", "maxMarks": 50,
		"passMarks": 20}}})
	columns := w.columns(t, "/school-admin/exam/result/upload")
	for _, name := range []string{"studentId", "marksObtained"} {
		if !strings.Contains(columns, "<code>"+name+"</code>") {
			t.Fatalf("the page has no column %s: %s", name, columns)
		}
	}
	status, got := w.office.send(t, "postSchoolAdminExamResultUpload", values{"examId": text(t, exam, "id"),
		"paperId": text(t, set, "papers", 0, "id")}, "text/csv", "studentId,marksObtained\n"+w.child+",41.5\n")
	if status != 200 {
		t.Fatalf("uploading results: %d %v", status, got)
	}
}

func (w *world) messages(t *testing.T) {
	contacts := w.parent.call(t, "getParentMessageContacts", values{"studentId": w.child}, nil)
	sent := w.parent.call(t, "postParentMessageSend", nil, object{"recipientIds": []string{text(t, contacts, "contacts", 0, "userId")},
		"studentId": w.child, "subject": "Homework", "body": "Which page?"})
	thread := text(t, sent, "threadId")
	w.teacher.call(t, "postTeacherMessageSend", nil, object{"threadId": thread, "body": "Page 12"})
	read := w.parent.call(t, "getParentMessageThreadById", values{"id": thread}, nil)
	if text(t, read, "messages", 1, "body") != "Page 12" {
		t.Errorf("the parent reads %v", read)
	}
	w.parent.call(t, "postParentMessageRead", nil, object{"threadId": thread})
}

func (w *world) drive(t *testing.T) {
	drivers := w.office.call(t, "getSchoolAdminEmployeeList", values{"filters[employeeType]": "DRIVER"}, nil)
	bus := w.office.call(t, "postSchoolAdminTransportBusCreate", nil, object{"busNumber": "8", "driverId": text(t, drivers, "items", 0, "id")})
	route := w.office.call(t, "postSchoolAdminTransportRouteCreate", nil, object{"name": "North", "busId": text(t, bus, "id"),
		"direction": "pickup", "stops": []any{object{"name": "Temple", "lat": 12.97, "lng": 77.59, "plannedTime": "07:00"}}})
	w.office.call(t, "putSchoolAdminTransportRouteByIdStudents", values{"id": text(t, route, "id")}, object{"students": []any{object{
		"studentId": w.child, "stopId": text(t, route, "stops", 0, "id")}}})
	w.office.call(t, "postSchoolAdminTransportTripSchedule", nil, object{"routeId": text(t, route, "id"), "tripDate": w.day(0),
		"scheduledStartTime": "07:00", "runsOnHolidays": true})
	trips := w.driver.call(t, "getDriverTripList", nil, nil)
	trip := text(t, trips, "items", 0, "id")
	w.driver.call(t, "postDriverBusTrackingTripsByTripIdStart", values{"tripId": trip}, nil)
	stored := w.driver.call(t, "postDriverBusTrackingTripsByTripIdLocations", values{"tripId": trip}, object{"locations": []any{object{
		"lat": 12.98, "lng": 77.59, "speed": 8, "heading": 90, "timestamp": time.Now().UTC().Format(time.RFC3339)}}})
	if refused := at(t, stored, "refused").([]any); len(refused) > 0 {
		t.Errorf("a position was refused: %v", stored)
	}
	boarded := w.driver.call(t, "postDriverStudentBoard", nil, object{"tripId": trip, "studentId": w.child, "status": "boarded",
		"clientEventId": uuid.NewString()})
	if at(t, boarded, "status") != "boarded" {
		t.Errorf("boarded: %v", boarded)
	}
}

func (w *world) watch(t *testing.T) {
	buses := w.parent.call(t, "getParentTransportMyBuses", nil, nil)
	room := object{"schoolId": w.ID.String(), "busId": text(t, buses, "buses", 0, "busId")}
	live := string(fetch(t, w.App.URL+"/asyncapi.json"))
	calls := func(c *ioclient.Client, event string, data any) {
		t.Helper()
		if !strings.Contains(live, `"`+event+`"`) {
			t.Errorf("the document of the live channel has no %s", event)
		}
		if a, err := c.Call(t.Context(), event, data); err != nil || !a.OK {
			t.Fatalf("%s: %+v %v", event, a, err)
		}
	}
	dial := func(token string) *ioclient.Client {
		t.Helper()
		c, err := ioclient.Dial(t.Context(), w.App.URL, token)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	parent, driver := dial(w.parent.token), dial(w.driver.token)
	calls(parent, "join-bus-room", room)
	calls(driver, "update-location", object{"lat": 12.9801, "lng": 77.59, "speed": 8, "heading": 90, "timestamp": time.Now().UnixMilli()})
	for heard := ""; heard != "location"; {
		heard = wait.Receive(t, "the bus's position", parent.Events).Name
		if !strings.Contains(live, `"`+heard+`"`) {
			t.Errorf("the document of the live channel has no %s", heard)
		}
	}
	again := w.parent.call(t, "postParentUserAuthVerifyPin", nil, object{"phone": w.parentPhone, "pin": "4826"})
	fresh := dial(text(t, again, "accessToken"))
	calls(fresh, "renew", object{"token": text(t, again, "accessToken")})
	calls(parent, "leave-bus-room", room)
}

func (w *world) keep(t *testing.T) {
	lists := map[string]string{"getParentEventList": "items", "getParentMessageList": "items", "getParentAnnouncementList": "items",
		"getParentNotificationDeliveredNotifications": "notifications"}
	next := map[string]string{}
	for id, field := range lists {
		got := w.parent.call(t, id, values{"updatedSince": "start"}, nil)
		if len(at(t, got, field).([]any)) == 0 || at(t, got, "sync", "startAnew") != true {
			t.Errorf("%s begins with %v", id, got)
		}
		next[id] = text(t, got, "sync", "next")
	}
	w.office.call(t, "postSchoolAdminEventCreate", nil, object{"title": "Concert", "eventDate": w.day(30), "targetAudience": "ALL"})
	for id, field := range lists {
		want := 0
		if id == "getParentEventList" {
			want = 1
		}
		got := w.parent.call(t, id, values{"updatedSince": next[id]}, nil)
		if field == "notifications" {
			continue // one of the event may be there or on its way
		}
		if n := len(at(t, got, field).([]any)); n != want || at(t, got, "sync", "startAnew") != false {
			t.Errorf("%s goes on with %d records, want %d: %v", id, n, want, got)
		}
	}
}
