package tenancy

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
)

// Moves have a queue of their own: they mostly wait for servers that copy, and must not
// keep a new school waiting.
const (
	moveQueue = "moves"
	// movesAtOnce is how many of them an instance works on.
	movesAtOnce = 3
	// movesEvery is how soon a move that nobody works on is taken up: its school's
	// writes may be held.
	movesEvery = 3 * time.Second
	// moveSlice is how much of a job's time a move takes before it queues itself again.
	moveSlice = 45 * time.Second
)

// moveJob moves one school.
type moveJob struct {
	School uuid.UUID `json:"school"`
}

func (moveJob) Kind() string { return "move" }
func (moveJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 1, Queue: moveQueue}
}

// drainJob empties a node.
type drainJob struct {
	Node string `json:"node"`
}

func (drainJob) Kind() string { return "drain" }
func (drainJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 1, Queue: moveQueue}
}

// movesJob goes on with what nobody works on.
type movesJob struct{}

func (movesJob) Kind() string { return "moves" }
func (movesJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 1, Queue: moveQueue}
}

func (j *Jobs) enqueueMove(ctx context.Context, tx pgx.Tx, school uuid.UUID) error {
	if _, err := j.client.InsertTx(ctx, tx, moveJob{School: school}, nil); err != nil {
		return fmt.Errorf("queueing the move of school %s: %w", school, err)
	}
	return nil
}

func (j *Jobs) enqueueDrain(ctx context.Context, tx pgx.Tx, node string) error {
	if _, err := j.client.InsertTx(ctx, tx, drainJob{Node: node}, nil); err != nil {
		return fmt.Errorf("queueing the drain of node %s: %w", node, err)
	}
	return nil
}

// slice gives a move some of the job's time. Whatever it comes to, the outcome is in
// the move's own record, and the clock goes on with what is left: the job itself is
// never in error.
func slice(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, sliceKey{}, true), moveSlice)
	defer cancel()
	_ = work(ctx)
	return nil
}

type moveWorker struct {
	river.WorkerDefaults[moveJob]
	mover *Mover
}

func (w *moveWorker) Work(ctx context.Context, job *river.Job[moveJob]) error {
	return slice(ctx, func(ctx context.Context) error { return w.mover.try(ctx, job.Args.School) })
}

type drainWorker struct {
	river.WorkerDefaults[drainJob]
	mover *Mover
}

func (w *drainWorker) Work(ctx context.Context, job *river.Job[drainJob]) error {
	return slice(ctx, func(ctx context.Context) error { return w.mover.RunDrain(ctx, job.Args.Node) })
}

type movesWorker struct {
	river.WorkerDefaults[movesJob]
	mover *Mover
}

func (w *movesWorker) Work(ctx context.Context, _ *river.Job[movesJob]) error {
	return slice(ctx, w.mover.Resume)
}
