package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"homeroom/cmd/service"
	"homeroom/migrations"
	"homeroom/tenancy/lifecycle"
)

const (
	provisionDatabase = "bench_provision"
	// Our share of psql's pace without a spare, and of its time with one.
	provisionTarget = 0.6
	spareTarget     = 0.1
)

// making is how long a school takes to make.
type making struct{ ours, spare, psql time.Duration }

// measureProvisioning makes schools from the request to the first sign-in, with and
// without spares, and has psql run the SQL of such a school in one transaction.
func measureProvisioning(ctx context.Context, b *bench) error {
	var rounds []making
	for i := range b.rounds {
		m, err := provisionRound(ctx, b, i)
		if err != nil {
			return err
		}
		say("provisioning, round %d: ours %v, with a spare %v, psql %v", i+1, m.ours, m.spare, m.psql)
		rounds = append(rounds, m)
	}
	took := func(f func(making) time.Duration) string { return millis(medianOf(rounds, f)) }
	psql := took(func(m making) time.Duration { return m.psql })
	b.report.add(line{
		what: fmt.Sprintf("making a school of %d tables: psql, the same SQL in one transaction", tables),
		ours: took(func(m making) time.Duration { return m.ours }), limit: psql,
		ratio: medianOf(rounds, func(m making) float64 { return m.psql.Seconds() / m.ours.Seconds() }), target: atLeast(provisionTarget),
	})
	b.report.add(line{
		what: "the same with a spare: psql (ours / limit)",
		ours: took(func(m making) time.Duration { return m.spare }), limit: psql,
		ratio: medianOf(rounds, func(m making) float64 { return m.spare.Seconds() / m.psql.Seconds() }), target: atMost(spareTarget),
	})
	return b.dropDatabase(ctx, provisionDatabase)
}

// provisionRound makes a few schools in each of the three ways, in a new database.
func provisionRound(ctx context.Context, b *bench, number int) (m making, err error) {
	each := 8
	if b.quick {
		each = 3
	}
	if err := b.dropDatabase(ctx, provisionDatabase); err != nil {
		return m, err
	}
	url, err := b.database(ctx, provisionDatabase)
	if err != nil {
		return m, err
	}
	c, err := configuration(url, b.redis)
	if err != nil {
		return m, err
	}
	// One pool, so that its connection is open already, as psql's is.
	c.Spares, c.Shards = each, 1
	ms := schoolMigrations(0)
	s, err := open(ctx, c, ms)
	if err != nil {
		return m, err
	}
	defer s.Close()
	if _, err := provision(ctx, s, "first", 1); err != nil { // opens connections and reads catalogs
		return m, err
	}
	if m.psql, err = runPsql(ctx, url, ms, fmt.Sprint(number), each); err != nil {
		return m, err
	}
	if m.ours, err = provision(ctx, s, "plain", each); err != nil {
		return m, err
	}
	if _, err := lifecycle.KeepSpares(ctx, s.Cluster); err != nil {
		return m, err
	}
	m.spare, err = provision(ctx, s, "spare", each)
	return m, err
}

// provision makes n schools, one after the other, each with its administrator (but
// without hashing a password, which takes long on purpose), and returns the time of one.
func provision(ctx context.Context, s *service.Service, name string, n int) (time.Duration, error) {
	began := time.Now()
	for i := range n {
		admin, err := s.Auth.SealAdmin(ctx, "Asha", "Rao", fmt.Sprintf("%s-%d@bench.local", name, i), "", "")
		if err != nil {
			return 0, err
		}
		school, err := s.Provisioner.Request(ctx, lifecycle.NewSchool{
			Code: fmt.Sprintf("%s-%d", name, i), Name: "A school", TimeZone: "Asia/Kolkata", Locale: "en-IN", Currency: "INR", Admin: admin,
		})
		if err != nil {
			return 0, err
		}
		if err := s.Provisioner.Run(ctx, school.ID); err != nil {
			return 0, err
		}
	}
	return time.Since(began) / time.Duration(n), nil
}

// runPsql has one psql make n schools, each in one transaction, and returns the time
// of one; its own start is spread over them.
func runPsql(ctx context.Context, url string, ms []migrations.Migration, name string, n int) (time.Duration, error) {
	var sql strings.Builder
	for i := range n {
		role := fmt.Sprintf(`"bench_psql_%s_%d"`, name, i)
		fmt.Fprintf(&sql,
			"drop role if exists %[1]s;\nbegin;\ncreate role %[1]s nologin;\ncreate schema %[1]s;\nset local search_path = %[1]s;\n"+
				"grant usage on schema %[1]s to %[1]s;\nalter default privileges in schema %[1]s grant select, insert, update, delete on tables "+
				"to %[1]s;\n", role)
		for _, m := range ms {
			sql.WriteString(strings.ReplaceAll(m.SQL, ":school_role", role) + ";\n")
		}
		sql.WriteString("commit;\n")
	}
	file, err := os.CreateTemp("", "bench-*.sql")
	if err != nil {
		return 0, err
	}
	defer os.Remove(file.Name())
	if _, err := file.WriteString(sql.String()); err != nil {
		return 0, err
	}
	if err := file.Close(); err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, program("psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", file.Name(), url)
	cmd.Env = append(os.Environ(), "PGOPTIONS=-c client_min_messages=warning")
	began := time.Now()
	said, err := cmd.CombinedOutput()
	took := time.Since(began) / time.Duration(n)
	if err != nil {
		return 0, fmt.Errorf("psql: %w\n%s", err, said)
	}
	return took, nil
}
