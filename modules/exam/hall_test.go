package exam_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/exam"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// hall is a school where exams are sat: classes 5 (divisions A and B) and 6 (A), two
// subjects, a grade scale, and the hands to fill it.
type hall struct {
	*testkit.School
	admin       *testkit.Client
	year        roster.AcademicYear
	five, six   roster.Class
	a, b, other roster.Division // 5-A, 5-B, 6-A
	maths, art  roster.Subject
}

func newHall(t *testing.T) *hall {
	t.Helper()
	return furnish(t, testkit.NewSchool(t))
}

func furnish(t *testing.T, s *testkit.School) *hall {
	t.Helper()
	h := &hall{School: s, admin: s.As(t, api.SchoolAdmin)}
	h.year = testkit.Post[roster.AcademicYear](t, h.admin, "/school-admin/academic-year/create",
		map[string]any{"name": "2026-27", "startDate": "2026-06-01", "endDate": "2027-04-30"})
	testkit.Post[roster.AcademicYear](t, h.admin, "/school-admin/academic-year/"+h.year.ID.String()+"/activate", nil)
	testkit.Post[exam.GradeScale](t, h.admin, "/school-admin/exam/grade-scale/create", scale("A to E"))
	h.five = testkit.Post[roster.Class](t, h.admin, "/school-admin/class/create", map[string]any{"name": "Class 5", "level": 5})
	h.six = testkit.Post[roster.Class](t, h.admin, "/school-admin/class/create", map[string]any{"name": "Class 6", "level": 6})
	division := func(class roster.Class, name string) roster.Division {
		return testkit.Post[roster.Division](t, h.admin, "/school-admin/division/create", map[string]any{"classId": class.ID, "name": name})
	}
	h.a, h.b, h.other = division(h.five, "A"), division(h.five, "B"), division(h.six, "A")
	subject := func(name, code string) roster.Subject {
		return testkit.Post[roster.Subject](t, h.admin, "/school-admin/subject/create", map[string]any{"name": name, "code": code})
	}
	h.maths, h.art = subject("Mathematics", "MATH"), subject("Art", "ART")
	return h
}

func scale(name string) map[string]any {
	return map[string]any{"name": name, "isDefault": true, "bands": []any{
		map[string]any{"grade": "E", "minPercent": 0, "gradePoint": 0, "isPass": false},
		map[string]any{"grade": "A", "minPercent": 80, "gradePoint": 10, "isPass": true},
		map[string]any{"grade": "B", "minPercent": 40, "gradePoint": 6, "isPass": true},
	}}
}

// pupil is a student and the phone of the guardian who sees them.
type pupil struct {
	ID              uuid.UUID
	AdmissionNumber string
	phone           string
}

func (h *hall) admit(t *testing.T, name string, d roster.Division) pupil {
	t.Helper()
	p := pupil{phone: testkit.NewPhone()}
	made := testkit.Post[struct {
		ID              uuid.UUID
		AdmissionNumber string
	}](t, h.admin, "/school-admin/student/create", map[string]any{
		"firstName": name, "lastName": "Rao", "classId": d.ClassID, "divisionId": d.ID, "admissionDate": "2026-06-02",
		"guardians": []any{map[string]any{"firstName": "Parent of " + name, "phone": p.phone, "relation": "MOTHER"}},
	})
	p.ID, p.AdmissionNumber = made.ID, made.AdmissionNumber
	return p
}

// parent signs the pupil's guardian in.
func (h *hall) parent(t *testing.T, p pupil) *testkit.Client {
	t.Helper()
	return signedIn(t, h.App, "parent", p.phone)
}

