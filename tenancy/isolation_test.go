package tenancy_test

import (
	"context"
	"errors"
	"testing"

	"gorm.io/gorm"

	"homeroom/migrations"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

func bound(t *testing.T, c *tenancy.Cluster, s *tenancy.School, mode tenancy.Mode) *gorm.DB {
	t.Helper()
	db, err := c.School(t.Context(), s, mode)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

const addClass = `insert into class (id, name) values (gen_random_uuid(), ?)`

func TestAStatementBoundToNoSchoolIsRefused(t *testing.T) {
	t.Parallel()
	o := options(t)
	c := ready(t, o)
	s := newSchool(t, c, ask("one"))
	db := bound(t, c, s, tenancy.ReadWrite).WithContext(context.Background())
	for what, err := range map[string]error{
		"a read":        db.Raw(`select name from class`).Scan(new([]string)).Error,
		"a write":       db.Exec(addClass, "x").Error,
		"a transaction": db.Transaction(func(*gorm.DB) error { return nil }),
		"several":       tenancy.Pipeline(db, tenancy.Query{SQL: `select name from class`}),
	} {
		if !errors.Is(err, tenancy.ErrNoSchool) {
			t.Errorf("%s: %v", what, err)
		}
	}
	// And were the driver to forget the school, Postgres would still refuse: the login's
	// own search_path leads to the template, which it may not read.
	login := signIn(t, o.PlatformURL, node(t, c, "main").Logins()[s.Shard])
	if _, err := login.Exec(t.Context(), `select name from class`); code(err) != "42501" {
		t.Errorf("an unbound query: %v, want permission denied by Postgres", err)
	}
}

func TestAReadBindingThatWritesIsRefusedByPostgres(t *testing.T) {
	t.Parallel()
	c := ready(t, options(t))
	s := newSchool(t, c, ask("one"))
	db := bound(t, c, s, tenancy.ReadOnly)
	for what, err := range map[string]error{
		"a statement":      db.Exec(addClass, "x").Error,
		"several":          tenancy.Pipeline(db, tenancy.Query{SQL: `select 1`}, tenancy.Query{SQL: `delete from class`}),
		"in a transaction": db.Transaction(func(tx *gorm.DB) error { return tx.Exec(addClass, "x").Error }),
		"after switching":  db.Transaction(func(tx *gorm.DB) error { return tx.Exec(`set transaction read write`).Error }),
	} {
		if c := code(err); c != "25006" && c != "25001" {
			t.Errorf("%s: %v, want read-only transaction", what, err)
		}
	}
	if err := bound(t, c, s, tenancy.ReadWrite).Exec(addClass, "x").Error; err != nil {
		t.Errorf("a write binding: %v", err)
	}
}

func TestASchoolsRoleHasNoRightOnAnotherSchool(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Shards = 1 // the worst case: the same login serves both
	c := ready(t, o)
	a, b := newSchool(t, c, ask("a")), newSchool(t, c, ask("b"))
	db := bound(t, c, a, tenancy.ReadWrite)
	for _, table := range []string{"role", "class", "app_user", "outbox"} {
		for _, sql := range []string{
			`select from ` + tenancy.Ident(b.Schema) + `.` + table,
			`delete from ` + tenancy.Ident(b.Schema) + `.` + table,
		} {
			if err := db.Exec(sql).Error; code(err) != "42501" {
				t.Errorf("%s as the other school: %v, want permission denied", sql, err)
			}
		}
	}
	for _, sql := range []string{
		`select from platform.school`,
		`select from school_template.role`,
		`comment on schema ` + tenancy.Ident(a.Schema) + ` is 'homeroom version 0'`,
		`create table mine ()`,
	} {
		if err := db.Exec(sql).Error; code(err) != "42501" {
			t.Errorf("%s as a school: %v, want permission denied", sql, err)
		}
	}
	rights := one[int](t, node(t, c, "main").Admin(), `select count(*) from pg_class join pg_namespace n on n.oid = relnamespace
		where nspname = $1 and has_table_privilege($2, pg_class.oid, 'select, insert, update, delete, truncate, references, trigger')`, b.Schema, a.Role())
	if rights != 0 {
		t.Errorf("the role has rights on %d tables of the other school", rights)
	}
}

func TestAStatementOfAnotherSchoolInATransactionIsRefused(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Shards = 1
	c := ready(t, o)
	a, b := newSchool(t, c, ask("a")), newSchool(t, c, ask("b"))
	err := bound(t, c, a, tenancy.ReadWrite).Transaction(func(tx *gorm.DB) error {
		if err := tx.Exec(addClass, "x").Error; err != nil {
			return err
		}
		return tx.WithContext(bound(t, c, b, tenancy.ReadWrite).Statement.Context).Exec(addClass, "y").Error
	})
	if !errors.Is(err, tenancy.ErrOtherSchool) {
		t.Errorf("%v, want ErrOtherSchool", err)
	}
}

func TestAMigrationCanTakeRightsBack(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Migrations = []migrations.Migration{
		{Version: 1, Name: "0001_book", SQL: `create table book (id int primary key, line text); -- no semicolon follows`},
	}
	c := ready(t, o)
	early := newSchool(t, c, ask("early"))
	o.Migrations = append(o.Migrations, migrations.Migration{Version: 2, Name: "0002_journal", SQL: `
		create table journal (id int primary key, line text);
		revoke update, delete on journal, book from :school_role;`})
	c = ready(t, o)
	late := newSchool(t, c, ask("late"))
	if err := lifecycle.NewMigrator(c).EnsureSchool(t.Context(), early); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*tenancy.School{early, late} {
		db := bound(t, c, s, tenancy.ReadWrite)
		for _, table := range []string{"book", "journal"} {
			if err := db.Exec(`insert into ` + table + ` values (1, 'x')`).Error; err != nil {
				t.Errorf("school %s, adding to %s: %v", s.Code, table, err)
			}
			if err := db.Exec(`update ` + table + ` set line = 'y'`).Error; code(err) != "42501" {
				t.Errorf("school %s, changing %s: %v, want permission denied", s.Code, table, err)
			}
			if err := db.Exec(`delete from ` + table).Error; code(err) != "42501" {
				t.Errorf("school %s, deleting from %s: %v, want permission denied", s.Code, table, err)
			}
		}
	}
}

func TestSchoolsLiveOnAnotherServerThanThePlatform(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.MainURL = newDatabase(t, "north")
	c := ready(t, o)
	s := newSchool(t, c, ask("far"))
	if err := bound(t, c, s, tenancy.ReadWrite).Exec(addClass, "x").Error; err != nil {
		t.Fatal(err)
	}
	const schemas = `select count(*) from pg_namespace where nspname like 'school%'`
	if got := one[int](t, c.PlatformPool(), schemas); got != 0 {
		t.Errorf("%d school schemas are on the platform's server", got)
	}
	if got := one[int](t, node(t, c, "main").Admin(), schemas); got != 2 {
		t.Errorf("%d school schemas are on the node, want the template and one", got)
	}
}

func TestNewSchoolsGoToTheLeastLoadedNode(t *testing.T) {
	t.Parallel()
	c := ready(t, options(t))
	north := newDatabase(t, "north")
	if err := lifecycle.AddNode(t.Context(), c, "north", north, ""); err != nil {
		t.Fatal(err)
	}
	if err := lifecycle.AddNode(t.Context(), c, "north", north, ""); err != nil {
		t.Errorf("adding it again: %v", err)
	}
	if err := lifecycle.AddNode(t.Context(), c, "north", newDatabase(t, "main"), ""); !errors.Is(err, lifecycle.ErrNodeExists) {
		t.Errorf("adding another server under its name: %v", err)
	}
	on := map[string]int{}
	for _, code := range []string{"a", "b", "c", "d"} {
		s := newSchool(t, c, ask(code))
		on[s.Node]++
		if err := count(t, c, s); err != nil {
			t.Error(err)
		}
	}
	if on["main"] != 2 || on["north"] != 2 {
		t.Errorf("schools per node: %v", on)
	}
	n := ask("e")
	n.Node = "north"
	if s := newSchool(t, c, n); s.Node != "north" {
		t.Errorf("asked for north, got %s", s.Node)
	}
	n = ask("f")
	n.Node = "nowhere"
	if _, err := lifecycle.NewProvisioner(c).Request(t.Context(), n); !errors.Is(err, lifecycle.ErrNoNode) {
		t.Errorf("asked for a node that is not there: %v", err)
	}
}
