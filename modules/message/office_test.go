package message_test

import (
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/message"
	"homeroom/modules/notification"
	"homeroom/testkit"
)

func TestParent_WritesToTheOffice_AndAnybodyThereAnswers(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	child := s.Child(t, s.Seat(t, "Class 5"), 2)
	parent, other := child.Parents[0], child.Parents[1]
	clerk, principal := s.As(t, api.SchoolAdmin), s.As(t, api.SchoolAdmin)
	if !testkit.Get[message.Contacts](t, parent, "/parent/message/contacts").Office {
		t.Error("the contacts do not say that the office can be written to")
	}
	asked := write(t, parent, "parent", map[string]any{"toOffice": true, "studentId": child.ID, "subject": "Fees", "body": "What is due?"})
	path := "/message/thread/" + asked.ThreadID.String()

	for who, c := range map[string]*testkit.Client{"clerk": clerk, "principal": principal} {
		inbox := testkit.Get[api.Page[message.Summary]](t, c, "/school-admin/message/list?filters[office]=true").Items
		if len(inbox) != 1 || inbox[0].With != "Meera Rao" || inbox[0].UnreadCount != 1 || !inbox[0].Office || !inbox[0].Unanswered {
			t.Fatalf("the %s's inbox: %+v", who, inbox)
		}
		log := testkit.Get[notification.Delivered](t, c, "/school-admin/notification/delivered-notifications").Notifications
		if len(log) != 1 || log[0].Title != "Message from Meera Rao" {
			t.Errorf("the %s's log: %+v", who, log)
		}
	}

	testkit.Post[api.Nothing](t, clerk, "/school-admin/message/read", map[string]any{"threadId": asked.ThreadID})
	if n := testkit.Get[message.Thread](t, principal, "/school-admin"+path).UnreadCount; n != 0 {
		t.Errorf("%d messages are unread after a colleague read them, want 0", n)
	}
	if n := testkit.Get[notification.Unread](t, principal, "/school-admin/notification/unread-count").UnreadCount; n != 0 {
		t.Errorf("the principal has %d unread notifications after a colleague read the thread", n)
	}
	write(t, principal, "school-admin", map[string]any{"threadId": asked.ThreadID, "body": "Term 2"})

	seen := testkit.Get[message.Thread](t, parent, "/parent"+path)
	if seen.Total != 2 || seen.UnreadCount != 1 {
		t.Fatalf("the parent's thread: %+v", seen)
	}
	if answer := seen.Messages[1]; answer.SenderName != "Office" || answer.SenderID != uuid.Nil || answer.Body != "Term 2" {
		t.Errorf("the answer is from %q (%s), want the office", answer.SenderName, answer.SenderID)
	}
	if question := seen.Messages[0]; len(question.ReadBy) != 1 || question.ReadBy[0] != uuid.Nil {
		t.Errorf("the question was read by %v, want the office", question.ReadBy)
	}
	if len(seen.Participants) != 2 || seen.Participants[1].Name != "Office" || seen.Participants[1].UserID != uuid.Nil {
		t.Errorf("in the thread are %+v", seen.Participants)
	}
	if mine := testkit.Get[api.Page[message.Summary]](t, parent, "/parent/message/list").Items; len(mine) != 1 || mine[0].With != "Office" {
		t.Errorf("the parent's threads: %+v", mine)
	}
	log := testkit.Get[notification.Delivered](t, parent, "/parent/notification/delivered-notifications").Notifications
	if len(log) != 1 || log[0].Title != "Message from Office" {
		t.Errorf("the parent's log: %+v", log)
	}
	colleague := testkit.Get[message.Thread](t, clerk, "/school-admin"+path)
	if colleague.Messages[1].SenderID != principal.UserID {
		t.Error("a colleague does not see who answered")
	}
	if open := testkit.Get[api.Page[message.Summary]](t, clerk, "/school-admin/message/list?filters[unanswered]=true"); open.Total != 0 {
		t.Errorf("%d threads wait for an answer, want none", open.Total)
	}

	write(t, parent, "parent", map[string]any{"threadId": asked.ThreadID, "body": "Thank you"})
	if n := testkit.Get[message.Thread](t, clerk, "/school-admin"+path).UnreadCount; n != 1 {
		t.Errorf("%d messages are unread in the office, want 1", n)
	}
	other.Refuses(t, "GET", "/parent"+path, nil, 404, "")
	s.Teacher(t).Refuses(t, "GET", "/teacher"+path, nil, 404, "")
}

func TestOfficeThread_OfAnotherFamilyOrSchool_IsRefused(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	seat := s.Seat(t, "Class 5")
	child, stranger := s.Child(t, seat, 1), s.Child(t, seat, 1)
	parent, teacher := child.Parents[0], s.Teacher(t, seat)
	const send = "/parent/message/send"
	parent.Refuses(t, "POST", send, map[string]any{"toOffice": true, "studentId": stranger.ID, "body": "Hello"}, 404, "STUDENT_NOT_FOUND")
	parent.Refuses(t, "POST", send, map[string]any{"toOffice": true, "recipientIds": []any{teacher.UserID}, "body": "Hello"}, 422, "")
	teacher.Refuses(t, "POST", "/teacher/message/send", map[string]any{"toOffice": true, "body": "Hello"}, 422, "")
	m := write(t, parent, "parent", map[string]any{"toOffice": true, "body": "A question about nothing in particular"})
	elsewhere := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	elsewhere.Refuses(t, "GET", "/school-admin/message/thread/"+m.ThreadID.String(), nil, 404, "")
	elsewhere.Refuses(t, "POST", "/school-admin/message/send", map[string]any{"threadId": m.ThreadID, "body": "Hello"}, 404, "")
}

func TestOfficeThread_ClerkWithoutTheRight_IsNotNotified(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	child := s.Child(t, s.Seat(t, "Class 5"), 1)
	admin, librarian := s.As(t, api.SchoolAdmin), s.As(t, api.SchoolAdmin)
	role := testkit.Post[struct{ ID uuid.UUID }](t, admin, "/school-admin/permission/role/create",
		map[string]any{"name": "Librarian", "type": "SCHOOL_ADMIN"}).ID
	if err := s.DB(t).Exec(`update app_user set role_id = ? where id = ?`, role, librarian.UserID).Error; err != nil {
		t.Fatal(err)
	}
	m := write(t, child.Parents[0], "parent", map[string]any{"toOffice": true, "body": "Hello"})
	for who, c := range map[string]struct {
		client *testkit.Client
		lines  int
	}{"who may read messages": {admin, 1}, "who may not": {librarian, 0}} {
		if n := s.Count(t, "notification", "user_id = ? and record_id = ?", c.client.UserID, m.ThreadID); n != c.lines {
			t.Errorf("%s: %d lines in the log, want %d", who, n, c.lines)
		}
	}
}
