package dispatch_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/dispatch"
	"homeroom/testkit"
)

type desk struct {
	*testkit.School
	admin *testkit.Client
	seat  testkit.Seat
	child testkit.Child
}

func newDesk(t *testing.T) desk {
	t.Helper()
	s := testkit.NewSchool(t)
	seat := s.Seat(t, "Class 5")
	return desk{s, s.As(t, api.SchoolAdmin), seat, s.Child(t, seat, 2)}
}

func TestADryRunSaysWhomAnSMSReachesAndWhatItCosts(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.Link(t, d.child.Parents[0], d.Child(t, d.seat, 0).ID) // a sibling: one SMS all the same
	d.Child(t, d.Seat(t, "Class 6"), 1)
	testkit.Put[map[string]any](t, d.admin, "/school-admin/notification/setting", map[string]any{"smsPrice": 25})
	body := map[string]any{"audience": map[string]any{"classIds": []any{d.seat.ClassID}},
		"body": "Dear {name}, school is closed for {student}. {school}" + strings.Repeat("!", 160), "dryRun": true}
	got := testkit.Post[dispatch.Outcome](t, d.admin, "/school-admin/dispatch/sms", body)
	if got.ID != nil || got.Recipients != 2 || got.Segments != 4 || got.Cost != 100 || got.Currency != "INR" || len(got.Sample) != 2 ||
		!got.DryRun {
		t.Errorf("the preview is %+v", got)
	}
	if !strings.HasPrefix(got.Sample[0].Text, "Dear Meera Rao, school is closed for Asha. "+d.Name) {
		t.Errorf("it reads %q", got.Sample[0].Text)
	}
	if d.Count(t, "dispatch", "true")+d.Count(t, "delivery", "true") != 0 {
		t.Error("a dry run queued something")
	}
}

func TestADispatchIsSentOnceToEachAndItsProgressIsShown(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	template := testkit.Post[dispatch.Template](t, d.admin, "/school-admin/dispatch/template/create",
		map[string]any{"channel": "EMAIL", "name": "Closed", "subject": "{school} is closed", "body": "Dear {name}"})
	teacher := d.Teacher(t)
	body := map[string]any{"audience": map[string]any{"divisionIds": []any{d.seat.DivisionID}, "staff": []any{"TEACHER"}},
		"templateId": template.ID}
	keyed := d.admin.With("Idempotency-Key", "double click")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if a, err := keyed.TryCall("POST", "/school-admin/dispatch/email", body); err != nil || a.Status != 200 {
				t.Errorf("%d %s %v", a.Status, a.Body, err)
			}
		})
	}
	all.Wait()
	_ = teacher // has no e-mail: unreachable
	page := func() []dispatch.Progress {
		return testkit.Get[api.Page[dispatch.Progress]](t, d.admin, "/school-admin/dispatch/list").Items
	}
	testkit.Eventually(t, "it is sent", func() bool { p := page(); return len(p) == 1 && p[0].Sent == 2 && p[0].Queued == 0 })
	p := page()[0]
	if p.Recipients != 2 || p.Failed != 0 || p.Channel != "EMAIL" {
		t.Errorf("progress %+v", p)
	}
	who := testkit.Get[dispatch.Recipients](t, d.admin, "/school-admin/dispatch/"+p.ID.String()+"/recipients?state=SENT")
	if who.Total != 2 || len(who.Items) != 2 || who.Items[0].State != "SENT" || who.Items[0].SentAt == nil {
		t.Errorf("recipients %+v", who)
	}
	file := d.admin.Call(t, "GET", "/school-admin/dispatch/"+p.ID.String()+"/recipients?state=SENT&format=csv&limit=1", nil)
	if lines := strings.Split(strings.TrimSpace(string(file.Body)), "\n"); len(lines) != 3 || !strings.Contains(lines[0], "Sent at") ||
		!strings.Contains(lines[1], who.Items[0].Recipient) {
		t.Errorf("the file has %q, want a head and both recipients", lines)
	}
	sent := d.App.Sent(t, d.child.Parents[0].UserID.String()+"@parents.test")
	if len(sent) != 1 || sent[0].Subject != d.Name+" is closed" || sent[0].Text != "Dear Meera Rao" {
		t.Errorf("sent %+v", sent)
	}
}

func TestTheSMSBudgetIsNotSpentTwice(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	testkit.Put[map[string]any](t, d.admin, "/school-admin/notification/setting", map[string]any{"smsDailyLimit": 3})
	var all sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	for range 5 {
		all.Go(func() {
			a, err := d.admin.TryCall("POST", "/school-admin/dispatch/sms",
				map[string]any{"audience": map[string]any{"classIds": []any{d.seat.ClassID}}, "body": "Hello"})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			statuses[a.Status]++
		})
	}
	all.Wait()
	if statuses[200] != 1 || statuses[409] != 4 {
		t.Errorf("answered %v", statuses)
	}
}

func TestADispatchThatIsWrongIsRefusedWhole(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	class := map[string]any{"classIds": []any{d.seat.ClassID}}
	for what, body := range map[string]map[string]any{
		"nobody":             {"audience": map[string]any{}, "body": "x"},
		"an unknown class":   {"audience": map[string]any{"classIds": []any{d.seat.ClassID, uuid.New()}}, "body": "x"},
		"an unknown person":  {"audience": map[string]any{"guardianIds": []any{uuid.New()}, "employeeIds": []any{uuid.New()}}, "body": "x"},
		"no text":            {"audience": class, "body": " "},
		"a wrong word":       {"audience": class, "body": "Dear {nmae}"},
		"half a word":        {"audience": class, "body": "Dear {name"},
		"an odd kind of man": {"audience": map[string]any{"staff": []any{"PILOT"}}, "body": "x"},
	} {
		if a := d.admin.Call(t, "POST", "/school-admin/dispatch/sms", body); a.Status != 422 || len(a.Failure(t).Details) == 0 {
			t.Errorf("%s: %d %s", what, a.Status, a.Body)
		}
	}
	d.admin.Refuses(t, "POST", "/school-admin/dispatch/email", map[string]any{"audience": class, "body": "x"}, 422, "")
	d.admin.Refuses(t, "POST", "/school-admin/dispatch/email", map[string]any{"audience": class, "templateId": uuid.New()}, 404, "")
	if d.Count(t, "dispatch", "true")+d.Count(t, "delivery", "true") != 0 {
		t.Error("something was queued")
	}
}

func TestDispatch_AllParents_ReachesThoseOfStudentsWithoutClass(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	testkit.Post[any](t, d.admin, "/school-admin/student/create", map[string]any{"firstName": "Nila",
		"guardians": []any{map[string]any{"firstName": "Rina", "phone": "+919848012345", "relation": "MOTHER"}}})
	got := testkit.Post[dispatch.Outcome](t, d.admin, "/school-admin/dispatch/sms",
		map[string]any{"audience": map[string]any{"allParents": true}, "body": "Closed", "dryRun": true})
	if got.Recipients != 3 {
		t.Errorf("recipients: got %d, want the two of Class 5 and the one without a class", got.Recipients)
	}
}
