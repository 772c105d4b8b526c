package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/localstack"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/tenancy/move"
)

const (
	moveDatabase  = "bench_move"
	movedStudents = 20_000
	// moveSchools is the number of the first school here. A school's role is called after its number and belongs to
	// the server, so that schools of two databases cannot have the same.
	moveSchools = 1_000_000
	// holdTarget is how long the writes of a school that moves may wait, in seconds.
	holdTarget = 2.0
	// moveShare is how much of its throughput another school keeps meanwhile. The copying
	// itself takes processors, and here both servers have the same two.
	moveShare = 0.3
	// moveTarget is our hold's share of the bare one's: besides catching up, comparing and
	// changing the directory, ours warns those who write and takes care to be resumable.
	moveTarget = 0.2
)

// measureMove moves a school to another server: how long its writes are held, against
// the same statements by themselves; and what a neighbour notices.
func measureMove(ctx context.Context, b *bench) error {
	north, stop, err := anotherServer(ctx, b.settings)
	if err != nil {
		return err
	}
	defer stop()
	if err := b.dropDatabase(ctx, moveDatabase); err != nil {
		return err
	}
	f, err := openFleet(ctx, b.servers, moveDatabase)
	if err != nil {
		return err
	}
	defer f.service.Close()
	if err := f.add(ctx, moveSchools, studentsEach); err != nil {
		return err
	}
	tokens, err := f.signIn(ctx, moveSchools)
	if err != nil {
		return err
	}
	neighbour := &office{fleet: f, number: moveSchools, token: tokens[moveSchools]}
	var held, bare []time.Duration
	var before, during []float64
	for i := range b.rounds {
		if err := f.add(ctx, moveSchools+1+i, movedStudents); err != nil {
			return err
		}
	}
	if err := lifecycle.AddNode(ctx, f.service.Cluster, "north", north, ""); err != nil {
		return err
	}
	for i := range b.rounds {
		number := moveSchools + 1 + i
		rate, err := neighbour.rate(time.Duration(b.seconds)*time.Second, nil)
		if err != nil {
			return err
		}
		before = append(before, rate)
		m := &moveRun{fleet: f, school: schoolID(number), schema: schemaName(number), north: north}
		done := make(chan error, 1)
		finished := make(chan struct{})
		go func() { defer close(finished); done <- m.run(ctx) }()
		rate, err = neighbour.rate(0, finished)
		if err := errors.Join(err, <-done); err != nil {
			return err
		}
		during = append(during, rate)
		held, bare = append(held, m.held), append(bare, m.bare)
	}
	b.report.add(line{
		what: fmt.Sprintf("moving a school of %d rows: for how long its writes are held", movedStudents), ours: millis(median(held)),
		limit: "2000 ms",
		ratio: median(held).Seconds() / holdTarget, target: atMost(1),
	})
	b.report.add(line{
		what: "the same: against the bare statements", ours: millis(median(held)), limit: millis(median(bare)),
		ratio: median(bare).Seconds() / median(held).Seconds(), target: atLeast(moveTarget),
	})
	b.report.add(line{
		what: "another school's writes while it is copied", ours: perSecond(median(during)), limit: perSecond(median(before)),
		ratio: median(during) / median(before), target: atLeast(moveShare),
	})
	return nil
}

// anotherServer starts the Postgres the school goes to.
func anotherServer(ctx context.Context, s settings) (string, func(), error) {
	dir, err := os.MkdirTemp("", "homeroom-bench-north-")
	if err != nil {
		return "", nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", nil, err
	}
	stack, err := localstack.Start(ctx, localstack.Options{Dir: filepath.Join(dir, "servers"), Postgres: []string{"north"},
		Durable: s.durable, MaxConnections: 300})
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return stack.PostgresURL("north"), func() { _ = errors.Join(stack.Stop(), os.RemoveAll(dir)) }, nil
}

// rate is how many classes a second the office adds, four at a time.
func (o *office) rate(d time.Duration, until <-chan struct{}) (float64, error) {
	var n atomic.Int64
	var failed error
	var once sync.Once
	var stop atomic.Bool
	var wg sync.WaitGroup
	began := time.Now()
	for range 4 {
		wg.Go(func() {
			for !stop.Load() {
				if err := o.ask("POST", "/school-admin/class/create", fmt.Sprintf(`{"data":{"name":%q}}`, uuid.NewString())); err != nil {
					once.Do(func() { failed = err })
					return
				}
				n.Add(1)
			}
		})
	}
	if until != nil {
		<-until
	} else {
		time.Sleep(d)
	}
	stop.Store(true)
	wg.Wait()
	return float64(n.Load()) / time.Since(began).Seconds(), failed
}

