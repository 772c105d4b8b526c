package message_test

import (
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/message"
	"homeroom/modules/notification"
	"homeroom/notice"
	"homeroom/testkit"
)

func write(t *testing.T, c *testkit.Client, role string, body map[string]any) message.Message {
	t.Helper()
	return testkit.Post[message.Message](t, c, "/"+role+"/message/send", body)
}

func TestAParentWritesToTheTeacherOfTheirChildAndIsAnswered(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	seat := s.Seat(t, "Class 5")
	child, teacher := s.Child(t, seat, 2), s.Teacher(t, seat)
	parent, other := child.Parents[0], child.Parents[1]
	known := testkit.Get[message.Contacts](t, parent, "/parent/message/contacts?studentId="+child.ID.String()).Contacts
	if len(known) != 1 || known[0].UserID != teacher.UserID || known[0].Name != "Ravi Iyer" || known[0].Role != "TEACHER" {
		t.Fatalf("contacts %+v", known)
	}
	first := write(t, parent, "parent", map[string]any{"recipientIds": []any{teacher.UserID}, "studentId": child.ID, "subject": "Homework",
		"body": "What was it?"})
	if first.SenderName != "Meera Rao" || first.SenderID != parent.UserID {
		t.Errorf("sent %+v", first)
	}
	inbox := testkit.Get[api.Page[message.Summary]](t, teacher, "/teacher/message/list").Items
	if len(inbox) != 1 || inbox[0].UnreadCount != 1 || inbox[0].LastMessage != "What was it?" || inbox[0].Subject != "Homework" ||
		*inbox[0].StudentID != child.ID ||
		inbox[0].With != "Meera Rao" || inbox[0].StudentName == "" {
		t.Fatalf("the teacher's list %+v", inbox)
	}
	log := testkit.Get[notification.Delivered](t, teacher, "/teacher/notification/delivered-notifications").Notifications
	if len(log) != 1 || log[0].Type != "MESSAGE" || *log[0].Data.ID != first.ThreadID || log[0].Title != "Message from Meera Rao" {
		t.Errorf("the teacher's log %+v", log)
	}
	testkit.Post[api.Nothing](t, teacher, "/teacher/message/read", map[string]any{"threadId": first.ThreadID})
	write(t, teacher, "teacher", map[string]any{"threadId": first.ThreadID, "body": "Page 12"})
	thread := testkit.Get[message.Thread](t, parent, "/parent/message/thread/"+first.ThreadID.String())
	if thread.Total != 2 || thread.UnreadCount != 1 || len(thread.Participants) != 2 || thread.Messages[0].ID != first.ID ||
		thread.Messages[1].Body != "Page 12" ||
		len(thread.Messages[0].ReadBy) != 1 || thread.Messages[0].ReadBy[0] != teacher.UserID || len(thread.Messages[1].ReadBy) != 0 {
		t.Errorf("the thread %+v", thread)
	}
	testkit.Post[api.Nothing](t, parent, "/parent/message/read", map[string]any{"threadId": first.ThreadID})
	if n := testkit.Get[notification.Unread](t, parent, "/parent/notification/unread-count").UnreadCount; n != 0 {
		t.Errorf("%d notifications are unread", n)
	}
	if l := testkit.Get[api.Page[message.Summary]](t, parent, "/parent/message/list?filters[unread]=true"); l.Total != 0 {
		t.Errorf("unread threads %+v", l)
	}
	// The other parent is no part of it.
	other.Refuses(t, "GET", "/parent/message/thread/"+first.ThreadID.String(), nil, 404, "")
	other.Refuses(t, "POST", "/parent/message/send", map[string]any{"threadId": first.ThreadID, "body": "Hello"}, 404, "")
	other.Refuses(t, "POST", "/parent/message/read", map[string]any{"threadId": first.ThreadID}, 404, "")
	testkit.Eventually(t, "the pushes are out", func() bool {
		return s.Count(t, "delivery", "state = 'SENT' and recipient in ?",
			[]string{"teacher_" + teacher.UserID.String(), "student_" + child.ID.String()}) == 2
	})
}

