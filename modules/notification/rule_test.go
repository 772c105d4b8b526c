package notification_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/delivery"
	"homeroom/modules/notification"
	"homeroom/rbac"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

const rulesPath = "/school-admin/notification/rules"

// rule sets one rule of the school.
func (o office) rule(t *testing.T, kind string, ways []string, fields ...any) {
	t.Helper()
	r := map[string]any{"type": kind, "ways": ways, "waitMinutes": nil, "mayTurnOff": true}
	for i := 0; i < len(fields); i += 2 {
		r[fields[i].(string)] = fields[i+1]
	}
	testkit.Put[notification.Rules](t, o.admin, rulesPath, map[string]any{"rules": []any{r}})
}

// by are the messages that went out by one way.
func by(c delivery.Channel, all []delivery.Message) []delivery.Message {
	var out []delivery.Message
	for _, m := range all {
		if m.Channel == c {
			out = append(out, m)
		}
	}
	return out
}

// settled waits until nothing is on its way any more.
func (o office) settled(t *testing.T, k *clock) {
	t.Helper()
	testkit.Eventually(t, "nothing is on its way", func() bool {
		return o.Count(t, "delivery", "state = 'QUEUED' and next_at <= ?", k.Now()) == 0 && o.Count(t, "outbox", "next_at <= ?", k.Now()) == 0
	})
}

func TestRule_PushReachesNobody_TheNextWayDoes(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t)
	o := newOffice(t, app.NewSchool(t))
	asha := o.Child(t, o.seat, 2)
	sent.without(asha.Parents[1].UserID)
	o.tell(t, telling{Type: "ATTENDANCE", Key: "1", StudentID: &asha.ID})
	testkit.Eventually(t, "an SMS is sent", func() bool { return len(by(delivery.SMS, sent.got(o.ID))) == 1 })
	o.settled(t, clock)
	texts := by(delivery.SMS, sent.got(o.ID))
	if len(texts) != 1 {
		t.Fatalf("sent %+v", texts)
	}
	if want := o.Phone(t, asha.Parents[1]); texts[0].To != want {
		t.Errorf("it went to %s, want %s", texts[0].To, want)
	}
	if texts[0].Body != "The whole truth, with 42 marks" {
		t.Errorf("it says %q", texts[0].Body)
	}

	// Each hears it in their own language.
	chosen := testkit.Put[notification.OwnLanguage](t, asha.Parents[1], "/parent/notification/language", map[string]any{"language": "hi"})
	if now := testkit.Get[notification.OwnLanguage](t, asha.Parents[1], "/parent/notification/language"); now.Language == nil ||
		*now.Language != "hi" || *chosen.Language != "hi" {
		t.Errorf("the language is %v", now.Language)
	}
	clock.turn(time.Second) // the log has the newest first
	today := api.DateOf(clock.Now().In(o.Location()))
	o.tell(t, telling{Type: "ATTENDANCE", Key: "2", StudentID: &asha.ID, Day: today})
	testkit.Eventually(t, "another SMS is sent", func() bool { return len(by(delivery.SMS, sent.got(o.ID))) == 2 })
	if m := by(delivery.SMS, sent.got(o.ID))[1]; !strings.Contains(m.Body, "आज") || m.Locale != "hi" {
		t.Errorf("in %s it says %q", m.Locale, m.Body)
	}
	for i, want := range []string{"absent", "अनुपस्थित"} {
		if got := o.log(t, asha.Parents[i]).Notifications[0].Body; !strings.Contains(got, want) {
			t.Errorf("the log of parent %d says %q, want %q", i, got, want)
		}
	}
}

func TestRule_NextWayFails_TheOneAfterItIsTried(t *testing.T) {
	t.Parallel()
	app, sent, _ := apart(t)
	o := newOffice(t, app.NewSchool(t))
	asha := o.Child(t, o.seat, 1)
	o.rule(t, "ATTENDANCE", []string{"PUSH", "SMS", "EMAIL"})
	sent.without(asha.Parents[0].UserID)
	sent.failing(func(m delivery.Message) error {
		if m.Channel == delivery.SMS {
			return delivery.Refused("no such number")
		}
		return nil
	})
	o.tell(t, telling{Type: "ATTENDANCE", Key: "1", StudentID: &asha.ID})
	testkit.Eventually(t, "an e-mail is sent", func() bool {
		letters := by(delivery.Email, sent.got(o.ID))
		return len(letters) == 1 && letters[0].To == asha.Parents[0].UserID.String()+"@parents.test"
	})
}

