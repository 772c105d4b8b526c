package privacy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/modules/privacy"
	"homeroom/tenancy"
	"homeroom/testkit"
)

// life is a school at which one child, their guardian and an employee leave traces in
// every module, through the API alone.
type life struct {
	*testkit.School
	office, teacher, driver, parent            *testkit.Client
	year, next, class, division, subject       uuid.UUID
	child, other, guardian, teacherID, driving uuid.UUID
	number, phone, email                       string
	secrets                                    []string // texts that were written, each with a word nobody else uses
	promotion                                  map[string]any
}

const (
	childsName    = "Oriolwyn Thrackmorton"
	guardiansName = "Ebberwick Thrackmorton"
)

// secret is a text that must be in the export and must not be anywhere afterwards.
func (l *life) secret(where string) string {
	word := "Wimblequark-" + where
	l.secrets = append(l.secrets, word)
	return "Oriolwyn " + word
}

func (l *life) make(t *testing.T, path string, data map[string]any) uuid.UUID {
	t.Helper()
	return testkit.Post[record](t, l.office.With("Idempotency-Key", uuid.NewString()), path, data).ID
}

func (l *life) day(n int) string {
	return api.DateOf(time.Now().In(l.Location())).AddDays(n).String()
}

func (l *life) signIn(t *testing.T, role, phone string) *testkit.Client {
	t.Helper()
	c := l.App.Nobody()
	c.Call(t, "POST", "/"+role+"/user-auth/send-otp", map[string]any{"phone": phone})
	a := c.Call(t, "POST", "/"+role+"/user-auth/verify-otp", map[string]any{"phone": phone, "otp": l.App.OTP(t, phone)})
	var in struct {
		AccessToken string
		User        struct{ ID uuid.UUID }
	}
	if err := json.Unmarshal(a.Body, &in); err != nil || a.Status != 200 {
		t.Fatalf("signing in: %d %s", a.Status, a.Body)
	}
	c.Token, c.UserID = in.AccessToken, in.User.ID
	return c
}

func (l *life) upload(t *testing.T, c *testkit.Client, role, name string) uuid.UUID {
	t.Helper()
	body := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name + "\"\r\n\r\n%PDF-1.4 bytes\r\n--b--\r\n"
	var made record
	c.Send(t, "POST", "/"+role+"/file/upload", "multipart/form-data; boundary=b", []byte(body)).Read(t, &made)
	return made.ID
}

func newLife(t *testing.T) *life {
	t.Helper()
	l := &life{School: testkit.NewSchool(t), number: "A-" + uuid.NewString()[:8], phone: testkit.NewPhone(), email: "ebberwick." +
		uuid.NewString()[:8] + "@thrackmorton.test"}
	l.office = l.As(t, api.SchoolAdmin)
	testkit.Put[any](t, l.office, "/school-admin/setting", map[string]any{"weekendDays": []int{}})
	l.year = l.make(t, "/school-admin/academic-year/create", map[string]any{"name": "now", "startDate": l.day(-100), "endDate": l.day(100)})
	l.next = l.make(t, "/school-admin/academic-year/create", map[string]any{"name": "next", "startDate": l.day(110), "endDate": l.day(300)})
	testkit.Post[any](t, l.office, "/school-admin/academic-year/"+l.year.String()+"/activate", nil)
	six := l.make(t, "/school-admin/class/create", map[string]any{"name": "Class 6"})
	l.class = l.make(t, "/school-admin/class/create", map[string]any{"name": "Class 5", "nextClassId": six})
	l.division = l.make(t, "/school-admin/division/create", map[string]any{"classId": l.class, "name": "A"})
	l.make(t, "/school-admin/division/create", map[string]any{"classId": six, "name": "A"})
	l.subject = l.make(t, "/school-admin/subject/create", map[string]any{"name": "Algebra", "code": "ALG"})
	hire := func(kind, first, last string) (uuid.UUID, *testkit.Client) {
		phone := testkit.NewPhone()
		id := l.make(t, "/school-admin/employee/create",
			map[string]any{"firstName": first, "lastName": last, "phone": phone, "employeeType": kind})
		if kind == "TEACHER" {
			testkit.Put[any](t, l.office, "/school-admin/employee/"+id.String()+"/assignments",
				map[string]any{"assignments": []any{map[string]any{"classId": l.class, "divisionId": l.division, "isClassTeacher": true}}})
		}
		return id, l.signIn(t, strings.ToLower(kind), phone)
	}
	for _, f := range []map[string]any{{"appliesTo": "STUDENT", "label": "Father"}, {"appliesTo": "STUDENT", "label": "House"},
		{"appliesTo": "STUDENT", "label": "Shelf", "personal": false}, {"appliesTo": "GUARDIAN", "label": "Employer"},
		{"appliesTo": "EMPLOYEE", "label": "Bank"}} {
		f["kind"] = "TEXT"
		l.make(t, "/school-admin/custom-field/create", f)
	}
	l.teacherID, l.teacher = hire("TEACHER", "Meera", "Iyer")
	l.driving, l.driver = hire("DRIVER", "Ravi", "Kumar")
	l.other = l.make(t, "/school-admin/student/create",
		map[string]any{"firstName": "Asha", "lastName": "Rao", "divisionId": l.division, "admissionDate": l.day(-90)})
	return l
}

