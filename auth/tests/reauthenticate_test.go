package auth_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/testkit"
)

const (
	provePath = "/auth/reauthenticate"
	rolePath  = "/school-admin/permission/role/create"
)

// stale is a role that cannot be added without a fresh proof.
func stale(t *testing.T, c *testkit.Client) {
	t.Helper()
	c.Refuses(t, "POST", rolePath, map[string]any{"name": "Clerk " + uuid.NewString()[:8], "type": "SCHOOL_ADMIN"}, 403,
		"REAUTHENTICATION_NEEDED")
}

func fresh(t *testing.T, c *testkit.Client) {
	t.Helper()
	testkit.Post[any](t, c, rolePath, map[string]any{"name": "Clerk " + uuid.NewString()[:8], "type": "SCHOOL_ADMIN"})
}

func TestFreshRow_TenMinutesAfterTheSignIn_AsksForAProof(t *testing.T) {
	t.Parallel()
	app, clock := ticking(t)
	s, email := admin(t, app)
	c := as(app, login(t, app, email, secret).AccessToken)
	fresh(t, c)
	clock.Pass(11 * time.Minute)
	stale(t, c)
	testkit.Get[any](t, c, "/school-admin/class/list") // what cannot hurt goes on
	c.Refuses(t, "POST", provePath, map[string]any{"password": "not the secret at all"}, 422, "")
	stale(t, c)
	c.Refuses(t, "POST", provePath, map[string]any{}, 422, "")
	proof := testkit.Post[struct{ Until time.Time }](t, c, provePath, map[string]any{"password": secret})
	if want := clock.Now().Add(10 * time.Minute); !proof.Until.Equal(want.Truncate(time.Microsecond)) &&
		proof.Until.Sub(want).Abs() > time.Second {
		t.Errorf("until %v, want %v", proof.Until, want)
	}
	fresh(t, c)
	if n := s.Count(t, "audit_event", "action = 'proved again'"); n != 1 {
		t.Errorf("%d proofs are in the audit, want 1", n)
	}
	if n := s.Count(t, "audit_event", "action = 'proof by password failed'"); n != 1 {
		t.Errorf("%d failed proofs are in the audit, want 1", n)
	}
}

func TestFreshFile_TenMinutesAfterTheSignIn_AsksForAProof(t *testing.T) {
	t.Parallel()
	app, clock := ticking(t)
	_, email := admin(t, app)
	c := as(app, login(t, app, email, secret).AccessToken)
	for _, list := range []string{"/school-admin/student/list", "/school-admin/employee/list"} {
		if a := c.Call(t, "GET", list+"?format=csv", nil); a.Status != 200 {
			t.Errorf("%s after the sign-in: %d %s", list, a.Status, a.Body)
		}
	}
	clock.Pass(11 * time.Minute)
	for _, list := range []string{"/school-admin/student/list", "/school-admin/employee/list"} {
		testkit.Get[any](t, c, list)
		c.Refuses(t, "GET", list+"?format=csv", nil, 403, "REAUTHENTICATION_NEEDED")
	}
}

func TestProof_OfOneSession_IsNotAnothers(t *testing.T) {
	t.Parallel()
	app, clock := ticking(t)
	_, email := admin(t, app)
	here, there := as(app, login(t, app, email, secret).AccessToken), as(app, login(t, app, email, secret).AccessToken)
	clock.Pass(11 * time.Minute)
	testkit.Post[any](t, here, provePath, map[string]any{"password": secret})
	fresh(t, here)
	stale(t, there)
}

func TestProof_ByCodeOfTheApp_IsTakenOnce(t *testing.T) {
	t.Parallel()
	app, clock := ticking(t)
	_, email := admin(t, app)
	c := as(app, login(t, app, email, secret).AccessToken)
	phone, _ := enrolSignedIn(t, c, clock)
	clock.Pass(11 * time.Minute)
	stale(t, c)
	code := phone.shows(0)
	testkit.Post[any](t, c, provePath, map[string]any{"code": code})
	fresh(t, c)
	c.Refuses(t, "POST", provePath, map[string]any{"code": code}, 422, "")
}

