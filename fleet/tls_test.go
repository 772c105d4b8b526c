package fleet_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"homeroom/fleet"
	"homeroom/localstack"
	"homeroom/testkit"
)

func TestTLS_ToPgBouncerAndOneRedis_IsAllThatServes(t *testing.T) {
	t.Parallel()
	stack, err := localstack.Start(t.Context(), localstack.Options{Dir: t.TempDir(), Postgres: []string{"main"}, Redis: true, TLS: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stack.Stop() })
	f := fleet.Start(t, fleet.Options{Instances: 1, Pooler: true, TLS: true, Stack: stack})
	school := f.NewSchool(t, f.SuperAdmin(t), 1)
	testkit.Get[any](t, school.Office, "/school-admin/student/list")
	testkit.Get[any](t, school.Parents[0], "/parent/transport/my-buses") // who signed in by a code, which was in Redis

	plain, err := url.Parse(f.Pooler.URL())
	if err != nil {
		t.Fatal(err)
	}
	plain.RawQuery = "sslmode=disable"
	if conn, err := pgx.Connect(t.Context(), plain.String()); err == nil || !strings.Contains(err.Error(), "SSL required") {
		t.Errorf("PgBouncer answers who comes without TLS with %v %v, want that it is required", conn, err)
	}
	options, err := redis.ParseURL(strings.Replace(stack.RedisURL(), "rediss:", "redis:", 1))
	if err != nil {
		t.Fatal(err)
	}
	options.MaxRetries = -1
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() })
	if err := client.Ping(t.Context()).Err(); err == nil {
		t.Error("Redis answers who comes without TLS")
	}
}
