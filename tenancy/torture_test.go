package tenancy_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"homeroom/localstack"
	"homeroom/migrations"
	"homeroom/tenancy"
	"homeroom/testkit/clusters"
)

// The torture: far more schools and goroutines than connections, requests that are
// given up at any moment, and every row says whose it is. One row of another school
// anywhere is a leak.

const (
	tortureSchools    = 200
	tortureGoroutines = 64
)

// tortureOperations is for all ways together; HOMEROOM_TORTURE=1000000 is the full count.
func tortureOperations(t *testing.T) int {
	t.Helper()
	text := os.Getenv("HOMEROOM_TORTURE")
	if text == "" {
		return 15_000
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("HOMEROOM_TORTURE: %v", err)
	}
	return n
}

func TestNoRowEverComesFromAnotherSchool(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	o.Shards = 4
	ms := []migrations.Migration{{Version: 1, Name: "0001_torture", SQL: `
		create table pupil (id int primary key, school text not null, visits int not null default 0);
		create table entry (id uuid primary key, school text not null);`}}
	c, schools := clusters.Fleet(t, &o, ms, tortureSchools)
	for _, s := range schools {
		db := clusters.Bound(t, c, s, tenancy.ReadWrite)
		if err := db.Exec(`insert into pupil select i, ? from generate_series(1, 25) i`, s.Code).Error; err != nil {
			t.Fatal(err)
		}
	}
	ways := map[string]tenancy.Options{"direct": o}
	bouncer, err := localstack.StartPgBouncer(t.Context(), localstack.PgBouncerOptions{
		Dir: t.TempDir(), PostgresURL: o.PlatformURL, Users: users(clusters.Node(t, c, "main")), PoolSize: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bouncer.Stop() })
	pooled := o
	pooled.MainPoolURL = throughBouncer(t, bouncer.URL(), o.PlatformURL)
	pooled.ShardConns = 6 // more clients than the pooler has connections
	ways["through PgBouncer"] = pooled
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			torture(t, clusters.Open(t, way), schools, tortureOperations(t)/len(ways))
		})
	}
	mustBeTheirOwn(t, c, schools)
}

func users(n *tenancy.Node) map[string]string {
	out := map[string]string{}
	for _, l := range n.Logins() {
		out[l.Name] = l.Password
	}
	return out
}

func throughBouncer(t *testing.T, bouncer, database string) string {
	t.Helper()
	b, err := url.Parse(bouncer)
	if err != nil {
		t.Fatal(err)
	}
	d, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	b.Path = d.Path
	return b.String()
}

// tally counts what happened.
type tally struct{ reads, writes, cancelled, refused, rows atomic.Int64 }

func torture(t *testing.T, c *tenancy.Cluster, schools []*tenancy.School, operations int) {
	begun := time.Now()
	var sum tally
	var next atomic.Int64
	acknowledged := make([][]uuid.UUID, tortureGoroutines)
	where := make([][]int, tortureGoroutines)
	var wg sync.WaitGroup
	for g := range tortureGoroutines {
		wg.Go(func() {
			for next.Add(1) <= int64(operations) && !t.Failed() {
				at := rand.IntN(len(schools))
				id, err := once(t.Context(), c, schools[at], &sum)
				if err != nil {
					t.Errorf("school %s: %v", schools[at].Code, err)
				}
				if id != uuid.Nil {
					acknowledged[g], where[g] = append(acknowledged[g], id), append(where[g], at)
				}
			}
		})
	}
	wg.Wait()
	took := time.Since(begun)
	t.Logf("%d reads of %d rows, %d writes, %d cancelled, %d not connected, %.0f operations a second", sum.reads.Load(), sum.rows.Load(),
		sum.writes.Load(), sum.cancelled.Load(), sum.refused.Load(), float64(operations)/took.Seconds())
	if sum.refused.Load() > int64(operations/100) {
		t.Errorf("%d operations had no connection", sum.refused.Load())
	}
	written := make([][]uuid.UUID, len(schools))
	for g := range acknowledged {
		for i, id := range acknowledged[g] {
			written[where[g][i]] = append(written[where[g][i]], id)
		}
	}
	for i, s := range schools {
		found := clusters.One[int](t, clusters.Node(t, c, s.Node).Admin(),
			`select count(*) from `+tenancy.Ident(s.Schema)+`.entry where id = any($1)`, written[i])
		if found != len(written[i]) {
			t.Errorf("school %s has %d of %d acknowledged writes", s.Code, found, len(written[i]))
		}
	}
}