func (l *life) admit(t *testing.T) {
	photo := l.upload(t, l.office, "school-admin", "oriolwyn_thrackmorton.pdf")
	l.child = l.make(t, "/school-admin/student/create", map[string]any{
		"firstName": "Oriolwyn", "lastName": "Thrackmorton", "admissionNumber": l.number, "divisionId": l.division, "admissionDate": l.day(-90),
		"photoFileId": photo,
		"dateOfBirth": "2015-02-03", "address": l.secret("address"), "medicalNotes": l.secret("medical"), "allergies": l.secret("allergy"),
		"previousSchool":       l.secret("previous"),
		"emergencyContactName": guardiansName, "emergencyContactPhone": l.phone,
		"customFields": map[string]any{"father": guardiansName, "house": l.secret("custom"), "shelf": "B 12"},
		"guardians": []any{map[string]any{"firstName": "Ebberwick", "lastName": "Thrackmorton", "phone": l.phone, "email": l.email,
			"relation": "FATHER", "occupation": "Clerk", "customFields": map[string]any{"employer": "Wimblequark-employer"}}},
	})
	l.guardian = testkit.Get[struct{ Guardians []record }](t, l.office, "/school-admin/student/"+l.child.String()).Guardians[0].ID
	l.parent = l.signIn(t, "parent", l.phone)
	testkit.Put[any](t, l.parent, "/parent/notification/preferences", map[string]any{"preferences": []any{
		map[string]any{"type": "ATTENDANCE", "push": true, "sms": true, "email": true},
		map[string]any{"type": "FEE", "push": true, "sms": true, "email": true}}})
	testkit.Post[any](t, l.parent, "/parent/notification/token",
		map[string]any{"fcmToken": "token " + uuid.NewString(), "platform": "android"})
	testkit.Post[any](t, l.parent, "/parent/timetable/feed", map[string]any{"studentId": l.child})
}

func (l *life) attend(t *testing.T) {
	mark := func(c *testkit.Client, role, status, remark string) {
		testkit.Post[any](t, c, "/"+role+"/attendance/mark",
			map[string]any{"divisionId": l.division, "date": l.day(-1), "reason": "Late for the office", "records": []any{
				map[string]any{"studentId": l.child, "status": status, "remark": remark},
				map[string]any{"studentId": l.other, "status": status, "remark": "Sat with " + strings.ToUpper(childsName) + " " + status}}})
	}
	mark(l.teacher, "teacher", "ABSENT", l.secret("first-mark"))
	mark(l.office, "school-admin", "LATE", l.secret("second-mark"))
	letter := l.upload(t, l.parent, "parent", "letter of Thrackmorton, Oriolwyn.pdf")
	leave := testkit.Post[record](t, l.parent.With("Idempotency-Key", uuid.NewString()), "/parent/leave/apply",
		map[string]any{"studentId": l.child, "leaveType": "SICK", "fromDate": l.day(1), "toDate": l.day(2),
			"reason": l.secret("leave"), "attachmentFileIds": []any{letter}})
	testkit.Post[any](t, l.office, "/school-admin/leave/decide",
		map[string]any{"leaveId": leave.ID, "status": "APPROVED", "note": l.secret("decision")})
}

