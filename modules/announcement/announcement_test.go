package announcement_test

import (
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/modules/announcement"
	"homeroom/modules/notification"
	"homeroom/testkit"
)

// hall is a school with two classes, a family and a teacher in each.
type hall struct {
	*testkit.School
	admin    *testkit.Client
	seats    [2]testkit.Seat
	children [2]testkit.Child
	teachers [2]*testkit.Client
}

func newHall(t *testing.T, s *testkit.School) hall {
	t.Helper()
	h := hall{School: s, admin: s.As(t, api.SchoolAdmin)}
	for i, class := range []string{"Class 5", "Class 6"} {
		h.seats[i] = s.Seat(t, class)
		h.children[i] = s.Child(t, h.seats[i], 1)
		h.teachers[i] = s.Teacher(t, h.seats[i])
	}
	return h
}

func (h hall) write(t *testing.T, fields map[string]any) announcement.View {
	t.Helper()
	all := map[string]any{"title": "Sports day", "body": "Bring water."}
	for k, v := range fields {
		all[k] = v
	}
	return testkit.Post[announcement.View](t, h.admin, "/school-admin/announcement/create", all)
}

func (h hall) publish(t *testing.T, a announcement.View) announcement.View {
	t.Helper()
	return testkit.Post[announcement.View](t, h.admin, "/school-admin/announcement/"+a.ID.String()+"/publish", nil)
}

// reach asks how many an announcement would be told to.
func (h hall) reach(t *testing.T, a announcement.View) announcement.Reach {
	t.Helper()
	q := url.Values{"targetAudience": {a.TargetAudience}}
	for _, id := range a.ClassIDs {
		q.Add("classIds", id.String())
	}
	for _, id := range a.DivisionIDs {
		q.Add("divisionIds", id.String())
	}
	return testkit.Get[announcement.Reach](t, h.admin, "/school-admin/announcement/reach?"+q.Encode())
}

// told waits until an announcement was told to so many, and says who sees it.
func (h hall) told(t *testing.T, a announcement.View, n int) map[string]bool {
	t.Helper()
	testkit.Eventually(t, "everybody addressed has their line", func() bool {
		return h.Count(t, "announcement", "id = ? and told_at is not null", a.ID) == 1
	})
	if got := h.Count(t, "notification", "record_id = ? and type = 'ANNOUNCEMENT'", a.ID); got != n {
		t.Errorf("%d were told, want %d", got, n)
	}
	sees := map[string]bool{}
	for i, name := range []string{"5", "6"} {
		for who, c := range map[string]*testkit.Client{"parent": h.children[i].Parents[0], "teacher": h.teachers[i]} {
			status := c.Call(t, "GET", "/"+who+"/announcement/"+a.ID.String(), nil).Status
			list := testkit.Get[api.Page[announcement.View]](t, c, "/"+who+"/announcement/list")
			if sees[who+name] = status == 200; sees[who+name] != (list.Total == 1) || (status != 200 && status != 404) {
				t.Errorf("%s of %s: status %d, list of %d", who, name, status, list.Total)
			}
		}
	}
	return sees
}

func (h hall) topics(t *testing.T, a announcement.View) map[string]bool {
	t.Helper()
	var to []string
	if err := h.DB(t).Table("delivery").Where("record_id = ? and channel = 'PUSH'", a.ID).Pluck("recipient", &to).Error; err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, topic := range to {
		out[topic] = true
	}
	return out
}

// devices are the pushes to people's devices among others.
func devices(to map[string]bool) (n int) {
	for topic := range to {
		if strings.HasPrefix(topic, "user_") {
			n++
		}
	}
	return n
}

