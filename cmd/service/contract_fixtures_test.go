package service_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/testkit"
)

// fixture is one record with an id in a path.
type fixture struct {
	table string
	make  func(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID
	data  map[string]any // a body its rows accept
}

// fixtures make a record for every prefix that ends in an id.
var fixtures = map[string]fixture{
	"/school-admin/academic-year/:id":          {"academic_year", made("/school-admin/academic-year/create", map[string]any{"name": "2026-27", "startDate": "2026-06-01", "endDate": "2027-04-30"}), map[string]any{"name": "Mine"}},
	"/school-admin/class/:id":                  {"class", made("/school-admin/class/create", map[string]any{"name": "Class 5"}), map[string]any{"name": "Mine"}},
	"/school-admin/division/:id":               {"division", madeDivision, map[string]any{"name": "Mine"}},
	"/school-admin/employee/:id":               {"employee", madeEmployee, map[string]any{"firstName": "Mine", "assignments": []any{}, "employeeCode": "E-77", "reason": "Asked"}},
	"/school-admin/guardian/:id":               {"guardian", madeGuardian, map[string]any{"phone": "+919812300077", "reason": "Asked"}},
	"/school-admin/subject/:id":                {"subject", made("/school-admin/subject/create", map[string]any{"name": "Mathematics", "code": "MATH"}), map[string]any{"name": "Mine"}},
	"/school-admin/timetable/period/:id":       {"period", made("/school-admin/timetable/period/create", map[string]any{"name": "Period 1", "startTime": "09:00", "endTime": "09:45"}), map[string]any{"name": "Mine"}},
	"/school-admin/timetable/division/:id":     {"division", madeDivision, map[string]any{"slots": []any{}}},
	"/school-admin/timetable/teacher/:id":      {"employee", madeEmployee, nil},
	"/school-admin/timetable/substitution/:id": {"substitution", madeSubstitution, nil},
	"/parent/timetable/feed/:id":               {"student", madeStudent, nil},
	"/parent/student/:id":                      {"student", madeStudent, nil},
	"/teacher/class/:id":                       {"division", madeDivision, nil},
	"/school-admin/student/:id":                {"student", madeStudent, map[string]any{"firstName": "Mine", "phone": "+919812300077", "relation": "MOTHER", "leavingDate": "2026-11-02", "reason": "Moved", "admissionNumber": "A-77"}},
	"/school-admin/student/import/:id":         {"import_run", madeImport("STUDENT"), nil},
	"/school-admin/employee/import/:id":        {"import_run", madeImport("EMPLOYEE"), nil},
	"/school-admin/student/promote/:id":        {"promotion", madePromotion, map[string]any{}},
	"/school-admin/attendance/holiday/:id":     {"holiday", made("/school-admin/attendance/holiday/create", map[string]any{"name": "Diwali", "startDate": "2026-11-08"}), map[string]any{"name": "Mine"}},
	"/school-admin/attendance/history/:id":     {"student", madeStudent, nil},
	"/school-admin/leave/:id":                  {"leave", madeLeave, nil},
	"/school-admin/exam/:id":                   {"exam", madeExam, map[string]any{"name": "Mine"}},
	"/school-admin/exam/grade-scale/:id":       {"grade_scale", made("/school-admin/exam/grade-scale/create", map[string]any{"name": "A to E", "bands": []any{map[string]any{"grade": "A", "minPercent": 0}}}), map[string]any{"name": "Mine"}},
	"/school-admin/exam/term/:id":              {"term", madeTerm, map[string]any{"name": "Mine"}},
	"/school-admin/exam/report-card/:id":       {"student", madeStudent, map[string]any{"remark": "Mine"}},
	"/teacher/exam/:id":                        {"exam", madeExam, nil},
	"/school-admin/event/:id":                  {"event", made("/school-admin/event/create", map[string]any{"title": "Sports day", "eventDate": "2026-12-01"}), map[string]any{"title": "Mine"}},
	"/teacher/co-curricular/delete-event/:id":  {"event", made("/school-admin/event/create", map[string]any{"title": "Sports day", "eventDate": "2026-12-01"}), nil},
	"/school-admin/fee/head/:id":               {"fee_head", madeHead, map[string]any{"name": "Mine"}},
	"/school-admin/fee/structure/:id":          {"fee_structure", madeStructure, map[string]any{"name": "Mine"}},
	"/school-admin/fee/collection/:id":         {"fee_receipt", madeReceipt, map[string]any{"reason": "Mistake"}},
	"/school-admin/fee/receipt/:id":            {"fee_receipt", madeReceipt, nil},
	"/school-admin/fee/concession/:id":         {"fee_concession", madeConcession, map[string]any{}},
	"/school-admin/fee/report/:id":             {"student", madeStudent, nil},
	"/parent/fee/report/:id":                   {"student", madeStudent, nil},
	"/parent/fee/receipt/:id":                  {"fee_receipt", madeReceipt, nil},
	"/school-admin/announcement/:id":           {"announcement", made("/school-admin/announcement/create", map[string]any{"title": "Closed", "body": "Tomorrow"}), map[string]any{"title": "Mine"}},
	"/teacher/announcement/:id":                {"announcement", madeAnnouncement, nil},
	"/parent/announcement/:id":                 {"announcement", madeAnnouncement, nil},
	"/school-admin/message/thread/:id":         {"thread", madeThread, nil},
	"/teacher/message/thread/:id":              {"thread", madeThread, nil},
	"/parent/message/thread/:id":               {"thread", madeThread, nil},
	"/school-admin/file/:id":                   {"file", madeFile, nil},
	"/teacher/file/:id":                        {"file", madeFile, nil},
	"/parent/file/:id":                         {"file", madeFile, nil},
	"/school-admin/dispatch/:id":               {"dispatch", madeDispatch, nil},
	"/school-admin/dispatch/template/:id":      {"dispatch_template", made("/school-admin/dispatch/template/create", map[string]any{"channel": "SMS", "name": "Closed", "body": "Closed"}), map[string]any{"name": "Mine"}},
	"/school-admin/transport/bus/:id":          {"bus", madeBus, map[string]any{"busNumber": "Mine", "driverId": api.NewID()}},
	"/school-admin/transport/substitute/:id":   {"bus_substitute", madeSubstitute, nil},
	"/school-admin/transport/route/:id":        {"route", madeRoute, map[string]any{"name": "Mine", "students": []any{}}},
	"/school-admin/transport/trip/:id":         {"trip", madeTrip, map[string]any{"scheduledStartTime": "08:00", "reason": "Mine", "driverId": api.NewID(), "studentId": api.NewID(), "stopId": api.NewID()}},
	"/school-admin/transport/incident/:id":     {"incident", madeIncident, map[string]any{"resolution": "Mine"}},
	"/driver/trip/:id":                         {"trip", madeTrip, nil},
	"/driver/bus-tracking/trips/:id":           {"trip", madeTrip, map[string]any{"locations": []any{map[string]any{"lat": 12.9, "lng": 77.5}}}},
	"/bus-tracking/bus/:id":                    {"bus", madeBus, nil},
	"/bus-tracking/incidents/:id":              {"bus", madeBus, nil},
	"/bus-tracking/trip/:id":                   {"trip", madeTrip, nil},
	"/school-admin/library/book/:id":           {"book", made("/school-admin/library/book/create", map[string]any{"title": "Malgudi Days"}), map[string]any{"title": "Mine"}},
	"/school-admin/library/copy/:id":           {"book_copy", madeCopy, map[string]any{"accessionNumber": "Mine"}},
	"/school-admin/permission/role/:id":        {"role", made("/school-admin/permission/role/create", map[string]any{"name": "Librarian", "type": "TEACHER"}), map[string]any{"name": "Mine"}},
}

func madeAnnouncement(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	id := made("/school-admin/announcement/create", map[string]any{"title": "Closed", "body": "Tomorrow"})(t, s, admin)
	testkit.Post[struct{ ID uuid.UUID }](t, admin, "/school-admin/announcement/"+id.String()+"/publish", nil)
	// Publishing is finished before anybody compares the record.
	testkit.Eventually(t, "it is told", func() bool { return s.Count(t, "announcement", "told_at is not null") == 1 })
	return id
}

func madeThread(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	return testkit.Post[struct{ ThreadID uuid.UUID }](t, admin, "/school-admin/message/send", map[string]any{"recipientIds": []any{s.As(t, api.Teacher).UserID}, "body": "Hello"}).ThreadID
}

func madeFile(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	id := api.NewID()
	err := s.DB(t).Exec(`insert into file (id, purpose, original_name, content_type, size_bytes, sha256, storage_key, uploaded_by, created_at)
		values (?, 'ATTACHMENT', 'plan.pdf', 'application/pdf', 1, '', '', ?, now())`, id, admin.UserID).Error
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func madeDispatch(t *testing.T, s *testkit.School, _ *testkit.Client) uuid.UUID {
	t.Helper()
	id := api.NewID()
	if err := s.DB(t).Exec(`insert into dispatch (id, channel, body, audience, recipients, created_at) values (?, 'SMS', 'Closed', '{}', 1, now())`, id).Error; err != nil {
		t.Fatal(err)
	}
	return id
}

func madeDivision(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	class := made("/school-admin/class/create", map[string]any{"name": "Class 5"})(t, s, admin)
	return made("/school-admin/division/create", map[string]any{"classId": class, "name": "A"})(t, s, admin)
}

func madeStudent(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	return made("/school-admin/student/create", map[string]any{"firstName": "Asha"})(t, s, admin)
}

func madeImport(kind string) func(*testing.T, *testkit.School, *testkit.Client) uuid.UUID {
	return func(t *testing.T, s *testkit.School, _ *testkit.Client) uuid.UUID {
		t.Helper()
		id := api.NewID()
		if err := s.DB(t).Exec(`insert into import_run (id, kind, state, dry_run) values (?, ?, 'DONE', true)`, id, kind).Error; err != nil {
			t.Fatal(err)
		}
		return id
	}
}

func madePromotion(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	year := func(n int) uuid.UUID {
		return made("/school-admin/academic-year/create", map[string]any{"name": fmt.Sprint(n), "startDate": fmt.Sprintf("%d-06-01", n), "endDate": fmt.Sprintf("%d-04-30", n+1)})(t, s, admin)
	}
	id, class := api.NewID(), made("/school-admin/class/create", map[string]any{"name": "Class 5"})(t, s, admin)
	err := s.DB(t).Exec(`insert into promotion (id, from_year_id, to_year_id, class_id, summary) values (?, ?, ?, ?, '{}')`, id, year(2026), year(2027), class).Error
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func madeYear(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	return made("/school-admin/academic-year/create", map[string]any{"name": "2026-27", "startDate": "2026-06-01", "endDate": "2027-04-30"})(t, s, admin)
}

func madeExam(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	class := made("/school-admin/class/create", map[string]any{"name": "Class 5"})(t, s, admin)
	return made("/school-admin/exam/create", map[string]any{"name": "Half-yearly", "academicYearId": madeYear(t, s, admin), "classIds": []uuid.UUID{class}})(t, s, admin)
}

func madeTerm(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	return made("/school-admin/exam/term/create", map[string]any{"name": "Term 1", "academicYearId": madeYear(t, s, admin), "startDate": "2026-06-01", "endDate": "2026-10-31"})(t, s, admin)
}

func madeEmployee(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	return made("/school-admin/employee/create", map[string]any{"firstName": "Meera", "phone": testkit.NewPhone(), "employeeType": "TEACHER"})(t, s, admin)
}

func madeLeave(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	id := api.NewID()
	err := s.DB(t).Exec(`insert into leave (id, applicant_type, employee_id, leave_type, from_date, to_date, days, reason, created_by)
		values (?, 'EMPLOYEE', ?, 'SICK', current_date, current_date, 1, 'Fever', ?)`, id, madeEmployee(t, s, admin), admin.UserID).Error
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func madeSubstitution(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	subject := made("/school-admin/subject/create", map[string]any{"name": "Mathematics", "code": "MATH"})(t, s, admin)
	period := made("/school-admin/timetable/period/create", map[string]any{"name": "Period 1", "startTime": "09:00", "endTime": "09:45"})(t, s, admin)
	week := testkit.Put[struct{ Slots []struct{ ID uuid.UUID } }](t, admin, "/school-admin/timetable/division/"+madeDivision(t, s, admin).String(),
		map[string]any{"slots": []any{map[string]any{"dayOfWeek": 1, "periodId": period, "subjectId": subject}}})
	return made("/school-admin/timetable/substitution", map[string]any{"slotId": week.Slots[0].ID, "date": "2026-11-30", "substituteTeacherId": madeEmployee(t, s, admin)})(t, s, admin)
}

// made makes a record through its own endpoint.
func made(path string, data map[string]any) func(*testing.T, *testkit.School, *testkit.Client) uuid.UUID {
	return func(t *testing.T, _ *testkit.School, admin *testkit.Client) uuid.UUID {
		t.Helper()
		return testkit.Post[struct{ ID uuid.UUID }](t, admin, path, data).ID
	}
}
