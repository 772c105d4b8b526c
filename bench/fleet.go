package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"homeroom/api"
	"homeroom/auth/tokens"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/migrations"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

const (
	fleetDatabase   = "bench_fleet"
	studentsEach    = 1000
	largeSchool     = 0 // the number of the school with the long list
	studentsInLarge = 100_000
)

// fleet is schools, numbered from 1, each with its students and a signed-in administrator.
type fleet struct {
	url     string
	config  config.Config
	service *service.Service
	added   int // migrations the migration part has added
	made    map[int]bool
}

// schools returns the fleet with at least so many schools in it.
func (b *bench) schools(ctx context.Context, n int) (*fleet, error) {
	if b.fleet == nil {
		f, err := openFleet(ctx, b.servers, fleetDatabase)
		if err != nil {
			return nil, err
		}
		b.fleet = f
	}
	return b.fleet, b.fleet.grow(ctx, n)
}

func openFleet(ctx context.Context, s servers, database string) (*fleet, error) {
	url, err := s.database(ctx, database)
	if err != nil {
		return nil, err
	}
	f := &fleet{url: url, made: map[int]bool{}}
	if f.config, err = configuration(url, s.redis); err != nil {
		return nil, err
	}
	if f.added, err = migrationsAdded(ctx, url); err != nil {
		return nil, err
	}
	if f.service, err = open(ctx, f.config, schoolMigrations(f.added)); err != nil {
		return nil, err
	}
	err = f.service.Cluster.EachSchool(ctx, func(s *tenancy.School) error {
		var n int
		if _, err := fmt.Sscanf(s.Code, "bench-%d", &n); err == nil && s.Status == tenancy.Active && s.Schema == schemaName(n) {
			f.made[n] = true
		}
		return nil
	})
	return f, err
}

// migrationsAdded asks a fleet that is there already.
func migrationsAdded(ctx context.Context, url string) (int, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return 0, err
	}
	defer closeConn(conn)
	var there bool
	var version int
	if err := conn.QueryRow(ctx, `select to_regclass('platform.school') is not null`).Scan(&there); err != nil || !there {
		return 0, err
	}
	err = conn.QueryRow(ctx, `select coalesce(max(schema_version), 0) from platform.school`).Scan(&version)
	return max(0, version-migrations.Latest(schoolMigrations(0))), err
}

// schemaName can be made up from a number by pgbench too.
func schemaName(n int) string { return fmt.Sprintf("school_%032d", n) }

func schoolID(n int) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceOID, fmt.Append(nil, "school", n)) }