func TestPeopleWhoMayNotTalkToEachOtherCannot(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	five, six := s.Seat(t, "Class 5"), s.Seat(t, "Class 6")
	child, stranger := s.Child(t, five, 1), s.Child(t, six, 1)
	mine, theirs, admin, driver := s.Teacher(t, five), s.Teacher(t, six), s.As(t, api.SchoolAdmin), s.As(t, api.Driver)
	parent := child.Parents[0]
	elsewhere := testkit.NewSchool(t).As(t, api.Teacher)
	for what, c := range map[string]struct {
		by     *testkit.Client
		role   string
		to     uuid.UUID
		about  *uuid.UUID
		status int
	}{
		"a parent to another class's teacher":           {parent, "parent", theirs.UserID, &child.ID, 403},
		"a parent about somebody else's child":          {parent, "parent", theirs.UserID, &stranger.ID, 403},
		"a parent to a parent":                          {parent, "parent", stranger.Parents[0].UserID, &child.ID, 403},
		"a parent to the office":                        {parent, "parent", admin.UserID, &child.ID, 403},
		"a parent to the driver":                        {parent, "parent", driver.UserID, &child.ID, 403},
		"a parent without a student":                    {parent, "parent", mine.UserID, nil, 422},
		"a parent to another school's":                  {parent, "parent", elsewhere.UserID, &child.ID, 404},
		"a parent about nobody's child":                 {parent, "parent", mine.UserID, &admin.UserID, 404},
		"a teacher to a parent of another class":        {mine, "teacher", stranger.Parents[0].UserID, &stranger.ID, 403},
		"a teacher to a parent without a student":       {mine, "teacher", parent.UserID, nil, 422},
		"a teacher to a teacher":                        {mine, "teacher", theirs.UserID, nil, 403},
		"the office to a driver, who reads no messages": {admin, "school-admin", driver.UserID, nil, 403},
		"a teacher to a parent of theirs":               {mine, "teacher", parent.UserID, &child.ID, 201},
		"a teacher to the office":                       {mine, "teacher", admin.UserID, nil, 201},
		"the office to a parent":                        {admin, "school-admin", parent.UserID, nil, 201},
		"the office to a teacher":                       {admin, "school-admin", mine.UserID, nil, 201},
	} {
		a := c.by.Call(t, "POST", "/"+c.role+"/message/send", map[string]any{"recipientIds": []any{c.to}, "studentId": c.about, "body": "Hello"})
		if a.Status != c.status {
			t.Errorf("%s: %d %s", what, a.Status, a.Body)
		}
	}
	if n := s.Count(t, "thread", "true"); n != 4 {
		t.Errorf("%d threads", n)
	}
	parent.Refuses(t, "POST", "/parent/message/send", map[string]any{"body": " "}, 422, "")
	parent.Refuses(t, "POST", "/parent/message/send", map[string]any{"body": "x"}, 422, "")
}

func TestAThreadEndsForThoseWhoHaveNoStudentInCommonAnyMore(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	seat := s.Seat(t, "Class 5")
	child, teacher := s.Child(t, seat, 1), s.Teacher(t, seat)
	parent := child.Parents[0]
	m := write(t, parent, "parent", map[string]any{"recipientIds": []any{teacher.UserID}, "studentId": child.ID, "body": "Hello"})
	if err := s.DB(t).Exec(`delete from teacher_assignment`).Error; err != nil {
		t.Fatal(err)
	}
	teacher.Refuses(t, "POST", "/teacher/message/send", map[string]any{"threadId": m.ThreadID, "body": "Still there?"}, 404, "")
	teacher.Refuses(t, "GET", "/teacher/message/thread/"+m.ThreadID.String(), nil, 404, "")
	parent.Refuses(t, "POST", "/parent/message/send", map[string]any{"threadId": m.ThreadID, "body": "Still there?"}, 403,
		"PERMISSION_DENIED")
	if err := s.DB(t).Exec(`update student_guardian set can_view_data = false`).Error; err != nil {
		t.Fatal(err)
	}
	parent.Refuses(t, "GET", "/parent/message/thread/"+m.ThreadID.String(), nil, 404, "")
	if l := testkit.Get[api.Page[message.Summary]](t, parent, "/parent/message/list"); l.Total != 0 {
		t.Errorf("the parent lists %+v", l)
	}
}

