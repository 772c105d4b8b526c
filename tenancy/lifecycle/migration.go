package lifecycle

import (
	"context"
	"errors"
	"homeroom/tenancy"
	"homeroom/tenancy/internal/advisory"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"
)

// migration is one run of a Migrator.
type migration struct {
	*Migrator
	versions *versionRecorder

	mu     sync.Mutex
	report Report
}

// node migrates one node. A template that fails stops it there: every statement is
// first parsed against the template, and what breaks it would break the schools.
func (r *migration) node(ctx context.Context, w nodeWork) {
	n, err := r.cluster.Node(ctx, w.node)
	workers := make([]*worker, min(max(r.Workers, 1), 1+len(w.spares)+len(w.schools)))
	var connecting sync.WaitGroup
	for i := range workers {
		workers[i] = &worker{migration: r, node: n}
		defer workers[i].close()
		if err == nil {
			connecting.Go(func() { _ = workers[i].connect(ctx) }) // what fails is tried again
		}
	}
	connecting.Wait()
	if err == nil {
		err = r.each(ctx, workers[:1], []target{{node: w.node, schema: tenancy.TemplateSchema}})
	}
	if err == nil && r.templateFailed(w.node) {
		err = errors.New("not tried, because the template failed")
	}
	for _, targets := range [][]target{w.spares, w.schools} {
		if err == nil {
			err = r.each(ctx, workers, targets)
			continue
		}
		for _, t := range targets {
			r.done(t, outcome{}, err)
		}
	}
}

// each has the workers migrate the targets. Its error is that the server could not be
// reached; those that were left by then have failed with it.
func (r *migration) each(ctx context.Context, workers []*worker, targets []target) error {
	queue := make(chan target, len(targets))
	for _, t := range targets {
		queue <- t
	}
	close(queue)
	var group errgroup.Group
	for _, w := range workers[:min(len(workers), len(targets))] {
		group.Go(func() error { return w.work(ctx, queue) })
	}
	err := group.Wait()
	if ctx.Err() != nil {
		return err // what is left is left for the next run
	}
	for t := range queue {
		r.done(t, outcome{}, err)
	}
	return err
}

func (r *migration) templateFailed(node string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.report.Failures, func(f Failure) bool { return f.Node == node && f.Schema == tenancy.TemplateSchema })
}

// worker is one connection that migrates one schema after another.
type worker struct {
	*migration
	node *tenancy.Node
	conn *pgx.Conn
}

func (w *worker) close() {
	if w.conn != nil {
		advisory.Close(w.conn)
		w.conn = nil
	}
}

// lockAtOnce is how many schools a worker locks together. More would save little, and
// keep requests for those schools waiting longer.
const lockAtOnce = 32

// work migrates what is in the queue, some at a time. Its error is that the server
// could not be reached.
func (w *worker) work(ctx context.Context, queue <-chan target) error {
	for ctx.Err() == nil {
		var some []target
		for t := range queue {
			if some = append(some, t); len(some) == lockAtOnce {
				break
			}
		}
		if len(some) == 0 {
			return nil
		}
		if err := w.migrate(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// migrate first does the schools that are free, then waits for the others: those
// another instance has locked, or whose tables were busy.
func (w *worker) migrate(ctx context.Context, some []target) error {
	later := w.quickly(ctx, some)
	if len(later) > 0 && w.conn != nil {
		w.unlock()
	}
	for i, t := range later {
		out, err := w.patiently(ctx, t)
		if ctx.Err() != nil {
			return nil // left for the next run
		}
		w.done(t, out, err)
		var dial *pgconn.ConnectError
		if errors.As(err, &dial) {
			for _, t := range later[i+1:] {
				w.done(t, outcome{}, err)
			}
			return err
		}
	}
	return nil
}

// quickly returns those that are to be tried again. The locks it took are given up
// with the next it takes, or by the caller.
func (w *worker) quickly(ctx context.Context, some []target) (later []target) {
	if w.connect(ctx) != nil {
		return some
	}
	schemas := make([]string, len(some))
	for i, t := range some {
		schemas[i] = t.schema
	}
	locked, err := tenancy.TryLockSchemas(ctx, w.conn.PgConn(), schemas)
	if err != nil {
		return some
	}
	for _, t := range some {
		version, ok := locked[t.schema]
		if !ok || ctx.Err() != nil {
			later = append(later, t)
			continue
		}
		out, err := applyMigrations(ctx, w.conn.PgConn(), t.schema, version, w.Migrations, w.LockTimeout)
		if err != nil && (IsTransient(err) || ctx.Err() != nil) {
			later = append(later, t)
			continue
		}
		w.done(t, out, err)
	}
	return later
}

// patiently tries one schema until it is done, fails for a reason that will not pass,
// or was tried often enough.
func (w *worker) patiently(ctx context.Context, t target) (out outcome, err error) {
	err = RetryTransient(ctx, w.Tries, func() error {
		if err := w.connect(ctx); err != nil {
			return err
		}
		defer w.unlock()
		version, err := tenancy.LockSchema(ctx, w.conn.PgConn(), t.schema)
		if err != nil {
			return err
		}
		out, err = applyMigrations(ctx, w.conn.PgConn(), t.schema, version, w.Migrations, w.LockTimeout)
		return err
	})
	return out, err
}

// connect opens the worker's connection, if it is not open.
func (w *worker) connect(ctx context.Context) (err error) {
	if w.conn != nil && !w.conn.IsClosed() {
		return nil
	}
	w.close()
	w.conn, err = pgx.ConnectConfig(ctx, w.node.Admin().Config().ConnConfig)
	return err
}

// unlock gives up what was locked, with the connection if need be.
func (w *worker) unlock() {
	if !advisory.UnlockAll(w.conn.PgConn()) {
		w.close()
	}
}

// done counts a schema and has its version recorded.
func (r *migration) done(t target, out outcome, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Done++
	if out.applied > 0 {
		r.report.Migrated++
	}
	if err != nil {
		r.report.Failed++
		r.report.Failures = append(r.report.Failures,
			Failure{School: t.school.id, Code: t.school.code, Node: t.node, Schema: t.schema, Err: err})
	}
	if t.schema != tenancy.TemplateSchema {
		r.versions.record(t, out.version, err)
	}
	if r.Progress != nil {
		r.Progress(r.report.Progress)
	}
}