func (f *fleet) grow(ctx context.Context, n int) error {
	var group errgroup.Group
	group.SetLimit(4)
	var done atomic.Int32
	var missing []int
	for i := 1; i <= n; i++ {
		if f.made[i] {
			continue
		}
		missing = append(missing, i)
		f.made[i] = true
		group.Go(func() error {
			if err := f.add(ctx, i, studentsEach); err != nil {
				return fmt.Errorf("making school %d: %w", i, err)
			}
			if d := done.Add(1); d%50 == 0 {
				say("%d schools made", d)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil || len(missing) == 0 {
		return err
	}
	return f.vacuum(ctx, missing)
}

// vacuum does at once what autovacuum would do in the middle of a measurement, where
// every analysed table makes all connections look at it anew. The tables of the schools
// are those that get enough rows when a school is made.
func (f *fleet) vacuum(ctx context.Context, schools []int) error {
	for _, n := range schools {
		schema := tenancy.Ident(schemaName(n))
		if err := f.exec(ctx, "analyze "+schema+".permission, "+schema+".bench_student"); err != nil {
			return err
		}
	}
	return f.exec(ctx, vacuumCatalogs)
}

const vacuumCatalogs = `vacuum analyze pg_catalog.pg_class, pg_catalog.pg_attribute, pg_catalog.pg_index, pg_catalog.pg_constraint,
	pg_catalog.pg_depend,
	pg_catalog.pg_shdepend, pg_catalog.pg_trigger, pg_catalog.pg_type, pg_catalog.pg_namespace, pg_catalog.pg_authid,
		pg_catalog.pg_auth_members,
	pg_catalog.pg_proc, pg_catalog.pg_attrdef, pg_catalog.pg_description, pg_catalog.pg_default_acl, pg_catalog.pg_statistic`

// large returns the number of the school with the long list, making it first.
func (f *fleet) large(ctx context.Context) (int, error) {
	if f.made[largeSchool] {
		return largeSchool, nil
	}
	f.made[largeSchool] = true
	if err := f.add(ctx, largeSchool, studentsInLarge); err != nil {
		return largeSchool, err
	}
	return largeSchool, f.vacuum(ctx, []int{largeSchool})
}

// add provisions a school as the product does, then gives its schema a name that
// follows from its number, and fills it.
func (f *fleet) add(ctx context.Context, n, students int) error {
	s := f.service
	admin, err := s.Auth.SealAdmin(ctx, "Asha", "Rao", fmt.Sprintf("admin-%d@bench.local", n), "", "")
	if err != nil {
		return err
	}
	id := schoolID(n)
	if _, err := s.Cluster.FindSchool(ctx, id); err != nil {
		_, err = s.Provisioner.Request(ctx, lifecycle.NewSchool{
			ID: id, Code: fmt.Sprintf("bench-%d", n), Name: fmt.Sprintf("School %d", n), TimeZone: "Asia/Kolkata", Locale: "en-IN", Currency: "INR",
			Admin: admin,
		})
		if err != nil {
			return err
		}
	}
	if err := s.Provisioner.Run(ctx, id); err != nil {
		return err
	}
	school, err := s.Cluster.FindSchool(ctx, id)
	if err != nil {
		return err
	}
	if err := f.fill(ctx, school.Schema, n, students); err != nil {
		return err
	}
	from, to := tenancy.Ident(school.Schema), tenancy.Ident(schemaName(n))
	if from == to {
		return nil
	}
	// Roles belong to the server: a dropped database leaves its own behind.
	return f.exec(ctx, fmt.Sprintf(`begin; drop role if exists %[2]s; alter schema %[1]s rename to %[2]s; alter role %[1]s rename to %[2]s;
		update platform.school set schema_name = '%[3]s' where id = '%[4]s'; commit`, from, to, schemaName(n), id))
}

func (f *fleet) fill(ctx context.Context, schema string, n, students int) error {
	node, err := f.service.Cluster.Node(ctx, tenancy.MainNode)
	if err != nil {
		return err
	}
	err = pgx.BeginFunc(ctx, node.Admin(), func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "set local search_path = "+tenancy.Ident(schema)); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "truncate bench_student"); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, fillStudents, cityOf(n), students)
		return err
	})
	if err != nil {
		return err
	}
	return f.exec(ctx, "vacuum "+tenancy.Ident(schema)+".bench_student")
}

func cityOf(n int) string { return fmt.Sprintf("Town %d", n) }

// exec runs SQL as the owner.
func (f *fleet) exec(ctx context.Context, sql string) error {
	node, err := f.service.Cluster.Node(ctx, tenancy.MainNode)
	if err != nil {
		return err
	}
	conn, err := node.Admin().Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return conn.Conn().PgConn().Exec(ctx, sql).Close()
}

// signIn returns fresh access tokens of the schools' administrators, by number.
func (f *fleet) signIn(ctx context.Context, numbers ...int) (map[int]string, error) {
	pool := f.service.Cluster.PlatformPool()
	signed := map[int]string{}
	for _, n := range numbers {
		session := uuid.NewSHA1(schoolID(n), []byte("session"))
		claim := tokens.Access{SessionID: session, SchoolID: schoolID(n), Role: api.SchoolAdmin}
		err := pool.QueryRow(ctx, `with made as (
				insert into platform.session (id, account_id, token_hash, expires_at)
				select $1, id, '', $3 from platform.account where school_id = $2 and role_type = 'SCHOOL_ADMIN'
				on conflict (id) do update set expires_at = excluded.expires_at)
			select user_id from platform.account where school_id = $2 and role_type = 'SCHOOL_ADMIN'`, session, schoolID(n),
			time.Now().Add(tokens.RefreshLife)).Scan(&claim.UserID)
		if err != nil {
			return nil, fmt.Errorf("signing in to school %d: %w", n, err)
		}
		if signed[n], err = f.service.Tokens.SignAccess(claim); err != nil {
			return nil, err
		}
	}
	return signed, nil
}

// upTo is the numbers of the first n schools.
func upTo(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i + 1
	}
	return numbers
}
