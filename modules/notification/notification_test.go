package notification_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/delivery"
	"homeroom/modules/notification"
	"homeroom/notice"
	"homeroom/testkit"
)

func TestNoticeLog_Guardian_HasOnlyWhatTheyMaySee(t *testing.T) {
	t.Parallel()
	o := newOffice(t, testkit.NewSchool(t))
	asha, other := o.Child(t, o.seat, 3), o.Child(t, o.seat, 1)
	blind := asha.Parents[2]
	if err := o.DB(t).Exec(`update student_guardian set can_view_data = false where guardian_id = (select id from guardian
		where user_id = ?)`, blind.UserID).Error; err != nil {
		t.Fatal(err)
	}
	o.tell(t, telling{Type: "ATTENDANCE", Key: "a/1", StudentID: &asha.ID})
	for _, p := range asha.Parents[:2] {
		got := o.log(t, p)
		if len(got.Notifications) != 1 || got.UnreadCount != 1 || got.Total != 1 {
			t.Fatalf("a parent has %+v", got)
		}
		n := got.Notifications[0]
		if n.Title != "Asha" || n.Body != "The whole truth, with 42 marks" || n.Type != "ATTENDANCE" || n.ReadAt != nil ||
			*n.Data.ID != recordID || *n.Data.StudentID != asha.ID || n.CreatedAt.IsZero() {
			t.Errorf("the notification is %+v", n)
		}
	}
	for _, p := range []*testkit.Client{blind, other.Parents[0]} {
		if got := o.log(t, p); len(got.Notifications) != 0 {
			t.Errorf("a stranger has %+v", got)
		}
	}
}

func TestTheSameKeyIsToldOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t, testkit.NewSchool(t))
	asha := o.Child(t, o.seat, 1)
	for range 3 {
		o.tell(t, telling{Type: "FEE", Key: "f/1", StudentID: &asha.ID})
	}
	testkit.Eventually(t, "the push is out", func() bool { return o.Count(t, "delivery", "state = 'SENT'") == 2 })
	if got := o.log(t, asha.Parents[0]); got.Total != 1 || o.Count(t, "notice", "true") != 1 || o.Count(t, "delivery", "true") != 2 {
		t.Errorf("%d lines, %d notices", got.Total, o.Count(t, "notice", "true"))
	}
}

func TestAChangeThatFailsTellsNobody(t *testing.T) {
	t.Parallel()
	o := newOffice(t, testkit.NewSchool(t))
	asha := o.Child(t, o.seat, 1)
	o.admin.Refuses(t, "POST", "/school-admin/report/tell", map[string]any{"type": "FEE", "key": "f", "studentId": asha.ID, "fails": true},
		409, "")
	if n := o.Count(t, "notice", "true") + o.Count(t, "notification", "true") + o.Count(t, "outbox", "true"); n != 0 {
		t.Errorf("it left %d rows", n)
	}
}

func TestADelayedNoticeIsToldWhenItIsDueAndNotIfItIsWithdrawn(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t)
	o := newOffice(t, app.NewSchool(t))
	asha := o.Child(t, o.seat, 1)
	o.tell(t, telling{Type: "ATTENDANCE", Key: "kept", StudentID: &asha.ID, In: 300})
	o.tell(t, telling{Type: "ATTENDANCE", Key: "gone", StudentID: &asha.ID, In: 300})
	o.tell(t, telling{Type: "ATTENDANCE", Key: "now", StudentID: &asha.ID})
	testkit.Eventually(t, "what is due at once is sent", func() bool { return len(sent.got(o.ID)) == 2 })
	if got := o.log(t, asha.Parents[0]); got.Total != 1 {
		t.Errorf("the log has %+v before its time", got)
	}
	if back := testkit.Post[keys](t, o.admin, "/school-admin/report/withdraw", map[string]any{"keys": []string{"gone", "now", "unknown"}}); len(back.Keys) != 1 || back.Keys[0] != "gone" {
		t.Errorf("withdrew %v", back.Keys)
	}
	clock.turn(6 * 60e9)
	testkit.Eventually(t, "the delayed one is sent", func() bool { return len(sent.got(o.ID)) == 4 })
	testkit.Eventually(t, "its fact has left", func() bool { return o.Count(t, "outbox", "kind = ?", notice.Due) == 0 })
	if o.Count(t, "notification", "user_id = ?", asha.Parents[0].UserID) != 2 || o.Count(t, "notification", "dedupe_key = 'gone'") != 0 {
		t.Error("the log has not what was told")
	}
}