func TestAnAnnouncementReachesThoseItIsForAndNobodyElse(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		fields func(h hall) map[string]any
		sees   []string
		topics func(h hall) []string
	}{
		"all": {func(hall) map[string]any { return nil }, []string{"parent5", "parent6", "teacher5", "teacher6"},
			func(h hall) []string { return []string{"school_" + h.ID.String()} }},
		"parents": {func(hall) map[string]any { return map[string]any{"targetAudience": "PARENTS"} }, []string{"parent5", "parent6"},
			func(h hall) []string {
				return []string{"student_" + h.children[0].ID.String(), "student_" + h.children[1].ID.String()}
			}},
		"teachers": {func(hall) map[string]any { return map[string]any{"targetAudience": "TEACHERS"} }, []string{"teacher5", "teacher6"},
			func(h hall) []string {
				return []string{"teacher_" + h.teachers[0].UserID.String(), "teacher_" + h.teachers[1].UserID.String()}
			}},
		"class 5": {func(h hall) map[string]any { return map[string]any{"classIds": []any{h.seats[0].ClassID}} },
			[]string{"parent5", "teacher5"},
			func(h hall) []string {
				return []string{"student_" + h.children[0].ID.String(), "teacher_" + h.teachers[0].UserID.String()}
			}},
		"parents of 6-A": {func(h hall) map[string]any {
			return map[string]any{"divisionIds": []any{h.seats[1].DivisionID}, "targetAudience": "PARENTS"}
		}, []string{"parent6"}, func(h hall) []string { return []string{"student_" + h.children[1].ID.String()} }},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			h := newHall(t, testkit.NewSchool(t))
			a := h.write(t, c.fields(h))
			if a.Status != "DRAFT" {
				t.Errorf("it is %s", a.Status)
			}
			if r := h.reach(t, a); r.Recipients != len(c.sees) || r.Parents+r.Teachers != len(c.sees) || r.Students != r.Parents {
				t.Errorf("before it is published it says it reaches %+v", r)
			}
			if p := h.publish(t, a); p.Status != "PUBLISHED" || p.PublishedAt == nil {
				t.Errorf("published %+v", p)
			}
			sees := h.told(t, a, len(c.sees))
			for _, who := range c.sees {
				if !sees[who] {
					t.Errorf("%s does not see it", who)
				}
				delete(sees, who)
			}
			for who, does := range sees {
				if does {
					t.Errorf("%s sees it", who)
				}
			}
			topics := h.topics(t, a)
			for _, want := range c.topics(h) {
				if !topics[want] {
					t.Errorf("no push to %s: %v", want, topics)
				}
			}
			people := len(c.sees)
			if what == "all" {
				people = 0 // the school's topic has them
			}
			if devices(topics) != people || len(topics) != len(c.topics(h))+people {
				t.Errorf("pushed to %v", topics)
			}
		})
	}
}

func TestWhoWantsNoPushOfAnnouncementsGetsNoneAndTheOtherParentDoes(t *testing.T) {
	t.Parallel()
	h := newHall(t, testkit.NewSchool(t))
	pair := h.Child(t, h.seats[0], 2)
	for who, c := range map[string]*testkit.Client{"parent": pair.Parents[0], "teacher": h.teachers[0]} {
		err := h.DB(t).Exec(`insert into notification_preference (user_id, type, push, sms, email)
			values (?, 'ANNOUNCEMENT', false, false, false)`, c.UserID).Error
		if err != nil {
			t.Fatalf("%s: %v", who, err)
		}
	}
	a := h.publish(t, h.write(t, map[string]any{"classIds": []any{h.seats[0].ClassID}}))
	h.told(t, a, 4)
	got := h.topics(t, a)
	if len(got) != 3 || devices(got) != 2 || !got["student_"+h.children[0].ID.String()] || !got["user_"+pair.Parents[1].UserID.String()] {
		t.Errorf("pushes to %v", got)
	}
}

func TestAnAnnouncementWrittenTwiceUnderOneKeyIsOne(t *testing.T) {
	t.Parallel()
	h := newHall(t, testkit.NewSchool(t))
	keyed := h.teachers[0].With("Idempotency-Key", "once")
	body := map[string]any{"title": "Sports day", "body": "Bring water.", "divisionIds": []any{h.seats[0].DivisionID}}
	first := testkit.Post[announcement.View](t, keyed, "/teacher/announcement/create", body)
	again := testkit.Post[announcement.View](t, keyed, "/teacher/announcement/create", body)
	if first.ID != again.ID || h.Count(t, "announcement", "true") != 1 {
		t.Errorf("%s, then %s", first.ID, again.ID)
	}
}

