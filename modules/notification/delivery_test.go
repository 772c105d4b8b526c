package notification_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/delivery"
	"homeroom/modules/notification"
	"homeroom/notice"
	"homeroom/testkit"
)

func TestEachKindOfNoticeGoesToItsTopic(t *testing.T) {
	t.Parallel()
	app, sent, _ := apart(t)
	o := newOffice(t, app.NewSchool(t))
	asha, teacher, driver := o.Child(t, o.seat, 1), o.Teacher(t, o.seat), o.As(t, api.Driver)
	parent := asha.Parents[0]
	for i, n := range []telling{
		{Type: "ATTENDANCE", StudentID: &asha.ID}, {Type: "RESULT", StudentID: &asha.ID}, {Type: "FEE", StudentID: &asha.ID},
		{Type: "TRANSPORT", StudentID: &asha.ID},
		{Type: "LEAVE_REQUEST", UserID: &teacher.UserID, StudentID: &asha.ID},
		{Type: "LEAVE_REQUEST", UserID: &parent.UserID, StudentID: &asha.ID},
		{Type: "MESSAGE", UserID: &teacher.UserID}, {Type: "MESSAGE", UserID: &parent.UserID}, {Type: "TRANSPORT", UserID: &driver.UserID},
	} {
		n.Key = fmt.Sprint(i)
		o.tell(t, n)
	}
	student := "student_" + asha.ID.String()
	want := map[string]int{
		"ATTENDANCE " + student + "_attendance": 1, "RESULT " + student + "_result": 1, "FEE " + student + "_fee": 1, "TRANSPORT " + student: 1,
		"LEAVE_REQUEST teacher_" + teacher.UserID.String(): 1, "LEAVE_REQUEST " + student: 1, "MESSAGE teacher_" + teacher.UserID.String(): 1,
		"TRANSPORT user_" + driver.UserID.String(): 1, "LEAVE_REQUEST user_" + teacher.UserID.String(): 1, "MESSAGE user_" +
			teacher.UserID.String(): 1,
	}
	for _, kind := range []string{"ATTENDANCE", "RESULT", "FEE", "TRANSPORT", "LEAVE_REQUEST", "MESSAGE"} {
		want[kind+" user_"+parent.UserID.String()] = 1
	}
	all := len(want)
	testkit.Eventually(t, "all are sent", func() bool { return len(sent.got(o.ID)) == all })
	for _, m := range sent.got(o.ID) {
		if want[m.Type+" "+m.To]--; want[m.Type+" "+m.To] < 0 {
			t.Errorf("unexpected: %s to %s", m.Type, m.To)
		}
		if m.Channel != delivery.Push || *m.RecordID != recordID || m.CollapseID == nil {
			t.Errorf("sent %+v", m)
		}
		if says := m.Title + ": " + m.Body; strings.HasPrefix(m.To, "user_") != (says == "Asha: Something happened") ||
			strings.Contains(says, "Asha") != strings.HasPrefix(m.To, "user_") {
			t.Errorf("%s is told %q", m.To, says)
		}
		if strings.HasPrefix(m.To, "user_") != (m.Badge > 0) {
			t.Errorf("the badge of %s is %d", m.To, m.Badge)
		}
	}
	testkit.Eventually(t, "it is written down", func() bool {
		return o.Count(t, "delivery", "state = 'SENT' and attempts = 1 and provider_id <> '' and sent_at is not null") == all
	})
}

func TestAProviderThatIsAwayForTenMinutesLosesNothingAndIsNotStormed(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t)
	o := newOffice(t, app.NewSchool(t))
	const notices = 60
	o.rule(t, "TRANSPORT", []string{"PUSH"}) // else the next way would not wait for it
	sent.failing(func(delivery.Message) error { return errAway })
	for i := range notices {
		o.tell(t, telling{Type: "TRANSPORT", Key: fmt.Sprint(i), UserID: &o.admin.UserID})
	}
	testkit.Eventually(t, "all are queued", func() bool { return o.Count(t, "delivery", "true") == notices })
	for range 60 { // ten minutes, ten seconds at a time
		clock.turn(10 * time.Second)
		testkit.Eventually(t, "nothing that is due waits to be heard", func() bool {
			return o.Count(t, "outbox", "next_at <= ?", clock.Now()) == 0
		})
	}
	if calls := sent.called(); calls < 5 || calls > 120 {
		t.Errorf("%d calls while it was away", calls)
	}
	if n := o.Count(t, "delivery", "state = 'QUEUED'"); n != notices {
		t.Errorf("%d of %d are queued", n, notices)
	}
	sent.failing(nil)
	testkit.Eventually(t, "all are sent when it is back", func() bool {
		clock.turn(5 * time.Second)
		return o.Count(t, "delivery", "state = 'SENT'") == notices
	})
	told := map[uuid.UUID]int{}
	for _, m := range sent.got(o.ID) {
		told[m.ID]++
	}
	if len(told) != notices || len(sent.got(o.ID)) != notices {
		t.Errorf("%d messages were sent %d times", len(told), len(sent.got(o.ID)))
	}
	if o.Count(t, "notification", "true") != notices || o.Count(t, "outbox", "kind = ?", notice.Due) != 0 {
		t.Error("the log differs")
	}
}

