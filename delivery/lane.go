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
	most    int // messages under way at once
	now     func() time.Time

	mu       sync.Mutex
	changed  *sync.Cond
	waiting  []uuid.UUID
	known    map[uuid.UUID]bool
	busy     int
	open     int // how many may be under way at present
	failures int
	rest     time.Time // nothing is sent before
	stopped  bool

	sent, failed, postponed, unconfigured int64
}

func newLane(c Channel, d Driver, most int, now func() time.Time) *lane {
	l := &lane{channel: c, driver: d, most: most, open: most, now: now, known: map[uuid.UUID]bool{}}
	l.changed = sync.NewCond(&l.mu)
	return l
}

// put says that a school has something to send. The platform's own (codes, links)
// goes first: somebody waits for it.
func (l *lane) put(school uuid.UUID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known[school] {
		return
	}
	l.known[school] = true
	if school == uuid.Nil {
		l.waiting = append([]uuid.UUID{school}, l.waiting...)
	} else {
		l.waiting = append(l.waiting, school)
	}
	l.changed.Signal()
}

// take waits for a school whose messages may be sent now.
func (l *lane) take() (school uuid.UUID, batch int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.stopped && (len(l.waiting) == 0 || l.busy >= l.open || l.now().Before(l.rest)) {
		l.changed.Wait()
	}
	if l.stopped {
		return uuid.Nil, 0, false
	}
	school, l.waiting = l.waiting[0], l.waiting[1:]
	delete(l.known, school)
	l.busy++
	if l.open == 1 {
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

// fine is told of a message the provider took: it is trusted with more again.
func (l *lane) fine() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures = 0
	if l.open < l.most {
		l.open = min(l.most, l.open*2)
		l.changed.Broadcast()
	}
}

// trouble makes the lane rest, and answers until when. What fails while it rests
// already was under way before and says nothing new.
func (l *lane) trouble(after time.Duration) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if now.Before(l.rest) {
		return l.rest
	}
	l.failures++
	l.open = 1
	l.rest = now.Add(max(after, doubling(firstRest, lastRest, l.failures)))
	return l.rest
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