func (l *life) sit(t *testing.T) {
	exam := l.make(t, "/school-admin/exam/create",
		map[string]any{"name": "Half-yearly", "academicYearId": l.year, "classIds": []any{l.class}, "startDate": l.day(-9), "endDate": l.day(9)})
	paper := testkit.Post[struct{ Papers []record }](t, l.office, "/school-admin/exam/schedule",
		map[string]any{"examId": exam, "papers": []any{map[string]any{
			"classId": l.class, "subjectId": l.subject, "examDate": l.day(-5), "startTime": "09:00", "endTime": "11:00", "maxMarks": 80,
			"passMarks": 28}}}).Papers[0].ID
	testkit.Post[any](t, l.office, "/school-admin/exam/result/upload", map[string]any{"examId": exam, "results": []any{
		map[string]any{"paperId": paper, "studentId": l.child, "marksObtained": 61, "remark": l.secret("result")},
		map[string]any{"paperId": paper, "studentId": l.other, "marksObtained": 60}}})
	testkit.Put[any](t, l.office, "/school-admin/exam/report-card/"+l.child.String()+"/remark",
		map[string]any{"remark": l.secret("report-card")})
	testkit.Post[any](t, l.office, "/school-admin/exam/"+exam.String()+"/publish", map[string]any{"allowMissing": true})
}

func (l *life) pay(t *testing.T) {
	head := l.make(t, "/school-admin/fee/head/create", map[string]any{"name": "Tuition", "code": "TUI", "type": "TUITION"})
	structure := l.make(t, "/school-admin/fee/structure/create",
		map[string]any{"classId": l.class, "name": "Class 5", "proRata": false,
			"heads":       []any{map[string]any{"feeHeadId": head, "amount": 1000}},
			"instalments": []any{map[string]any{"name": "Term 1", "dueDate": l.day(-10), "percent": 100}}})
	testkit.Post[any](t, l.office.With("Idempotency-Key", uuid.NewString()), "/school-admin/fee/charge",
		map[string]any{"structureId": structure, "instalment": 1, "classId": l.class})
	post := func(path string, data map[string]any) int64 {
		data["studentId"] = l.child
		return testkit.Post[struct{ Balance int64 }](t, l.office.With("Idempotency-Key", uuid.NewString()), "/school-admin/fee/"+path,
			data).Balance
	}
	post("fine", map[string]any{"amount": 50, "reason": l.secret("fine")})
	post("concession", map[string]any{"mode": "PERCENT", "value": 10, "reason": l.secret("concession")})
	testkit.Post[any](t, l.office, "/school-admin/fee/reminder/send", map[string]any{"studentIds": []any{l.child}})
	receipt := l.make(t, "/school-admin/fee/collection/record",
		map[string]any{"studentId": l.child, "amount": 100, "paymentMode": "UPI", "referenceNumber": "upi of " + childsName})
	testkit.Post[any](t, l.office, "/school-admin/fee/collection/"+receipt.String()+"/reverse",
		map[string]any{"reason": l.secret("reversal")})
	left := testkit.Get[struct{ Balance int64 }](t, l.office, "/school-admin/fee/report/"+l.child.String()).Balance
	if rest := post("collection/record", map[string]any{"amount": left, "paymentMode": "CASH"}); rest != 0 {
		t.Fatalf("%d is left to pay", rest)
	}
}

