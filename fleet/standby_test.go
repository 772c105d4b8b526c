package fleet_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/fleet"
	"homeroom/localstack"
	"homeroom/modules/attendance"
	"homeroom/modules/node"
	"homeroom/modules/roster"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

func TestStandbyReads_OwnWritesAreSeen_OthersMayBeLate(t *testing.T) {
	t.Parallel()
	for _, pooler := range []bool{false, true} {
		t.Run(fmt.Sprintf("pooler %t", pooler), func(t *testing.T) {
			stack, err := localstack.Start(t.Context(), localstack.Options{Dir: t.TempDir(), Postgres: []string{"main"}, Redis: true,
				Crashable: true, MaxConnections: 200})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = stack.Stop() })
			f := fleet.Start(t, fleet.Options{Instances: 2, Stack: stack, Standbys: true, StandbyReads: true, Pooler: pooler,
				Env: []string{"HOMEROOM_STANDBY_LAG=10m"}})
			readStandby(t, f, stack)
		})
	}
}

func readStandby(t *testing.T, f *fleet.Fleet, stack *localstack.Stack) {
	super := f.SuperAdmin(t)
	school := f.NewSchool(t, super, 2)
	mother, other := school.Parents[0], school.Parents[1]
	for _, i := range f.Instances {
		wait.Eventually(t, "the standby is read from at "+i.URL, func() bool {
			at := on(i, super)
			return testkit.Get[api.Page[node.Node]](t, at, "/super-admin/node/list").Items[0].StandbyReads == "IN_USE"
		})
		wait.Eventually(t, "a parent's read is answered by the standby", func() bool {
			before := standbyReads(t, i)
			month(t, on(i, mother), school.Children[0])
			return standbyReads(t, i) > before
		})
	}
	wait.Eventually(t, "the standby has what was written so far", func() bool { return replayedAll(t, stack) })
	onStandby(t, stack, `select pg_wal_replay_pause()`)
	wait.Eventually(t, "replay stands still", func() bool {
		return onStandby(t, stack, `select pg_get_wal_replay_pause_state()`) == "paused"
	})

	// The teacher marks at one instance.
	testkit.Post[any](t, on(f.Instances[0], school.Teacher), "/teacher/attendance/mark", map[string]any{
		"divisionId": school.Division, "date": today(), "records": []any{
			map[string]any{"studentId": school.Children[0], "status": "PRESENT"},
			map[string]any{"studentId": school.Children[1], "status": "ABSENT"},
		}})
	report := "/teacher/attendance/report?divisionId=" + school.Division.String()
	for n, i := range f.Instances {
		got := testkit.Get[attendance.MonthRegister](t, on(i, school.Teacher), report).Totals
		if got.Present+got.Absent != 2 {
			t.Errorf("the teacher has marked two, and reads %+v at instance %d", got, n)
		}
	}
	if got := month(t, on(f.Instances[1], other), school.Children[1]); got != "" {
		t.Errorf("a parent's read shows %q: it was not answered by the standby, which stands still", got)
	}

	// What the office changes, everybody sees.
	testkit.Put[roster.StudentDetail](t, on(f.Instances[0], school.Office),
		"/school-admin/student/"+school.Children[0].String(), map[string]any{"firstName": "Renamed"})
	if got := testkit.Get[roster.Child](t, on(f.Instances[1], mother), "/parent/student/"+school.Children[0].String()); got.FirstName != "Renamed" {
		t.Errorf("the office has renamed the child, the parent reads %q", got.FirstName)
	}
	if got := month(t, on(f.Instances[1], other), school.Children[1]); got != "ABSENT" {
		t.Errorf("after a change of the office a parent reads %q, want ABSENT", got)
	}
	onStandby(t, stack, `select pg_wal_replay_resume()`)
	wait.Eventually(t, "the standby is read from again", func() bool {
		before := standbyReads(t, f.Instances[1])
		return month(t, on(f.Instances[1], other), school.Children[1]) == "ABSENT" && standbyReads(t, f.Instances[1]) > before
	})

	// It dies; nobody is refused. Commits wait for it no more.
	for _, sql := range []string{`alter system reset synchronous_standby_names`, `select pg_reload_conf()`} {
		readOne(t, stack.PostgresURL("main"), sql)
	}
	if err := stack.KillPostgres("main-standby"); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		for _, i := range f.Instances {
			if got := month(t, on(i, other), school.Children[1]); got != "ABSENT" {
				t.Fatalf("with the standby gone a parent reads %q", got)
			}
		}
	}
	f.Run(t, "node", "standby", "main", "--off")
	wait.Eventually(t, "no standby is used", func() bool {
		return testkit.Get[api.Page[node.Node]](t, super, "/super-admin/node/list").Items[0].StandbyReads == "OFF"
	})
}

// on is the client at one instance, past nginx.
func on(i *fleet.Instance, c *testkit.Client) *testkit.Client {
	at := i.App().Nobody()
	at.Token = c.Token
	return at
}

// month is the child's last mark of this month; empty: there is none.
func month(t *testing.T, parent *testkit.Client, child uuid.UUID) string {
	t.Helper()
	days := testkit.Get[attendance.ChildMonth](t, parent, "/parent/attendance/list?studentId="+child.String()).Days
	slices.Reverse(days)
	for _, d := range days {
		if d.Status != nil && *d.Status != "HOLIDAY" {
			return *d.Status
		}
	}
	return ""
}

// standbyReads is how many reads an instance had the standby answer.
func standbyReads(t *testing.T, i *fleet.Instance) (n int) {
	t.Helper()
	answer, err := http.Get(i.OpsURL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, `homeroom_standby_reads_total{answered="standby"} %d`, &n); err == nil {
			return n
		}
	}
	return 0
}

func replayedAll(t *testing.T, stack *localstack.Stack) bool {
	t.Helper()
	end := readOne(t, stack.PostgresURL("main"), `select pg_current_wal_lsn()::text`)
	return onStandby(t, stack, `select (pg_last_wal_replay_lsn() >= '`+end+`')::text`) == "true"
}

func onStandby(t *testing.T, stack *localstack.Stack, sql string) string {
	t.Helper()
	return readOne(t, stack.PostgresURL("main-standby"), sql)
}

func readOne(t *testing.T, address, sql string) (text string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	results, err := conn.PgConn().Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	if len(results[0].Rows) == 0 {
		return ""
	}
	return string(results[0].Rows[0][0])
}

// today is the schools' day.
func today() api.Date { return api.DateOf(time.Now().In(time.FixedZone("IST", 5*3600+1800))) }