func TestAProviderIsObeyedWhenItAsksForAPause(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t)
	o := newOffice(t, app.NewSchool(t))
	o.rule(t, "TRANSPORT", []string{"PUSH"})
	sent.failing(func(delivery.Message) error {
		return &delivery.Fault{RetryAfter: 5 * time.Minute, Err: errors.New("429")}
	})
	o.tell(t, telling{Type: "TRANSPORT", Key: "1", UserID: &o.admin.UserID})
	testkit.Eventually(t, "it is put off", func() bool {
		return o.Count(t, "delivery", "state = 'QUEUED' and last_error = '429' and next_at >= ?", clock.Now().Add(5*time.Minute)) == 1
	})
	sent.failing(nil)
	for range 4 {
		clock.turn(time.Minute)
		testkit.Eventually(t, "what is due is heard", func() bool { return o.Count(t, "outbox", "next_at <= ?", clock.Now()) == 0 })
	}
	if n := sent.called(); n != 1 {
		t.Errorf("it was called %d times before it wanted to be", n)
	}
	clock.turn(2 * time.Minute)
	testkit.Eventually(t, "it is sent", func() bool { return o.Count(t, "delivery", "state = 'SENT' and attempts = 2") == 1 })
}

func TestWhatNoProviderTakesIsADeadLetterThatTheSuperAdminRetries(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t)
	o := newOffice(t, app.NewSchool(t))
	super := app.SuperAdmin(t)
	sent.failing(func(delivery.Message) error {
		return &delivery.Fault{Permanent: true, Err: errors.New("no such topic")}
	})
	o.tell(t, telling{Type: "FEE", Key: "1", UserID: &o.admin.UserID})
	list := func() []notification.DeadLetter {
		return testkit.Get[api.Page[notification.DeadLetter]](t, super, "/super-admin/delivery/list?filters[schoolId]="+o.ID.String()).Items
	}
	testkit.Eventually(t, "it is in the list", func() bool { return len(list()) == 1 })
	dead := list()[0]
	if dead.LastError != "no such topic" || dead.Channel != "PUSH" || dead.Type != "FEE" || *dead.SchoolID != o.ID || dead.Attempts != 1 ||
		dead.Recipient != "user_"+o.admin.UserID.String() {
		t.Errorf("the letter is %+v", dead)
	}
	if dead.SchoolName != o.Name {
		t.Errorf("the letter's school is called %q, want %q", dead.SchoolName, o.Name)
	}
	if o.Count(t, "delivery", "state = 'FAILED'") != 1 {
		t.Error("it is not FAILED")
	}
	sent.failing(nil)
	o.admin.Refuses(t, "POST", "/super-admin/delivery/retry", map[string]any{"ids": []any{dead.ID}}, 403, "PERMISSION_DENIED")
	super.Refuses(t, "POST", "/super-admin/delivery/retry", map[string]any{"ids": []any{uuid.New()}}, 404, "")
	school := "/super-admin/school/" + o.ID.String()
	o.tell(t, telling{Type: "FEE", Key: "2", UserID: &o.admin.UserID, In: 60})
	testkit.Post[map[string]any](t, super, school+"/suspend", nil)
	clock.turn(2 * time.Minute)
	testkit.Eventually(t, "a notice that came due at the suspended school is queued", func() bool {
		return o.Count(t, "delivery", "state = 'QUEUED' and attempts = 0") == 1 && o.Count(t, "outbox", "next_at <= ?", clock.Now()) == 0
	})
	if n := len(sent.got(o.ID)); n != 0 {
		t.Errorf("a suspended school sent %d messages", n)
	}
	if n := testkit.Post[notification.Retried](t, super, "/super-admin/delivery/retry", map[string]any{"ids": []any{dead.ID}}); n.Queued != 0 || n.Skipped != 1 || len(list()) != 1 {
		t.Errorf("of a suspended school %+v", n)
	}
	testkit.Post[map[string]any](t, super, school+"/activate", nil)
	if n := testkit.Post[notification.Retried](t, super, "/super-admin/delivery/retry", map[string]any{"ids": []any{dead.ID}}); n.Queued != 1 {
		t.Errorf("queued %d", n.Queued)
	}
	testkit.Eventually(t, "both are sent", func() bool { return o.Count(t, "delivery", "state = 'SENT'") == 2 })
	if len(list()) != 0 || len(sent.got(o.ID)) != 2 {
		t.Errorf("%d letters are left, %d were sent", len(list()), len(sent.got(o.ID)))
	}
}

