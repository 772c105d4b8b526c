package tenancy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/google/uuid"

	"homeroom/migrations"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/tenancy/move"
)

// Some tests need an instance to kill: this test binary, started once more.

const childEnv = "HOMEROOM_TENANCY_CHILD"

// child is what the instance shall do until it is killed.
type child struct {
	PlatformURL string
	Secret      []byte
	Migrations  []migrations.Migration

	School uuid.UUID
	KillAt string // "reserve begun", "reserve done", "roles inside" …
	Jobs   bool   // take the school from the queue
	Move   bool   // go on with the school's move
}

func beChild(role string) {
	var c child
	err := json.Unmarshal([]byte(role), &c)
	if err == nil {
		err = c.work(context.Background())
	}
	fmt.Fprintln(os.Stderr, "the child was not killed:", err)
	os.Exit(3)
}

func (c child) work(ctx context.Context) error {
	cluster, err := tenancy.Open(ctx, tenancy.Options{
		PlatformURL: c.PlatformURL, Secret: c.Secret, Migrations: c.Migrations,
		RolePerSchool: true, Shards: 2, ShardConns: 2, AdminConns: 2, PlatformConns: 8,
	})
	if err != nil {
		return err
	}
	if c.Move {
		m := move.NewMover(cluster)
		m.Stepped = func(_ uuid.UUID, step string, done bool) {
			if done {
				c.at(step + " done")
			} else {
				c.at(step + " begun")
			}
		}
		return m.Run(ctx, c.School)
	}
	p := provisioner(cluster, func(step string) { c.at(step + " inside") })
	p.Stepped = func(_ uuid.UUID, step string, done bool) {
		if done {
			c.at(step + " done")
		} else {
			c.at(step + " begun")
		}
	}
	if !c.Jobs {
		return p.Run(ctx, c.School)
	}
	jobs, err := lifecycle.NewJobs(cluster, lifecycle.JobsOptions{Provisioner: p, Migrator: lifecycle.NewMigrator(cluster)})
	if err != nil {
		return err
	}
	if err := jobs.Start(ctx); err != nil {
		return err
	}
	select {}
}

func (c child) at(point string) {
	if point == c.KillAt {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

// start starts the child on the databases of o; the caller waits for it.
func (c child) start(t *testing.T, o tenancy.Options) *exec.Cmd {
	t.Helper()
	c.PlatformURL, c.Secret, c.Migrations = o.PlatformURL, o.Secret, o.Migrations
	role, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(role))
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// die runs the child to its death.
func (c child) die(t *testing.T, o tenancy.Options) {
	t.Helper()
	mustBeKilled(t, c.start(t, o))
}

func mustBeKilled(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !exit.Sys().(syscall.WaitStatus).Signaled() {
		t.Fatalf("the child ended with %v instead of being killed", err)
	}
}

// provisioner has two steps like the real ones: rights, and the first administrator.
func provisioner(c *tenancy.Cluster, inside func(step string)) *lifecycle.Provisioner {
	write := func(name, sql string) lifecycle.Step {
		return lifecycle.Step{Name: name, Run: func(ctx context.Context, s *tenancy.School, admin json.RawMessage) error {
			db, err := c.School(ctx, s, tenancy.ReadWrite)
			if err != nil {
				return err
			}
			var asked struct{ Name string }
			if err := json.Unmarshal(admin, &asked); err != nil {
				return err
			}
			if err := db.Exec(sql, asked.Name).Error; err != nil {
				return err
			}
			inside(name)
			return nil
		}}
	}
	return lifecycle.NewProvisioner(c,
		write("roles", `insert into role (id, name, type, system) values (gen_random_uuid(), 'Admin ' || left(?, 0), 'SCHOOL_ADMIN', true) on conflict do nothing`),
		write("admin", `insert into app_user (id, role_id, email) select gen_random_uuid(), id, ? from role on conflict do nothing`),
	)
}