func TestRule_UnreadForAWhile_TheNextWayIsTried(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t)
	o := newOffice(t, app.NewSchool(t))
	asha := o.Child(t, o.seat, 2)
	o.rule(t, "ATTENDANCE", []string{"PUSH", "SMS"}, "waitMinutes", 30)
	o.tell(t, telling{Type: "ATTENDANCE", Key: "1", StudentID: &asha.ID})
	testkit.Eventually(t, "both got a push", func() bool {
		return o.Count(t, "delivery", "channel = 'PUSH' and state = 'SENT' and user_id is not null") == 2
	})
	reader := asha.Parents[0]
	testkit.Post[api.Nothing](t, reader, "/parent/notification/read-all", nil)
	clock.turn(29 * time.Minute)
	o.settled(t, clock)
	if n := len(by(delivery.SMS, sent.got(o.ID))); n != 0 {
		t.Errorf("%d SMS after 29 minutes", n)
	}
	clock.turn(2 * time.Minute)
	testkit.Eventually(t, "who has not read it gets an SMS", func() bool { return len(by(delivery.SMS, sent.got(o.ID))) == 1 })
	o.settled(t, clock)
	texts := by(delivery.SMS, sent.got(o.ID))
	if len(texts) != 1 || texts[0].To != o.Phone(t, asha.Parents[1]) {
		t.Errorf("sent %+v", texts)
	}
}

func TestRule_NextWayInQuietHours_WaitsForTheMorning(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t)
	school := app.NewSchool(t)
	clock.at(school, 20, 30)
	o := newOffice(t, school)
	o.QuietHours(t, "21:00", "07:00")
	asha := o.Child(t, o.seat, 1)
	o.rule(t, "FEE", []string{"PUSH", "SMS"}, "waitMinutes", 60)
	o.tell(t, telling{Type: "FEE", Key: "1", StudentID: &asha.ID})
	testkit.Eventually(t, "it is pushed", func() bool {
		return o.Count(t, "delivery", "channel = 'PUSH' and state = 'SENT' and user_id is not null") == 1
	})
	clock.turn(61 * time.Minute)
	testkit.Eventually(t, "an SMS waits", func() bool { return o.Count(t, "delivery", "channel = 'SMS' and state = 'QUEUED'") == 1 })
	o.settled(t, clock)
	if n := len(by(delivery.SMS, sent.got(o.ID))); n != 0 {
		t.Errorf("%d SMS at 21:31", n)
	}
	clock.turn(10 * time.Hour)
	testkit.Eventually(t, "it is sent in the morning", func() bool { return len(by(delivery.SMS, sent.got(o.ID))) == 1 })
}

func TestRule_MotherOfThreeWithoutAnApp_GetsOneSMS(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t)
	o := newOffice(t, app.NewSchool(t))
	first := o.Child(t, o.seat, 1)
	mother, ids := first.Parents[0], []uuid.UUID{first.ID}
	for range 2 {
		other := o.Child(t, o.seat, 0)
		o.Link(t, mother, other.ID)
		ids = append(ids, other.ID)
	}
	o.rule(t, "FEE", []string{"PUSH", "SMS"})
	sent.without(mother.UserID)
	testkit.Post[api.Nothing](t, o.admin, "/school-admin/report/tell-all", map[string]any{"studentIds": ids})
	testkit.Eventually(t, "an SMS is sent", func() bool { return len(by(delivery.SMS, sent.got(o.ID))) > 0 })
	o.settled(t, clock)
	texts := by(delivery.SMS, sent.got(o.ID))
	if len(texts) != 1 {
		t.Fatalf("%d SMS", len(texts))
	}
	if n := strings.Count(texts[0].Body, "For one child"); n != 3 {
		t.Errorf("it tells of %d children: %q", n, texts[0].Body)
	}

	// She wants to hear of two of them.
	choose := func(fields map[string]any) notification.PreferencesNow {
		return testkit.Put[notification.PreferencesNow](t, mother, "/parent/notification/preferences",
			map[string]any{"preferences": []any{}, "ofChildren": []any{fields}})
	}
	for round, c := range []struct {
		choice    map[string]any
		mayNotOff bool
		own, want int
	}{
		{map[string]any{"studentId": ids[2], "type": "FEE", "push": false}, false, 1, 2},
		{map[string]any{"studentId": ids[2], "type": "FEE", "push": false}, true, 1, 3},
		{map[string]any{"studentId": ids[2], "type": "FEE", "asForAll": true}, false, 0, 3},
	} {
		o.rule(t, "FEE", []string{"PUSH", "SMS"}, "mayTurnOff", !c.mayNotOff)
		if now := choose(c.choice); len(now.OfChildren) != c.own || len(now.Preferences) != 11 {
			t.Errorf("round %d: chosen are %+v", round, now.OfChildren)
		}
		testkit.Post[api.Nothing](t, o.admin, "/school-admin/report/tell-all",
			map[string]any{"studentIds": ids, "round": strconv.Itoa(round)})
		testkit.Eventually(t, "another SMS is sent", func() bool { return len(by(delivery.SMS, sent.got(o.ID))) == round+2 })
		if got := by(delivery.SMS, sent.got(o.ID))[round+1].Body; strings.Count(got, "For one child") != c.want {
			t.Errorf("round %d: it tells of %q, want %d children", round, got, c.want)
		}
	}
	stranger := o.Child(t, o.seat, 0)
	for _, bad := range []map[string]any{{"studentId": stranger.ID, "type": "FEE"}, {"studentId": ids[0], "type": "ANNOUNCEMENT"}} {
		mother.Refuses(t, "PUT", "/parent/notification/preferences", map[string]any{"preferences": []any{}, "ofChildren": []any{bad}}, 422, "")
	}
}

