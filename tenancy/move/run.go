package move

import (
	"context"
	"errors"
	"fmt"
	"homeroom/tenancy"
	"homeroom/tenancy/internal/advisory"
	"homeroom/tenancy/internal/sqlstate"
	"homeroom/tenancy/lifecycle"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Steps are those of a move, in order.
var Steps = []string{"prepare", "schema", "publish", "copy", "switch", "release"}

// moving is one run of one school's move. Its platform work is done on the connection
// that holds the school's lock: a mover that lost the lock can record nothing.
type moving struct {
	*Mover
	platform *pgx.Conn
	move     *Move
	school   *tenancy.School
	source   *tenancy.Node
	target   *tenancy.Node
}

var (
	// errLater is no failure: the move has to wait for something, or for more time.
	errLater = errors.New("tenancy: the move goes on later")
	// errAgain means that the copy is of no use: the school was migrated meanwhile.
	errAgain = errors.New("tenancy: the school was migrated while it was copied; the copy is made again")
)

// Run does what is left to do for a school's moves: go on with one that is running,
// remove what earlier ones have left. It returns when that is done, when it has failed, or
// when ctx ends; then it may be called again. Several may call it at once: they take turns.
func (m *Mover) Run(ctx context.Context, school uuid.UUID) error {
	conn, err := advisory.Connect(ctx, m.cluster.PlatformPool(), moveLock(school))
	if err != nil {
		return err
	}
	defer advisory.Close(conn)
	return m.work(ctx, conn, school)
}

// Resume goes on with moves that no instance works on, because it was killed or a server
// was away, and with nodes that are being drained. It tries all of them and returns the
// first error.
func (m *Mover) Resume(ctx context.Context) error {
	rows, err := m.cluster.PlatformPool().Query(ctx, `select school_id from platform.school_move where state = 'RUNNING' or not clean
		group by 1 order by min(created_at)`)
	if err != nil {
		return fmt.Errorf("listing moves: %w", err)
	}
	schools, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return fmt.Errorf("listing moves: %w", err)
	}
	var first error
	for _, school := range schools {
		err := m.try(ctx, school)
		if first == nil && !errors.Is(err, errLater) {
			first = err
		}
	}
	if err := m.resumeDrains(ctx); first == nil {
		first = err
	}
	return first
}

// try is Run, unless another instance runs the school's moves.
func (m *Mover) try(ctx context.Context, school uuid.UUID) error {
	conn, free, err := advisory.TryConnect(ctx, m.cluster.PlatformPool(), moveLock(school))
	if err != nil || !free {
		return err
	}
	defer advisory.Close(conn)
	return m.work(ctx, conn, school)
}

func moveLock(school uuid.UUID) string { return "move " + school.String() }

// work goes through the school's moves, oldest first: what an earlier one has left is
// removed before the next begins.
func (m *Mover) work(ctx context.Context, platform *pgx.Conn, school uuid.UUID) error {
	rows, err := platform.Query(ctx, `select id from platform.school_move where school_id = $1 and (not clean or state = 'RUNNING')
		order by created_at, id`, school)
	if err != nil {
		return fmt.Errorf("reading the moves of school %s: %w", school, err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return fmt.Errorf("reading the moves of school %s: %w", school, err)
	}
	for _, id := range ids {
		if err := m.resume(ctx, platform, id); err != nil {
			return fmt.Errorf("moving school %s: %w", school, err)
		}
	}
	return nil
}

func (m *Mover) resume(ctx context.Context, platform *pgx.Conn, id uuid.UUID) error {
	r := &moving{Mover: m, platform: platform}
	if err := r.load(ctx, id); err != nil {
		return err
	}
	if r.move.State == Running {
		if err := r.advance(ctx); err != nil {
			return err
		}
	}
	return r.cleanUp(ctx)
}

func (r *moving) load(ctx context.Context, id uuid.UUID) (err error) {
	if r.move, err = scanMove(r.platform.QueryRow(ctx, `select `+moveColumns+` from platform.school_move where id = $1`, id)); err != nil {
		return err
	}
	if r.school, err = tenancy.ScanSchool(r.platform.QueryRow(ctx, `select `+tenancy.SchoolColumns+` from platform.school where id = $1`,
		r.move.SchoolID)); err != nil {
		return err
	}
	if r.source, err = r.cluster.Node(ctx, r.move.Source); err != nil {
		return err
	}
	r.target, err = r.cluster.Node(ctx, r.move.Target)
	return err
}

// advance does the steps that are left before the school is served from the target.
// A failure that is worth another try leaves the move running, with the reason at the
// step; another makes it FAILED.
func (r *moving) advance(ctx context.Context) error {
	for {
		err := r.steps(ctx)
		switch {
		case err == nil:
			return r.load(ctx, r.move.ID)
		case errors.Is(err, errAgain):
			if err := r.startOver(ctx); err != nil {
				return err
			}
			continue
		case errors.Is(err, errLater) || ctx.Err() != nil:
			return err
		}
		if r.isRetryable(err) {
			return errors.Join(err, r.recordTrouble(ctx, err))
		}
		if failErr := r.fail(ctx, err); failErr != nil {
			return errors.Join(err, failErr)
		}
		return errors.Join(err, r.cleanUp(ctx))
	}
}

func (r *moving) steps(ctx context.Context) error {
	for _, s := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"prepare", r.prepare}, {"schema", r.schema}, {"publish", r.publish}, {"copy", r.copy}, {"switch", r.switchOver},
	} {
		done, err := r.begin(ctx, s.name)
		if err != nil {
			return err
		}
		if done {
			continue
		}
		r.stepped(s.name, false)
		if err := s.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if s.name != "switch" { // which records itself, with the directory
			if err := r.finish(ctx, s.name); err != nil {
				return err
			}
		}
		r.stepped(s.name, true)
	}
	return nil
}

