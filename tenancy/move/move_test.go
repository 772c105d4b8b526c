package move_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/migrations"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/tenancy/move"
	"homeroom/testkit/clusters"
)

// withLedger are a school's first tables, and two that it has fewer rights to.
var withLedger = clusters.AndThen(clusters.FewTables, `create table ledger_account (id uuid primary key, code text, name text);
	revoke update on ledger_account from :school_role;
	grant update (name, code) on ledger_account to :school_role;
	create table ledger_entry (id uuid primary key);
	revoke update, delete, truncate on ledger_entry from :school_role;`)

// twoNodes is a cluster with a second node on the other server. Moving takes more
// rights than serving: on Postgres 15, a superuser's.
func twoNodes(t *testing.T, ms []migrations.Migration) (tenancy.Options, *tenancy.Cluster) {
	t.Helper()
	o := clusters.Options(t)
	o.Migrations = ms
	o.PlatformURL, o.PlatformConns, o.AdminConns = clusters.NewDatabaseOf(t, "main", "createrole replication"), 8, 8
	c := clusters.Ready(t, o)
	if err := lifecycle.AddNode(t.Context(), c, "north", clusters.NewDatabaseOf(t, "north", "superuser"), ""); err != nil {
		t.Fatal(err)
	}
	return o, c
}

// movable is a school on node main with some rows, some of them posted to the ledger.
func movable(t *testing.T, c *tenancy.Cluster, code string) *tenancy.School {
	t.Helper()
	n := clusters.Ask(code)
	n.Node = "main"
	s := clusters.NewSchool(t, c, n)
	db := clusters.Bound(t, c, s, tenancy.ReadWrite)
	if err := db.Exec(`insert into class (id, name) select gen_random_uuid(), 'Class ' || i from generate_series(1, 500) i`).Error; err != nil {
		t.Fatal(err)
	}
	return s
}

// request asks for the move of a school to north.
func requestMove(t *testing.T, m *move.Mover, s *tenancy.School, target string) {
	t.Helper()
	if _, err := m.Request(t.Context(), s.ID, target); err != nil {
		t.Fatal(err)
	}
}

// mustLiveOn checks that the school is on the node alone, whole, open and writable.
func mustLiveOn(t *testing.T, c *tenancy.Cluster, s *tenancy.School, name string, classes int) {
	t.Helper()
	now := clusters.Find(t, c, s.ID)
	if now.Node != name || now.Held {
		t.Fatalf("the school is on %s, held: %t", now.Node, now.Held)
	}
	var n int64
	if err := clusters.Bound(t, c, now, tenancy.ReadOnly).Table("class").Count(&n).Error; err != nil || n != int64(classes) {
		t.Errorf("it has %d classes, want %d: %v", n, classes, err)
	}
	db := clusters.Bound(t, c, now, tenancy.ReadWrite)
	err := db.Transaction(func(tx *gorm.DB) error {
		if err := tx.Exec(clusters.AddClass, "written after").Error; err != nil {
			return err
		}
		if err := tx.Exec(`delete from class where name = 'written after'`).Error; err != nil {
			return err
		}
		return tx.Exec(`update ledger_account set name = name`).Error // a right to two columns only
	})
	if err != nil {
		t.Errorf("it cannot be written to: %v", err)
	}
	// What it never had a right to, it has none to now.
	if err := db.Exec(`delete from ledger_entry`).Error; clusters.Code(err) != "42501" {
		t.Errorf("the ledger can be changed: %v", err)
	}
}

// mustBeClean checks that a move has left nothing on the servers but the copies named.
func mustBeClean(t *testing.T, c *tenancy.Cluster, s *tenancy.School, copies ...string) {
	t.Helper()
	for _, name := range []string{"main", "north"} {
		admin := clusters.Node(t, c, name).Admin()
		for what, sql := range map[string]string{
			"publications": `select count(*) from pg_publication`,
			"subscriptions": `select count(*) from pg_subscription where subdbid = (select oid from pg_database
				where datname = current_database())`,
			"slots": `select count(*) from pg_replication_slots where database = current_database()`,
		} {
			if n := clusters.One[int](t, admin, sql); n != 0 {
				t.Errorf("node %s has %d %s left", name, n, what)
			}
		}
		wanted := 0
		for _, c := range copies {
			if c == name {
				wanted = 1
			}
		}
		if n := clusters.One[int](t, admin, `select count(*) from pg_namespace where nspname = $1`, s.Schema); n != wanted {
			t.Errorf("node %s has %d copies of the school, want %d", name, n, wanted)
		}
	}
}

