package auth_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/events"
	"homeroom/rbac"
	"homeroom/testkit"
)

// addUser is a row such as modules have: it writes a user and tells the fact.
type addUser struct {
	UserID uuid.UUID `json:"userId" validate:"required"`
	Phone  string    `json:"phone" validate:"max=20"`
	Status string    `json:"status" validate:"max=20"`
	Fail   bool      `json:"fail"`
}

func peopleRows() []api.Row {
	tell := func(c api.Ctx, id uuid.UUID) {
		c.Tell(events.Fact{Kind: "user.changed", Data: map[string]any{"userId": id}})
	}
	return api.Rows(
		api.Post("/school-admin/report/user", "report", "Write a user", func(c api.Ctx, r addUser) (api.Nothing, error) {
			err := c.DB.Exec(`insert into app_user (id, role_id, phone, status) values (?, ?, ?, ?) on conflict (id) do update
				set phone = excluded.phone, status = excluded.status`,
				r.UserID, rbac.RoleID(c.School.ID, api.Parent), r.Phone, r.Status).Error
			tell(c, r.UserID)
			if r.Fail {
				return api.Nothing{}, api.Conflict("no")
			}
			return api.Nothing{}, err
		}),
		api.Remove("/school-admin/report/user/:id", "report", "Remove a user", func(c api.Ctx, r struct {
			ID uuid.UUID `path:"id"`
		}) error {
			tell(c, r.ID)
			return c.DB.Exec(`delete from app_user where id = ?`, r.ID).Error
		}),
	)
}