// begin records that a step is begun, unless it is done.
func (r *moving) begin(ctx context.Context, step string) (done bool, err error) {
	err = r.platform.QueryRow(ctx, `update platform.school_move_step set started_at =
		coalesce(started_at, now()), attempts = attempts + (finished_at is null)::int
		where move_id = $1 and step = $2 returning finished_at is not null`, r.move.ID, step).Scan(&done)
	if err != nil {
		return false, fmt.Errorf("recording step %s: %w", step, err)
	}
	return done, nil
}

func (r *moving) finish(ctx context.Context, step string) error {
	batch := &pgx.Batch{}
	batch.Queue(finishMoveStep, r.move.ID, step)
	batch.Queue(`update platform.school_move set tries = 0, error = '', progressed_at = now() where id = $1`, r.move.ID)
	if err := r.platform.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("recording step %s: %w", step, err)
	}
	r.move.Tries = 0
	return nil
}

const finishMoveStep = `update platform.school_move_step set finished_at = now(), error = '' where move_id = $1 and step = $2`

func (r *moving) stepped(step string, done bool) {
	if r.Stepped != nil {
		r.Stepped(r.move.SchoolID, step, done)
	}
}

// maxTries is how many failures in a row are tried again: a server that is restarted is
// back long before the clock has come so often.
const maxTries = 40

// isRetryable reports whether the move is worth trying again as it is.
func (r *moving) isRetryable(err error) bool {
	var refused RefusedError
	if errors.As(err, &refused) || r.move.Tries >= maxTries || r.move.Holds >= r.MaxHolds {
		return false
	}
	return lifecycle.IsTransient(err) || sqlstate.Of(err) == sqlstate.QueryCanceled || errors.Is(err, context.DeadlineExceeded)
}

// recordTrouble records what went wrong at the step under way.
func (r *moving) recordTrouble(ctx context.Context, reason error) error {
	r.Log.Warn("a move met trouble", "schoolId", r.move.SchoolID, "to", r.move.Target, "trouble", publicReason(reason))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	batch := &pgx.Batch{}
	batch.Queue(`update platform.school_move set tries = tries + 1, error = $2 where id = $1`, r.move.ID, publicReason(reason))
	batch.Queue(`update platform.school_move_step set error = $2 where move_id = $1 and started_at is not null and finished_at is null`,
		r.move.ID, publicReason(reason))
	return r.platform.SendBatch(ctx, batch).Close()
}

// fail ends the move: the school stays where it was. What it made is removed
// by cleanUp, now and until it succeeds.
func (r *moving) fail(ctx context.Context, reason error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := r.recordTrouble(ctx, reason); err != nil {
		return err
	}
	_, err := r.platform.Exec(ctx, `update platform.school_move set state = 'FAILED', ended_at = now() where id = $1 and state = 'RUNNING'`,
		r.move.ID)
	if err != nil {
		return fmt.Errorf("recording the failure: %w", err)
	}
	r.move.State = Failed
	r.Log.Error("a move failed; the school is where it was", "schoolId", r.move.SchoolID, "node", r.move.Source)
	return nil
}

// startOver removes the copy and forgets the steps after the first.
func (r *moving) startOver(ctx context.Context) error {
	if err := r.release(ctx); err != nil {
		return err
	}
	batch := &pgx.Batch{}
	batch.Queue(`update platform.school_move_step set finished_at = null where move_id = $1 and position > 1`, r.move.ID)
	batch.Queue(`update platform.school_move set rights = null, subscription = null where id = $1`, r.move.ID)
	if err := r.platform.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	return r.load(ctx, r.move.ID)
}

// publicReason is an error as operators see it: a server's own message, not the address
// it was reached at.
func publicReason(err error) string {
	var refused RefusedError
	var trouble nodeError
	switch {
	case errors.As(err, &refused):
		return refused.Reason
	case errors.As(err, &trouble):
		return fmt.Sprintf("node %s: %s", trouble.node, tenancy.Trouble(trouble.err))
	}
	return tenancy.Trouble(err)
}