func TestWhoHasNothingToDoWithAStudentAnyMoreIsNotToldWhatIsWritten(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	seat := s.Seat(t, "Class 5")
	child, teacher, moved := s.Child(t, seat, 2), s.Teacher(t, seat), s.Teacher(t, seat)
	parent, barred := child.Parents[0], child.Parents[1]
	admin := s.As(t, api.SchoolAdmin)
	for _, c := range testkit.Get[message.Contacts](t, admin, "/school-admin/message/contacts").Contacts {
		if (c.UserID == parent.UserID || c.UserID == barred.UserID) != (c.StudentName != "") || c.StudentID != nil {
			t.Errorf("the office finds a guardian by the child: %+v", c)
		}
	}
	first := write(t, parent, "parent", map[string]any{"recipientIds": []any{teacher.UserID, moved.UserID}, "studentId": child.ID,
		"body": "Hello"})
	both := write(t, teacher, "teacher", map[string]any{"recipientIds": []any{parent.UserID, barred.UserID}, "studentId": child.ID,
		"body": "Hello"})
	office := write(t, admin, "school-admin", map[string]any{"recipientIds": []any{moved.UserID}, "studentId": child.ID, "body": "Hello"})
	for sql, user := range map[string]uuid.UUID{
		`delete from teacher_assignment where user_id = ?`:                                                                  moved.UserID,
		`update student_guardian set can_view_data = false where guardian_id = (select id from guardian where user_id = ?)`: barred.UserID,
	} {
		if err := s.DB(t).Exec(sql, user).Error; err != nil {
			t.Fatal(err)
		}
	}
	write(t, parent, "parent", map[string]any{"threadId": first.ThreadID, "body": "Is the trip on?"})
	write(t, teacher, "teacher", map[string]any{"threadId": both.ThreadID, "body": "It is"})
	write(t, admin, "school-admin", map[string]any{"threadId": office.ThreadID, "body": "Your notes, please"})
	for who, c := range map[string]struct {
		client *testkit.Client
		thread uuid.UUID
		lines  int
	}{
		"the teacher":                       {teacher, first.ThreadID, 2},
		"the teacher who moved on":          {moved, first.ThreadID, 1},
		"the parent":                        {parent, both.ThreadID, 2},
		"the parent who is barred":          {barred, both.ThreadID, 1},
		"the teacher whom the office asked": {moved, office.ThreadID, 2},
	} {
		if n := s.Count(t, "notification", "user_id = ? and record_id = ?", c.client.UserID, c.thread); n != c.lines {
			t.Errorf("%s has %d lines, want %d", who, n, c.lines)
		}
	}
	moved.Refuses(t, "GET", "/teacher/message/thread/"+first.ThreadID.String(), nil, 404, "")
	if l := testkit.Get[api.Page[message.Summary]](t, moved, "/teacher/message/list"); l.Total != 1 {
		t.Errorf("the teacher who moved on lists %+v", l)
	}
}

func TestAMessageToBothParentsIsOnePushToTheirTopic(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	seat := s.Seat(t, "Class 5")
	child, teacher := s.Child(t, seat, 2), s.Teacher(t, seat)
	first := write(t, teacher, "teacher", map[string]any{"recipientIds": []any{child.Parents[0].UserID, child.Parents[1].UserID},
		"studentId": child.ID, "body": "Hello"})
	pushes := func(n int) {
		t.Helper()
		testkit.Eventually(t, "the notices are heard", func() bool { return s.Count(t, "outbox", "kind = ?", notice.Due) == 0 })
		if got := s.Count(t, "delivery", "channel = 'PUSH' and recipient = ?", "student_"+child.ID.String()); got != n {
			t.Errorf("%d pushes, want %d", got, n)
		}
	}
	pushes(1)
	write(t, teacher, "teacher", map[string]any{"threadId": first.ThreadID, "body": "One more thing"})
	pushes(2)
	if n := s.Count(t, "notification", "record_id = ?", first.ThreadID); n != 4 {
		t.Errorf("%d lines of the log", n)
	}
}

func TestAMessageSentTwiceUnderOneKeyIsOne(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin, teacher := s.As(t, api.SchoolAdmin), s.Teacher(t)
	keyed := admin.With("Idempotency-Key", "once")
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if a, err := keyed.TryCall("POST", "/school-admin/message/send",
				map[string]any{"recipientIds": []any{teacher.UserID}, "body": "Hello"}); err != nil || a.Status != 201 {
				t.Errorf("%d %s %v", a.Status, a.Body, err)
			}
		})
	}
	all.Wait()
	if s.Count(t, "message", "true") != 1 || s.Count(t, "thread", "true") != 1 || s.Count(t, "notification", "true") != 1 {
		t.Errorf("%d messages", s.Count(t, "message", "true"))
	}
}
