package api_test

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

func TestAPointReadIsOneRoundTripToPostgresAndAtMostTwoToRedis(t *testing.T) {
	t.Parallel()
	app, wire := testkit.StartWatched(t, labRows)
	s := app.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	class := testkit.Post[roster.Class](t, admin, writePath, map[string]any{"name": "Class 5"})
	platform := s.App.Service.Cluster.PlatformPool()
	read := func() {
		for range 20 {
			testkit.Get[roster.Class](t, admin, "/school-admin/class/"+class.ID.String())
		}
	}
	if postgres := wire.Postgres.Fewest(20, read); postgres != 20 {
		t.Errorf("20 reads took %d round trips to the school's database", postgres)
	}
	testkit.Eventually(t, "reads leave the platform's database alone", func() bool {
		before := platform.Stat().AcquireCount()
		read()
		return platform.Stat().AcquireCount() == before
	})
	if redis := wire.Redis.Fewest(40, read); redis < 20 || redis > 40 {
		t.Errorf("20 reads took %d round trips to Redis", redis)
	}
}

func TestAWriteIsAtMostThreeRoundTripsToPostgres(t *testing.T) {
	t.Parallel()
	app, wire := testkit.StartWatched(t, labRows)
	s := app.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	n := 0
	create := func() {
		for range 10 {
			n++
			testkit.Post[roster.Class](t, admin, writePath, map[string]any{"name": fmt.Sprint("Class ", n)})
		}
	}
	if trips := wire.Postgres.Fewest(30, create); trips < 10 || trips > 30 {
		t.Errorf("10 creates took %d round trips", trips)
	}
	class := testkit.Post[roster.Class](t, admin, writePath, map[string]any{"name": "Changing"})
	change := func() {
		for range 10 {
			n++
			testkit.Put[roster.Class](t, admin, "/school-admin/class/"+class.ID.String(), map[string]any{"level": n % 100})
		}
	}
	if trips := wire.Postgres.Fewest(30, change); trips < 10 || trips > 30 {
		t.Errorf("10 changes took %d round trips", trips)
	}
}

func TestAKeyCostsAWriteOneRoundTripMore(t *testing.T) {
	t.Parallel()
	app, wire := testkit.StartWatched(t, labRows)
	s := app.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	n := 0
	trips := func(keyed bool, enough int64) int64 {
		create := func() {
			n++
			as := admin
			if keyed {
				as = admin.With("Idempotency-Key", fmt.Sprint("tap ", n))
			}
			testkit.Post[receipt](t, as, pay, map[string]any{"name": fmt.Sprint("Fee ", n)})
		}
		return wire.Postgres.Fewest(enough, create)
	}
	const usual = 2
	if without, with := trips(false, usual), trips(true, usual+1); without != usual || with != usual+1 {
		t.Errorf("%d round trips without a key, %d with one", without, with)
	}
}

func TestADeadlockIsTriedAgainAndShownToNobody(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	one := testkit.Post[roster.Class](t, admin, writePath, map[string]any{"name": "One"})
	two := testkit.Post[roster.Class](t, admin, writePath, map[string]any{"name": "Two"})
	for round := range 3 {
		meeting := fmt.Sprint(s.ID, " ", round)
		count := statuses(t, 2, func(i int) (testkit.Answer, error) {
			first, second := one.ID, two.ID
			if i == 1 {
				first, second = second, first
			}
			return admin.TryCall("POST", "/school-admin/event/swap", map[string]any{"first": first, "second": second, "meeting": meeting})
		})
		if count[200] != 2 {
			t.Errorf("statuses %v, want two successes", count)
		}
		// The victim tried again, and more than once if it was back before the other went on.
		if n := cameTo(meeting); n < 3 {
			t.Errorf("the two came %d times: there was no deadlock", n)
		}
	}
	if n := s.Count(t, "class", "level = 6"); n != 2 {
		t.Errorf("%d classes were raised six times, want both: what the victim did first is undone", n)
	}
	if n := s.Count(t, "audit_event", "action like '%swap'"); n != 6 {
		t.Errorf("%d audit rows of 6 changes", n)
	}
}

func TestALostRaceIsRunAgainAndWonOnce(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	for _, code := range []string{"40001", "40P01"} {
		name := "Race " + code + api.NewID().String()
		testkit.Post[any](t, admin, "/school-admin/event/race", map[string]any{"name": name, "losses": 3, "code": code})
		if n := s.Count(t, "class", "name = ?", name); n != 1 {
			t.Errorf("%s: %d classes", code, n)
		}
	}
	if n := s.Count(t, "audit_event", "true"); n != 2 {
		t.Errorf("%d audit rows of 2 changes", n)
	}
}

func TestARaceThatIsNeverWonIsA503(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	for _, code := range []string{"40001", "40P01"} {
		a := admin.Call(t, "POST", "/school-admin/event/race", map[string]any{"name": api.NewID(), "losses": 1000, "code": code})
		if f := a.Failure(t); a.Status != 503 || a.Header.Get("Retry-After") == "" || f.Message != "This record is busy, try again" {
			t.Errorf("%s: %d %s", code, a.Status, a.Body)
		}
	}
	if n := s.Count(t, "class", "true"); n != 0 {
		t.Errorf("%d classes were written", n)
	}
}

func TestCallersWhoHangUpLeaveThePoolWhole(t *testing.T) {
	t.Parallel()
	app, wire := testkit.StartWatched(t, labRows)
	s := app.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	testkit.Get[api.Page[roster.Class]](t, admin, readPath)
	call := func(method, path, body string) string {
		return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", method, path, admin.Token, len(body), body)
	}
	hangUp(t, s.App, 100, call("GET", readPath, ""))
	for i := range 100 {
		hangUp(t, s.App, 1, call("POST", writePath, fmt.Sprintf(`{"data":{"name":"Class %d"}}`, i)))
	}
	// Half a body is no request.
	half := strings.TrimSuffix(call("POST", writePath, `{"data":{"name":"Half"}}`), `"}}`)
	hangUp(t, s.App, 20, half)
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.App.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.Write([]byte(half)); err != nil { // stays, and says no more
		t.Fatal(err)
	}
	testkit.Eventually(t, "what was asked is done", func() bool {
		n := s.Count(t, "class", "true")
		return n == s.Count(t, "audit_event", "entity = 'class'") && n == s.Count(t, "class", "true")
	})
	if n := s.Count(t, "class", "name like 'Half%'"); n != 0 {
		t.Errorf("%d halves were written", n)
	}
	for range 20 {
		testkit.Get[api.Page[roster.Class]](t, admin, readPath)
	}
	// A cancelled statement would cost its connection, and what Postgres keeps warm there.
	if n, c := wire.Dialled.Load(), s.App.Service.Config; n > int64(c.Shards*c.ShardConns) {
		t.Errorf("%d connections were opened for %d pools of %d", n, c.Shards, c.ShardConns)
	}
	if lines := strings.Count(s.App.Log.String(), `"level":"ERROR"`); lines != 0 {
		t.Errorf("%d errors in the log:\n%s", lines, s.App.Log.String())
	}
}
