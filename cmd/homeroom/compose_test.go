package main

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/testkit"
)

// composed is the environment compose.yaml gives a service, with what an operator wrote
// into .env.
func composed(t *testing.T, service string, written map[string]string) map[string]string {
	t.Helper()
	_, after, _ := strings.Cut(readTop(t, "compose.yaml"), "\n  "+service+":\n")
	block := regexp.MustCompile(`(?m)^    environment:\n((?:      .*\n)+)`).FindStringSubmatch(after)
	if block == nil {
		t.Fatalf("compose.yaml has no environment for %s", service)
	}
	variable := regexp.MustCompile(`\$\{([A-Z_]+)(:[?-])([^}]*)\}`)
	env := map[string]string{}
	for line := range strings.Lines(block[1]) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		env[name] = variable.ReplaceAllStringFunc(value, func(text string) string {
			parts := variable.FindStringSubmatch(text)
			set, known := written[parts[1]]
			if !known {
				t.Errorf("compose.env.example does not have %s", parts[1])
			}
			if parts[2] == ":?" && set == "" {
				t.Errorf("%s has to be set and is not", parts[1])
			}
			if set == "" && parts[2] == ":-" {
				return parts[3]
			}
			return set
		})
	}
	return env
}

func TestTheServiceStartsOnTheEnvironmentOfTheComposeFile(t *testing.T) {
	t.Parallel()
	written := map[string]string{}
	for line := range strings.Lines(readTop(t, "compose.env.example")) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(name, "#") {
			written[name] = value
		}
	}
	written["HOMEROOM_SECRET"], written["HOMEROOM_JWT_KEYS"] = strings.Repeat("s", 64), "k1:"+strings.Repeat("a2V5", 16)
	written["POSTGRES_PASSWORD"], written["REDIS_PASSWORD"], written["POSTGRES_ADMIN_PASSWORD"] = "postgres-password", "redis-password",
		"admin-password"
	env := composed(t, "homeroom", written)
	if got := composed(t, "postgres", written); got["POSTGRES_USER"] != "" || got["POSTGRES_PASSWORD"] != "admin-password" ||
		got["HOMEROOM_PASSWORD"] != "postgres-password" {
		t.Errorf("Postgres has %v", got)
	}

	// The containers' addresses are others here, and their passwords; and the ports may be taken.
	stack := testkit.Stack(t)
	name := "compose_" + strings.ReplaceAll(uuid.NewString(), "-", "")[:12]
	for variable, want := range map[string]string{
		"DATABASE_URL":   "postgres://homeroom:postgres-password@postgres:5432/homeroom?sslmode=disable",
		"REDIS_URL":      "redis://:redis-password@redis:6379/0",
		"HOMEROOM_FILES": "file:///var/lib/homeroom/files", "HOMEROOM_OPS_ADDR": "0.0.0.0:9091",
	} {
		if env[variable] != want {
			t.Errorf("%s is %q, want %q", variable, env[variable], want)
		}
	}
	redis, err := url.Parse(stack.RedisURL())
	if err != nil {
		t.Fatal(err)
	}
	redis.Path = "/15"
	operations := freePort(t)
	env["DATABASE_URL"], env["REDIS_URL"], env["HOMEROOM_OPS_ADDR"] = roleOf(t, stack.PostgresURL("main"), name, "postgres-password"),
		redis.String(), "0.0.0.0:"+operations
	env["HOMEROOM_FILES"] = "file://" + filepath.Join(folder(t), "files")
	var settings []string
	for variable, value := range env {
		settings = append(settings, variable+"="+value)
	}
	slices.Sort(settings)

	p := start(t, append(environment(settings...), "PORT=0"), "", "serve")
	address := p.until(t, "where it serves", &p.stderr, func(text string) string {
		_, after, _ := strings.Cut(text, `"msg":"serving","address":"`)
		address, _, complete := strings.Cut(after, `"`)
		if !complete {
			return ""
		}
		return address
	})
	mustRun(t, environment(settings...), "", "health") // as the image's health check asks
	_, port, _ := strings.Cut(strings.TrimPrefix(address, "http://["), "]:")
	wants(t, 200, "GET", "http://127.0.0.1:"+port+"/console/", "", nil)
	p.stop(t, syscall.SIGTERM)
}

func TestCompose_Postgres_RecoversWithoutSyncingEachFile(t *testing.T) {
	t.Parallel()
	_, service, _ := strings.Cut(readTop(t, "compose.yaml"), "\n  postgres:\n")
	command := regexp.MustCompile(`(?m)^    command: \[postgres, (.*)\]$`).FindStringSubmatch(service)
	if command == nil {
		t.Fatal("compose.yaml starts Postgres without settings")
	}
	for _, setting := range []string{"recovery_init_sync_method=syncfs", "wal_level=logical"} {
		if !slices.Contains(strings.Split(command[1], ", "), setting) {
			t.Errorf("compose.yaml starts Postgres with %s, without %s", command[1], setting)
		}
	}
}

// roleOf runs what compose.yaml has an empty Postgres run, under another name, and returns
// the address of the database for the role it makes.
func roleOf(t *testing.T, superuser, name, password string) string {
	t.Helper()
	const file = "docs/operations/postgres-role.sh"
	if !strings.Contains(readTop(t, "compose.yaml"), "./"+file+":/docker-entrypoint-initdb.d/") {
		t.Errorf("compose.yaml does not mount %s", file)
	}
	server, err := url.Parse(superuser)
	if err != nil {
		t.Fatal(err)
	}
	script := regexp.MustCompile(`(ROLE|DATABASE|OWNER) homeroom\b`).ReplaceAllString(readTop(t, file), "$1 "+name)
	secret, _ := server.User.Password()
	c := exec.CommandContext(t.Context(), "sh", "-s")
	c.Stdin = strings.NewReader(script)
	c.Env = append(os.Environ(), "PGHOST="+server.Hostname(), "PGPORT="+server.Port(), "PGPASSWORD="+secret,
		"POSTGRES_USER="+server.User.Username(), "HOMEROOM_PASSWORD="+password)
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", file, err, said)
	}
	conn, err := pgx.Connect(t.Context(), superuser)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = conn.Exec(context.Background(), "drop database "+name+" with (force)")
		_ = conn.Close(context.Background())
	})
	var mighty bool
	if err := conn.QueryRow(t.Context(), `select rolsuper or rolcreatedb or rolreplication or rolbypassrls from pg_roles where rolname = $1`,
		name).Scan(&mighty); err != nil || mighty {
		t.Errorf("the service's role is a superuser or nearly one: %v (%v)", mighty, err)
	}
	server.User, server.Path = url.UserPassword(name, password), "/"+name
	return server.String()
}