// moveRun moves one school, with the bare statements first tried on the same copy.
type moveRun struct {
	*fleet
	school uuid.UUID
	schema string
	north  string

	held, bare time.Duration
}

func (m *moveRun) run(ctx context.Context) error {
	mover := move.NewMover(m.service.Cluster)
	copied, cut := context.WithCancel(ctx)
	defer cut()
	mover.Stepped = func(_ uuid.UUID, step string, done bool) {
		if step == "copy" && done {
			cut()
		}
	}
	if _, err := mover.Request(ctx, m.school, "north"); err != nil {
		return err
	}
	if err := mover.Run(copied, m.school); err == nil || ctx.Err() != nil {
		return fmt.Errorf("the move was not cut off after the copy: %v", err)
	}
	var err error
	if m.bare, err = m.bareHold(ctx); err != nil {
		return fmt.Errorf("the bare statements: %w", err)
	}
	mover.Stepped = nil
	if err := mover.Run(ctx, m.school); err != nil {
		return err
	}
	p, err := mover.Progress(ctx, m.school)
	if err != nil {
		return err
	}
	m.held = p.Held
	return mover.Confirm(ctx, m.school)
}

// bareHold is the limit: take the rights, wait for the other side, compare, change a
// directory, one statement after another.
func (m *moveRun) bareHold(ctx context.Context) (time.Duration, error) {
	here, err := pgx.Connect(ctx, m.url)
	if err != nil {
		return 0, err
	}
	defer closeConn(here)
	there, err := pgx.Connect(ctx, m.north)
	if err != nil {
		return 0, err
	}
	defer closeConn(there)
	var tables []string
	if err := here.QueryRow(ctx, `select array_agg(relname::text) from pg_class where relnamespace = $1::regnamespace and relkind = 'r'`,
		m.schema).Scan(&tables); err != nil {
		return 0, err
	}
	schema := tenancy.Ident(m.schema)
	sums := make([]string, len(tables))
	for i, t := range tables {
		sums[i] = fmt.Sprintf(`select '%s' as t, count(*) as n, coalesce(sum(hashtextextended(x::text, 0)), 0) as s from %s.%q x`, t, schema, t)
	}
	compare := `select string_agg(t || n || ' ' || s, ',' order by t) from (` + strings.Join(sums, " union all ") + `) a`
	if _, err := here.Exec(ctx, `create table if not exists platform.bench_directory (school text primary key, node text)`); err != nil {
		return 0, err
	}
	began := time.Now()
	if _, err := here.Exec(ctx, "revoke insert, update, delete on all tables in schema "+schema+" from "+schema); err != nil {
		return 0, err
	}
	var lsn, ours, theirs string
	if err := here.QueryRow(ctx, `select pg_logical_emit_message(true, 'bench', '')::text`).Scan(&lsn); err != nil {
		return 0, err
	}
	for caught := false; !caught; {
		err := here.QueryRow(ctx, `select bool_and(confirmed_flush_lsn >= $1::pg_lsn) from pg_replication_slots
			where slot_name like 'homeroom!_move!_%' escape '!'`, lsn).Scan(&caught)
		if err != nil {
			return 0, err
		}
	}
	var failed [2]error
	var both sync.WaitGroup
	both.Go(func() { failed[0] = here.QueryRow(ctx, compare).Scan(&ours) })
	both.Go(func() { failed[1] = there.QueryRow(ctx, compare).Scan(&theirs) })
	both.Wait()
	if err := errors.Join(failed[:]...); err != nil {
		return 0, err
	}
	if ours != theirs {
		return 0, errors.New("the copies differ")
	}
	if _, err := here.Exec(ctx, `insert into platform.bench_directory values ($1, 'north') on conflict (school) do update
		set node = excluded.node`, m.schema); err != nil {
		return 0, err
	}
	took := time.Since(began)
	// As it was, for the move that follows.
	_, err = here.Exec(ctx, "grant insert, update, delete on all tables in schema "+schema+" to "+schema)
	return took, err
}
