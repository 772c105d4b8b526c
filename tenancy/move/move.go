// Package move moves a school from one database node to another while it is used, and drains a node of all its schools. It
// makes and migrates the schools' schemas by lifecycle, and finds and binds them by tenancy.
package move

import (
	"context"
	"errors"
	"fmt"
	"homeroom/tenancy"
	"homeroom/tenancy/internal/sqlstate"
	"homeroom/tenancy/lifecycle"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Mover moves schools from one node to another while they are used. Postgres's own
// logical replication copies and follows; for a moment at the end the school's writes
// wait, both copies are compared, and the school's record is changed. Every step is
// recorded and may be done twice: a move whose mover was killed is simply run again. Until
// the record is changed, a move that fails leaves the school where it was.
type Mover struct {
	// Enqueue, if set, puts the move on a queue, in the transaction of the request.
	// EnqueueDrain is the same for a node that is to be drained.
	Enqueue      func(ctx context.Context, tx pgx.Tx, school uuid.UUID) error
	EnqueueDrain func(ctx context.Context, tx pgx.Tx, node string) error
	// Stepped, if set, is called before a step begins and after it was recorded as done;
	// and, inside the switch, after every stage.
	Stepped func(school uuid.UUID, step string, done bool)

	Log *slog.Logger // silent unless set

	// HoldLimit is how long writes may be held at a time: then they go on, and the
	// move tries again later. 10 s unless set.
	HoldLimit time.Duration
	// MaxHolds is how often; 5 unless set.
	MaxHolds int
	// Quiet is how long a move waits for a long writer (an import) to end before it
	// holds writes all the same; 5 min unless set.
	Quiet time.Duration
	// Stall is after how long without progress a move is given up; 10 min unless set.
	Stall time.Duration
	// AtOnce is how many schools may leave, or arrive at, one node at a time; 2 unless set.
	AtOnce int

	cluster *tenancy.Cluster
}

// NewMover moves the cluster's schools.
func NewMover(c *tenancy.Cluster) *Mover {
	return &Mover{
		Log:       slog.New(slog.DiscardHandler),
		HoldLimit: 10 * time.Second, MaxHolds: 5, Quiet: 5 * time.Minute, Stall: 10 * time.Minute, AtOnce: 2,
		cluster: c,
	}
}

// State is how far a move has come.
type State string

const (
	Running   State = "RUNNING"   // the school is served from the source
	Moved     State = "MOVED"     // it is served from the target; the old copy is kept
	Confirmed State = "CONFIRMED" // the old copy is gone, or about to be
	Failed    State = "FAILED"    // it is served from the source, and the copy is gone or about to be
)

// Move is one school's move to another node.
type Move struct {
	ID        uuid.UUID
	SchoolID  uuid.UUID
	Source    string
	Target    string
	State     State
	Clean     bool // nothing is left to remove
	Error     string
	Shard     *int
	Tries     int
	Holds     int
	Held      time.Duration // how long writes were held when it succeeded
	Rows      int64
	CreatedAt time.Time
	MovedAt   *time.Time
	EndedAt   *time.Time
	Steps     []lifecycle.StepProgress

	subscription *int64
	rights       []string
	progressedAt time.Time
}

// name is what the move's publication, slot and subscription are called.
func (m *Move) name() string { return "homeroom_move_" + strings.ReplaceAll(m.ID.String(), "-", "") }

// What can be wrong with a request to move.
var (
	ErrOpen     = errors.New("tenancy: the school is being moved, or its last move is not confirmed")
	ErrSameNode = errors.New("tenancy: the school is on this node")
	ErrNoMove   = errors.New("tenancy: the school has no move of which this could be said")
	ErrNotYet   = errors.New("tenancy: the school has no tables yet")
)

// RefusedError says why two servers are not fit for a move, in words for operators.
type RefusedError struct{ Reason string }

func (e RefusedError) Error() string { return "tenancy: the move is refused: " + e.Reason }

const moveColumns = `id, school_id, source, target, state, clean, error, shard, tries, holds, held_ms, row_count, created_at,
	moved_at, ended_at, subscription, rights, progressed_at`

func scanMove(row pgx.Row) (*Move, error) {
	var m Move
	var heldMs int64
	err := row.Scan(&m.ID, &m.SchoolID, &m.Source, &m.Target, &m.State, &m.Clean, &m.Error, &m.Shard, &m.Tries, &m.Holds, &heldMs, &m.Rows,
		&m.CreatedAt, &m.MovedAt, &m.EndedAt, &m.subscription, &m.rights, &m.progressedAt)
	m.Held = time.Duration(heldMs) * time.Millisecond
	return &m, err
}

// Request records that a school shall move to another node, after a check that both
// servers can do it.
func (m *Mover) Request(ctx context.Context, school uuid.UUID, target string, also ...tenancy.InTx) (*Move, error) {
	s, err := m.cluster.FindSchool(ctx, school)
	if err != nil {
		return nil, err
	}
	if s.Schema == "" || s.Status == tenancy.Provisioning || s.Status == tenancy.Failed {
		return nil, ErrNotYet
	}
	if s.Node == target {
		return nil, ErrSameNode
	}
	if err := lifecycle.CheckActive(ctx, m.cluster.PlatformPool(), target); err != nil {
		return nil, err
	}
	var open bool
	err = m.cluster.PlatformPool().QueryRow(ctx, `select exists (select from platform.school_move where school_id = $1
		and state in ('RUNNING', 'MOVED'))`, school).Scan(&open)
	if err != nil {
		return nil, fmt.Errorf("requesting the move of school %s: %w", school, err)
	}
	if open {
		return nil, ErrOpen
	}
	if err := m.checkServers(ctx, s, target); err != nil {
		return nil, err
	}
	move := &Move{ID: uuid.Must(uuid.NewV7()), SchoolID: school, Source: s.Node, Target: target, State: Running}
	if m.Enqueue != nil {
		also = append(also, func(ctx context.Context, tx pgx.Tx) error { return m.Enqueue(ctx, tx, school) })
	}
	err = tenancy.Transact(ctx, m.cluster.PlatformPool(), also, func(tx pgx.Tx) error { return write(ctx, tx, move) })
	if err != nil {
		return nil, fmt.Errorf("requesting the move of school %s: %w", school, err)
	}
	return move, nil
}

// write records the move, unless the school went elsewhere meanwhile.
func write(ctx context.Context, tx pgx.Tx, move *Move) error {
	var node string
	if err := tx.QueryRow(ctx, `select coalesce(node, '') from platform.school where id = $1 for update`,
		move.SchoolID).Scan(&node); err != nil {
		return err
	}
	if node != move.Source {
		return ErrOpen
	}
	_, err := tx.Exec(ctx, `insert into platform.school_move (id, school_id, source, target) values ($1, $2, $3, $4)`, move.ID, move.SchoolID,
		move.Source, move.Target)
	if sqlstate.Of(err) == sqlstate.UniqueViolation {
		return ErrOpen
	}
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `insert into platform.school_move_step (move_id, step, position)
		select $1, name, at from unnest($2::text[]) with ordinality as s (name, at)`, move.ID, Steps)
	return err
}

