package tenancy

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"
)

// migration is one run of a Migrator.
type migration struct {
	*Migrator
	directory *directory

	mu     sync.Mutex
	report Report
}

// node migrates one node. A template that fails stops it there: every statement is
// first parsed against the template, and what breaks it would break the schools.
func (r *migration) node(ctx context.Context, w nodeWork) {
	n, err := r.cluster.Node(ctx, w.node)
	workers := make([]*worker, max(r.Workers, 1))
	for i := range workers {
		workers[i] = &worker{migration: r, node: n}
		defer workers[i].close()
	}
	if err == nil {
		err = r.each(ctx, workers[:1], []target{{node: w.node, schema: TemplateSchema}})
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
	return slices.ContainsFunc(r.report.Failures, func(f Failure) bool { return f.Node == node && f.Schema == TemplateSchema })
}

// worker is one connection that migrates one schema after another.
type worker struct {
	*migration
	node *Node
	conn *pgx.Conn
}

func (w *worker) close() {
	if w.conn != nil {
		closeConn(w.conn)
		w.conn = nil
	}
}

func (w *worker) work(ctx context.Context, queue <-chan target) error {
	for t := range queue {
		if ctx.Err() != nil {
			return nil
		}
		out, err := w.migrate(ctx, t)
		if ctx.Err() == nil {
			w.done(t, out, err)
		}
		var dial *pgconn.ConnectError
		if errors.As(err, &dial) {
			return err
		}
	}
	return nil
}

// migrate tries a schema until it is done, fails for a reason that will not pass, or
// was tried often enough.
func (w *worker) migrate(ctx context.Context, t target) (out outcome, err error) {
	err = tryAgain(ctx, w.Tries, func() error {
		if w.conn != nil && w.conn.IsClosed() {
			w.close()
		}
		if w.conn == nil {
			if w.conn, err = pgx.ConnectConfig(ctx, w.node.admin.Config().ConnConfig); err != nil {
				return err
			}
		}
		out, err = advance(ctx, w.conn.PgConn(), t, w.Migrations, w.LockTimeout)
		return err
	})
	return out, err
}

// tryAgain calls f until it succeeds, fails for a reason that will not pass, or has
// been called so many times.
func tryAgain(ctx context.Context, tries int, f func() error) error {
	for try := 1; ; try++ {
		err := f()
		if err == nil || !passes(err) || try >= tries || ctx.Err() != nil {
			return err
		}
		pause := time.Duration(try) * 50 * time.Millisecond
		select {
		case <-time.After(pause + rand.N(pause)):
		case <-ctx.Done():
		}
	}
}

// passes says whether an error may be gone at the next try: somebody had a lock, or
// the server went away.
func passes(err error) bool {
	switch pgCode(err) {
	case lockNotAvailable, deadlock, serializeFailure:
		return true
	case "":
		var ahead AheadError
		return !errors.As(err, &ahead) // else the connection broke, or errMoved
	case queryWasCancelled:
		return false // it took longer than the server allows
	}
	return pgCode(err)[:2] == "57" // the server is stopping or starting
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
		r.report.Failures = append(r.report.Failures, Failure{School: t.school.id, Code: t.school.code, Node: t.node, Schema: t.schema, Err: err})
	}
	if t.schema != TemplateSchema {
		r.directory.record(t, out.version, err)
	}
	if r.Progress != nil {
		r.Progress(r.report.Progress)
	}
}