// once does one operation, given up at a random moment in one of fifty cases. It
// returns the id of an acknowledged write, and an error only for a leak or a fault.
func once(ctx context.Context, c *tenancy.Cluster, s *tenancy.School, sum *tally) (uuid.UUID, error) {
	if rand.IntN(50) == 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(rand.IntN(4000))*time.Microsecond)
		defer cancel()
	}
	var owners []string
	var id uuid.UUID
	var err error
	switch rand.IntN(4) {
	case 0:
		owners, err = find20(ctx, c, s)
	case 1, 2:
		owners, err = countAndPage(ctx, c, s)
	case 3:
		id, owners, err = visit(ctx, c, s)
	}
	for _, owner := range owners {
		if owner != s.Code {
			return id, fmt.Errorf("LEAK: read a row of school %s", owner)
		}
	}
	sum.rows.Add(int64(len(owners)))
	switch {
	case err == nil && id != uuid.Nil:
		sum.writes.Add(1)
	case err == nil:
		sum.reads.Add(1)
	case ctx.Err() != nil:
		sum.cancelled.Add(1)
		return uuid.Nil, nil
	default:
		// Cancelling cuts connections; a starved machine may be slow to take new ones,
		// or to end a transaction. Neither is an acknowledged write.
		var dial *pgconn.ConnectError
		var late net.Error
		if errors.As(err, &dial) || (errors.As(err, &late) && late.Timeout()) {
			sum.refused.Add(1)
			return uuid.Nil, nil
		}
	}
	return id, err
}

type Pupil struct {
	ID     int
	School string
	Visits int
}

// find20 is GORM through database/sql.
func find20(ctx context.Context, c *tenancy.Cluster, s *tenancy.School) (owners []string, err error) {
	db, err := c.School(ctx, s, tenancy.ReadOnly)
	if err != nil {
		return nil, err
	}
	var all []Pupil
	if err := db.Where("id > ?", rand.IntN(5)).Order("id").Limit(20).Find(&all).Error; err != nil {
		return nil, err
	}
	for _, p := range all {
		owners = append(owners, p.School)
	}
	if len(owners) != 20 {
		return nil, fmt.Errorf("read %d rows, want 20", len(owners))
	}
	return owners, nil
}

// countAndPage is a list: two statements in one pipeline.
func countAndPage(ctx context.Context, c *tenancy.Cluster, s *tenancy.School) (owners []string, err error) {
	db, err := c.School(ctx, s, tenancy.ReadOnly)
	if err != nil {
		return nil, err
	}
	total := 0
	err = tenancy.Pipeline(db,
		tenancy.Query{SQL: `select count(*) from pupil where school = $1`, Args: []any{s.Code}, Scan: func(rows pgx.Rows) error {
			rows.Next()
			return rows.Scan(&total)
		}},
		tenancy.Query{SQL: `select school from pupil order by id limit 20`, Scan: func(rows pgx.Rows) (err error) {
			owners, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		}})
	if err == nil && (total != 25 || len(owners) != 20) {
		err = fmt.Errorf("counted %d of its own rows, want 25, and read %d", total, len(owners))
	}
	return owners, err
}

// visit is a write: a read, a change, and the last statement together with COMMIT.
func visit(ctx context.Context, c *tenancy.Cluster, s *tenancy.School) (id uuid.UUID, owners []string, err error) {
	db, err := c.School(ctx, s, tenancy.ReadWrite)
	if err != nil {
		return uuid.Nil, nil, err
	}
	tx := db.Begin()
	if tx.Error != nil {
		return uuid.Nil, nil, tx.Error
	}
	defer func() {
		if err != nil {
			tx.Rollback()
		}
	}()
	pupil := 1 + rand.IntN(25)
	var p Pupil
	if err := tx.Where("id = ?", pupil).Take(&p).Error; err != nil {
		return uuid.Nil, nil, err
	}
	if err := tx.Model(&Pupil{}).Where("id = ?", pupil).Update("visits", gorm.Expr("visits + 1")).Error; err != nil {
		return uuid.Nil, nil, err
	}
	id = uuid.New()
	err = tenancy.Commit(tx, tenancy.Query{SQL: `insert into entry values ($1, $2)`, Args: []any{id, s.Code}})
	if err != nil {
		return uuid.Nil, nil, err
	}
	return id, []string{p.School}, nil
}

// mustBeTheirOwn looks at every row of every school, past the bound database.
func mustBeTheirOwn(t *testing.T, c *tenancy.Cluster, schools []*tenancy.School) {
	t.Helper()
	var parts []string
	for _, s := range schools {
		for _, table := range []string{"pupil", "entry"} {
			parts = append(parts, fmt.Sprintf(`select count(*) n from %s.%s where school <> '%s'`, tenancy.Ident(s.Schema), table, s.Code))
		}
		parts = append(parts, fmt.Sprintf(`select abs((select sum(visits) from %[1]s.pupil) - (select count(*) from %[1]s.entry))`,
			tenancy.Ident(s.Schema)))
	}
	if wrong := clusters.One[int](t, clusters.Node(t, c, "main").Admin(),
		`select sum(n)::int from (`+strings.Join(parts, " union all ")+`) wrong`); wrong != 0 {
		t.Errorf("%d rows were written into a wrong school, or half of a transaction was", wrong)
	}
}
