package api_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"homeroom/api"
	"homeroom/testkit"
)

const pay = "/school-admin/event/payment"

func TestTheSameKeyAndBodyGiveTheFirstAnswerAndOneEffect(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin).With("Idempotency-Key", "tap-1")
	first := admin.Call(t, "POST", pay, map[string]any{"name": "Fee"})
	if first.Status != 201 {
		t.Fatalf("first: %d %s", first.Status, first.Body)
	}
	for range 3 {
		if again := admin.Call(t, "POST", pay, map[string]any{"name": "Fee"}); again.Status != 201 || !bytes.Equal(again.Body, first.Body) {
			t.Errorf("again: %d %s\nfirst: %s", again.Status, again.Body, first.Body)
		}
	}
	if n := s.Count(t, "class", "true"); n != 1 {
		t.Errorf("%d effects", n)
	}
	if n := s.Count(t, "audit_event", "true"); n != 1 {
		t.Errorf("%d audit rows", n)
	}
	other := admin.With("Idempotency-Key", "tap-2").Call(t, "POST", pay, map[string]any{"name": "Fee"})
	if other.Status != 201 || bytes.Equal(other.Body, first.Body) {
		t.Errorf("another key: %d %s", other.Status, other.Body)
	}
}

func TestFiftyAtOnceWithOneKeyHaveOneEffectAndFiftyEqualAnswers(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	second := startLab(t)
	admin := s.As(t, api.SchoolAdmin).With("Idempotency-Key", "tap")
	answers := make([]testkit.Answer, 50)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			c := admin
			if i%2 == 1 {
				c = admin.On(second)
			}
			var err error
			if answers[i], err = c.TryCall("POST", pay, map[string]any{"name": "Fee"}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, a := range answers {
		if a.Status != 201 || !bytes.Equal(a.Body, answers[0].Body) {
			t.Errorf("%d %s\nothers %s", a.Status, a.Body, answers[0].Body)
		}
	}
	if n := s.Count(t, "class", "true"); n != 1 {
		t.Errorf("%d effects", n)
	}
}

func TestAKeyUsedForAnotherRequestIsAConflict(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin).With("Idempotency-Key", "tap")
	made := testkit.Post[receipt](t, admin, pay, map[string]any{"name": "Fee"})
	f := admin.Refuses(t, "POST", pay, map[string]any{"name": "Another fee"}, 409, "Conflict")
	if f.Message != "This Idempotency-Key was used for another request" {
		t.Errorf("message %q", f.Message)
	}
	admin.Refuses(t, "DELETE", pay+"/"+made.ID.String(), nil, 409, "Conflict")
	if n := s.Count(t, "class", "true"); n != 1 {
		t.Errorf("%d effects", n)
	}
}

func TestAnotherUsersKeyIsAnotherKey(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	one := s.As(t, api.SchoolAdmin).With("Idempotency-Key", "tap")
	two := s.As(t, api.SchoolAdmin).With("Idempotency-Key", "tap")
	a := testkit.Post[receipt](t, one, pay, map[string]any{"name": "Fee"})
	b := testkit.Post[receipt](t, two, pay, map[string]any{"name": "Another fee"})
	if a.ID == b.ID {
		t.Error("one user got the other's answer")
	}
	if n := s.Count(t, "class", "true"); n != 2 {
		t.Errorf("%d effects", n)
	}
}

func TestAKeyThatIsTooLongOrUnprintableIsRefused(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	for _, key := range []string{strings.Repeat("k", 201), "naïve", "tab\there", "\xff\xfe"} {
		f := admin.With("Idempotency-Key", key).Refuses(t, "POST", pay, map[string]any{"name": "Fee"}, 422, "")
		if fieldsOf(f.Details) != "Idempotency-Key" {
			t.Errorf("%q: %+v", key, f.Details)
		}
	}
	if n := s.Count(t, "class", "true"); n != 0 {
		t.Errorf("%d effects", n)
	}
	testkit.Post[receipt](t, admin.With("Idempotency-Key", strings.Repeat("k", 200)), pay, map[string]any{"name": "Fee"})
}

func TestAfterARefusalTheKeyIsFreeAgain(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin).With("Idempotency-Key", "tap")
	needed := api.NewID()
	body := map[string]any{"name": "Fee", "needs": needed}
	admin.Refuses(t, "POST", pay, body, 422, "")
	if n := s.Count(t, "class", "true") + s.Count(t, "idempotency", "true"); n != 0 {
		t.Errorf("the refusal left %d rows", n)
	}
	if err := s.DB(t).Exec(addClass, needed, "Needed").Error; err != nil {
		t.Fatal(err)
	}
	testkit.Post[receipt](t, admin, pay, body)
	if n := s.Count(t, "class", "name like 'Fee%'"); n != 1 {
		t.Errorf("%d effects", n)
	}
}