func TestPublishingTwiceOrAtOnceTellsOnce(t *testing.T) {
	t.Parallel()
	h := newHall(t, testkit.NewSchool(t))
	a := h.write(t, nil)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got, err := h.admin.TryCall("POST", "/school-admin/announcement/"+a.ID.String()+"/publish", nil); err != nil || got.Status != 200 {
				t.Errorf("publishing: %d %s %v", got.Status, got.Body, err)
			}
		})
	}
	all.Wait()
	h.told(t, a, 4)
	testkit.Eventually(t, "nothing waits", func() bool { return h.Count(t, "outbox", "kind = ?", announcement.Due) == 0 })
	if n := h.Count(t, "delivery", "record_id = ? and channel = 'PUSH'", a.ID); n != 1 {
		t.Errorf("%d pushes", n)
	}
	if n := h.Count(t, "delivery", "record_id = ? and channel = 'EMAIL'", a.ID); n != 2 {
		t.Errorf("%d e-mails, want one for each parent, who has no device", n)
	}
	parent := h.children[0].Parents[0]
	log := testkit.Get[notification.Delivered](t, parent, "/parent/notification/delivered-notifications")
	if log.Total != 1 || log.Notifications[0].Body != "Bring water." || *log.Notifications[0].Data.ID != a.ID {
		t.Errorf("the log is %+v", log)
	}
}

func TestReadersAreCounted(t *testing.T) {
	t.Parallel()
	h := newHall(t, testkit.NewSchool(t))
	a := h.publish(t, h.write(t, nil))
	h.told(t, a, 4)
	parent := h.children[0].Parents[0]
	for range 2 {
		testkit.Post[api.Nothing](t, parent, "/parent/announcement/read", map[string]any{"announcementId": a.ID})
	}
	got := testkit.Get[announcement.Counted](t, h.admin, "/school-admin/announcement/"+a.ID.String())
	list := testkit.Get[api.Page[announcement.Counted]](t, h.admin, "/school-admin/announcement/list?filters[status]=PUBLISHED").Items
	if got.RecipientCount != 4 || got.ReadCount != 1 || len(list) != 1 || list[0].ReadCount != 1 {
		t.Errorf("counted %+v, listed %+v", got, list)
	}
	parent.Refuses(t, "POST", "/parent/announcement/read", map[string]any{"announcementId": uuid.New()}, 404, "")
}

func TestAScheduledAnnouncementIsPublishedAtItsTimeAndAWithdrawnOneGoes(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now := time.Now()
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	turn := func(d time.Duration) { mu.Lock(); defer mu.Unlock(); now = now.Add(d) }
	app := testkit.StartOn(t, testkit.Stack(t), testkit.DatabaseName()+"_announce", func(_ *config.Config, o *service.Options) {
		o.Clock, o.Namespace = clock, o.Namespace+uuid.NewString()[:8]
	})
	h := newHall(t, app.NewSchool(t))
	at, late := now.Add(5*time.Minute), now.Add(10*time.Minute)
	a := h.write(t, map[string]any{"publishAt": at, "expiresAt": late})
	moved := h.write(t, map[string]any{"publishAt": at})
	dropped := h.write(t, map[string]any{"publishAt": at})
	if a.Status != "SCHEDULED" {
		t.Errorf("it is %s", a.Status)
	}
	testkit.Put[announcement.View](t, h.admin, "/school-admin/announcement/"+moved.ID.String(),
		map[string]any{"publishAt": late, "classIds": []any{h.seats[0].ClassID}})
	if d := testkit.Post[announcement.View](t, h.admin, "/school-admin/announcement/"+dropped.ID.String()+"/withdraw", nil); d.Status != "WITHDRAWN" {
		t.Errorf("it is %s", d.Status)
	}
	turn(6 * time.Minute)
	h.told(t, a, 4)
	testkit.Eventually(t, "what was due is heard",
		func() bool { return h.Count(t, "outbox", "kind = ? and next_at <= ?", announcement.Due, clock()) == 0 })
	if h.Count(t, "notification", "record_id in ?", []uuid.UUID{moved.ID, dropped.ID}) != 0 {
		t.Error("what was moved or withdrawn was told")
	}
	turn(5 * time.Minute) // a has expired, moved is out
	h.told(t, moved, 2)
	h.children[0].Parents[0].Refuses(t, "GET", "/parent/announcement/"+a.ID.String(), nil, 404, "")
	testkit.Post[announcement.View](t, h.admin, "/school-admin/announcement/"+moved.ID.String()+"/withdraw", nil)
	h.children[0].Parents[0].Refuses(t, "GET", "/parent/announcement/"+moved.ID.String(), nil, 404, "")
	if h.Count(t, "notification", "record_id = ?", moved.ID) != 0 {
		t.Error("the log still has what was withdrawn")
	}
}

