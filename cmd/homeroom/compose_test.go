package main

import (
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"

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
	written["POSTGRES_PASSWORD"], written["REDIS_PASSWORD"] = "postgres-password", "redis-password"
	env := composed(t, "homeroom", written)

	// The containers' addresses are others here, and their passwords; and the ports may be taken.
	stack := testkit.Stack(t)
	name := "compose_" + strings.ReplaceAll(uuid.NewString(), "-", "")[:12]
	for variable, want := range map[string]string{
		"DATABASE_URL": "postgres://homeroom:postgres-password@postgres:5432/homeroom?sslmode=disable", "REDIS_URL": "redis://:redis-password@redis:6379/0",
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
	env["DATABASE_URL"], env["REDIS_URL"], env["HOMEROOM_OPS_ADDR"] = testkit.Database(t, stack, "main", name), redis.String(), "0.0.0.0:"+operations
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
