package move

import (
	"context"
	"fmt"
	"homeroom/tenancy/lifecycle"
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
	// movesEvery is how soon a move that no instance works on is resumed: its school's
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

// drainJob drains a node.
type drainJob struct {
	Node string `json:"node"`
}

func (drainJob) Kind() string { return "drain" }
func (drainJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 1, Queue: moveQueue}
}

// movesJob goes on with what no instance works on.
type movesJob struct{}

func (movesJob) Kind() string { return "moves" }
func (movesJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 1, Queue: moveQueue}
}

// AddTo has the queue's jobs move schools and drain nodes, before the queue is started. From here on a requested move or
// drain is put on the queue in the transaction of its request.
func (m *Mover) AddTo(jobs *lifecycle.Jobs) error {
	river.AddWorker(jobs.Workers(), &moveWorker{mover: m})
	river.AddWorker(jobs.Workers(), &drainWorker{mover: m})
	river.AddWorker(jobs.Workers(), &movesWorker{mover: m})
	client := jobs.Client()
	if err := client.Queues().Add(moveQueue, river.QueueConfig{MaxWorkers: movesAtOnce}); err != nil {
		return fmt.Errorf("preparing the queue of moves: %w", err)
	}
	if err := jobs.Schedule(lifecycle.Every(movesEvery, movesJob{}, nil)); err != nil {
		return err
	}
	jobs.AtStart(movesJob{}) // a school's writes may be held
	m.Enqueue = func(ctx context.Context, tx pgx.Tx, school uuid.UUID) error {
		if _, err := client.InsertTx(ctx, tx, moveJob{School: school}, nil); err != nil {
			return fmt.Errorf("queueing the move of school %s: %w", school, err)
		}
		return nil
	}
	m.EnqueueDrain = func(ctx context.Context, tx pgx.Tx, node string) error {
		if _, err := client.InsertTx(ctx, tx, drainJob{Node: node}, nil); err != nil {
			return fmt.Errorf("queueing the drain of node %s: %w", node, err)
		}
		return nil
	}
	return nil
}

// slice gives a move some of the job's time. The outcome is in the move's own record, and
// the clock goes on with what is left: the job itself never fails.
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
