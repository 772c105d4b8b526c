package delivery

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
)

// lane is one channel: its provider, the schools with queued messages, and how many messages
// the provider may get at once at present.
type lane struct {
	channel Channel
	driver  Driver
	limit   int // most messages in flight
	now     func() time.Time

	mu          sync.Mutex
	changed     *sync.Cond
	waiting     []uuid.UUID
	queued      map[uuid.UUID]bool
	busy        int
	allowed     int // how many may be in flight at present
	failures    int
	pausedUntil time.Time // nothing is sent before it
	stopped     bool

	sent, failed, postponed, unconfigured int64
}

func newLane(c Channel, d Driver, most int, now func() time.Time) *lane {
	l := &lane{channel: c, driver: d, limit: most, allowed: most, now: now, queued: map[uuid.UUID]bool{}}
	l.changed = sync.NewCond(&l.mu)
	return l
}

// enqueue adds a school with queued messages. The platform's own (codes, links) go first:
// their users are waiting.
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
		return school, 1, true // after a failure: one at a time
	}
	return school, batchSize, true
}

func (l *lane) done() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy--
	l.changed.Broadcast()
}

// succeeded notes that the provider accepted a message: more may be in flight again.
func (l *lane) succeeded() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures = 0
	if l.allowed < l.limit {
		l.allowed = min(l.limit, l.allowed*2)
		l.changed.Broadcast()
	}
}

// pause pauses the lane, and returns until when. A failure during a pause was in flight
// before and changes nothing.
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

// tick wakes the workers, so that they check the clock.
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

// send sends one message to the provider, with a time limit.
func (l *lane) send(ctx context.Context, m Message) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	return l.driver.Send(ctx, m)
}
