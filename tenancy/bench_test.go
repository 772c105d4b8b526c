package tenancy_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/migrations"
	"homeroom/tenancy"
)

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
	o := options(t)
	if u := os.Getenv("TENPERF"); u != "1" {
		o.PlatformURL = u
	}
	o.Migrations = big()
	c := ready(t, o)
	sql := ""
	for _, m := range o.Migrations {
		sql += m.SQL + ";\n"
	}
	os.WriteFile("/tmp/school.sql", []byte(sql), 0o644)
	const n = 25
	o.Spares = n
	c2 := ready(t, o)
	if _, err := c2.KeepSpares(t.Context()); err != nil {
		t.Fatal(err)
	}
	p, q := provisioner(c, quiet), provisioner(c2, quiet)
	c.PlatformPool().Exec(t.Context(), `update platform.spare_schema set ready = false`)
	var bare, made, spare []time.Duration
	for i := range n {
		begun := time.Now()
		schema := fmt.Sprintf("school_%032x", i)
		out, err := exec.Command("psql", "-q", "-v", "ON_ERROR_STOP=1", o.PlatformURL, "-1", "-c", "create schema "+schema+"; set search_path="+schema, "-f", "/tmp/school.sql").CombinedOutput()
		if err != nil {
			t.Fatal(err, string(out))
		}
		bare = append(bare, time.Since(begun))
		begun = time.Now()
		s := request(t, p, fmt.Sprintf("m%d", i))
		if err := p.Run(t.Context(), s.ID); err != nil {
			t.Fatal(err)
		}
		made = append(made, time.Since(begun))
		c.PlatformPool().Exec(t.Context(), `update platform.spare_schema set ready = true where schema_name = (select schema_name from platform.spare_schema limit 1)`)
		begun = time.Now()
		s = request(t, q, fmt.Sprintf("s%d", i))
		if err := q.Run(t.Context(), s.ID); err != nil {
			t.Fatal(err)
		}
		spare = append(spare, time.Since(begun))
	}
	mid := func(d []time.Duration) time.Duration { slices.Sort(d); return d[len(d)/2] }
	lo := func(d []time.Duration) time.Duration { return d[0] }
	b, m, s := mid(bare), mid(made), mid(spare)
	fmt.Printf("median: psql %v, provisioned %v (%.2f), with a spare %v (%.3f of psql)\n", b, m, float64(b)/float64(m), s, float64(s)/float64(b))
	fmt.Printf("best: psql %v, provisioned %v, with a spare %v\n", lo(bare), lo(made), lo(spare))
}

func TestPrintMigratorSpeed(t *testing.T) {
	o := options(t)
	if u := os.Getenv("TENPERF"); u != "1" {
		o.PlatformURL = u
	}
	o.Shards = 16
	o.Migrations = append(pupils[:1:1], migrations.Migration{Version: 2, Name: "0002_s", SQL: studentTable})
	c, schools := fleet(t, &o, 1000)
	ms := o.Migrations
	var ratios []float64
	cpu := func() (float64, float64) {
		out, _ := exec.Command("bash", "-c", `for p in $(pgrep -u postgres -x postgres); do cat /proc/$p/stat 2>/dev/null; done | awk '{u+=$14+$15+$16+$17} END {print u}'`).Output()
		var pg float64
		fmt.Sscan(string(out), &pg)
		self, _ := os.ReadFile("/proc/self/stat")
		f := strings.Fields(string(self))
		var u, v float64
		fmt.Sscan(f[13], &u)
		fmt.Sscan(f[14], &v)
		return pg, u + v
	}
	for round := range 9 {
		var wg sync.WaitGroup
		pg0, me0 := cpu()
		begun := time.Now()
		for w := range 4 {
			wg.Go(func() {
				conn := connect(t, o.PlatformURL)
				defer conn.Close(t.Context())
				for i := w; i < len(schools); i += 4 {
					if _, err := conn.PgConn().Exec(t.Context(), fmt.Sprintf(`alter table %s.bench_student add column bare_%d text`, tenancy.Ident(schools[i].Schema), round)).ReadAll(); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		bare := time.Since(begun)
		pg1, me1 := cpu()
		ms = andThen(ms, fmt.Sprintf(`alter table bench_student add column ours_%d text`, round))
		m := c.Migrator()
		m.Migrations = ms
		begun = time.Now()
		report, err := m.Run(t.Context())
		if err != nil || report.Failed > 0 {
			t.Fatal(report, err)
		}
		ours := time.Since(begun)
		pg2, me2 := cpu()
		fmt.Printf("cpu ticks: bare pg %v go %v; ours pg %v go %v; ", pg1-pg0, me1-me0, pg2-pg1, me2-me1)
		ratios = append(ratios, bare.Seconds()/ours.Seconds())
		fmt.Printf("1000 schools: bare %v (%.0f/s), migrator %v (%.0f/s), ratio %.2f\n", bare, 1000/bare.Seconds(), ours, 1000/ours.Seconds(), bare.Seconds()/ours.Seconds())
	}
	slices.Sort(ratios)
	fmt.Printf("median ratio %.2f\n", ratios[len(ratios)/2])
}

const studentTable = `
CREATE TABLE bench_student (
    id            uuid PRIMARY KEY,
    admission_no  text NOT NULL UNIQUE,
    roll_no       int NOT NULL,
    first_name    text NOT NULL,
    middle_name   text NOT NULL DEFAULT '',
    last_name     text NOT NULL,
    gender        text NOT NULL CHECK (gender IN ('FEMALE', 'MALE', 'OTHER')),
    birth_date    date NOT NULL,
    blood_group   text NOT NULL DEFAULT '',
    nationality   text NOT NULL DEFAULT '',
    mother_tongue text NOT NULL DEFAULT '',
    address       text NOT NULL DEFAULT '',
    city          text NOT NULL DEFAULT '',
    postal_code   text NOT NULL DEFAULT '',
    phone         text NOT NULL DEFAULT '',
    email         text NOT NULL DEFAULT '',
    class_id      uuid NOT NULL,
    admitted_on   date NOT NULL,
    photo_file_id uuid,
    status        text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'LEFT')),
    version       int NOT NULL DEFAULT 1,
    created_by    uuid,
    updated_by    uuid,
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX bench_student_name_idx ON bench_student (last_name, id);
CREATE INDEX bench_student_class_idx ON bench_student (class_id);
`
