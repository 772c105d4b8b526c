package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"homeroom/tenancy/lifecycle"
)

// capacity is what a node and an instance cost at a number of schools. What was not measured is empty.
type capacity struct {
	schools                   int
	making                    time.Duration // of one, four being made at a time
	makingCPU                 time.Duration // Postgres' part of it
	tables, indexes, files    int64
	database, catalog         int64
	migration, vacuum, crash  time.Duration
	backup, restore           time.Duration
	archive                   int64
	instance                  int64
	backends                  int
	largestBackend, ofBackend int64
	list, read                served
}

// served is calls a second of all schools in turn, by an instance and by pgbench.
type served struct{ ours, limit float64 }

// measureCapacity makes a node grow through the numbers of schools, and looks at all that grows with it: what docs/operations/capacity.md
// says of 1,000, 2,000 and 10,000. A crash, a base backup and its restore are measured on servers of our own that fsync
// (-durable). It takes hours, and is measured only when it is asked for.
func measureCapacity(ctx context.Context, b *bench) error {
	if b.only == nil {
		return nil
	}
	rows := slices.Clone(b.settings.schools)
	slices.Sort(rows)
	made := 0
	for _, n := range rows {
		c := capacity{schools: n}
		began, postgres := time.Now(), postgresTree(ctx, b.postgres)
		before := postgres.cpu()
		f, err := b.schools(ctx, n)
		if err != nil {
			return err
		}
		each := time.Duration(max(1, n-made))
		c.making, c.makingCPU = time.Since(began)/each, (postgres.cpu()-before)/each
		made = n
		if err := c.measure(ctx, b, f); err != nil {
			return fmt.Errorf("%s: %w", plural(n, "school"), err)
		}
		say("%+v", c)
		b.report.capacities = append(b.report.capacities, c)
	}
	return nil
}

func (c *capacity) measure(ctx context.Context, b *bench, f *fleet) error {
	if err := c.migrate(ctx, f); err != nil {
		return err
	}
	if err := reopen(ctx, b); err != nil {
		return err
	}
	if err := c.serve(ctx, b, b.fleet); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, b.fleet.url)
	if err != nil {
		return err
	}
	defer closeConn(conn)
	if err := c.sizes(ctx, conn); err != nil {
		return err
	}
	began := time.Now()
	if _, err := conn.Exec(ctx, `vacuum`); err != nil {
		return err
	}
	c.vacuum = time.Since(began)
	if b.stack == nil || !b.durable {
		return nil
	}
	if err := c.fail(ctx, b); err != nil {
		return err
	}
	if err := c.restoreBackup(ctx, b); err != nil {
		return err
	}
	return reopen(ctx, b)
}

// migrate gives every school a column more.
func (c *capacity) migrate(ctx context.Context, f *fleet) error {
	m := lifecycle.NewMigrator(f.service.Cluster)
	f.added++
	m.Migrations = schoolMigrations(f.added)
	began := time.Now()
	report, err := m.Run(ctx)
	if err == nil && report.Failed > 0 {
		err = fmt.Errorf("%d schools failed to migrate: %v", report.Failed, report.Failures)
	}
	c.migration = time.Since(began)
	return err
}

// serve has an instance answer every school twice, looks at its memory and that of its connections, and takes the pace of both.
func (c *capacity) serve(ctx context.Context, b *bench, f *fleet) error {
	tokens, err := f.signIn(ctx, upTo(c.schools)...)
	if err != nil {
		return err
	}
	server, err := startChild(ctx, "ours", f.childSettings(b.servers))
	if err != nil {
		return err
	}
	defer server.stop()
	for range 2 {
		for n := 1; n <= c.schools; n++ {
			if err := askOnce(ctx, "http://"+server.Address+"/school-admin/class/list", tokens[n]); err != nil {
				return fmt.Errorf("school %d: %w", n, err)
			}
		}
	}
	u, err := server.collected()
	if err != nil {
		return err
	}
	c.instance = u.RSS
	if err := c.connections(ctx, f.url); err != nil {
		return err
	}
	s := serving{bench: b, fleet: f, tokens: tokens, ours: server, postgres: postgresTree(ctx, f.url)}
	if c.list, err = s.served(ctx, list, c.schools); err != nil {
		return err
	}
	c.read, err = s.served(ctx, read, c.schools)
	return err
}

// served takes the middle of the rounds. Each connection of pgbench has a sixteenth of the schools, as ours have: with all of them its
// memory would not hold 10,000.
func (s *serving) served(ctx context.Context, k kind, schools int) (served, error) {
	s.kind = k
	var rounds []served
	for range s.rounds {
		limit, err := s.runPgbench(ctx, schools, true)
		if err != nil {
			return served{}, err
		}
		ours, err := s.runLoad(ctx, s.ours, s.loadOurs(1, schools), "")
		if err != nil {
			return served{}, err
		}
		say("%s, %d schools: ours %.0f/s, pgbench %.0f/s", k.name, schools, ours.perSecond, limit.perSecond)
		rounds = append(rounds, served{ours.perSecond, limit.perSecond})
	}
	middle := func(f func(served) float64) float64 { return medianOf(rounds, f) }
	return served{middle(func(p served) float64 { return p.ours }), middle(func(p served) float64 { return p.limit })}, nil
}

