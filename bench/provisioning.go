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
	"homeroom/tenancy"
)

const (
	provisionDatabase = "bench_provision"
	// Our share of psql's pace without a spare, and of its time with one.
	provisionTarget = 0.6
	spareTarget     = 0.1
)

// measureProvisioning makes schools from the request to the first sign-in, with and
// without spares, and has psql run the SQL of such a school in one transaction.
func measureProvisioning(ctx context.Context, b *bench) error {
	each := 8
	if b.quick {
		each = 3
	}
	type result struct{ ours, spare, psql time.Duration }
	var results []result
	for i := range b.rounds {
		var r result
		var err error
		if r, err = func() (r result, err error) {
			if err = b.dropDatabase(ctx, provisionDatabase); err != nil {
				return r, err
			}
			url, err := b.database(ctx, provisionDatabase)
			if err != nil {
				return r, err
			}
			c, err := configuration(url, b.redis, each)
			if err != nil {
				return r, err
			}
			ms := schoolMigrations(0)
			s, err := open(ctx, c, ms)
			if err != nil {
				return r, err
			}
			defer s.Close()
			// One of each first: connections are opened and catalogs read.
			if _, err := provision(ctx, s, "warm", 1); err != nil {
				return r, err
			}
			if r.psql, err = runPsql(ctx, url, ms, fmt.Sprintf("%d", i), each); err != nil {
				return r, err
			}
			if r.ours, err = provision(ctx, s, "plain", each); err != nil {
				return r, err
			}
			if _, err := s.Cluster.KeepSpares(ctx); err != nil {
				return r, err
			}
			r.spare, err = provision(ctx, s, "spare", each)
			return r, err
		}(); err != nil {
			return err
		}
		say("provisioning, round %d: ours %v, with a spare %v, psql %v", i+1, r.ours, r.spare, r.psql)
		results = append(results, r)
	}
	took := func(f func(result) time.Duration) string { return millis(medianOf(results, f)) }
	psql := took(func(r result) time.Duration { return r.psql })
	b.report.add(line{
		what: fmt.Sprintf("making a school of %d tables: psql, the same SQL in one transaction", tables),
		ours: took(func(r result) time.Duration { return r.ours }), limit: psql,
		ratio: medianOf(results, func(r result) float64 { return r.psql.Seconds() / r.ours.Seconds() }), target: atLeast(provisionTarget),
	})
	b.report.add(line{
		what: "the same with a spare: psql (ours / limit)",
		ours: took(func(r result) time.Duration { return r.spare }), limit: psql,
		ratio: medianOf(results, func(r result) float64 { return r.spare.Seconds() / r.psql.Seconds() }), target: atMost(spareTarget),
	})
	return b.dropDatabase(ctx, provisionDatabase)
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
		school, err := s.Provisioner.Request(ctx, tenancy.NewSchool{
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
		fmt.Fprintf(&sql, "drop role if exists %[1]s;\nbegin;\ncreate role %[1]s nologin;\ncreate schema %[1]s;\nset local search_path = %[1]s;\n"+
			"grant usage on schema %[1]s to %[1]s;\nalter default privileges in schema %[1]s grant select, insert, update, delete on tables to %[1]s;\n", role)
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