func (l *life) read(t *testing.T) {
	book := l.make(t, "/school-admin/library/book/create", map[string]any{"title": "Malgudi Days"})
	l.make(t, "/school-admin/library/copy/create", map[string]any{"bookId": book, "accessionNumber": "L-1"})
	testkit.Post[any](t, l.office, "/school-admin/library/loan/issue", map[string]any{"code": "L-1", "studentId": l.other})
	held := l.make(t, "/school-admin/library/reservation/create", map[string]any{"bookId": book, "studentId": l.child})
	testkit.Post[any](t, l.office, "/school-admin/library/reservation/cancel", map[string]any{"reservationId": held})
	testkit.Post[any](t, l.office, "/school-admin/library/loan/return", map[string]any{"code": "L-1"})
	testkit.Post[any](t, l.office, "/school-admin/library/loan/issue", map[string]any{"code": "L-1", "studentId": l.child})
	testkit.Post[any](t, l.office, "/school-admin/library/loan/return", map[string]any{"code": "L-1"})
}

func (l *life) write(t *testing.T) {
	file := l.upload(t, l.parent, "parent", "scan.pdf")
	sent := testkit.Post[struct{ ThreadID uuid.UUID }](t, l.parent.With("Idempotency-Key", uuid.NewString()), "/parent/message/send",
		map[string]any{"recipientIds": []any{l.teacher.UserID}, "studentId": l.child,
			"subject": l.secret("subject"), "body": l.secret("message"), "attachmentFileIds": []any{file}})
	testkit.Post[any](t, l.teacher, "/teacher/message/send", map[string]any{"threadId": sent.ThreadID, "body": l.secret("answer")})
	news := l.make(t, "/school-admin/announcement/create",
		map[string]any{"title": "Well done, " + childsName, "body": "Thrackmorton, Oriolwyn won; ask " + l.phone + " or " +
			strings.ToUpper(l.email)})
	testkit.Post[any](t, l.office, "/school-admin/announcement/"+news.String()+"/publish", map[string]any{"allowMissing": true})
	testkit.Post[any](t, l.office.With("Idempotency-Key", uuid.NewString()), "/school-admin/dispatch/sms",
		map[string]any{"audience": map[string]any{"guardianIds": []any{l.guardian}}, "body": "Dear {name}, of " + childsName})
	l.make(t, "/school-admin/dispatch/template/create",
		map[string]any{"channel": "SMS", "name": "Thanks", "body": "Thanks to " + guardiansName})
}

func (l *life) ride(t *testing.T) {
	bus := l.make(t, "/school-admin/transport/bus/create", map[string]any{"busNumber": "7", "capacity": 30, "driverId": l.driving})
	route := testkit.Post[struct {
		ID    uuid.UUID
		Stops []record
	}](t, l.office, "/school-admin/transport/route/create",
		map[string]any{"name": "Hill Road", "busId": bus, "direction": "pickup", "stops": []any{
			map[string]any{"name": "House of " + guardiansName, "lat": 12.97, "lng": 77.59, "plannedTime": "07:00"},
			map[string]any{"name": "Lake", "lat": 12.99, "lng": 77.59, "plannedTime": "07:20"}}})
	testkit.Put[any](t, l.office, "/school-admin/transport/route/"+route.ID.String()+"/students",
		map[string]any{"students": []any{map[string]any{"studentId": l.child, "stopId": route.Stops[0].ID}}})
	testkit.Post[any](t, l.parent, "/parent/transport/not-riding",
		map[string]any{"studentId": l.child, "date": l.day(3), "reason": l.secret("not-riding")})
	trip := l.make(t, "/school-admin/transport/trip/schedule",
		map[string]any{"routeId": route.ID, "tripType": "pickup", "tripDate": l.day(0), "scheduledStartTime": "06:55"})
	command := func(what string) {
		if a := l.driver.Call(t, "POST", "/driver/bus-tracking/trips/"+trip.String()+"/"+what, map[string]any{}); a.Status != 200 {
			t.Fatalf("%s: %d %s", what, a.Status, a.Body)
		}
	}
	command("start")
	testkit.Post[any](t, l.parent, "/parent/transport/not-riding",
		map[string]any{"studentId": l.child, "tripType": "pickup", "reason": l.secret("today")})
	for _, status := range []string{"boarded", "alighted"} {
		testkit.Post[any](t, l.driver, "/driver/student/board", map[string]any{"tripId": trip, "studentId": l.child, "status": status})
	}
	testkit.Post[any](t, l.driver, "/driver/incident/report",
		map[string]any{"busId": bus, "tripId": trip, "type": "other", "description": "Waited for " + childsName})
	command("end")
}

