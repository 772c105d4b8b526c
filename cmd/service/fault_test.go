package service_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"homeroom/api"
	"homeroom/testkit"
)

func TestWhilePostgresRestartsOnly503IsAddedAndNothingAcknowledgedIsLost(t *testing.T) {
	t.Parallel()
	stack := testkit.Private(t)
	app := testkit.StartOn(t, stack, "homeroom")
	s := app.NewSchool(t)
	admin, super := s.As(t, api.SchoolAdmin), app.SuperAdmin(t)
	class := testkit.Post[struct{ ID string }](t, admin, "/school-admin/class/create", map[string]any{"name": "First"})

	var stop atomic.Bool
	var good, away atomic.Int64
	var acknowledged sync.Map
	var wg sync.WaitGroup
	load := func(name string, call func(i int) (testkit.Answer, error)) {
		wg.Go(func() {
			for i := 0; !stop.Load(); i++ {
				a, err := call(i)
				switch {
				case err != nil:
					t.Errorf("%s: %v", name, err)
				case a.Status < 300:
					good.Add(1)
				case a.Status == 503:
					away.Add(1)
					if f := a.Failure(t); f.Error != "Service Unavailable" || a.Header.Get("Retry-After") == "" {
						t.Errorf("%s: %s %v", name, a.Body, a.Header)
					}
				default:
					t.Errorf("%s: %d %s", name, a.Status, a.Body)
				}
			}
		})
	}
	for n := range 3 {
		load("a list", func(int) (testkit.Answer, error) { return admin.TryCall("GET", listClasses, nil) })
		load("a read", func(int) (testkit.Answer, error) {
			return admin.TryCall("GET", "/school-admin/class/"+class.ID, nil)
		})
		load("the platform", func(int) (testkit.Answer, error) { return super.TryCall("GET", "/super-admin/school/list", nil) })
		load("a write", func(i int) (testkit.Answer, error) {
			name := fmt.Sprintf("Class %d.%d", n, i)
			a, err := admin.TryCall("POST", "/school-admin/class/create", map[string]any{"name": name})
			if a.Status == 201 {
				acknowledged.Store(name, true)
			}
			return a, err
		})
	}
	load("somebody new", func(int) (testkit.Answer, error) { // nothing remembered helps them
		app.Service.Auth.ForgetAll()
		app.Service.Registry.ForgetAll()
		app.Service.RBAC.ForgetAll()
		return admin.TryCall("GET", listClasses, nil)
	})

	for _, server := range []string{"north", "main", "north"} {
		seen := good.Load()
		testkit.Eventually(t, "calls go through", func() bool { return good.Load() > seen+50 })
		if err := stack.RestartPostgres(context.Background(), server); err != nil {
			t.Fatal(err)
		}
	}
	seen := good.Load()
	testkit.Eventually(t, "calls go through again", func() bool { return good.Load() > seen+50 })
	stop.Store(true)
	wg.Wait()

	for range 20 { // no broken connection is left in a pool
		if a := admin.Call(t, "GET", listClasses, nil); a.Status != 200 {
			t.Errorf("afterwards: %d %s", a.Status, a.Body)
		}
	}
	acknowledged.Range(func(name, _ any) bool {
		if s.Count(t, "class", "name = ?", name) != 1 {
			t.Errorf("%s was acknowledged and is lost", name)
		}
		return true
	})
	t.Logf("%d good answers, %d × 503", good.Load(), away.Load())
}

func TestARefusalNeedsNoDatabase(t *testing.T) {
	t.Parallel()
	stack := testkit.Private(t)
	s := testkit.StartOn(t, stack, "homeroom", contractRows, clocksStandStill).NewSchool(t)
	clients := everyone(t, s)
	setRights(t, s, false)
	// A hint that arrives late, or the gap of a subscription that a full machine kept waiting, makes an instance forget:
	// it must ask again, and may then say 503.
	var hints atomic.Int64
	s.App.Service.Hints.OnGap(func() { hints.Add(1) })
	for _, topic := range []string{"school", "session", "user", "policy"} {
		s.App.Service.Hints.On(topic, func(string) { hints.Add(1) })
	}
	known := map[api.RoleType]int64{} // hints there had been when a role was last answered for
	away := false
	walk := func(roles func(n int) []api.RoleType) {
		for n, r := range rowsOf(s.App) {
			for _, role := range roles(n) {
				if r.Module == "" && role == api.SuperAdmin {
					continue // its rows ask no permission, they do their work
				}
				before := hints.Load()
				a := call(t, clients[role], r)
				if away && a.Status == 503 && known[role] != hints.Load() {
					continue
				}
				if a.Status != 403 {
					t.Errorf("%s as %s: %d %s", r.Name(), role, a.Status, a.Body)
				}
				if !away {
					known[role] = before
				}
			}
		}
	}
	walk(func(int) []api.RoleType { return everyRole })
	for _, server := range []string{"north", "main"} {
		if err := stack.KillPostgres(server); err != nil {
			t.Fatal(err)
		}
	}
	away = true
	// Every row once, by turns: what an instance remembers serves for some seconds only.
	walk(func(n int) []api.RoleType { return everyRole[n%len(everyRole):][:1] })
	clients[api.SuperAdmin].Refuses(t, "GET", "/super-admin/school/list", nil, 503, "Service Unavailable")
}
