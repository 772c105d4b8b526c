package notification_test

import (
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/delivery"
	"homeroom/modules/announcement"
	"homeroom/testkit"
)

func TestLockScreen_EachLevel_SaysAsMuchAsTheSchoolAllows(t *testing.T) {
	t.Parallel()
	for level, want := range map[string]struct{ title, body string }{
		"NOTHING": {"", "There is news for you. Open the app to read it."},
		"CHILD":   {"Asha", "Something happened"},
		"FULL":    {"Asha", "The whole truth, with 42 marks"},
	} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			app, sent, clock := apart(t)
			o := newOffice(t, app.NewSchool(t))
			asha := o.Child(t, o.seat, 1)
			if level != "CHILD" { // as a new school has it
				testkit.Put[api.Nothing](t, o.admin, "/school-admin/setting", map[string]any{"lockScreen": level})
			}
			o.rule(t, "FEE", []string{"PUSH", "SMS"})
			o.tell(t, telling{Type: "FEE", Key: "1", StudentID: &asha.ID})
			testkit.Eventually(t, "it is pushed to the parent and the topic", func() bool { return len(sent.got(o.ID)) == 2 })
			o.settled(t, clock)
			for _, m := range sent.got(o.ID) {
				if topic := strings.HasPrefix(m.To, "student_"); topic && (m.Title == "Asha" || strings.Contains(m.Body, "42")) {
					t.Errorf("any phone may hear of a topic: %q %q", m.Title, m.Body)
				} else if !topic && (m.Body != want.body || want.title != "" && m.Title != want.title || want.title == "" && m.Title == "Asha") {
					t.Errorf("the lock screen shows %q %q, want %q %q", m.Title, m.Body, want.title, want.body)
				}
			}
			made := testkit.Post[announcement.View](t, o.admin, "/school-admin/announcement/create",
				map[string]any{"title": "Sports day", "body": "Bring water", "targetAudience": "PARENTS", "classIds": []any{o.seat.ClassID}})
			testkit.Post[struct{}](t, o.admin, "/school-admin/announcement/"+made.ID.String()+"/publish", nil)
			to := "user_" + asha.Parents[0].UserID.String()
			var got delivery.Message
			testkit.Eventually(t, "the announcement is pushed", func() bool {
				for _, m := range sent.got(o.ID) {
					if m.Type == "ANNOUNCEMENT" && m.To == to {
						got = m
						return true
					}
				}
				return false
			})
			if says := got.Title == "Sports day"; says != (level != "NOTHING") {
				t.Errorf("the title of an announcement is %q", got.Title)
			}
			if says := got.Body == "Bring water"; says != (level == "FULL") {
				t.Errorf("an announcement says %q", got.Body)
			}
		})
	}
}