func (l *life) join(t *testing.T) {
	event := l.make(t, "/school-admin/event/create",
		map[string]any{"title": "Sports day", "eventDate": l.day(20), "description": "Led by " + childsName})
	testkit.Post[any](t, l.parent, "/parent/event/sign-up", map[string]any{"eventId": event, "studentId": l.child})
	file := "admissionNumber,firstName,lastName,guardian1FirstName,guardian1Phone,guardian1Relation\n" + l.number +
		",Oriolwyn,Thrackmorton,Somebody," + l.phone + ",UNCLE OF " + guardiansName + "\n"
	body := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + childsName + ".csv\"\r\n\r\n" + file + "\r\n--b--\r\n"
	l.office.Send(t, "POST", "/school-admin/student/import?dryRun=true", "multipart/form-data; boundary=b", []byte(body))
	if n := l.Count(t, "import_run", "true"); n != 1 {
		t.Fatalf("%d imports", n)
	}
	l.promotion = map[string]any{"toYearId": l.next, "classId": l.class}
	testkit.Post[any](t, l.office, "/school-admin/student/promote", l.promotion)
}

func (l *life) leave(t *testing.T) {
	testkit.Post[any](t, l.office, "/school-admin/student/"+l.child.String()+"/transfer",
		map[string]any{"leavingDate": l.day(-1), "reason": l.secret("leaving"), "conduct": l.secret("conduct")})
}

// settled waits until what was to be told is told.
func (l *life) settled(t *testing.T) {
	t.Helper()
	testkit.Eventually(t, "what was to be told is told", func() bool { return l.Count(t, "outbox", "next_at <= now()") == 0 })
}

// everywhere are the places of a schema in which a word stands.
func everywhere(t *testing.T, db *gorm.DB, words ...string) (found []string) {
	t.Helper()
	var tables []string
	if err := db.Raw(`select relname from pg_class where relnamespace = current_schema()::regnamespace
		and relkind in ('r', 'p')`).Scan(&tables).Error; err != nil || len(tables) < 10 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	for _, table := range tables {
		var rows []string
		err := db.Raw(fmt.Sprintf(`select to_jsonb(x)::text from "%s" x where exists (select from unnest(string_to_array(?, '|')) w
			where strpos(lower(to_jsonb(x)::text), lower(w)) > 0) limit 3`, table),
			strings.Join(words, "|")).Scan(&rows).Error
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			found = append(found, table+": "+row)
		}
	}
	return found
}

// gone checks that none of the words stands anywhere, in the school or in the platform.
func (l *life) gone(t *testing.T, words ...string) {
	t.Helper()
	// It is tried again until the platform was reached.
	testkit.Eventually(t, "the erasure was heard", func() bool { return l.Count(t, "outbox", "kind = ?", privacy.PersonErased) == 0 })
	l.settled(t)
	for _, db := range []*gorm.DB{l.DB(t), l.App.Service.Cluster.Platform(t.Context(), tenancy.ReadOnly)} {
		for _, place := range everywhere(t, db, words...) {
			t.Errorf("left in %s", place)
		}
	}
}