func askOnce(ctx context.Context, address, token string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", address, answer.Status)
	}
	return nil
}

// connections looks at the backends of the instance's logins: their own memory, without what all of them share.
func (c *capacity) connections(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer closeConn(conn)
	rows, err := conn.Query(ctx, `select pid from pg_stat_activity where datname = current_database() and usename like '%shard%'`)
	if err != nil {
		return err
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return err
	}
	var all int64
	for _, pid := range pids {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue // it has ended, or there is no /proc
		}
		var own int64
		_, found, _ := strings.Cut(string(text), "RssAnon:")
		if _, err := fmt.Sscan(found, &own); err != nil {
			return fmt.Errorf("the memory of backend %d: %w", pid, err)
		}
		own *= 1 << 10
		c.backends++
		all += own
		c.largestBackend = max(c.largestBackend, own)
	}
	c.ofBackend = all / int64(max(1, c.backends))
	return nil
}

func (c *capacity) sizes(ctx context.Context, conn *pgx.Conn) error {
	err := conn.QueryRow(ctx, `select count(*) filter (where relkind = 'r') / $1, count(*) filter (where relkind = 'i') / $1
		from pg_class where relnamespace::regnamespace::text like 'school\_0%'`, c.schools).Scan(&c.tables, &c.indexes)
	if err != nil {
		return err
	}
	return conn.QueryRow(ctx, `select pg_database_size(current_database()),
		(select sum(pg_total_relation_size(oid)) from pg_class
			where relnamespace = 'pg_catalog'::regnamespace and relkind = 'r' and not relisshared),
		(select count(*) from pg_ls_dir('base/' || d.oid)) from pg_database d where datname = current_database()`).Scan(
		&c.database, &c.catalog, &c.files)
}

// restoreBackup makes a base backup, and has the server start again on what was in it.
func (c *capacity) restoreBackup(ctx context.Context, b *bench) error {
	began := time.Now()
	size, err := b.stack.Archive("main")
	if err != nil {
		return err
	}
	c.backup, c.archive = time.Since(began), size
	began = time.Now()
	err = b.stack.Unpack(ctx, "main")
	c.restore = time.Since(began)
	return err
}

// fail kills the server, and takes the time until it answers again.
func (c *capacity) fail(ctx context.Context, b *bench) error {
	if err := b.stack.KillPostgres("main"); err != nil {
		return err
	}
	began := time.Now()
	if err := b.stack.RestartPostgres(ctx, "main"); err != nil {
		return err
	}
	c.crash = time.Since(began)
	return nil
}

// capacityTable has a column for each number of schools.
func capacityTable(b *strings.Builder, all []capacity) {
	head := []string{"at so many schools"}
	for _, c := range all {
		head = append(head, fmt.Sprint(c.schools))
	}
	rows := [][]string{head}
	add := func(what string, say func(capacity) string) {
		row := []string{what}
		for _, c := range all {
			row = append(row, say(c))
		}
		rows = append(rows, row)
	}
	seconds := func(d time.Duration) string {
		if d == 0 {
			return "not measured"
		}
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
	add("making one, four at a time", func(c capacity) string { return seconds(c.making) })
	add("Postgres' processor time of it", func(c capacity) string { return seconds(c.makingCPU) })
	add("tables and indexes of a school", func(c capacity) string { return fmt.Sprintf("%d, %d", c.tables, c.indexes) })
	add("files of the database", func(c capacity) string { return fmt.Sprint(c.files) })
	add("database", func(c capacity) string { return megabytes(c.database) })
	add("its catalog", func(c capacity) string { return megabytes(c.catalog) })
	add("migration of all: a column", func(c capacity) string { return seconds(c.migration) })
	add("memory of an instance that has met all", func(c capacity) string { return megabytes(c.instance) })
	add("its connections: mean and largest memory", func(c capacity) string {
		return fmt.Sprintf("%d: %s, %s", c.backends, megabytes(c.ofBackend), megabytes(c.largestBackend))
	})
	inPace := func(p served) string { return fmt.Sprintf("%.0f/s, %.0f/s: %.2f", p.ours, p.limit, p.ours/p.limit) }
	add("lists of 20, all schools in turn: ours, pgbench", func(c capacity) string { return inPace(c.list) })
	add("reads of one record: ours, pgbench", func(c capacity) string { return inPace(c.read) })
	add("vacuum of all tables, one after another", func(c capacity) string { return seconds(c.vacuum) })
	add("from kill -9 of the server to its first answer", func(c capacity) string { return seconds(c.crash) })
	add("a base backup, packed (gzip, level 1), and its size", func(c capacity) string {
		return seconds(c.backup) + ", " + megabytes(c.archive)
	})
	add("that backup unpacked in the server's place, and its first answer", func(c capacity) string { return seconds(c.restore) })
	b.WriteString("\n")
	writeTable(b, rows)
}
