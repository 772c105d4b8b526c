package service_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/auth/tokens"
	"homeroom/testkit"
)

const listClasses = "/school-admin/class/list"

// exec changes the platform's records where no endpoint does.
func exec(t *testing.T, app *testkit.App, sql string, args ...any) {
	t.Helper()
	tag, err := app.Service.Cluster.PlatformPool().Exec(context.Background(), sql, args...)
	if err != nil || tag.RowsAffected() == 0 {
		t.Fatalf("%s: %v, %v", sql, tag, err)
	}
}

func TestASuspendedSchoolIs403ToItsOwnAndOpensAgain(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin, super := s.As(t, api.SchoolAdmin), s.App.SuperAdmin(t)
	testkit.Get[any](t, admin, listClasses)
	testkit.Post[any](t, super, "/super-admin/school/"+s.ID.String()+"/suspend", nil)
	for _, c := range []*testkit.Client{admin, s.As(t, api.SchoolAdmin)} { // one known before, one not
		if f := c.Refuses(t, "GET", listClasses, nil, 403, ""); f.Error == "PERMISSION_DENIED" {
			t.Errorf("a suspended school is said to be a missing permission: %+v", f)
		}
	}
	testkit.Post[any](t, super, "/super-admin/school/"+s.ID.String()+"/activate", nil)
	testkit.Get[any](t, admin, listClasses)
	other := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	testkit.Get[any](t, other, listClasses)
}

func TestASchoolThatIsNotThereIsSchoolNotFound(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	super := app.SuperAdmin(t)
	for _, path := range []string{"", "/provisioning"} {
		super.Refuses(t, "GET", "/super-admin/school/"+api.NewID().String()+path, nil, 404, "SCHOOL_NOT_FOUND")
	}
	for _, path := range []string{"/suspend", "/activate", "/archive", "/retry"} {
		super.Refuses(t, "POST", "/super-admin/school/"+api.NewID().String()+path, nil, 404, "SCHOOL_NOT_FOUND")
	}
	s := app.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	exec(t, app, `with gone as (delete from platform.account where school_id = $1) delete from platform.school where id = $1`, s.ID)
	app.Service.Registry.Forget(s.ID)
	app.Service.Auth.Forget(admin.SessionID)
	admin.Refuses(t, "GET", listClasses, nil, 404, "SCHOOL_NOT_FOUND")
}

func TestToken_SchoolThatNeverWas_IsSchoolNotFound(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	c := s.As(t, api.Teacher)
	for _, session := range []uuid.UUID{c.SessionID, api.NewID()} {
		var err error
		if c.Token, err = s.App.Service.Tokens.SignAccess(tokens.Access{UserID: c.UserID, SessionID: session, SchoolID: api.NewID(),
			Role: api.Teacher}); err != nil {
			t.Fatal(err)
		}
		c.Refuses(t, "GET", "/teacher/timetable/mine", nil, 404, "SCHOOL_NOT_FOUND")
	}
}

func TestADeletedOrDisabledUserIs401(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	for what, end := range map[string]func(c *testkit.Client){
		"disabled": func(c *testkit.Client) {
			s.DB(t).Exec(`update app_user set status = 'DISABLED' where id = ?`, c.UserID)
		},
		"deleted": func(c *testkit.Client) { s.DB(t).Exec(`delete from app_user where id = ?`, c.UserID) },
		"account disabled": func(c *testkit.Client) {
			exec(t, s.App, `update platform.account set disabled = true where id = $1`, c.AccountID)
		},
		"account deleted": func(c *testkit.Client) { exec(t, s.App, `delete from platform.account where id = $1`, c.AccountID) },
		"session revoked": func(c *testkit.Client) {
			exec(t, s.App, `update platform.session set revoked_at = now() where id = $1`, c.SessionID)
		},
		"session deleted": func(c *testkit.Client) { exec(t, s.App, `delete from platform.session where id = $1`, c.SessionID) },
		"session expired": func(c *testkit.Client) {
			exec(t, s.App, `update platform.session set expires_at = now() - interval '1 second' where id = $1`, c.SessionID)
		},
	} {
		c := s.As(t, api.SchoolAdmin)
		testkit.Get[any](t, c, listClasses)
		end(c)
		s.App.Service.Auth.Forget(c.SessionID)
		if f := c.Refuses(t, "GET", listClasses, nil, 401, "Unauthorized"); f.Message == "" {
			t.Errorf("%s: %+v", what, f)
		}
	}
	super := s.App.SuperAdmin(t)
	testkit.Get[any](t, super, "/super-admin/school/list")
	exec(t, s.App, `update platform.super_admin set status = 'DISABLED' where id = $1`, super.UserID)
	s.App.Service.Auth.Forget(super.SessionID)
	super.Refuses(t, "GET", "/super-admin/school/list", nil, 401, "")
}

