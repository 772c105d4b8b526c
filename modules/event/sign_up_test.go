package event_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/event"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// club is a school with two classes and parents.
type club struct {
	*testkit.School
	admin     *testkit.Client
	five, six roster.Division
}

func newClub(t *testing.T) *club {
	t.Helper()
	s := testkit.NewSchool(t)
	k := &club{School: s, admin: s.As(t, api.SchoolAdmin)}
	year := testkit.Post[roster.AcademicYear](t, k.admin, "/school-admin/academic-year/create",
		map[string]any{"name": "2026-27", "startDate": "2026-06-01", "endDate": "2027-04-30"})
	testkit.Post[roster.AcademicYear](t, k.admin, "/school-admin/academic-year/"+year.ID.String()+"/activate", nil)
	division := func(name string) roster.Division {
		class := testkit.Post[roster.Class](t, k.admin, "/school-admin/class/create", map[string]any{"name": name})
		return testkit.Post[roster.Division](t, k.admin, "/school-admin/division/create", map[string]any{"classId": class.ID, "name": "A"})
	}
	k.five, k.six = division("Class 5"), division("Class 6")
	return k
}

func (k *club) admit(t *testing.T, name, phone string, d roster.Division) uuid.UUID {
	t.Helper()
	return testkit.Post[struct{ ID uuid.UUID }](t, k.admin, "/school-admin/student/create", map[string]any{
		"firstName": name, "divisionId": d.ID, "admissionDate": "2026-06-02",
		"guardians": []any{map[string]any{"firstName": "Parent", "phone": phone, "relation": "FATHER"}},
	}).ID
}

func (k *club) parent(t *testing.T, phone string) *testkit.Client {
	t.Helper()
	if a := k.App.Nobody().Call(t, "POST", "/parent/user-auth/send-otp", map[string]any{"phone": phone}); a.Status != 200 {
		t.Fatalf("send-otp: %d %s", a.Status, a.Body)
	}
	in := testkit.Post[struct{ AccessToken string }](t, k.App.Nobody(), "/parent/user-auth/verify-otp",
		map[string]any{"phone": phone, "otp": k.App.OTP(t, phone)})
	c := k.App.Nobody()
	c.Token = in.AccessToken
	return c
}

func (k *club) event(t *testing.T, more ...map[string]any) event.Event {
	t.Helper()
	return testkit.Post[event.Event](t, k.admin, "/school-admin/event/create", sportsDay(more...))
}

func bring(e event.Event, child uuid.UUID) map[string]any {
	return map[string]any{"eventId": e.ID, "studentId": child}
}