func TestANotificationIsReadByItsOwnerOnly(t *testing.T) {
	t.Parallel()
	o := newOffice(t, testkit.NewSchool(t))
	asha := o.Child(t, o.seat, 2)
	mine, theirs := asha.Parents[0], asha.Parents[1]
	for _, key := range []string{"1", "2", "3"} {
		o.tell(t, telling{Type: "RESULT", Key: key, StudentID: &asha.ID})
	}
	page := testkit.Get[notification.Delivered](t, mine, "/parent/notification/delivered-notifications?limit=2&page=2")
	if len(page.Notifications) != 1 || page.Total != 3 || page.TotalPages != 2 || page.Page != 2 || page.Limit != 2 {
		t.Errorf("page 2 is %+v", page)
	}
	id := page.Notifications[0].ID
	theirs.Refuses(t, "POST", "/parent/notification/read", map[string]any{"notificationId": id}, 404, "")
	mine.Refuses(t, "POST", "/parent/notification/read", map[string]any{"notificationId": uuid.New()}, 404, "")
	mine.Refuses(t, "POST", "/parent/notification/read", map[string]any{}, 422, "")
	first := testkit.Post[notification.Notification](t, mine, "/parent/notification/read", map[string]any{"notificationId": id})
	again := testkit.Post[notification.Notification](t, mine, "/parent/notification/read", map[string]any{"notificationId": id})
	if first.ReadAt == nil || !first.ReadAt.Equal(*again.ReadAt) {
		t.Errorf("read at %v, then %v", first.ReadAt, again.ReadAt)
	}
	if n := testkit.Get[notification.Unread](t, mine, "/parent/notification/unread-count").UnreadCount; n != 2 {
		t.Errorf("%d unread", n)
	}
	if unread := testkit.Get[notification.Delivered](t, mine, "/parent/notification/delivered-notifications?unread=true"); unread.Total != 2 || len(unread.Notifications) != 2 {
		t.Errorf("unread %+v", unread)
	}
	if n := testkit.Post[notification.ReadAll](t, mine, "/parent/notification/read-all", map[string]any{}).Read; n != 2 {
		t.Errorf("read-all read %d", n)
	}
	if n := testkit.Get[notification.Unread](t, theirs, "/parent/notification/unread-count").UnreadCount; n != 3 {
		t.Errorf("the other parent has %d unread", n)
	}
	mine.Refuses(t, "GET", "/parent/notification/delivered-notifications?limit=101&page=0x", nil, 422, "")
}

func TestEveryAppHasItsNotifications(t *testing.T) {
	t.Parallel()
	o := newOffice(t, testkit.NewSchool(t))
	for client, role := range map[string]api.RoleType{"teacher": api.Teacher, "driver": api.Driver, "school-admin": api.SchoolAdmin,
		"parent": api.Parent} {
		c := o.As(t, role)
		o.tell(t, telling{Type: "LEAVE_REQUEST", Key: client, UserID: &c.UserID})
		at := "/" + client + "/notification/"
		got := testkit.Get[notification.Delivered](t, c, at+"delivered-notifications")
		if len(got.Notifications) != 1 {
			t.Fatalf("%s has %+v", client, got)
		}
		testkit.Post[notification.Notification](t, c, at+"read", map[string]any{"notificationId": got.Notifications[0].ID})
		if n := testkit.Post[notification.ReadAll](t, c, at+"read-all", map[string]any{}); n.Read != 0 {
			t.Errorf("%s: %d were unread", client, n.Read)
		}
	}
}