func TestATeacherSpeaksToTheirOwnDivisionsOnly(t *testing.T) {
	t.Parallel()
	h := newHall(t, testkit.NewSchool(t))
	teacher := h.teachers[0]
	text := func(key string, ids ...uuid.UUID) map[string]any {
		return map[string]any{"title": "Homework", "body": "Page 12", "targetAudience": "PARENTS", key: ids}
	}
	for what, body := range map[string]map[string]any{
		"another division":       text("divisionIds", h.seats[1].DivisionID),
		"one of them another's":  text("divisionIds", h.seats[0].DivisionID, h.seats[1].DivisionID),
		"another class":          text("classIds", h.seats[1].ClassID),
		"own and another's, too": text("classIds", h.seats[0].ClassID, h.seats[1].ClassID),
	} {
		if a := teacher.Call(t, "POST", "/teacher/announcement/create", body); a.Status != 403 {
			t.Errorf("%s: %d %s", what, a.Status, a.Body)
		}
	}
	teacher.Refuses(t, "POST", "/teacher/announcement/create", text("divisionIds"), 422, "")
	teacher.Refuses(t, "POST", "/teacher/announcement/create", text("divisionIds", uuid.New()), 404, "")
	if n := h.Count(t, "announcement", "true"); n != 0 {
		t.Errorf("%d were written", n)
	}
	a := testkit.Post[announcement.View](t, teacher, "/teacher/announcement/create", text("divisionIds", h.seats[0].DivisionID))
	if a.Status != "PUBLISHED" {
		t.Errorf("it is %s", a.Status)
	}
	if sees := h.told(t, a, 1); !sees["parent5"] || !sees["teacher5"] || sees["parent6"] || sees["teacher6"] {
		t.Errorf("seen by %v", sees)
	}
}

func TestWhatIsWrongWithAnAnnouncementIsSaid(t *testing.T) {
	t.Parallel()
	h := newHall(t, testkit.NewSchool(t))
	at := "/school-admin/announcement/"
	f := h.admin.Refuses(t, "POST", at+"create", map[string]any{"title": " ", "targetAudience": "CATS"}, 422, "")
	if len(f.Details) != 3 {
		t.Errorf("details %+v", f.Details)
	}
	for field, body := range map[string]map[string]any{
		"classIds": {"classIds": []any{uuid.New()}}, "divisionIds": {"divisionIds": []any{uuid.New()}},
		"attachmentFileIds": {"attachmentFileIds": []any{uuid.New()}},
		"publishAt":         {"publishAt": time.Now().Add(-time.Hour)},
		"expiresAt":         {"publishAt": time.Now().Add(time.Hour), "expiresAt": time.Now().Add(time.Minute)},
	} {
		body["title"], body["body"] = "a", "b"
		if f := h.admin.Refuses(t, "POST", at+"create", body, 422, ""); len(f.Details) != 1 || f.Details[0].Field != field {
			t.Errorf("%s: %+v", field, f)
		}
	}
	if n := h.Count(t, "announcement", "true"); n != 0 {
		t.Errorf("%d were written", n)
	}
	a := h.publish(t, h.write(t, nil))
	h.admin.Refuses(t, "PUT", at+a.ID.String(), map[string]any{"title": "Other"}, 409, "")
	h.admin.Refuses(t, "DELETE", at+a.ID.String(), nil, 409, "")
	draft := h.write(t, nil)
	h.admin.Refuses(t, "POST", at+draft.ID.String()+"/withdraw", nil, 409, "")
	if got := h.admin.Call(t, "DELETE", at+draft.ID.String(), nil); got.Status != 204 {
		t.Errorf("deleting a draft: %d", got.Status)
	}
}