func TestAParentSeesTheEventsOfTheirChildrensClassesAndSignsThemUp(t *testing.T) {
	t.Parallel()
	k := newClub(t)
	phone := testkit.NewPhone()
	asha := k.admit(t, "Asha", phone, k.five)
	dev := k.admit(t, "Dev", testkit.NewPhone(), k.six)
	parent := k.parent(t, phone)
	open := k.event(t, map[string]any{"title": "Open day", "capacity": 5})
	five := k.event(t, map[string]any{"title": "Class 5 trip", "targetAudience": "", "classIds": []uuid.UUID{k.five.ClassID}})
	six := k.event(t, map[string]any{"title": "Class 6 trip", "classIds": []uuid.UUID{k.six.ClassID}})
	staff := k.event(t, map[string]any{"title": "Staff meeting", "targetAudience": "TEACHERS"})
	if five.TargetAudience != "CLASSES" || len(five.ClassIDs) != 1 {
		t.Errorf("for class 5: %+v", five)
	}
	seen := func(query string) string {
		var titles []string
		for _, e := range testkit.Get[api.Page[event.ChildEvent]](t, parent, "/parent/event/list?sort[field]=title"+query).Items {
			titles = append(titles, e.Title)
		}
		return strings.Join(titles, ", ")
	}
	if got := seen(""); got != "Class 5 trip, Open day" {
		t.Errorf("the parent sees %s", got)
	}
	if got := seen("&filters[studentId]=" + dev.String()); got != "" {
		t.Errorf("of another's child the parent sees %s", got)
	}
	in := testkit.Post[event.SignUp](t, parent, "/parent/event/sign-up", bring(open, asha))
	if !in.SignedUp || *in.Places != 4 {
		t.Errorf("signed up %+v", in)
	}
	testkit.Post[event.SignUp](t, parent, "/parent/event/sign-up", bring(open, asha)) // a second tap
	testkit.Post[event.SignUp](t, parent, "/parent/event/sign-up", bring(five, asha))
	for _, e := range []event.Event{six, staff, {Record: api.Record{ID: api.NewID()}}} {
		parent.Refuses(t, "POST", "/parent/event/sign-up", bring(e, asha), 404, "")
	}
	parent.Refuses(t, "POST", "/parent/event/sign-up", bring(open, dev), 404, "STUDENT_NOT_FOUND")
	list := testkit.Get[api.Page[event.ChildEvent]](t, parent, "/parent/event/list?filters[search]=open")
	if len(list.Items) != 1 || list.Items[0].SignedUp != 1 || len(list.Items[0].SignedUpIDs) != 1 || list.Items[0].SignedUpIDs[0] != asha {
		t.Errorf("list %+v", list)
	}
	who := testkit.Get[event.SignUps](t, k.admin, "/school-admin/event/"+open.ID.String()+"/sign-ups")
	if who.Total != 1 || len(who.Students) != 1 || who.Students[0].FirstName != "Asha" || who.Students[0].ClassName != "Class 5" {
		t.Errorf("who %+v", who)
	}
	k.admin.Refuses(t, "DELETE", "/school-admin/event/"+open.ID.String(), nil, 409, "")
	if n := k.Count(t, "audit_event", "action = 'sign up'"); n != 2 {
		t.Errorf("%d audit rows", n)
	}
	out := testkit.Post[event.SignUp](t, parent, "/parent/event/cancel-sign-up", bring(open, asha))
	if out.SignedUp || *out.Places != 5 {
		t.Errorf("taken back %+v", out)
	}
	testkit.Post[event.SignUp](t, parent, "/parent/event/cancel-sign-up", bring(open, asha))
	testkit.Put[event.Event](t, k.admin, "/school-admin/event/"+five.ID.String(), map[string]any{"status": "CANCELLED"})
	if f := parent.Refuses(t, "POST", "/parent/event/sign-up", bring(five, asha), 409, ""); !strings.Contains(f.Message, "CANCELLED") {
		t.Errorf("message %q", f.Message)
	}
}

func TestThirtyTwoSignUpsAtOnceDoNotExceedTheCapacity(t *testing.T) {
	t.Parallel()
	k := newClub(t)
	phone := testkit.NewPhone()
	var children []uuid.UUID
	for i := range 32 {
		children = append(children, k.admit(t, fmt.Sprint("Child", i), phone, k.five))
	}
	parent := k.parent(t, phone)
	e := k.event(t, map[string]any{"capacity": 7})
	var group sync.WaitGroup
	var mu sync.Mutex
	counts := map[int]int{}
	for _, child := range children {
		group.Go(func() {
			a, err := parent.TryCall("POST", "/parent/event/sign-up", bring(e, child))
			if err != nil || (a.Status != 200 && a.Status != 409) {
				t.Errorf("%v %d %s", err, a.Status, a.Body)
			}
			mu.Lock()
			defer mu.Unlock()
			counts[a.Status]++
		})
	}
	group.Wait()
	if counts[200] != 7 || counts[409] != 25 {
		t.Errorf("answers %v", counts)
	}
	if n := k.Count(t, "event_sign_up", "event_id = ?", e.ID); n != 7 {
		t.Errorf("%d are signed up", n)
	}
	if now := testkit.Get[event.Event](t, k.admin, "/school-admin/event/"+e.ID.String()); now.SignedUp != 7 {
		t.Errorf("the event counts %d", now.SignedUp)
	}
	k.admin.Refuses(t, "PUT", "/school-admin/event/"+e.ID.String(), map[string]any{"capacity": 6}, 422, "")
	if err := k.DB(t).Exec(`update event set signed_up = 8 where id = ?`, e.ID).Error; err == nil {
		t.Error("the database let one too many in")
	}
}