func TestQuietHours_WhatIsNotUrgent_WaitsAndIsWordedForTheMorning(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t)
	school := app.NewSchool(t)
	clock.at(school, 22, 30)
	o := newOffice(t, school)
	asha := o.Child(t, o.seat, 1)
	testkit.Put[notification.Preferences](t, asha.Parents[0], "/parent/notification/preferences",
		map[string]any{"preferences": []any{map[string]any{"type": "ATTENDANCE", "push": true, "sms": true}}})
	set := testkit.Put[notification.DeliverySetting](t, o.admin, "/school-admin/notification/setting",
		map[string]any{"quietFrom": "21:00", "quietTo": "07:00"})
	if set.Version != 2 || set.QuietTo != "07:00" {
		t.Errorf("set %+v", set)
	}
	o.admin.Refuses(t, "PUT", "/school-admin/notification/setting", map[string]any{"quietFrom": "21:00", "quietTo": ""}, 422, "")
	o.admin.Refuses(t, "PUT", "/school-admin/notification/setting", map[string]any{"smsDailyLimit": 5, "version": 1}, 409, "")
	today := api.DateOf(clock.Now().In(o.Location()))
	o.tell(t, telling{Type: "ATTENDANCE", Key: "waits", StudentID: &asha.ID, Day: today})
	o.tell(t, telling{Type: "FEE", Key: "stale", StudentID: &asha.ID, Until: 8})
	o.tell(t, telling{Type: "TRANSPORT", Key: "goes", StudentID: &asha.ID, Urgent: true})
	testkit.Eventually(t, "what is urgent goes out", func() bool { return len(sent.got(o.ID)) == 2 })
	// For the parent by the rule and, as they asked, by SMS; and a push to the child's topic.
	testkit.Eventually(t, "the others wait", func() bool {
		return o.Count(t, "digest_entry", "rule = 'ATTENDANCE'") == 2 && o.Count(t, "delivery", "state = 'QUEUED' and attempts = 0") == 1
	})
	if n := o.Count(t, "notification", "body = ?", "Asha was marked absent on "+today.String()+". If you did not expect this, call the school."); n != 1 || o.log(t, asha.Parents[0]).Total != 3 {
		t.Errorf("the log has the day %d times, want once", n)
	}
	morning := today.AddDays(1).In(o.Location()).Add(7 * time.Hour)
	if n := o.Count(t, "delivery", "state = 'QUEUED' and next_at = ?", morning) + o.Count(t, "digest_entry", "due_at = ?", morning); n != 3 {
		t.Errorf("%d wait until 07:00, want 3", n)
	}
	clock.turn(8*time.Hour + 31*time.Minute)
	testkit.Eventually(t, "it goes out in the morning", func() bool { return len(sent.got(o.ID)) == 5 })
	shown := map[uuid.UUID]bool{}
	for _, m := range sent.got(o.ID) {
		if m.Type == "FEE" {
			t.Error("what was of no use any more was sent")
		}
		if m.Type == "ATTENDANCE" && m.Channel == delivery.Push {
			shown[*m.CollapseID] = true
		}
		if m.Channel == delivery.SMS && m.Body != "Asha was marked absent yesterday. If you did not expect this, call the school." {
			t.Errorf("in the morning it says %q", m.Body)
		}
	}
	if len(shown) != 1 {
		t.Errorf("a phone that hears the topic too shows it %d times", len(shown))
	}
}

