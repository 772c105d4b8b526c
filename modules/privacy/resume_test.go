package privacy_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"homeroom/tenancy"
	"homeroom/testkit"
)

// hold keeps rows locked, on a connection of its own.
func hold(t *testing.T, pool *pgxpool.Pool, sql string, args ...any) pgx.Tx {
	t.Helper()
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) })
	if tag, err := tx.Exec(t.Context(), sql, args...); err != nil || tag.RowsAffected() == 0 {
		t.Fatalf("%s: %v, %v", sql, tag, err)
	}
	return tx
}

// kill ends the connection that waits for tx.
func kill(t *testing.T, tx pgx.Tx) {
	t.Helper()
	testkit.Eventually(t, "somebody waits", func() bool {
		var n int
		err := tx.QueryRow(t.Context(), `select count(*) from (select pg_terminate_backend(pid) from pg_stat_activity
			where pg_backend_pid() = any(pg_blocking_pids(pid))) k`).Scan(&n)
		return err == nil && n > 0
	})
}

func TestErasure_KilledInTheMiddle_ChangesNothingAndWorksAgain(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	student := "/school-admin/student/" + f.student.String()
	testkit.Post[any](t, f.office, student+"/transfer", map[string]any{"reason": "Moved"})
	f.exec(t, `update enrolment set start_date = current_date - 9, end_date = current_date - 1 where student_id = ?`, f.student)
	testkit.Eventually(t, "what was to be told is told", func() bool { return f.Count(t, "outbox", "next_at <= now()") == 0 })
	school, err := f.App.Service.Cluster.FindSchool(t.Context(), f.ID)
	if err != nil {
		t.Fatal(err)
	}
	node, err := f.App.Service.Cluster.Node(t.Context(), school.Node)
	if err != nil {
		t.Fatal(err)
	}
	before := f.mentions(t, "Zuleika", "Klaxon")
	tx := hold(t, node.Admin(), `select from `+tenancy.Ident(school.Schema)+`.attendance_revision for update`)
	erase := map[string]any{"admissionNumber": f.number, "reason": "Asked in writing"}
	answer := make(chan testkit.Answer, 1)
	go func() {
		a, err := f.office.TryCall("POST", student+"/erase", erase)
		if err != nil {
			t.Error(err)
		}
		answer <- a
	}()
	kill(t, tx)
	if a := <-answer; a.Status < 500 {
		t.Fatalf("killed: %d %s", a.Status, a.Body)
	}
	if after := f.mentions(t, "Zuleika", "Klaxon"); len(after) != len(before) {
		t.Errorf("there was %v, there is %v", before, after)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	testkit.Post[any](t, f.office, student+"/erase", erase)
	testkit.Eventually(t, "what was to be told is told", func() bool { return f.Count(t, "outbox", "next_at <= now()") == 0 })
	if left := f.mentions(t, "Zuleika", "Klaxon"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestErasure_KilledAtThePlatform_IsFinishedLater(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	testkit.Post[any](t, f.office, "/school-admin/student/"+f.student.String()+"/transfer", map[string]any{"reason": "Moved"})
	pool := f.App.Service.Cluster.PlatformPool()
	tx := hold(t, pool, `select from platform.session s join platform.account a on a.id = s.account_id where a.phone = $1 for update`,
		f.phone)
	testkit.Post[any](t, f.office, "/school-admin/guardian/"+f.guardian.String()+"/erase",
		map[string]any{"phone": f.phone, "reason": "Asked in writing"})
	kill(t, tx)
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the platform has forgotten them", func() bool {
		var n int
		err := pool.QueryRow(t.Context(), `select (select count(*) from platform.account where phone = $1) + (select count(*)
			from platform.session s join platform.account a on a.id = s.account_id where a.user_id = $2)`,
			f.phone, f.parent.UserID).Scan(&n)
		return err == nil && n == 0
	})
	testkit.Eventually(t, "the fact was heard", func() bool { return f.Count(t, "outbox", "kind = 'person.erased'") == 0 })
}