// export reads the file of a person's data, and checks that it has the texts.
func (l *life) export(t *testing.T, path string, texts []string, sections ...string) {
	t.Helper()
	a := l.office.Call(t, "GET", path+"/personal-data", nil)
	var file struct{ Data map[string][]map[string]any }
	if err := json.Unmarshal(a.Body, &file); err != nil || a.Status != 200 {
		t.Fatalf("%s: %d %v %s", path, a.Status, err, a.Body)
	}
	for _, text := range texts {
		if !bytes.Contains(a.Body, []byte(text)) {
			t.Errorf("the export does not have %q", text)
		}
	}
	for _, section := range sections {
		if len(file.Data[section]) == 0 {
			t.Errorf("the export has no %s", section)
		}
	}
}

func TestErasure_OfAChildAndGuardian_LeavesNoTrace(t *testing.T) {
	t.Parallel()
	l := newLife(t)
	for _, part := range []func(*testing.T){l.admit, l.attend, l.sit, l.pay, l.read, l.write, l.ride, l.join, l.leave} {
		part(t)
	}
	l.settled(t)
	student, guardian := "/school-admin/student/"+l.child.String(), "/school-admin/guardian/"+l.guardian.String()
	l.export(t, student, l.secrets,
		"student", "guardianships", "enrolments", "attendance", "attendanceRevisions", "leave", "results", "reportCardRemarks",
		"leavingCertificates", "invoices", "receipts", "ledgerAccount",
		"ledgerTransactions", "ledgerEntries", "concessions", "feeReminders", "libraryLoans", "libraryReservations", "rides", "notRiding",
		"boardings", "boardingTaps", "eventSignUps",
		"threads", "messages", "notifications", "deliveries", "calendarFeeds", "files", "changes")
	l.export(t, guardian, []string{l.phone, l.email, "Wimblequark-message", "Wimblequark-leave", "Wimblequark-employer"},
		"guardian", "account", "directory", "sessions", "devices", "guardianships", "leave", "messages", "notifications", "deliveries",
		"preferences", "files", "changes")

	entries, owed := l.Count(t, "ledger_entry", "true"), l.Count(t, "ledger_entry", "amount = 1000")
	erase := map[string]any{"admissionNumber": l.number, "reason": "Asked in writing"}
	testkit.Post[privacy.Erased](t, l.office, student+"/erase", erase)
	testkit.Post[privacy.Erased](t, l.office, guardian+"/erase", map[string]any{"phone": l.phone, "reason": "Asked in writing"})
	l.office.Refuses(t, "POST", student+"/erase", erase, 409, "") // once is enough
	testkit.Eventually(t, "the guardian's session ends",
		func() bool { return l.parent.Call(t, "GET", "/parent/notification/unread-count", nil).Status == 401 })
	l.gone(t, "Oriolwyn", "Thrackmorton", "Ebberwick", "Wimblequark", l.phone, strings.TrimPrefix(l.phone, "+91"), l.email)

	if n := l.Count(t, "ledger_entry", "true"); n != entries {
		t.Errorf("of %d entries of the ledger %d are left", entries, n)
	}
	if n := l.Count(t, "ledger_entry", "amount = 1000"); n != owed {
		t.Errorf("of %d amounts of the ledger %d are left", owed, n)
	}
	if n := l.Count(t, "attendance", "student_id = ? and remark ~ '^Sat with Erased person [0-9]+ LATE$'", l.other); n != 1 {
		t.Error("the other child's remark is not as it was but for the name")
	}
	if n := l.Count(t, "announcement", "title ~ '^Well done, Erased person [0-9]+$'"); n != 1 {
		t.Error("the announcement is not as it was but for the name")
	}
	if n := l.Count(t, "student", "id = ? and custom_fields = '{\"shelf\": \"B 12\"}'", l.child); n != 1 {
		t.Error("of the custom fields it is not the one alone that is not personal which stays")
	}
	if n := l.Count(t, "exam_result", "marks_obtained = 61"); n != 1 {
		t.Error("the marks do not count any more")
	}
	if n := l.Count(t, "file", "true"); n != 0 {
		t.Errorf("%d files are left", n)
	}
	again := testkit.Post[struct{ Promoted int }](t, l.office, "/school-admin/student/promote", l.promotion)
	if again.Promoted != 2 {
		t.Errorf("the promotion that is asked for again took %d", again.Promoted)
	}
}

