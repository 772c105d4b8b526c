//go:build unix

package localstack_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"homeroom/localstack"
	"homeroom/testkit/wait"
)

// These two change what the whole process finds, and so do not run beside others.

func TestAMachineWithoutServersIsToldWhatToDo(t *testing.T) {
	t.Setenv("PATH", "/nowhere")
	localstack.WithoutInstallations(func() {
		_, err := localstack.Start(t.Context(), localstack.Options{Dir: t.TempDir(), Postgres: []string{"main", "north"}, Redis: true})
		var missing *localstack.MissingError
		if !errors.As(err, &missing) {
			t.Fatalf("got %v", err)
		}
		for _, part := range []string{"Postgres and no usable Redis", "postgres on PATH: nothing", "/nowhere/postgresql/*/bin: nothing",
			"redis-server on PATH", "install", "DATABASE_URL", "REDIS_URL", "PATH"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("no word of %q in:\n%v", part, err)
			}
		}
	})
}

func TestWithoutRedisTheStandInForgetsWhatExpires(t *testing.T) {
	t.Setenv("PATH", "/nowhere")
	localstack.WithoutInstallations(func() {
		dir := durableDir(t)
		if _, err := localstack.Start(t.Context(), localstack.Options{Dir: dir, Redis: true}); err == nil {
			t.Errorf("the stand-in is used unasked")
		}
		s := start(t, localstack.Options{Dir: dir, Redis: true, Durable: true, AllowMiniredis: true})
		_, err := redisDo(s.RedisURL(), "SET otp 123456 PX 300")
		must(t, err)
		wait.Eventually(t, "the key expires", func() bool {
			got, err := redisDo(s.RedisURL(), "EXISTS otp")
			return err == nil && got == ":0"
		})
	})
}

func TestDataOfAPostgresThatIsNotInstalledIsNotTouched(t *testing.T) {
	t.Parallel()
	dir := durableDir(t)
	must(t, os.MkdirAll(dir+"/postgres-main/data", 0o755))
	must(t, os.WriteFile(dir+"/postgres-main/data/PG_VERSION", []byte("99\n"), 0o644))
	_, err := localstack.Start(t.Context(), everything(dir))
	if err == nil || !strings.Contains(err.Error(), "was made by Postgres 99") {
		t.Errorf("got %v", err)
	}
}
