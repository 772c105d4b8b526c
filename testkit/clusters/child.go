package clusters

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/google/uuid"

	"homeroom/migrations"
	"homeroom/tenancy"
)

const childEnv = "HOMEROOM_TENANCY_CHILD"

// Child is an instance to kill: the test binary, started once more, and what it shall do until then.
type Child struct {
	PlatformURL string
	Secret      []byte
	Migrations  []migrations.Migration

	School uuid.UUID
	KillAt string // "reserve begun", "reserve done", "roles inside" …
	Jobs   bool   // take the school from the queue
}

// Main runs a package's tests, or work if this process is a child.
func Main(m *testing.M, work func(ctx context.Context, c Child, cluster *tenancy.Cluster) error) {
	if os.Getenv(childEnv) != "" {
		fmt.Fprintln(os.Stderr, "the child was not killed:", beChild(context.Background(), os.Stdin, work))
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// beChild reads what it shall do from role: all migrations are more than an environment may hold.
func beChild(ctx context.Context, role io.Reader, work func(context.Context, Child, *tenancy.Cluster) error) error {
	var c Child
	if err := json.NewDecoder(role).Decode(&c); err != nil {
		return err
	}
	cluster, err := tenancy.Open(ctx, tenancy.Options{
		PlatformURL: c.PlatformURL, Secret: c.Secret, Migrations: c.Migrations,
		RolePerSchool: true, Shards: 2, ShardConns: 2, AdminConns: 2, PlatformConns: 8,
	})
	if err != nil {
		return err
	}
	return work(ctx, c, cluster)
}

// At kills the child if this is the point.
func (c Child) At(point string) {
	if point == c.KillAt {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

// Stepped is At for the steps of a provisioner or a mover.
func (c Child) Stepped(_ uuid.UUID, step string, done bool) {
	if done {
		c.At(step + " done")
	} else {
		c.At(step + " begun")
	}
}

// Start starts the child on the databases of o; the caller waits for it.
func (c Child) Start(t *testing.T, o tenancy.Options) *exec.Cmd {
	t.Helper()
	c.PlatformURL, c.Secret, c.Migrations = o.PlatformURL, o.Secret, o.Migrations
	role, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env, cmd.Stdin = append(os.Environ(), childEnv+"=1"), bytes.NewReader(role)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// Die runs the child to its death.
func (c Child) Die(t *testing.T, o tenancy.Options) {
	t.Helper()
	MustBeKilled(t, c.Start(t, o))
}

// MustBeKilled waits for a child and fails unless it was killed.
func MustBeKilled(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !exit.Sys().(syscall.WaitStatus).Signaled() {
		t.Fatalf("the child ended with %v instead of being killed", err)
	}
}