func TestQuietHours_SeveralFacts_AreOneMessageInTheMorning(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t)
	school := app.NewSchool(t)
	clock.at(school, 22, 30)
	o := newOffice(t, school)
	asha, bala := o.Child(t, o.seat, 3), o.Child(t, o.seat, 0)
	waits, reads, texts := asha.Parents[0], asha.Parents[1], asha.Parents[2]
	o.Link(t, waits, bala.ID)
	sent.without(texts.UserID)
	o.QuietHours(t, "21:00", "07:00")
	testkit.Post[api.Nothing](t, o.admin, "/school-admin/report/tell-register", map[string]any{"studentIds": []uuid.UUID{asha.ID}})
	o.tell(t, telling{Type: "FEE", Key: "fee", StudentID: &asha.ID})
	o.tell(t, telling{Type: "FEE", Key: "fee of another child", StudentID: &bala.ID})
	testkit.Eventually(t, "all wait", func() bool { return o.Count(t, "digest_entry", "true") == 7 })
	testkit.Post[api.Nothing](t, reads, "/parent/notification/read-all", nil)
	o.unlink(t, waits, bala.ID)
	o.settled(t, clock)
	if r := o.reach(t, recordID); r.People != 3 || r.Waiting != 2 || r.Read != 1 {
		t.Errorf("at night it has reached %+v", r)
	}
	if n := len(sent.got(o.ID)); n != 0 {
		t.Errorf("%d messages are sent at night", n)
	}
	clock.turn(8*time.Hour + 31*time.Minute)
	testkit.Eventually(t, "who has no app gets an SMS", func() bool { return len(by(delivery.SMS, sent.got(o.ID))) == 1 })
	o.settled(t, clock)
	pushes := slices.DeleteFunc(by(delivery.Push, sent.got(o.ID)), func(m delivery.Message) bool { return !strings.HasPrefix(m.To, "user_") })
	if len(pushes) != 1 || pushes[0].To != "user_"+waits.UserID.String() || pushes[0].Title != "Today from "+o.Name ||
		pushes[0].Body != "Absent from school · Asha" {
		t.Errorf("in the morning phones get %+v", pushes)
	}
	want := "Asha: The whole truth, with 42 marks\nAbsent from school: Asha was marked absent yesterday. If you did not expect this, call the school."
	if m := by(delivery.SMS, sent.got(o.ID))[0]; len(by(delivery.SMS, sent.got(o.ID))) != 1 || m.Body != want {
		t.Errorf("the SMS says %q, want %q", m.Body, want)
	}
	if n := len(by(delivery.Email, sent.got(o.ID))) + o.Count(t, "digest_entry", "true"); n != 0 {
		t.Errorf("%d e-mails and entries beside it", n)
	}
}

func TestQuietHours_NewSchool_HasThemAndAClosureAt2230IsOutAtOnce(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t, func(_ *config.Config, o *service.Options) { o.NoQuietHours = false })
	school := app.NewSchool(t)
	clock.at(school, 22, 30)
	o := newOffice(t, school)
	o.Child(t, o.seat, 1)
	if set := testkit.Get[notification.DeliverySetting](t, o.admin, "/school-admin/notification/setting"); set.QuietFrom != "21:00" || set.QuietTo != "07:00" {
		t.Fatalf("a new school is quiet from %s to %s", set.QuietFrom, set.QuietTo)
	}
	for title, urgent := range map[string]bool{"Sports day": false, "School is closed tomorrow": true} {
		made := testkit.Post[struct{ ID uuid.UUID }](t, o.admin, "/school-admin/announcement/create",
			map[string]any{"title": title, "body": "Please read", "urgent": urgent})
		testkit.Post[struct{}](t, o.admin, "/school-admin/announcement/"+made.ID.String()+"/publish", nil)
	}
	// To the phones, and to the parent who has none: by SMS and by e-mail.
	testkit.Eventually(t, "the closure is out, with no minute passed", func() bool { return len(sent.got(o.ID)) == 2 })
	testkit.Eventually(t, "the other one waits", func() bool { return o.Count(t, "delivery", "state = 'QUEUED' and attempts = 0") == 2 })
	for _, m := range sent.got(o.ID) {
		if m.Title != "School is closed tomorrow" || !m.Urgent || m.Channel == delivery.Email {
			t.Errorf("sent %+v", m)
		}
		if strings.HasPrefix(m.To, "school_") && m.Badge != 0 {
			t.Errorf("a topic sets the badge of every phone to %d", m.Badge)
		}
	}
	clock.turn(8*time.Hour + 31*time.Minute)
	testkit.Eventually(t, "the other one goes out in the morning", func() bool { return len(sent.got(o.ID)) == 4 })
}

