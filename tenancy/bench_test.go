package tenancy_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/migrations"
	"homeroom/tenancy"
)

// big is a school of 50-odd tables, as the finished product has.
func big() []migrations.Migration {
	var sql strings.Builder
	for i := range 42 {
		fmt.Fprintf(&sql, `create table thing_%02[1]d (id uuid primary key, name text not null, class_id uuid references class (id), amount bigint not null default 0,
			version int not null default 1, created_at timestamptz not null default now(), updated_at timestamptz not null default now());
			create index thing_%02[1]d_name_idx on thing_%02[1]d (lower(name)); create index thing_%02[1]d_class_idx on thing_%02[1]d (class_id);`, i)
	}
	return andThen(migrations.School(), sql.String())
}

func TestPrintSpeeds(t *testing.T) {
	if os.Getenv("TENPERF") == "" {
		t.SkipNow()
	}
	o := options(t)
	if u := os.Getenv("TENPERF"); u != "1" {
		o.PlatformURL = u
	}
	o.Migrations = big()
	c := ready(t, o)
	// bare: the same SQL by itself.
	name := "school_%032x"
	var bare time.Duration
	sql := ""
	for _, m := range o.Migrations {
		sql += m.SQL + ";\n"
	}
	conn := connect(t, o.PlatformURL)
	const n = 15
	for i := range n {
		begun := time.Now()
		schema := fmt.Sprintf(name, i)
		if err := conn.PgConn().Exec(t.Context(), fmt.Sprintf("begin; create schema %s; set local search_path = %s; %s; commit", schema, schema, sql)).Close(); err != nil {
			t.Fatal(err)
		}
		bare += time.Since(begun)
	}
	p := provisioner(c, quiet)
	var made time.Duration
	for i := range n {
		begun := time.Now()
		s := request(t, p, fmt.Sprintf("m%d", i))
		if err := p.Run(t.Context(), s.ID); err != nil {
			t.Fatal(err)
		}
		made += time.Since(begun)
	}
	o.Spares = n
	c2 := ready(t, o)
	if _, err := c2.KeepSpares(t.Context()); err != nil {
		t.Fatal(err)
	}
	p = provisioner(c2, quiet)
	var spare time.Duration
	for i := range n {
		begun := time.Now()
		s := request(t, p, fmt.Sprintf("s%d", i))
		if err := p.Run(t.Context(), s.ID); err != nil {
			t.Fatal(err)
		}
		spare += time.Since(begun)
	}
	fmt.Printf("bare SQL %v, provisioned %v (%.2f), with a spare %v (%.3f)\n", bare/n, made/n, float64(bare)/float64(made), spare/n, float64(spare)/float64(bare))
}

func TestPrintMigratorSpeed(t *testing.T) {
	if os.Getenv("TENPERF") == "" {
		t.SkipNow()
	}
	o := options(t)
	if u := os.Getenv("TENPERF"); u != "1" {
		o.PlatformURL = u
	}
	o.Shards = 16
	c, schools := fleet(t, &o, 1000)
	ms := pupils
	for round := range 4 {
		var wg sync.WaitGroup
		begun := time.Now()
		for w := range 4 {
			wg.Go(func() {
				conn := connect(t, o.PlatformURL)
				for i := w; i < len(schools); i += 4 {
					if _, err := conn.PgConn().Exec(t.Context(), fmt.Sprintf(`alter table %s.pupil add column bare_%d text`, tenancy.Ident(schools[i].Schema), round)).ReadAll(); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		bare := time.Since(begun)
		ms = andThen(ms, fmt.Sprintf(`alter table pupil add column ours_%d text`, round))
		m := c.Migrator()
		m.Migrations = ms
		begun = time.Now()
		report, err := m.Run(t.Context())
		if err != nil || report.Failed > 0 {
			t.Fatal(report, err)
		}
		ours := time.Since(begun)
		fmt.Printf("1000 schools: bare %v (%.0f/s), migrator %v (%.0f/s), ratio %.2f\n", bare, 1000/bare.Seconds(), ours, 1000/ours.Seconds(), bare.Seconds()/ours.Seconds())
	}
}
