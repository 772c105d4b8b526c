package service_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/modules/announcement"
	"homeroom/modules/message"
	"homeroom/modules/notification"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// afternoon is what people are told at two: the office tells a class something, and a
// parent's question is answered; the right people hear, and nobody else.
type afternoon struct {
	*day
	student             roster.StudentDetail
	mother, father      *testkit.Client // of the child in class 5, and of one in class 6
	teacher             *testkit.Client
	teacherID           uuid.UUID
	announced, answered uuid.UUID
}

func (a *afternoon) people(t *testing.T) {
	six := testkit.Post[roster.Class](t, a.office, "/school-admin/class/create", map[string]any{"name": "Class 10", "level": 10})
	sixA := testkit.Post[roster.Division](t, a.office, "/school-admin/division/create", map[string]any{"classId": six.ID, "name": "A"})
	admit := func(name, phone string, division uuid.UUID) roster.StudentDetail {
		return testkit.Post[roster.StudentDetail](t, a.office, "/school-admin/student/create", map[string]any{
			"firstName": name, "divisionId": division,
			"guardians": []any{map[string]any{"firstName": "Parent of " + name, "phone": phone, "relation": "MOTHER"}}})
	}
	five, other := testkit.NewPhone(), testkit.NewPhone()
	a.student = admit("Asha", five, a.ids["/school-admin/division/"])
	admit("Ravi", other, sixA.ID)
	a.mother, a.father = a.byPhone(t, "parent", five), a.byPhone(t, "parent", other)
	phone := testkit.NewPhone()
	employee := testkit.Post[roster.Employee](t, a.office, "/school-admin/employee/create",
		map[string]any{"firstName": "Meera", "lastName": "Iyer", "phone": phone, "employeeType": "TEACHER"})
	testkit.Put[roster.AssignmentList](t, a.office, "/school-admin/employee/"+employee.ID.String()+"/assignments", map[string]any{
		"assignments": []any{map[string]any{"classId": a.ids["/school-admin/class/"], "divisionId": a.ids["/school-admin/division/"]}}})
	a.teacher = a.byPhone(t, "teacher", phone)
	a.teaches(t, a.teacher, a.ids["/school-admin/division/"].String())
}

func (a *afternoon) announce(t *testing.T) {
	forgotten := a.at.night.forgotten()
	made := testkit.Post[announcement.View](t, a.office, "/school-admin/announcement/create", map[string]any{
		"title": "Museum", "body": "Class 5 visits the museum on Friday.", "classIds": []any{a.ids["/school-admin/class/"]}})
	a.announced = made.ID
	if p := testkit.Post[announcement.View](t, a.office, "/school-admin/announcement/"+made.ID.String()+"/publish", nil); p.Status != "PUBLISHED" {
		t.Errorf("it is %s", p.Status)
	}
	log := func(c *testkit.Client, role string) []notification.Notification {
		all := testkit.Get[notification.Delivered](t, c, "/"+role+"/notification/delivered-notifications").Notifications
		return slices.DeleteFunc(all, func(n notification.Notification) bool { return n.Type != "ANNOUNCEMENT" })
	}
	testkit.Eventually(t, "the mother and the teacher have it in their log",
		func() bool { return len(log(a.mother, "parent")) == 1 && len(log(a.teacher, "teacher")) == 1 })
	if n := log(a.mother, "parent")[0]; n.Type != "ANNOUNCEMENT" || *n.Data.ID != made.ID || n.Title != "Museum" {
		t.Errorf("the line is %+v", n)
	}
	if len(log(a.father, "parent")) != 0 {
		t.Error("a father of class 6 was told")
	}
	testkit.Get[announcement.View](t, a.mother, "/parent/announcement/"+made.ID.String())
	a.father.Refuses(t, "GET", "/parent/announcement/"+made.ID.String(), nil, 404, "")
	testkit.Eventually(t, "the push is out, and says no more than a locked screen may", func() bool {
		sent := a.app.Sent(t, "student_"+a.student.ID.String())
		if len(sent) == 0 && a.at.night.forgotten() > forgotten {
			return true // with what was held instead of sent
		}
		// One is of the timetable, which the teacher's lesson changed.
		return len(sent) == 2 && !slices.ContainsFunc(sent, func(m testkit.Message) bool {
			return m.Channel != "PUSH" || strings.Contains(m.Subject+m.Text, "Museum")
		})
	})
	testkit.Post[map[string]any](t, a.mother, "/parent/announcement/read", map[string]any{"announcementId": made.ID})
	if got := testkit.Get[announcement.Counted](t, a.office, "/school-admin/announcement/"+made.ID.String()); got.RecipientCount != 2 ||
		got.ReadCount != 1 {
		t.Errorf("%d were told, %d have read it", got.RecipientCount, got.ReadCount)
	}
}

func (a *afternoon) ask(t *testing.T) {
	contacts := testkit.Get[message.Contacts](t, a.mother, "/parent/message/contacts").Contacts
	if len(contacts) != 1 || contacts[0].Name != "Meera Iyer" {
		t.Fatalf("the mother may write to %+v", contacts)
	}
	a.teacherID = contacts[0].UserID
	asked := testkit.Post[message.Message](t, a.mother, "/parent/message/send", map[string]any{
		"recipientIds": []any{a.teacherID}, "studentId": a.student.ID, "subject": "Museum", "body": "Does she need a packed lunch?"})
	a.answered = asked.ThreadID
	testkit.Post[message.Message](t, a.teacher, "/teacher/message/send", map[string]any{"threadId": asked.ThreadID, "body": "Yes, please."})
	thread := testkit.Get[message.Thread](t, a.mother, "/parent/message/thread/"+asked.ThreadID.String())
	if len(thread.Messages) != 2 || thread.Messages[1].Body != "Yes, please." || thread.UnreadCount != 1 {
		t.Errorf("the thread is %+v", thread)
	}
	a.father.Refuses(t, "POST", "/parent/message/send",
		map[string]any{"recipientIds": []any{a.teacherID}, "studentId": a.student.ID, "body": "Who is that?"}, 403, "PERMISSION_DENIED")
	a.father.Refuses(t, "GET", "/parent/message/thread/"+asked.ThreadID.String(), nil, 404, "")
}

func (a *afternoon) stranger(t *testing.T) {
	elsewhere := a.app.NewSchool(t)
	child := elsewhere.Child(t, elsewhere.Seat(t, "Class 5"), 1)
	parent := child.Parents[0]
	parent.Refuses(t, "GET", "/parent/announcement/"+a.announced.String(), nil, 404, "")
	parent.Refuses(t, "POST", "/parent/announcement/read", map[string]any{"announcementId": a.announced}, 404, "")
	parent.Refuses(t, "GET", "/parent/message/thread/"+a.answered.String(), nil, 404, "")
	parent.Refuses(t, "POST", "/parent/message/send", map[string]any{"threadId": a.answered, "body": "Hello"}, 404, "")
	parent.Refuses(t, "POST", "/parent/message/send",
		map[string]any{"recipientIds": []any{a.teacherID}, "studentId": a.student.ID, "body": "Hello"}, 404, "")
	office := elsewhere.As(t, "SCHOOL_ADMIN")
	for _, action := range []string{"publish", "withdraw"} {
		office.Refuses(t, "POST", "/school-admin/announcement/"+a.announced.String()+"/"+action, nil, 404, "")
	}
	office.Refuses(t, "POST", "/school-admin/dispatch/sms",
		map[string]any{"audience": map[string]any{"classIds": []any{a.ids["/school-admin/class/"]}}, "body": "x"}, 422, "")
}