func TestTheBudgetsOfTheSchoolAndOfAllRefuseWhatIsTooMuch(t *testing.T) {
	t.Parallel()
	app, sent, _ := apart(t, func(c *config.Config, _ *service.Options) { c.SMSDailyLimit = 3 })
	if _, err := app.Service.Cluster.PlatformPool().Exec(t.Context(), `delete from platform.sms_day`); err != nil {
		t.Fatal(err)
	}
	one, two := newOffice(t, app.NewSchool(t)), newOffice(t, app.NewSchool(t))
	testkit.Put[notification.DeliverySetting](t, one.admin, "/school-admin/notification/setting", map[string]any{"smsDailyLimit": 2})
	for _, o := range []office{one, two} {
		asha := o.Child(t, o.seat, 1)
		testkit.Put[notification.Preferences](t, asha.Parents[0], "/parent/notification/preferences",
			map[string]any{"preferences": []any{map[string]any{"type": "TRANSPORT", "sms": true}}})
		for i := range 3 {
			o.tell(t, telling{Type: "TRANSPORT", Key: fmt.Sprint(i), StudentID: &asha.ID})
		}
		testkit.Eventually(t, "each is sent or refused",
			func() bool { return o.Count(t, "delivery", "channel = 'SMS' and state <> 'QUEUED'") == 3 })
	}
	if len(sent.got(one.ID)) != 2 || one.Count(t, "delivery", "last_error = 'the school''s SMS budget of the day is used up'") != 1 ||
		one.Count(t, "sms_day", "segments = 2") != 1 {
		t.Errorf("the first school sent %d", len(sent.got(one.ID)))
	}
	if len(sent.got(two.ID)) != 1 || two.Count(t, "delivery", "last_error = 'the SMS budget of all schools is used up for today'") != 2 ||
		two.Count(t, "sms_day", "segments = 1") != 1 {
		t.Errorf("the second school sent %d", len(sent.got(two.ID)))
	}
	super := app.SuperAdmin(t)
	testkit.Eventually(t, "the refused ones are dead letters", func() bool {
		return testkit.Get[api.Page[notification.DeadLetter]](t, super,
			"/super-admin/delivery/list?filters[schoolId]="+two.ID.String()+"&filters[channel]=SMS").Total == 2
	})
}

func TestTwoInstancesTellNothingTwice(t *testing.T) {
	t.Parallel()
	app, sent, _ := apart(t)
	o := newOffice(t, app.NewSchool(t))
	same := func(c *config.Config, p *service.Options) {
		labRows(c, p)
		c.DatabaseURL, c.NodeURL = app.Service.Config.DatabaseURL, app.Service.Config.NodeURL
		p.Namespace = app.Namespace
		p.Drivers = map[delivery.Channel]delivery.Driver{delivery.Push: sent}
	}
	second := testkit.Start(t, same)
	const notices = 100
	for i := range notices {
		by := []*testkit.Client{o.admin, o.admin.On(second)}[i%2]
		testkit.Post[api.Nothing](t, by, "/school-admin/report/tell",
			map[string]any{"type": "TRANSPORT", "key": fmt.Sprint(i), "userId": o.admin.UserID})
		second.Service.Sender.Wake(o.ID) // both look, always
		app.Service.Sender.Wake(o.ID)
	}
	testkit.Eventually(t, "all are sent", func() bool { return o.Count(t, "delivery", "state = 'SENT'") == notices })
	if n := len(sent.got(o.ID)); n != notices || o.Count(t, "delivery", "attempts <> 1") != 0 {
		t.Errorf("%d of %d were sent", n, notices)
	}
}

func TestAChannelWithoutAProviderSaysSo(t *testing.T) {
	t.Parallel()
	app, _, _ := apart(t, func(_ *config.Config, o *service.Options) { delete(o.Drivers, delivery.Push) })
	o := newOffice(t, app.NewSchool(t))
	asha := o.Child(t, o.seat, 1)
	o.tell(t, telling{Type: "TRANSPORT", Key: "1", StudentID: &asha.ID})
	testkit.Eventually(t, "it fails with the reason", func() bool {
		return o.Count(t, "delivery", "state = 'FAILED' and last_error = ?", delivery.ErrNoProvider.Error()) == 2
	})
	testkit.Eventually(t, "nobody waits for it", func() bool { return o.Count(t, "outbox", "kind <> ?", delivery.Waiting) == 0 })
	if got := o.log(t, asha.Parents[0]); got.Total != 1 {
		t.Errorf("the log has %d", got.Total)
	}
}