func TestTheDirectoryFollowsPeopleWhoAreAddedChangedAndRemoved(t *testing.T) {
	t.Parallel()
	app := testkit.Start(t, func(_ *config.Config, o *service.Options) { o.ExtraRows = peopleRows() })
	s := app.NewSchool(t)
	office := s.As(t, api.SchoolAdmin)
	user, first, second := api.NewID(), testkit.NewPhone(), testkit.NewPhone()
	write := func(phone, status string) {
		t.Helper()
		if a := office.Call(t, "POST", "/school-admin/report/user", map[string]any{"userId": user, "phone": phone, "status": status}); a.Status != 200 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	known := func(phone string) func() bool {
		return func() bool {
			var n int
			err := app.Service.Cluster.PlatformPool().QueryRow(context.Background(),
				`select count(*) from platform.account where phone = $1 and not disabled`, phone).Scan(&n)
			return err == nil && n == 1
		}
	}
	not := func(f func() bool) func() bool { return func() bool { return !f() } }

	write(first, "ACTIVE")
	testkit.Eventually(t, "the new user is in the directory", known(first))
	in := byOTP(t, app, "/auth", first)
	write(second, "ACTIVE")
	testkit.Eventually(t, "the new phone is", known(second))
	testkit.Eventually(t, "the old phone is not", not(known(first)))
	testkit.Eventually(t, "a change of phone ends the session",
		func() bool { return as(app, in.AccessToken).Call(t, "GET", "/auth/me", nil).Status == 401 })
	in = byOTP(t, app, "/auth", second)
	write(second, "DISABLED")
	testkit.Eventually(t, "a disabled user is out",
		func() bool { return as(app, in.AccessToken).Call(t, "GET", "/auth/me", nil).Status == 401 })
	write(second, "ACTIVE")
	testkit.Eventually(t, "an enabled one can come back", known(second))
	if a := office.Call(t, "DELETE", "/school-admin/report/user/"+user.String(), nil); a.Status != 204 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	testkit.Eventually(t, "a removed user is out of the directory", not(known(second)))
}

func TestAnOldFactDoesNotUndoAChangeThatIsBeingCommitted(t *testing.T) {
	t.Parallel()
	app := testkit.Start(t, func(_ *config.Config, o *service.Options) { o.ExtraRows = peopleRows() })
	s := app.NewSchool(t)
	office := s.As(t, api.SchoolAdmin)
	user, first, second := api.NewID(), testkit.NewPhone(), testkit.NewPhone()
	phone := func() (phone string) {
		_ = app.Service.Cluster.PlatformPool().QueryRow(context.Background(),
			`select coalesce(phone, '') from platform.account where user_id = $1`, user).Scan(&phone)
		return phone
	}
	if a := office.Call(t, "POST", "/school-admin/report/user", map[string]any{"userId": user, "phone": first, "status": "ACTIVE"}); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	testkit.Eventually(t, "the user is in the directory", func() bool { return phone() == first })

	// The change as a module makes it: the record, the entry, and then the commit. The
	// fact of the change before is heard in between.
	change := s.DB(t).Begin()
	if err := change.Exec(`update app_user set phone = ? where id = ?`, second, user).Error; err != nil {
		t.Fatal(err)
	}
	if err := app.Service.Auth.Enter(t.Context(), s.ID, user, api.Parent, second, ""); err != nil {
		t.Fatal(err)
	}
	heard := make(chan error, 1)
	go func() { heard <- app.Service.Auth.FollowUser(context.Background(), s.ID, user) }()
	testkit.Eventually(t, "who follows waits for the change, or is through", func() bool {
		var waiting int
		err := change.Raw(`select count(*) from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))`).Scan(&waiting).Error
		return len(heard) == 1 || (err == nil && waiting > 0)
	})
	if err := change.Commit().Error; err != nil {
		t.Fatal(err)
	}
	if err := <-heard; err != nil {
		t.Fatal(err)
	}
	if now := phone(); now != second {
		t.Errorf("the directory says %s, not %s", now, second)
	}
}

func TestAUserThatWasRolledBackIsNotInTheDirectory(t *testing.T) {
	t.Parallel()
	app := testkit.Start(t, func(_ *config.Config, o *service.Options) { o.ExtraRows = peopleRows() })
	s := app.NewSchool(t)
	office := s.As(t, api.SchoolAdmin)
	phone := testkit.NewPhone()
	office.Refuses(t, "POST", "/school-admin/report/user",
		map[string]any{"userId": api.NewID(), "phone": phone, "status": "ACTIVE", "fail": true}, 409, "")
	if n := s.Count(t, "outbox", "true"); n != 0 {
		t.Errorf("%d facts", n)
	}
	app.Nobody().Call(t, "POST", "/auth/send-otp", map[string]any{"phone": phone})
	if n := len(app.Sent(t, phone)); n != 0 {
		t.Errorf("%d messages", n)
	}
}

func TestTheDirectoryIsMadeWholeByComparison(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	ctx := context.Background()
	app := s.App
	kept := s.Add(t, testkit.Person{Role: api.Parent})
	moved := s.Add(t, testkit.Person{Role: api.Teacher})
	shut := s.Add(t, testkit.Person{Role: api.Driver})
	missing, over := api.NewID(), api.NewID()
	phone := testkit.NewPhone()
	db := s.DB(t)
	for _, q := range []struct {
		sql  string
		args []any
	}{
		{`insert into app_user (id, role_id, phone) values (?, ?, ?)`, []any{missing, rbac.RoleID(s.ID, api.Parent), phone}},
		{`update app_user set phone = ? where id = ?`, []any{testkit.NewPhone(), moved.UserID}},
		{`update app_user set status = 'DISABLED' where id = ?`, []any{shut.UserID}},
	} {
		if err := db.Exec(q.sql, q.args...).Error; err != nil {
			t.Fatal(err)
		}
	}
	if err := app.Service.Auth.Enter(ctx, s.ID, over, api.Parent, testkit.NewPhone(), ""); err != nil {
		t.Fatal(err)
	}
	if _, err := app.Service.Cluster.PlatformPool().Exec(ctx, `update platform.account set created_at = now() - interval '1 hour'
		where user_id = $1`, over); err != nil {
		t.Fatal(err)
	}
	if n, err := app.Service.Auth.RepairDirectory(ctx, s.ID); err != nil || n != 4 {
		t.Errorf("mended %d: %v", n, err)
	}
	if n, err := app.Service.Auth.RepairDirectory(ctx, s.ID); err != nil || n != 0 {
		t.Errorf("mended %d again: %v", n, err)
	}
	byOTP(t, app, "/parent/user-auth", phone)
	byOTP(t, app, "/parent/user-auth", kept.Phone)
	var n int
	err := app.Service.Cluster.PlatformPool().QueryRow(ctx, `select count(*) from platform.account where user_id in ($1, $2)
		and not disabled`, over, shut.UserID).Scan(&n)
	if err != nil || n != 0 {
		t.Errorf("%d accounts that should be shut: %v", n, err)
	}
}

// A fact and a call may enter the same new user at the same moment; both are content.
func TestAUserWhoIsEnteredTwiceAtOnceHasOneEntry(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	for range 60 {
		user, phone := api.NewID(), testkit.NewPhone()
		start := make(chan struct{})
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				<-start
				var err error
				if i%2 == 0 {
					err = s.App.Service.Auth.Enter(t.Context(), s.ID, user, api.Parent, phone, "")
				} else {
					err = s.App.Service.Auth.EnterMany(t.Context(), s.ID, api.Parent, []uuid.UUID{user}, []string{phone})
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		close(start)
		all.Wait()
		var entries int
		err := s.App.Service.Cluster.PlatformPool().QueryRow(t.Context(),
			`select count(*) from platform.account where user_id = $1 and phone = $2 and not disabled`, user, phone).Scan(&entries)
		if err != nil || entries != 1 {
			t.Fatalf("%d entries: %v", entries, err)
		}
	}
}