func TestRule_ThatMayNotBeTurnedOff_IsSentAllTheSame(t *testing.T) {
	t.Parallel()
	app, sent, _ := apart(t)
	o := newOffice(t, app.NewSchool(t))
	asha := o.Child(t, o.seat, 1)
	o.rule(t, "ATTENDANCE", []string{"PUSH"}, "mayTurnOff", false)
	now := testkit.Put[notification.PreferencesNow](t, asha.Parents[0], "/parent/notification/preferences",
		map[string]any{"preferences": []any{map[string]any{"type": "ATTENDANCE", "push": false}}})
	for _, p := range now.Preferences {
		if p.MayTurnOff != (p.Type != "ATTENDANCE") {
			t.Errorf("%s may be turned off: %v", p.Type, p.MayTurnOff)
		}
	}
	o.tell(t, telling{Type: "ATTENDANCE", Key: "1", StudentID: &asha.ID})
	testkit.Eventually(t, "it is pushed", func() bool {
		for _, m := range sent.got(o.ID) {
			if m.To == "user_"+asha.Parents[0].UserID.String() {
				return true
			}
		}
		return false
	})
}

func TestRule_WithoutPush_BeginsWithTheFirstWay(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t)
	o := newOffice(t, app.NewSchool(t))
	asha := o.Child(t, o.seat, 1)
	o.rule(t, "FEE", []string{"SMS"})
	o.tell(t, telling{Type: "FEE", Key: "1", StudentID: &asha.ID})
	testkit.Eventually(t, "an SMS is sent", func() bool { return len(by(delivery.SMS, sent.got(o.ID))) == 1 })
	o.settled(t, clock)
	if n := len(sent.got(o.ID)); n != 1 {
		t.Errorf("%d messages", n)
	}
}

