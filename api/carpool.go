package api

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// tripsAtOnce is how many pipelines may be under way. With one, a slow answer would
// hold up everybody; with many, nobody would share.
const tripsAtOnce = 2

// carpool sends the commands of requests that run at the same time together. One
// that comes alone goes at once; those that come while others are under way share
// the next trip, and so the system calls, which are most of what a counter costs.
type carpool struct {
	client redis.UniversalClient

	mu      sync.Mutex
	waiting []passenger
	trips   int
}

type passenger struct {
	cmd   *redis.Cmd
	until time.Time // how long they wait
	done  chan struct{}
}

// do runs the command and waits for it, or for the end of ctx. Then the command may
// still run, so its caller gets another one that says so.
func (p *carpool) do(ctx context.Context, args ...any) *redis.Cmd {
	until, ok := ctx.Deadline()
	if !ok {
		until = time.Now().Add(limitPatience)
	}
	me := passenger{redis.NewCmd(ctx, args...), until, make(chan struct{})}
	p.mu.Lock()
	p.waiting = append(p.waiting, me)
	start := p.trips < tripsAtOnce
	if start {
		p.trips++
	}
	p.mu.Unlock()
	if start {
		go p.drive()
	}
	select {
	case <-me.done:
		return me.cmd
	case <-ctx.Done():
		late := redis.NewCmd(ctx, args...)
		late.SetErr(ctx.Err())
		return late
	}
}

// drive makes trips until nobody waits.
func (p *carpool) drive() {
	for {
		p.mu.Lock()
		riders := p.waiting
		p.waiting = nil
		if len(riders) == 0 {
			p.trips--
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
		p.trip(riders)
	}
}

// trip waits as long as the most patient of its riders.
func (p *carpool) trip(riders []passenger) {
	var latest time.Time
	pipe := p.client.Pipeline()
	for _, r := range riders {
		if r.until.After(latest) {
			latest = r.until
		}
		_ = pipe.Process(context.Background(), r.cmd) // only queues
	}
	ctx, cancel := context.WithDeadline(context.Background(), latest)
	defer cancel()
	_, _ = pipe.Exec(ctx) // every command has its own error
	for _, r := range riders {
		close(r.done)
	}
}
