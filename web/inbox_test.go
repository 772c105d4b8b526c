package web_test

import (
	"testing"

	"github.com/google/uuid"

	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// TestInbox_ClerkAnswersAParentAsTheOffice has a parent write to the office, and a clerk answer in a browser.
func TestInbox_ClerkAnswersAParentAsTheOffice(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	s, _, stage := office(t, app, lifecycle.NewSchool{})
	child := s.Child(t, s.Seat(t, "Class 5"), 1)
	parent := child.Parents[0]
	thread := testkit.Post[struct{ ThreadID uuid.UUID }](t, parent, "/parent/message/send",
		map[string]any{"toOffice": true, "studentId": child.ID, "subject": "Fees", "body": "What is due in January?"}).ThreadID
	stage["stage"] = map[string]any{"thread": thread}
	browse(t, app, "inbox", stage)
	seen := testkit.Get[struct {
		Messages []struct{ SenderName, Body string }
	}](t, parent, "/parent/message/thread/"+thread.String())
	if n := len(seen.Messages); n != 2 || seen.Messages[1].SenderName != "Office" || seen.Messages[1].Body != "The fourth instalment." {
		t.Errorf("the parent sees %+v", seen.Messages)
	}
}
