//go:build unix

package localstack_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"homeroom/localstack"

	"github.com/jackc/pgx/v5"
)

func connect(url string) error {
	conn, err := pgx.Connect(context.Background(), url)
	if err == nil {
		err = conn.Close(context.Background())
	}
	return err
}

func TestPgBouncerGivesOneConnectionToManyClients(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() // the same for both: the pooler must leave the server alone when it goes
	s := start(t, localstack.Options{Dir: dir, Postgres: []string{"main"}})
	ask(t, s.PostgresURL("main"), "CREATE ROLE teacher LOGIN PASSWORD 'chalk'")
	b, err := localstack.StartPgBouncer(t.Context(), localstack.PgBouncerOptions{
		Dir: dir, PostgresURL: s.PostgresURL("main"), Users: map[string]string{"teacher": "chalk"}, PoolSize: 1})
	must(t, err)
	defer b.Stop()

	u, err := url.Parse(b.URL())
	must(t, err)
	u.User = url.UserPassword("teacher", "chalk")
	backends := map[string]bool{}
	for range 5 { // all open at the same time
		conn, err := pgx.Connect(t.Context(), u.String()+"&default_query_exec_mode=exec")
		must(t, err)
		defer conn.Close(context.Background())
		var backend string
		must(t, conn.QueryRow(t.Context(), "SELECT pg_backend_pid()::text || current_user").Scan(&backend))
		backends[backend] = true
		if !strings.HasSuffix(backend, "teacher") {
			t.Errorf("signed in as %s", backend)
		}
	}
	if len(backends) != 1 {
		t.Errorf("five clients had %d connections: %v", len(backends), backends)
	}
	u.User = url.UserPassword("teacher", "guess")
	if connect(u.String()) == nil {
		t.Errorf("a wrong password is let in")
	}
	must(t, connect(b.URLAs("teacher")))

	must(t, b.Stop())
	if listens(b.URL()) {
		t.Errorf("the pooler still listens")
	}
	ask(t, s.PostgresURL("main"), "SELECT 'served'")
}
