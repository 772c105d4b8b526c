package web_test

import (
	"testing"
	"time"

	"homeroom/api"
	"homeroom/modules/notification"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// TestNoticeRules_ChangedInABrowser_AreSaved has an office choose the channels of a notification, and send one to a parent whom
// they do not reach.
func TestNoticeRules_ChangedInABrowser_AreSaved(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	s, clerk, stage := office(t, app, lifecycle.NewSchool{})
	child := s.Child(t, s.Seat(t, "Class 5"), 1)
	s.Owe(t, child.ID, 100, api.DateOf(time.Now().In(s.Location())))
	testkit.Put[notification.DeliverySetting](t, clerk, "/school-admin/notification/setting", map[string]any{"smsPrice": 25})
	// One parent without an e-mail, who has answered STOP to an SMS.
	for _, statement := range []string{`update guardian set email = ''`, `insert into suppression (channel, recipient, reason, problem, created_at)
		select 'SMS', u.phone, 'STOPPED', 'they wrote STOP', now() from guardian g join app_user u on u.id = g.user_id`} {
		if err := s.DB(t).Exec(statement).Error; err != nil {
			t.Fatal(err)
		}
	}
	browse(t, app, "notices", stage)
}
