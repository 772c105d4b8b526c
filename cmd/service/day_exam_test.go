package service_test

import (
	"bytes"
	"testing"

	"github.com/google/uuid"

	"homeroom/modules/exam"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// marksHour is the exams of a day: a teacher enters marks, one above the maximum; the
// office publishes; the parents of that class are told and nobody else.
type marksHour struct {
	*day
	class, other    uuid.UUID
	maths           uuid.UUID
	asha, bina, dev pupil
	exam            exam.Exam
	paper           exam.Paper
	teacher         *testkit.Client
}

type pupil struct {
	id    uuid.UUID
	phone string
}

func (m *marksHour) admit(t *testing.T, name string, division uuid.UUID) pupil {
	t.Helper()
	p := pupil{phone: testkit.NewPhone()}
	p.id = testkit.Post[struct{ ID uuid.UUID }](t, m.office, "/school-admin/student/create", map[string]any{
		"firstName": name, "divisionId": division,
		"guardians": []any{map[string]any{"firstName": "Parent of " + name, "phone": p.phone, "relation": "MOTHER"}},
	}).ID
	return p
}

func (m *marksHour) schedule(t *testing.T) {
	five := testkit.Get[roster.Division](t, m.office, "/school-admin/division/"+m.ids["/school-admin/division/"].String())
	m.class = five.ClassID
	m.other = create(t, m.office, "/school-admin/class/create", map[string]any{"name": "Class 8"})
	six := create(t, m.office, "/school-admin/division/create", map[string]any{"classId": m.other, "name": "A"})
	m.maths = create(t, m.office, "/school-admin/subject/create", map[string]any{"name": "Algebra", "code": "ALG"})
	m.asha, m.bina, m.dev = m.admit(t, "Asha", five.ID), m.admit(t, "Bina", five.ID), m.admit(t, "Dev", six)
	phone := testkit.NewPhone()
	meera := testkit.Post[roster.EmployeeDetail](t, m.office, "/school-admin/employee/create",
		map[string]any{"firstName": "Meera", "phone": phone, "employeeType": "TEACHER"})
	testkit.Put[roster.AssignmentList](t, m.office, "/school-admin/employee/"+meera.ID.String()+"/assignments",
		map[string]any{"assignments": []any{map[string]any{"classId": m.class, "divisionId": five.ID, "subjectId": m.maths}}})
	m.teacher = m.byPhone(t, "teacher", phone)
	m.teaches(t, m.teacher, five.ID.String())

	year := m.ids["/school-admin/academic-year/"]
	m.exam = testkit.Post[exam.Exam](t, m.office, "/school-admin/exam/create", map[string]any{
		"name": "Half-yearly", "academicYearId": year, "classIds": []uuid.UUID{m.class, m.other}, "startDate": "2026-09-01",
		"endDate": "2026-12-20", "weight": 1})
	m.ids["/school-admin/exam/"] = m.exam.ID
	paper := func(class uuid.UUID) map[string]any {
		return map[string]any{"classId": class, "subjectId": m.maths, "examDate": "2026-11-10", "startTime": "09:00", "endTime": "11:00",
			"room": "Hall", "maxMarks": 80, "passMarks": 28}
	}
	schedule := func(papers ...any) map[string]any { return map[string]any{"examId": m.exam.ID, "papers": papers} }
	m.office.Refuses(t, "POST", "/school-admin/exam/schedule", schedule(paper(m.class), paper(m.other)), 409, "")
	m.paper = testkit.Post[exam.Schedule](t, m.office, "/school-admin/exam/schedule", schedule(paper(m.class))).Papers[0]
}

func (m *marksHour) marks(asha, bina float64) map[string]any {
	return map[string]any{"examId": m.exam.ID, "results": []any{
		map[string]any{"paperId": m.paper.ID, "studentId": m.asha.id, "marksObtained": asha},
		map[string]any{"paperId": m.paper.ID, "studentId": m.bina.id, "marksObtained": bina},
	}}
}

func (m *marksHour) enter(t *testing.T) {
	f := m.teacher.Refuses(t, "POST", "/teacher/result/upload", m.marks(64.5, 81), 422, "")
	if len(f.Details) != 1 || f.Details[0].Field != "results[1].marksObtained" {
		t.Errorf("details %+v", f.Details)
	}
	if n := m.asSchool(t).Count(t, "exam_result", "true"); n != 0 {
		t.Errorf("%d results were written", n)
	}
	if done := testkit.Post[exam.Uploaded](t, m.teacher, "/teacher/result/upload", m.marks(64.5, 71)); done.Created != 2 {
		t.Errorf("entered %+v", done)
	}
	m.teacher.Refuses(t, "POST", "/school-admin/exam/"+m.exam.ID.String()+"/publish", nil, 403, "PERMISSION_DENIED")
}

func (m *marksHour) publish(t *testing.T) {
	parent := m.byPhone(t, "parent", m.asha.phone)
	results := "/parent/exam/results?studentId=" + m.asha.id.String()
	if before := testkit.Get[exam.ChildResults](t, parent, results); len(before.Exams) != 0 {
		t.Errorf("the parent sees results too early: %+v", before)
	}
	if done := testkit.Post[exam.Publication](t, m.office, "/school-admin/exam/"+m.exam.ID.String()+"/publish",
		map[string]any{"allowMissing": true}); done.Status != "PUBLISHED" || done.Students != 2 {
		t.Errorf("published %+v", done)
	}
	s := m.asSchool(t)
	for _, who := range []struct {
		pupil
		lines int
	}{{m.asha, 1}, {m.bina, 1}, {m.dev, 0}} {
		if n := s.Count(t, "notification", "type = 'RESULT' and user_id = (select id from app_user where phone = ?)", who.phone); n != who.lines {
			t.Errorf("%d lines in the log of %s", n, who.phone)
		}
	}
	seen := testkit.Get[exam.ChildResults](t, parent, results)
	if len(seen.Exams) != 1 || seen.Exams[0].Results[0].MarksObtained.String() != "64.5" || seen.Exams[0].Rank != 2 {
		t.Errorf("the parent sees %+v", seen)
	}
	card := parent.Call(t, "GET", "/parent/exam/report-card?format=pdf&studentId="+m.asha.id.String(), nil)
	if card.Status != 200 || !bytes.HasPrefix(card.Body, []byte("%PDF-")) {
		t.Errorf("report card: %d %.100s", card.Status, card.Body)
	}
	parent.Refuses(t, "GET", "/parent/exam/results?studentId="+m.bina.id.String(), nil, 404, "STUDENT_NOT_FOUND")
}

func (m *marksHour) evaluate(t *testing.T) {
	testkit.Post[exam.Exam](t, m.office, "/school-admin/exam/"+m.exam.ID.String()+"/unpublish", nil)
	testkit.Put[struct{}](t, m.office, "/school-admin/setting", map[string]any{"evaluationMode": true, "evaluationModeReason": "Inspection"})
	event := map[string]any{"title": "Sports day", "eventDate": "2026-12-01"}
	m.everywhere(t, "teachers read only", func() bool {
		return m.teacher.Call(t, "POST", "/teacher/co-curricular/add-event", event).Status == 403
	})
	m.teacher.Refuses(t, "POST", "/teacher/co-curricular/add-event", event, 403, "EVALUATION_MODE_READONLY")
	if a := m.teacher.Call(t, "GET", "/teacher/co-curricular/get-events", nil); a.Status != 200 {
		t.Errorf("reading: %d %s", a.Status, a.Body)
	}
	if done := testkit.Post[exam.Uploaded](t, m.teacher, "/teacher/result/upload", m.marks(65, 71)); done.Updated != 1 {
		t.Errorf("marks in evaluation mode %+v", done)
	}
	testkit.Put[struct{}](t, m.office, "/school-admin/setting", map[string]any{"evaluationMode": false})
	testkit.Eventually(t, "teachers write again", func() bool {
		return m.teacher.Call(t, "POST", "/teacher/co-curricular/add-event", event).Status == 201
	})
	if n := m.asSchool(t).Count(t, "audit_event", "entity = 'setting'"); n != 2 {
		t.Errorf("%d audit rows of the setting", n)
	}
}