func TestErasure_OfAnEmployee_LeavesNoTrace(t *testing.T) {
	t.Parallel()
	l := newLife(t)
	l.admit(t)
	email := "quillfeather." + uuid.NewString()[:8] + "@mumblethorpe.test"
	phone := testkit.NewPhone()
	// An administrator whom the operator made is in the platform's audit, too.
	admin := testkit.Post[struct{ UserID uuid.UUID }](t, l.App.SuperAdmin(t), "/super-admin/admin/create", map[string]any{
		"schoolId": l.ID, "firstName": "Quillfeather", "lastName": "Mumblethorpe", "email": email, "phone": phone})
	id := api.NewID()
	exec := func(sql string, args ...any) {
		if err := l.DB(t).Exec(sql, args...).Error; err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	exec(`insert into employee (id, user_id, employee_code, first_name, last_name, phone, email, employee_type, qualification)
		select ?, id, 'E-77', first_name, last_name, phone, email, 'TEACHER', 'M.A. Wimblequark' from app_user where id = ?`, id, admin.UserID)
	exec(`update app_user set role_id = (select id from role where type = 'TEACHER' and system) where id = ?`, admin.UserID)
	if err := l.App.Service.Auth.FollowUser(t.Context(), l.ID, admin.UserID); err != nil {
		t.Fatal(err)
	}
	path := "/school-admin/employee/" + id.String()
	testkit.Put[any](t, l.office, path, map[string]any{"designation": "Quillfeather's own",
		"customFields": map[string]any{"bank": "Wimblequark-own-bank"}})
	testkit.Put[any](t, l.office, path+"/assignments",
		map[string]any{"assignments": []any{map[string]any{"classId": l.class, "divisionId": l.division}}})
	me := l.signIn(t, "teacher", phone)
	testkit.Post[any](t, me.With("Idempotency-Key", uuid.NewString()), "/teacher/leave/apply",
		map[string]any{"leaveType": "CASUAL", "fromDate": l.day(4), "toDate": l.day(4), "reason": l.secret("own-leave")})
	testkit.Post[any](t, me, "/teacher/attendance/mark",
		map[string]any{"divisionId": l.division, "date": l.day(0),
			"records": []any{map[string]any{"studentId": l.other, "status": "PRESENT", "remark": "Seen by Quillfeather Mumblethorpe"}}})
	testkit.Post[any](t, me, "/teacher/message/send",
		map[string]any{"recipientIds": []any{l.parent.UserID}, "studentId": l.child, "body": l.secret("own-message")})
	testkit.Post[any](t, me, "/teacher/announcement/create",
		map[string]any{"title": "Trip", "body": "Yours, Quillfeather Mumblethorpe", "divisionIds": []any{l.division},
			"attachmentFileIds": []any{l.upload(t, me, "teacher", "Plan.pdf")}})
	testkit.Post[any](t, l.office, "/school-admin/event/create",
		map[string]any{"title": "Play", "eventDate": l.day(9), "organiserId": id, "description": "By Mumblethorpe, Quillfeather"})
	testkit.Put[any](t, l.office, "/school-admin/setting", map[string]any{"principalName": "Quillfeather Mumblethorpe"})
	book := l.make(t, "/school-admin/library/book/create", map[string]any{"title": "Malgudi Days"})
	l.make(t, "/school-admin/library/copy/create", map[string]any{"bookId": book, "accessionNumber": "L-1"})
	testkit.Post[any](t, l.office, "/school-admin/library/loan/issue", map[string]any{"code": "L-1", "employeeId": id})
	testkit.Post[any](t, l.office, "/school-admin/library/loan/return", map[string]any{"code": "L-1"})
	l.settled(t)
	l.export(t, path, []string{"Quillfeather", phone, email, "M.A. Wimblequark", "Wimblequark-own-leave", "Wimblequark-own-message",
		"Wimblequark-own-bank"},
		"employee", "account", "directory", "sessions", "assignments", "leave", "messages", "eventsOrganised", "libraryLoans", "changes",
		"platformChanges")

	if a := l.office.Call(t, "DELETE", path, nil); a.Status != 204 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	testkit.Post[privacy.Erased](t, l.office, path+"/erase", map[string]any{"employeeCode": "E-77", "reason": "Asked"})
	l.gone(t, "Quillfeather", "Mumblethorpe", "Wimblequark-own", "M.A. Wimblequark", phone, email)
	if n := l.Count(t, "attendance", "student_id = ? and status = 'PRESENT'", l.other); n != 1 {
		t.Error("the marks they gave are gone")
	}
	if n := l.Count(t, "file", "original_name = 'Plan.pdf'"); n != 1 {
		t.Error("the announcement has lost its file")
	}
}

func TestErasure_OfASharedPhone_LeavesItToWhoIsHere(t *testing.T) {
	t.Parallel()
	l := newLife(t)
	l.admit(t)
	testkit.Put[any](t, l.office, "/school-admin/student/"+l.child.String(), map[string]any{"phone": l.phone})
	testkit.Post[any](t, l.office, "/school-admin/student/"+l.other.String()+"/guardians",
		map[string]any{"firstName": "Ebberwick", "lastName": "Thrackmorton", "phone": l.phone, "relation": "GUARDIAN"})
	testkit.Post[any](t, l.office, "/school-admin/dispatch/sms",
		map[string]any{"audience": map[string]any{"guardianIds": []any{l.guardian}}, "body": "Dear {name}"})
	l.leave(t)
	testkit.Post[any](t, l.office, "/school-admin/student/"+l.child.String()+"/erase",
		map[string]any{"admissionNumber": l.number, "reason": "Asked"})
	l.settled(t)
	if n := l.Count(t, "guardian", "phone = ? and erased_at is null", l.phone); n != 1 {
		t.Error("the guardian has no phone any more")
	}
	if n := l.Count(t, "delivery", "recipient = ? and body like 'Dear Ebberwick%'", l.phone); n != 1 {
		t.Error("what the guardian was told of another matter is gone")
	}
	if a := l.parent.Call(t, "GET", "/parent/notification/unread-count", nil); a.Status != 200 {
		t.Errorf("the guardian of another child is signed out: %d", a.Status)
	}
	l.gone(t, childsName, "Oriolwyn")
}

func TestErasure_OfOddNames_FindsThemInTexts(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	l := &life{School: s, office: s.As(t, api.SchoolAdmin)}
	for i, name := range [][2]string{{"Żółcisława", "O'Quackenbush-Ngô"}, {`Ab\"c`, "Quirrelsworth (Jr.)"}, {"ज़ुलेखा", "त्रिवेदी"},
		{"Mary.*", "[Vandergloop]+"}} {
		number := fmt.Sprintf("odd-%d", i)
		id := l.make(t, "/school-admin/student/create", map[string]any{"firstName": name[0], "lastName": name[1], "admissionNumber": number})
		whole := name[0] + " " + name[1]
		l.make(t, "/school-admin/announcement/create", map[string]any{"title": "Of " + whole, "body": name[1] + ", " + name[0] + " won"})
		path := "/school-admin/student/" + id.String()
		testkit.Post[any](t, l.office, path+"/transfer", map[string]any{"reason": "Moved"})
		testkit.Post[any](t, l.office, path+"/erase", map[string]any{"admissionNumber": number, "reason": "Asked"})
		l.settled(t)
		quoted, _ := json.Marshal(name[1])
		if left := everywhere(t, l.DB(t), strings.Trim(string(quoted), `"`)); len(left) > 0 {
			t.Errorf("%s is left in %v", whole, left)
		}
		if n := l.Count(t, "announcement", "title like ?", fmt.Sprintf("Of Erased person %d%%", i+1)); n != 1 {
			t.Errorf("the announcement of %s is not as it was but for the name", whole)
		}
	}
}