// teacher employs a teacher with assignments and signs them in.
func (h *hall) teacher(t *testing.T, name string, assignments ...map[string]any) (*testkit.Client, uuid.UUID) {
	t.Helper()
	phone := testkit.NewPhone()
	e := testkit.Post[roster.EmployeeDetail](t, h.admin, "/school-admin/employee/create",
		map[string]any{"firstName": name, "phone": phone, "employeeType": "TEACHER"})
	testkit.Put[roster.AssignmentList](t, h.admin, "/school-admin/employee/"+e.ID.String()+"/assignments",
		map[string]any{"assignments": append([]map[string]any{}, assignments...)})
	return signedIn(t, h.App, "teacher", phone), e.ID
}

func assigned(d roster.Division, s roster.Subject) map[string]any {
	return map[string]any{"classId": d.ClassID, "divisionId": d.ID, "subjectId": s.ID}
}

func signedIn(t *testing.T, app *testkit.App, client, phone string) *testkit.Client {
	t.Helper()
	prefix := "/" + client + "/user-auth"
	if a := app.Nobody().Call(t, "POST", prefix+"/send-otp", map[string]any{"phone": phone}); a.Status != 200 {
		t.Fatalf("send-otp: %d %s", a.Status, a.Body)
	}
	in := testkit.Post[struct{ AccessToken string }](t, app.Nobody(), prefix+"/verify-otp",
		map[string]any{"phone": phone, "otp": app.OTP(t, phone)})
	c := app.Nobody()
	c.Token = in.AccessToken
	return c
}

// exam adds an exam of class 5; more overrides its fields.
func (h *hall) exam(t *testing.T, name string, more ...map[string]any) exam.Exam {
	t.Helper()
	data := map[string]any{"name": name, "academicYearId": h.year.ID, "classIds": []uuid.UUID{h.five.ID}, "startDate": "2026-09-01",
		"endDate": "2026-09-30"}
	for _, m := range more {
		for k, v := range m {
			data[k] = v
		}
	}
	return testkit.Post[exam.Exam](t, h.admin, "/school-admin/exam/create", data)
}

// paper is one paper of 100 marks on a day of September, from nine to eleven.
func paper(class roster.Class, s roster.Subject, day int, more ...map[string]any) map[string]any {
	data := map[string]any{"classId": class.ID, "subjectId": s.ID, "examDate": fmt.Sprintf("2026-09-%02d", day), "startTime": "09:00",
		"endTime": "11:00", "maxMarks": 100, "passMarks": 40}
	for _, m := range more {
		for k, v := range m {
			data[k] = v
		}
	}
	return data
}

func (h *hall) schedule(t *testing.T, e exam.Exam, papers ...map[string]any) exam.Schedule {
	t.Helper()
	return testkit.Post[exam.Schedule](t, h.admin, "/school-admin/exam/schedule", map[string]any{"examId": e.ID, "papers": papers})
}

// scheduled is an exam of class 5 with a paper in maths and one in art.
func (h *hall) scheduled(t *testing.T, name string) (e exam.Exam, maths, art exam.Paper) {
	t.Helper()
	s := h.schedule(t, h.exam(t, name), paper(h.five, h.maths, 1), paper(h.five, h.art, 2))
	return s.Exam, s.Papers[0], s.Papers[1]
}

func got(p exam.Paper, who pupil, marks any) map[string]any {
	return map[string]any{"paperId": p.ID, "studentId": who.ID, "marksObtained": marks}
}

func batch(e exam.Exam, results ...map[string]any) map[string]any {
	return map[string]any{"examId": e.ID, "results": results}
}

const uploadPath = "/school-admin/exam/result/upload"

func (h *hall) upload(t *testing.T, e exam.Exam, results ...map[string]any) exam.Uploaded {
	t.Helper()
	return testkit.Post[exam.Uploaded](t, h.admin, uploadPath, batch(e, results...))
}

func examPath(e exam.Exam, more string) string {
	return "/school-admin/exam/" + e.ID.String() + more
}

// publish shows the results of an exam, also where some are missing.
func (h *hall) publish(t *testing.T, e exam.Exam) exam.Publication {
	t.Helper()
	return testkit.Post[exam.Publication](t, h.admin, examPath(e, "/publish"), map[string]any{"allowMissing": true})
}