func TestEvaluationModeLeavesATeachersOwnDeviceAndReadMarksOpen(t *testing.T) {
	t.Parallel()
	o := newOffice(t, testkit.NewSchool(t))
	teacher := o.As(t, api.Teacher)
	testkit.Put[map[string]any](t, o.admin, "/school-admin/setting",
		map[string]any{"evaluationMode": true, "evaluationModeReason": "Inspection"})
	testkit.Post[api.Nothing](t, teacher, "/teacher/notification/token", map[string]any{"fcmToken": "t-" + uuid.NewString()})
	testkit.Post[notification.ReadAll](t, teacher, "/teacher/notification/read-all", map[string]any{})
}

func TestADeviceBelongsToItsLastUserUntilTheySignOut(t *testing.T) {
	t.Parallel()
	one, two := testkit.NewSchool(t), testkit.NewSchool(t)
	first, second := one.As(t, api.Parent), two.As(t, api.Teacher) // the phone went to another school
	token := "phone-" + uuid.NewString()
	school := map[*testkit.Client]uuid.UUID{first: one.ID, second: two.ID}
	devices := func(c *testkit.Client) []string {
		t.Helper()
		got, err := one.App.Service.Devices.Of(t.Context(), school[c], c.UserID)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	testkit.Post[api.Nothing](t, first, "/parent/notification/token", map[string]any{"fcmToken": token, "platform": "android"})
	testkit.Post[api.Nothing](t, first, "/parent/notification/token", map[string]any{"fcmToken": token}) // on every start of the app
	if d := devices(first); len(d) != 1 || d[0] != token {
		t.Errorf("the first user has %v", d)
	}
	testkit.Post[api.Nothing](t, second, "/teacher/notification/token", map[string]any{"fcmToken": token})
	if len(devices(first)) != 0 || len(devices(second)) != 1 {
		t.Errorf("the first user has %v, the second %v", devices(first), devices(second))
	}
	if a := second.Call(t, "POST", "/auth/logout", map[string]any{}); a.Status != 200 {
		t.Fatalf("logout: %d %s", a.Status, a.Body)
	}
	var left int
	if err := one.App.Service.Cluster.PlatformPool().QueryRow(t.Context(), `select count(*) from platform.device_token where token = $1`,
		token).Scan(&left); err != nil || left != 0 || len(devices(second)) != 0 {
		t.Errorf("after signing out %d are left (%v)", left, err)
	}
	first.Refuses(t, "POST", "/parent/notification/token", map[string]any{"fcmToken": "  ", "platform": "palm"}, 422, "")
}

func TestAParentSaysHowTheyWantToBeTold(t *testing.T) {
	t.Parallel()
	app, sent, _ := apart(t)
	o := newOffice(t, app.NewSchool(t))
	asha := o.Child(t, o.seat, 2)
	quiet, other := asha.Parents[0], asha.Parents[1]
	all := testkit.Get[notification.Preferences](t, quiet, "/parent/notification/preferences")
	if len(all.Preferences) != 11 || !all.Preferences[0].Push || all.Preferences[0].SMS {
		t.Errorf("the beginning is %+v", all)
	}
	changed := testkit.Put[notification.Preferences](t, quiet, "/parent/notification/preferences",
		map[string]any{"preferences": []any{map[string]any{"type": "FEE", "push": false, "sms": true, "email": true}}})
	if len(changed.Preferences) != 11 || changed.Preferences[3] != (notification.Preference{Type: "FEE", SMS: true, Email: true}) {
		t.Errorf("changed to %+v", changed)
	}
	quiet.Refuses(t, "PUT", "/parent/notification/preferences", map[string]any{"preferences": []any{map[string]any{"type": "WEATHER"}}}, 422,
		"")
	quiet.Refuses(t, "PUT", "/parent/notification/preferences",
		map[string]any{"preferences": []any{map[string]any{"type": "FEE"}, map[string]any{"type": "FEE"}}}, 422, "")
	o.tell(t, telling{Type: "FEE", Key: "fee", StudentID: &asha.ID})
	o.tell(t, telling{Type: "RESULT", Key: "result", StudentID: &asha.ID})
	want := map[string]string{
		"PUSH user_" + quiet.UserID.String():               "Something happened", // of results alone
		"PUSH user_" + other.UserID.String():               "Something happened", // the topic would reach both
		"SMS " + o.Phone(t, quiet):                         "The whole truth, with 42 marks",
		"EMAIL " + quiet.UserID.String() + "@parents.test": "The whole truth, with 42 marks",
		"PUSH student_" + asha.ID.String() + "_result":     "There is news for you. Open the app to read it.",
	}
	testkit.Eventually(t, "six messages go out", func() bool { return len(sent.got(o.ID)) == 6 })
	for _, m := range sent.got(o.ID) {
		if body, ok := want[string(m.Channel)+" "+m.To]; !ok || body != m.Body {
			t.Errorf("unexpected %s to %s: %q", m.Channel, m.To, m.Body)
		}
	}
	if got := o.log(t, quiet); got.Total != 2 {
		t.Errorf("the log has %+v", got)
	}
}

func TestSilentRow_ItsNotices_AreInTheLogAndNotSent(t *testing.T) {
	t.Parallel()
	app, sent, _ := apart(t)
	o := newOffice(t, app.NewSchool(t))
	asha := o.Child(t, o.seat, 1)
	testkit.Post[api.Nothing](t, o.admin, "/school-admin/report/tell-silently",
		map[string]any{"type": "FEE", "key": "before", "studentId": asha.ID})
	o.tell(t, telling{Type: "FEE", Key: "now", StudentID: &asha.ID})
	testkit.Eventually(t, "what is not silent is sent", func() bool { return len(sent.got(o.ID)) == 2 })
	if got := o.log(t, asha.Parents[0]); got.Total != 2 || got.UnreadCount != 1 || o.Count(t, "delivery", "true") != 2 {
		t.Errorf("%d lines, %d unread, %d messages; want 2, 1 and 2", got.Total, got.UnreadCount, o.Count(t, "delivery", "true"))
	}
}

func TestMotherOfThree_OneChangeAboutAll_GetsOnePush(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t)
	o := newOffice(t, app.NewSchool(t))
	asha, other := o.Child(t, o.seat, 2), o.Child(t, o.seat, 1)
	mother, children := asha.Parents[0], []uuid.UUID{asha.ID, other.ID}
	for range 2 {
		child := o.Child(t, o.seat, 0)
		o.Link(t, mother, child.ID)
		children = append(children, child.ID)
	}
	testkit.Post[api.Nothing](t, o.admin, "/school-admin/report/tell-all", map[string]any{"studentIds": children})
	// To each child's topic, the mother, the father and the other child's parent.
	testkit.Eventually(t, "all are sent", func() bool { return len(sent.got(o.ID)) == 7 })
	pushes, shown := map[string]int{}, map[uuid.UUID]bool{}
	for _, m := range sent.got(o.ID) {
		pushes[m.To]++
		shown[*m.CollapseID] = true
	}
	if len(pushes) != 7 || len(shown) != 1 || pushes["user_"+mother.UserID.String()] != 1 {
		t.Errorf("sent %v, shown as %d; want each once, shown as one", pushes, len(shown))
	}
	if got := o.log(t, mother); got.Total != 3 {
		t.Errorf("her log has %d lines, want 3", got.Total)
	}

	// One is absent and two are late: it is one push still, and who has no app gets one SMS with all.
	sent.without(mother.UserID)
	testkit.Post[api.Nothing](t, o.admin, "/school-admin/report/tell-register", map[string]any{"studentIds": children})
	testkit.Eventually(t, "an SMS is sent", func() bool { return len(by(delivery.SMS, sent.got(o.ID))) == 1 })
	o.settled(t, clock)
	tried := o.Count(t, "delivery", "type = 'ATTENDANCE' and channel = 'PUSH' and recipient = ? and title = 'Absent from school · Late for school'",
		"user_"+mother.UserID.String())
	text := by(delivery.SMS, sent.got(o.ID))
	if len(text) != 1 || tried != 1 || !strings.Contains(text[0].Body, "Absent from school: Asha was marked absent today") ||
		strings.Count(text[0].Body, "Late for school: Asha came late today.") != 2 {
		t.Errorf("after %d pushes she gets %d SMS, the first %q", tried, len(text), text[0].Body)
	}
	if r := o.reach(t, children[3]); r.Reached != 1 || r.People != 1 || len(r.Rest) != 0 {
		t.Errorf("the message about several children has reached %+v of the last", r)
	}
}
