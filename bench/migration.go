package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

// migrationTarget is our share of the pace of the bare loop.
const migrationTarget = 0.6

// measureMigration adds a column to every school, by the fleet's migrator and by a
// bare loop over as many connections.
func measureMigration(ctx context.Context, b *bench) error {
	n := b.settings.schools[len(b.settings.schools)-1]
	f, err := b.schools(ctx, n)
	if err != nil {
		return err
	}
	var schemas []string
	err = f.service.Cluster.EachSchool(ctx, func(s *tenancy.School) error {
		schemas = append(schemas, s.Schema)
		return nil
	})
	if err != nil {
		return err
	}
	type result struct{ ours, bare time.Duration }
	var results []result
	for i := range b.rounds {
		m := lifecycle.NewMigrator(f.service.Cluster)
		f.added++
		m.Migrations = schoolMigrations(f.added)
		began := time.Now()
		report, err := m.Run(ctx)
		if err != nil {
			return err
		}
		if report.Failed > 0 || report.Migrated < len(schemas) {
			return fmt.Errorf("%d of %d schemas migrated, %d failed: %v", report.Migrated, len(schemas), report.Failed, report.Failures)
		}
		r := result{ours: time.Since(began)}
		if r.bare, err = alterAll(ctx, f.url, schemas, m.Workers, fmt.Sprintf("bare_%d", f.added)); err != nil {
			return err
		}
		say("migration of %d schools, round %d: ours %v, bare %v", len(schemas), i+1, r.ours, r.bare)
		results = append(results, r)
	}
	b.report.add(line{
		what:  fmt.Sprintf("migrating %s: a bare loop of the same ALTERs", plural(len(schemas), "school")),
		ours:  millis(medianOf(results, func(r result) time.Duration { return r.ours })),
		limit: millis(medianOf(results, func(r result) time.Duration { return r.bare })),
		ratio: medianOf(results, func(r result) float64 { return r.bare.Seconds() / r.ours.Seconds() }), target: atLeast(migrationTarget),
	})
	return reopen(ctx, b)
}

// alterAll is the bare loop.
func alterAll(ctx context.Context, url string, schemas []string, workers int, column string) (time.Duration, error) {
	began := time.Now()
	var group errgroup.Group
	for w := range workers {
		group.Go(func() error {
			conn, err := pgx.Connect(ctx, url)
			if err != nil {
				return err
			}
			defer closeConn(conn)
			for i := w; i < len(schemas); i += workers {
				if err := conn.PgConn().Exec(ctx, addColumn(tenancy.Ident(schemas[i])+".bench_student", column)).Close(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := group.Wait()
	return time.Since(began), err
}

// reopen has the fleet's service know the migrations that were added.
func reopen(ctx context.Context, b *bench) error {
	b.fleet.service.Close()
	b.fleet = nil
	_, err := b.schools(ctx, 0)
	return err
}