func TestProof_OfAPhoneAccount_IsACodeOrThePIN(t *testing.T) {
	t.Parallel()
	app, clock := ticking(t)
	s := app.NewSchool(t)
	person := s.Add(t, testkit.Person{Role: api.SchoolAdmin})
	in := byOTP(t, app, "/auth", person.Phone)
	c := as(app, in.AccessToken)
	testkit.Post[any](t, c, "/auth/set-pin", map[string]any{"pin": "482691"})
	clock.Pass(11 * time.Minute)
	stale(t, c)
	c.Refuses(t, "POST", provePath, map[string]any{"pin": "593702"}, 422, "")
	testkit.Post[any](t, c, provePath, map[string]any{"pin": "482691"})
	fresh(t, c)
	clock.Pass(11 * time.Minute)
	c = as(app, read(t, app.Nobody().Call(t, "POST", "/auth/refresh", map[string]any{"refreshToken": in.RefreshToken})).AccessToken)
	stale(t, c) // a refresh proves nothing
	app.Nobody().Call(t, "POST", "/auth/send-otp", map[string]any{"phone": person.Phone})
	code := app.OTP(t, person.Phone)
	c.Refuses(t, "POST", provePath, map[string]any{"otp": wrong(code)}, 422, "")
	testkit.Post[any](t, c, provePath, map[string]any{"otp": code})
	fresh(t, c)
	c.Refuses(t, "POST", provePath, map[string]any{"password": secret}, 403, "")
}

func TestOperator_Disabled_IsOutAtOnce(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	boss, email := app.SuperAdmin(t), operator(t, app)
	in := login(t, app, email, secret)
	c := as(app, in.AccessToken)
	testkit.Get[any](t, c, schoolsPath)
	type view struct {
		ID, Email, Status string
		Sessions          int
	}
	path := "/super-admin/operator/" + in.User.ID
	if o := testkit.Get[view](t, boss, path); o.Status != "ACTIVE" || o.Sessions != 1 || o.Email != email {
		t.Errorf("before: %+v", o)
	}
	if o := testkit.Post[view](t, boss, path+"/disable", nil); o.Status != "DISABLED" || o.Sessions != 0 {
		t.Errorf("after: %+v", o)
	}
	c.Refuses(t, "GET", schoolsPath, nil, 401, "")
	app.Nobody().Refuses(t, "POST", "/auth/refresh", map[string]any{"refreshToken": in.RefreshToken}, 401, "")
	app.Nobody().Refuses(t, "POST", "/auth/login", map[string]any{"email": email, "password": secret}, 400, "PASSWORD_WRONG")
	testkit.Post[view](t, boss, path+"/enable", nil)
	login(t, app, email, secret)
	boss.Refuses(t, "POST", "/super-admin/operator/"+uuid.NewString()+"/disable", nil, 404, "")
	var booked int
	err := app.Service.Cluster.PlatformPool().QueryRow(context.Background(),
		`select count(*) from platform.audit_event where entity = 'super-admin' and entity_id = $1 and action in ('disable', 'enable')
		and actor_id = $2`, in.User.ID, boss.UserID).Scan(&booked)
	if err != nil || booked != 2 {
		t.Errorf("%d acts are in the audit, want 2 (%v)", booked, err)
	}
}

// TestOperator_LastActiveOne_Stays has a platform of its own: the others' operators are active.
func TestOperator_LastActiveOne_Stays(t *testing.T) {
	t.Parallel()
	app := testkit.StartOn(t, testkit.Stack(t), "operators_"+uuid.NewString()[:8])
	one, two := app.SuperAdmin(t), app.SuperAdmin(t)
	statuses := make(chan int, 2)
	for _, pair := range [][2]*testkit.Client{{one, two}, {two, one}} {
		go func() {
			a, err := pair[0].TryCall("POST", "/super-admin/operator/"+pair[1].UserID.String()+"/disable", nil)
			if err != nil {
				t.Error(err)
			}
			statuses <- a.Status
		}()
	}
	got := map[int]int{<-statuses: 1}
	got[<-statuses]++
	if got[200] != 1 {
		t.Errorf("two who disable each other: %v, want one success", got)
	}
	left := one
	if a := one.Call(t, "GET", schoolsPath, nil); a.Status != 200 {
		left = two
	}
	left.Refuses(t, "POST", "/super-admin/operator/"+left.UserID.String()+"/disable", nil, 409, "")
	testkit.Get[any](t, left, schoolsPath)
}

func TestAdministrator_FactorsLost_AreResetByAnOperator(t *testing.T) {
	t.Parallel()
	app, clock := ticking(t)
	s, email := admin(t, app)
	in := login(t, app, email, secret)
	c := as(app, in.AccessToken)
	enrolSignedIn(t, c, clock)
	halfSignIn(t, app, email)
	var account uuid.UUID
	err := app.Service.Cluster.PlatformPool().QueryRow(context.Background(),
		`select id from platform.account where user_id = $1 and school_id = $2`, in.User.ID, s.ID).Scan(&account)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Post[any](t, app.SuperAdmin(t), "/super-admin/admin/"+account.String()+"/reset-factor", nil)
	c.Refuses(t, "GET", "/auth/me", nil, 401, "")
	login(t, app, email, secret)
}