func TestAnAnswerWithoutABodyIsRepeatedToo(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	made := testkit.Post[receipt](t, admin, pay, map[string]any{"name": "Fee"})
	for i := range 2 {
		a := admin.With("Idempotency-Key", "undo").Call(t, "DELETE", pay+"/"+made.ID.String(), nil)
		if a.Status != 204 || len(a.Body) != 0 {
			t.Errorf("call %d: %d %q", i+1, a.Status, a.Body)
		}
	}
	admin.Refuses(t, "DELETE", pay+"/"+made.ID.String(), nil, 404, "")
}

func TestAKeyIsForgottenAfterADay(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin).With("Idempotency-Key", "tap")
	testkit.Post[receipt](t, admin, pay, map[string]any{"name": "Fee"})
	for i, age := range []string{"23 hours 59 minutes", "24 hours 1 minute"} {
		if err := s.DB(t).Exec(`update idempotency set created_at = now() - ?::interval`, age).Error; err != nil {
			t.Fatal(err)
		}
		testkit.Post[receipt](t, admin, pay, map[string]any{"name": "Fee"})
		if n := s.Count(t, "class", "true"); n != i+1 {
			t.Errorf("a key that is %s old: %d effects", age, n)
		}
	}
}

func TestAKeyWhoseTimeIsOverIsTakenByOneOfThoseWhoComeAtOnce(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin).With("Idempotency-Key", "tap")
	old := admin.Call(t, "POST", pay, map[string]any{"name": "Fee"})
	if err := s.DB(t).Exec(`update idempotency set created_at = now() - interval '25 hours'`).Error; err != nil {
		t.Fatal(err)
	}
	answers := make([]testkit.Answer, 20)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			var err error
			if answers[i], err = admin.TryCall("POST", pay, map[string]any{"name": "Fee"}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, a := range answers {
		if a.Status != 201 || !bytes.Equal(a.Body, answers[0].Body) || bytes.Equal(a.Body, old.Body) {
			t.Errorf("%d %s\nothers %s\na day ago %s", a.Status, a.Body, answers[0].Body, old.Body)
		}
	}
	if n := s.Count(t, "class", "true"); n != 2 {
		t.Errorf("%d effects", n)
	}
}

func TestThePlatformsRowsTakeKeysToo(t *testing.T) {
	t.Parallel()
	super := testkit.Shared(t).SuperAdmin(t).With("Idempotency-Key", "tap")
	first := super.Call(t, "POST", "/super-admin/lab/payment", map[string]any{"name": "Fee"})
	again := super.Call(t, "POST", "/super-admin/lab/payment", map[string]any{"name": "Fee"})
	if first.Status != 201 || again.Status != 201 || !bytes.Equal(first.Body, again.Body) {
		t.Errorf("first %d %s\nagain %d %s", first.Status, first.Body, again.Status, again.Body)
	}
	super.Refuses(t, "POST", "/super-admin/lab/payment", map[string]any{"name": "Another"}, 409, "")
}

func TestWithoutAKeyEveryCallCounts(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	for range 2 {
		testkit.Post[receipt](t, admin, pay, map[string]any{"name": "Fee"})
	}
	if n := s.Count(t, "class", "true"); n != 2 {
		t.Errorf("%d effects", n)
	}
	if n := s.Count(t, "idempotency", "true"); n != 0 {
		t.Errorf("%d keys are remembered", n)
	}
}

func TestAPermissionIsAskedForBeforeAKeyIsLookedAt(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin).With("Idempotency-Key", "tap")
	testkit.Post[receipt](t, admin, pay, map[string]any{"name": "Fee"})
	takeAway(t, s, api.SchoolAdmin, "event")
	admin.Refuses(t, "POST", pay, map[string]any{"name": "Fee"}, 403, "PERMISSION_DENIED")
}

// takeAway leaves a role of the school without any right on a module, at once.
func takeAway(t *testing.T, s *testkit.School, role api.RoleType, module string) {
	t.Helper()
	err := s.DB(t).Exec(fmt.Sprintf(`update permission set can_read = false, can_write = false, can_delete = false
		where role_id = (select id from role where type = '%s' and system) and module_id = (select id from module
		where name = ?)`, role), module).Error
	if err == nil {
		err = s.DB(t).Exec(`update school_setting set policy_version = policy_version + 1`).Error
	}
	if err != nil {
		t.Fatal(err)
	}
	s.App.Service.RBAC.Changed(s.ID)
}