func TestRules_BadOnes_AreRefused(t *testing.T) {
	t.Parallel()
	o := newOffice(t, testkit.NewSchool(t))
	for name, r := range map[string]map[string]any{
		"push second":    {"type": "FEE", "ways": []string{"SMS", "PUSH"}},
		"twice the same": {"type": "FEE", "ways": []string{"SMS", "SMS"}},
		"none":           {"type": "FEE", "ways": []string{}},
		"unknown way":    {"type": "FEE", "ways": []string{"PIGEON"}},
		"unknown kind":   {"type": "WEATHER", "ways": []string{"SMS"}},
		"no wait":        {"type": "FEE", "ways": []string{"SMS"}, "waitMinutes": 0},
	} {
		if f := o.admin.Refuses(t, "PUT", rulesPath, map[string]any{"rules": []any{r}}, 422, ""); len(f.Details) != 1 || !strings.HasPrefix(f.Details[0].Field, "rules[0].") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestRules_SayWhatCameOfThem(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t)
	o := newOffice(t, app.NewSchool(t))
	asha := o.Child(t, o.seat, 2)
	sent.without(asha.Parents[1].UserID)
	testkit.Put[notification.DeliverySetting](t, o.admin, "/school-admin/notification/setting", map[string]any{"smsPrice": 25})
	o.tell(t, telling{Type: "ATTENDANCE", Key: "1", StudentID: &asha.ID})
	testkit.Eventually(t, "an SMS is sent", func() bool { return o.Count(t, "delivery", "channel = 'SMS' and state = 'SENT'") == 1 })
	o.settled(t, clock)
	got := testkit.Get[notification.Rules](t, o.admin, rulesPath)
	for _, r := range got.Rules {
		want := notification.RuleUse{}
		if r.Type == "ATTENDANCE" {
			want = notification.RuleUse{Pushes: 1, NotReached: 1, Segments: 1, SMSCost: 25}
		}
		if r.LastMonth != want {
			t.Errorf("%s: %+v", r.Type, r.LastMonth)
		}
	}
	if got.Parents != 2 || got.Unreachable != 2 || got.SMSPrice != 25 {
		t.Errorf("%d of %d parents cannot be reached, at %d", got.Unreachable, got.Parents, got.SMSPrice)
	}
}

// families are so many children, one after another of the divisions, with a parent each, who have never signed in.
func (o office) families(t *testing.T, n int, in ...testkit.Seat) {
	t.Helper()
	err := o.DB(t).Exec(`with family as (select i, gen_random_uuid() as student, gen_random_uuid() as parent, gen_random_uuid() as person from generate_series(1, ?) i),
		s as (insert into student (id, admission_number, first_name, last_name, admission_date) select student, 'F' || i, 'Asha', 'Rao', current_date - 90 from family),
		u as (insert into app_user (id, role_id, first_name, phone) select person, ?, 'Meera', '+91970000' || (1000 + i) from family),
		g as (insert into guardian (id, user_id, first_name, last_name, phone) select parent, person, 'Meera', 'Rao', '+91970000' || (1000 + i) from family)
		insert into student_guardian (id, student_id, guardian_id, relation) select gen_random_uuid(), student, parent, 'MOTHER' from family`,
		n, rbac.RoleID(o.ID, api.Parent)).Error
	for i, seat := range in {
		if err == nil {
			err = o.DB(t).Exec(`insert into enrolment (id, student_id, academic_year_id, class_id, division_id, start_date)
				select gen_random_uuid(), id, ?, ?, ?, current_date - 90 from student where substr(admission_number, 2)::int % ? = ?`,
				seat.YearID, seat.ClassID, seat.DivisionID, len(in), i).Error
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Of 600 families 150 have no app. The registers of a morning have all children absent; when the school's delay of 15 minutes
// is over, each family is told within two minutes, once.
func TestRule_AbsenceOf600_ReachesEveryFamilyOnce(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t)
	school := app.NewSchoolAs(t, lifecycle.NewSchool{WeekendDays: []int16{}})
	clock.at(school, 9, 0)
	o := newOffice(t, school)
	const families, without = 600, 150
	seats := []testkit.Seat{o.seat, o.Seat(t, "Class 6")} // a register has 500 children at most
	o.families(t, families, seats...)
	testkit.Put[any](t, o.admin, "/school-admin/setting", map[string]any{"attendanceNoticeDelayMinutes": 15})
	var parents []uuid.UUID
	if err := o.DB(t).Raw(`select g.user_id from guardian g order by g.user_id`).Scan(&parents).Error; err != nil {
		t.Fatal(err)
	}
	sent.without(parents[:without]...)
	marked := clock.Now()
	for _, seat := range seats {
		var records []map[string]any
		var children []uuid.UUID
		if err := o.DB(t).Raw(`select student_id from enrolment where division_id = ?`, seat.DivisionID).Scan(&children).Error; err != nil {
			t.Fatal(err)
		}
		for _, id := range children {
			records = append(records, map[string]any{"studentId": id, "status": "ABSENT"})
		}
		testkit.Post[any](t, o.admin, "/school-admin/attendance/mark", map[string]any{
			"divisionId": seat.DivisionID, "date": api.DateOf(marked.In(o.Location())), "records": records})
	}
	clock.turn(14 * time.Minute)
	o.settled(t, clock)
	if n := o.Count(t, "delivery", "true"); n != 0 {
		t.Errorf("%d messages before the delay is over", n)
	}
	clock.turn(3 * time.Minute)
	for _, some := range []int{families / 3, 2 * families / 3, families} { // a loaded machine takes minutes for all
		testkit.Eventually(t, "the pushes are tried", func() bool {
			return o.Count(t, "delivery", "user_id is not null and channel = 'PUSH' and state = 'SENT'") >= some
		})
	}
	const reached = "user_id is not null and state = 'SENT' and provider_id <> 'no device'"
	testkit.Eventually(t, "as many are sent as there are families", func() bool { return o.Count(t, "delivery", reached) == families })
	o.settled(t, clock)
	if n := o.Count(t, "delivery", reached+" and sent_at > ?", marked.Add(17*time.Minute)); n != 0 {
		t.Errorf("%d are sent later than two minutes after the delay", n)
	}
	told := map[string]int{}
	for _, m := range sent.got(o.ID) {
		if m.Channel == delivery.SMS || strings.HasPrefix(m.To, "user_") {
			told[m.To]++
		}
	}
	if len(told) != families {
		t.Errorf("%d of %d families were told", len(told), families)
	}
	for who, n := range told {
		if n > 1 {
			t.Errorf("%s was told %d times", who, n)
		}
	}
	if n := len(by(delivery.SMS, sent.got(o.ID))); n != without {
		t.Errorf("%d SMS, want %d", n, without)
	}
}