// Progress is the school's latest move and how far it has come, or ErrNoMove.
func (m *Mover) Progress(ctx context.Context, school uuid.UUID) (*Move, error) {
	move, err := scanMove(m.cluster.PlatformPool().QueryRow(ctx,
		`select `+moveColumns+` from platform.school_move where school_id = $1 order by created_at desc, id desc limit 1`, school))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNoMove
	}
	if err != nil {
		return nil, fmt.Errorf("reading the move of school %s: %w", school, err)
	}
	rows, err := m.cluster.PlatformPool().Query(ctx, `select step, started_at, finished_at, attempts, error from platform.school_move_step
		where move_id = $1 order by position`, move.ID)
	if err != nil {
		return nil, fmt.Errorf("reading the steps of a move: %w", err)
	}
	move.Steps, err = pgx.CollectRows(rows, pgx.RowToStructByPos[lifecycle.StepProgress])
	return move, err
}

// Confirm accepts that the school has moved: the old copy is removed, at once
// or as soon as its node answers. There is no way back after it, and none without
// loss before: what was written since the move is in the new home only.
func (m *Mover) Confirm(ctx context.Context, school uuid.UUID, also ...tenancy.InTx) error {
	err := tenancy.Transact(ctx, m.cluster.PlatformPool(), also, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `update platform.school_move set state = 'CONFIRMED', clean = false, ended_at = now()
			where school_id = $1 and state = 'MOVED' and clean`, school)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return ErrNoMove
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("confirming the move of school %s: %w", school, err)
	}
	// Should its node be away, the clock goes on with it.
	_ = m.Run(ctx, school)
	return nil
}