func TestATokenSaysNothingItsSessionDoesNot(t *testing.T) {
	t.Parallel()
	s, other := testkit.NewSchool(t), testkit.NewSchool(t)
	admin, teacher := s.As(t, api.SchoolAdmin), s.As(t, api.Teacher)
	good := tokens.Access{UserID: teacher.UserID, SessionID: teacher.SessionID, SchoolID: s.ID, Role: api.Teacher}
	for what, claim := range map[string]tokens.Access{
		"another role":        {UserID: good.UserID, SessionID: good.SessionID, SchoolID: s.ID, Role: api.SchoolAdmin},
		"another user":        {UserID: admin.UserID, SessionID: good.SessionID, SchoolID: s.ID, Role: api.SchoolAdmin},
		"another school":      {UserID: good.UserID, SessionID: good.SessionID, SchoolID: other.ID, Role: api.Teacher},
		"no session":          {UserID: good.UserID, SessionID: api.NewID(), SchoolID: s.ID, Role: api.Teacher},
		"a zero session":      {UserID: good.UserID, SessionID: uuid.Nil, SchoolID: s.ID, Role: api.Teacher},
		"the administrators'": {UserID: good.UserID, SessionID: good.SessionID, Role: api.SuperAdmin},
	} {
		c := teacher.On(s.App)
		var err error
		if c.Token, err = s.App.Service.Tokens.SignAccess(claim); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{listClasses, "/super-admin/school/list"} {
			for range 2 { // not yet known, and known
				if a := c.Call(t, "GET", path, nil); a.Status != 401 {
					t.Errorf("%s: GET %s: %d %s", what, path, a.Status, a.Body)
				}
			}
		}
	}
	testkit.Get[any](t, admin, listClasses)
}

func TestAnotherAccountsSessionIsLikeOneThatIsNobodys(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	mine, theirs := s.As(t, api.SchoolAdmin), testkit.NewSchool(t).As(t, api.SchoolAdmin)
	foreign := mine.Call(t, "DELETE", "/auth/sessions/"+theirs.SessionID.String(), nil)
	nobodys := mine.Call(t, "DELETE", "/auth/sessions/"+api.NewID().String(), nil)
	if foreign.Status != nobodys.Status || !bytes.Equal(foreign.Body, nobodys.Body) {
		t.Errorf("another's: %d %s, nobody's: %d %s", foreign.Status, foreign.Body, nobodys.Status, nobodys.Body)
	}
	testkit.Get[any](t, theirs, listClasses)
}

// The other instance's clock stands: what it remembers does not grow old, so that it can only
// have heard.
func TestWhatOneInstanceChangesIsInForceOnTheOther(t *testing.T) {
	t.Parallel()
	one, two := testkit.Shared(t), testkit.Start(t, clocksStandStill)
	s := two.NewSchool(t)
	there, super := s.As(t, api.SchoolAdmin), one.SuperAdmin(t) // the token is one of the clock that stands
	admin := there.On(one)
	status := func() int { return there.Call(t, "GET", listClasses, nil).Status }
	if got := status(); got != 200 {
		t.Fatalf("at first: %d", got)
	}
	school := "/super-admin/school/" + s.ID.String()

	testkit.Post[any](t, super, school+"/suspend", nil)
	testkit.Eventually(t, "a suspended school is shut on the other instance", func() bool { return status() == 403 })
	testkit.Post[any](t, super, school+"/activate", nil)
	testkit.Eventually(t, "an activated school is open on the other instance", func() bool { return status() == 200 })

	setRights(t, s, false)
	testkit.Eventually(t, "a right taken away is gone on the other instance", func() bool { return status() == 403 })
	setRights(t, s, true)
	testkit.Eventually(t, "a right given is there on the other instance", func() bool { return status() == 200 })

	testkit.Post[any](t, admin, "/auth/logout-all", nil)
	testkit.Eventually(t, "a session that ended is over on the other instance", func() bool { return status() == 401 })
}