func TestASchoolMovesWhileItIsWrittenTo(t *testing.T) {
	t.Parallel()
	o, c := twoNodes(t, migrations.School())
	s, other := movable(t, c, "one"), movable(t, c, "two")
	stale := clusters.Open(t, o) // an instance that hears nothing and remembers the school as it was
	var stop atomic.Bool
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop.Store(true)
	var written, waited atomic.Int64
	pace := time.NewTicker(10 * time.Millisecond) // people are not as fast as a loop
	defer pace.Stop()
	for _, instance := range []*tenancy.Cluster{c, c, stale, stale} {
		wg.Go(func() {
			for !stop.Load() {
				<-pace.C
				name := fmt.Sprint("new ", uuid.NewString())
				db, err := instance.School(context.Background(), s, tenancy.ReadWrite) // s is as old as it gets
				if err == nil {
					err = db.Transaction(func(tx *gorm.DB) error {
						if err := tx.Exec(clusters.AddClass, name).Error; err != nil {
							return err
						}
						return tx.Exec(`update class set name = name || '!' where name = ?`, name).Error
					})
				}
				switch {
				case err == nil:
					written.Add(1)
				case errors.Is(err, tenancy.ErrMoving):
					waited.Add(1)
				default:
					t.Errorf("a write: %v", err)
				}
				if db, err = instance.School(context.Background(), s, tenancy.ReadOnly); err == nil {
					var n int64
					err = db.Table("class").Count(&n).Error
				}
				if err != nil && !errors.Is(err, tenancy.ErrMoving) {
					t.Errorf("a read: %v", err)
				}
			}
		})
	}
	m := move.NewMover(c)
	begun := time.Now()
	m.Stepped = func(_ uuid.UUID, step string, done bool) {
		t.Logf("%v %s %t", time.Since(begun).Round(time.Millisecond), step, done)
	}
	requestMove(t, m, s, "north")
	if _, err := m.Request(t.Context(), s.ID, "north"); !errors.Is(err, move.ErrOpen) {
		t.Errorf("a second move at once: %v", err)
	}
	err := m.Run(t.Context(), s.ID)
	stop.Store(true)
	wg.Wait()
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Progress(t.Context(), s.ID)
	if err != nil || p.State != move.Moved || !p.Clean {
		t.Fatalf("the move is %+v: %v", p, err)
	}
	t.Logf("%d writes, %d refused to be tried again, held for %v, %d rows", written.Load(), waited.Load(), p.Held, p.Rows)
	mustLiveOn(t, c, s, "north", 500+int(written.Load()))
	mustLiveOn(t, stale, s, "north", 500+int(written.Load()))
	mustLiveOn(t, c, other, "main", 500)
	mustBeClean(t, c, s, "main", "north") // the old copy is kept

	// The old home says no by itself, to reads and writes, whoever asks.
	old := clusters.SignIn(t, o.PlatformURL, clusters.Node(t, c, "main").Logins()[s.Shard])
	clusters.Exec(t, old, `set role `+tenancy.Ident(s.Schema))
	for _, sql := range []string{`select from %s.class`, `insert into %s.class (id, name) values (gen_random_uuid(), 'x')`} {
		if _, err := old.Exec(t.Context(), fmt.Sprintf(sql, tenancy.Ident(s.Schema))); clusters.Code(err) != "42501" {
			t.Errorf("the old home: %v, want permission denied", err)
		}
	}
	if _, err := m.Request(t.Context(), s.ID, "main"); !errors.Is(err, move.ErrOpen) {
		t.Errorf("a move back before the first is confirmed: %v", err)
	}
	if err := m.Confirm(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	mustBeClean(t, c, s, "north")
	if err := m.Confirm(t.Context(), s.ID); !errors.Is(err, move.ErrNoMove) {
		t.Errorf("confirmed twice: %v", err)
	}
	if err := clusters.TryRead(t, stale, s); err != nil { // its old home is not even there any more
		t.Errorf("an old memory: %v", err)
	}
}
