package delivery

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
)

// lane is one channel: its provider, the schools that have something for it, and how
// much the provider can take just now.
type lane struct {
	channel Channel
	driver  Driver
	limit   int // messages under way at once
	now     func() time.Time

	mu          sync.Mutex
	changed     *sync.Cond
	waiting     []uuid.UUID
	queued      map[uuid.UUID]bool
	busy        int
	allowed     int // how many may be under way at present
	failures    int
	pausedUntil time.Time // nothing is sent before
	stopped     bool

	sent, failed, postponed, unconfigured int64
}

func newLane(c Channel, d Driver, most int, now func() time.Time) *lane {
	l := &lane{channel: c, driver: d, limit: most, allowed: most, now: now, queued: map[uuid.UUID]bool{}}
	l.changed = sync.NewCond(&l.mu)
	return l
}

// enqueue says that a school has something to send. The platform's own (codes, links)
// goes first: somebody waits for it.
func (l *lane) enqueue(school uuid.UUID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.queued[school] {
		return
	}
	l.queued[school] = true
	if school == uuid.Nil {
		l.waiting = append([]uuid.UUID{school}, l.waiting...)
	} else {
		l.waiting = append(l.waiting, school)
	}
	l.changed.Signal()
}

// nextSchool waits for a school whose messages may be sent now.
func (l *lane) nextSchool() (school uuid.UUID, batch int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.stopped && (len(l.waiting) == 0 || l.busy >= l.allowed || l.now().Before(l.pausedUntil)) {
		l.changed.Wait()
	}
	if l.stopped {
		return uuid.Nil, 0, false
	}
	school, l.waiting = l.waiting[0], l.waiting[1:]
	delete(l.queued, school)
	l.busy++
	if l.allowed == 1 {
		return school, 1, true // after trouble: one, and see
	}
	return school, batchSize, true
}

func (l *lane) done() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy--
	l.changed.Broadcast()
}

// succeeded is told of a message the provider took: it is trusted with more again.
func (l *lane) succeeded() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures = 0
	if l.allowed < l.limit {
		l.allowed = min(l.limit, l.allowed*2)
		l.changed.Broadcast()
	}
}

// pause makes the lane rest, and answers until when. What fails while it rests
// already was under way before and says nothing new.
func (l *lane) pause(after time.Duration) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if now.Before(l.pausedUntil) {
		return l.pausedUntil
	}
	l.failures++
	l.allowed = 1
	l.pausedUntil = now.Add(max(after, backoff(firstRest, lastRest, l.failures)))
	return l.pausedUntil
}

// tick lets sleepers look at the clock again.
func (l *lane) tick() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changed.Broadcast()
}

func (l *lane) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = true
	l.changed.Broadcast()
}

// send hands one message to the provider, within its time.
func (l *lane) send(ctx context.Context, m Message) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	return l.driver.Send(ctx, m)
}
