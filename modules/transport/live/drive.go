package live

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

// drive is a trip in progress, as known by the instance that its driver is connected to.
type drive struct {
	school  uuid.UUID
	trip    Trip
	loaded  time.Time
	expired atomic.Bool

	mu         sync.Mutex
	progress   *progress
	last       *Position // the newest that was shown
	suspect    *Position // out of reach of the last one; believed if the next one is near it
	recent     []time.Time
	allowance  float64 // positions that may come now
	counted    time.Time
	etasSentAt time.Time
}

// recentKept is how many positions back a repeated one is recognised.
const recentKept = 64

var errJump = refusedPoint("The bus cannot have come here so fast")

var errTooMany = api.Coded(429, "", "Too many positions, slow down")

// inherit takes over what an older copy of the same drive knows.
func (d *drive) inherit(old *drive) {
	old.mu.Lock()
	defer old.mu.Unlock()
	d.last, d.suspect, d.recent = old.last, old.suspect, old.recent
	d.allowance, d.counted, d.etasSentAt = old.allowance, old.counted, old.etasSentAt
	d.progress.inherit(old.progress)
}

// take checks a position against the trip and shows it if it is the newest. known reports
// that it had come before.
func (d *drive) take(p *Position, now time.Time, t *Tracker) (known bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.allow(now, float64(t.PerSecond)) {
		return false, errTooMany
	}
	if err := p.during(d.trip.StartedAt, nil); err != nil {
		return false, err
	}
	for _, at := range d.recent {
		if at.Equal(p.At) {
			return true, nil
		}
	}
	if err := d.believe(p); err != nil {
		return false, err
	}
	if d.recent = append(d.recent, p.At); len(d.recent) > recentKept {
		d.recent = d.recent[1:]
	}
	d.showLocked(p, nil, now, t)
	return false, nil
}

// allow spreads positions over the second.
func (d *drive) allow(now time.Time, rate float64) bool {
	if gone := now.Sub(d.counted).Seconds(); gone > 0 {
		d.allowance = min(rate, d.allowance+gone*rate)
		d.counted = now
	}
	if d.allowance < 1 {
		return false
	}
	d.allowance--
	return true
}

// believe refuses a position no bus could have come to, until a second one confirms it:
// then the one before was the wrong one.
func (d *drive) believe(p *Position) error {
	if d.last == nil || p.At.Before(d.last.At) || reachable(d.last, p) {
		d.suspect = nil
		return nil
	}
	if d.suspect != nil && p.At.After(d.suspect.At) && reachable(d.suspect, p) {
		d.suspect = nil
		return nil
	}
	d.suspect = p
	return errJump
}

// showStored shows a position that is in the trail already, if it can be believed; before
// is the trail that leads to it.
func (d *drive) showStored(p *Position, before []Position, now time.Time, t *Tracker) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.believe(p) == nil {
		d.showLocked(p, before, now, t)
	}
}

// showLocked shows watchers a position if it is newer than what is shown: the marker never
// jumps back. That a bus was near a stop long ago is news to nobody, unless it was there when it was last heard of; when
// it called there is recorded all the same.
func (d *drive) showLocked(p *Position, before []Position, now time.Time, t *Tracker) {
	if d.last != nil && !p.At.After(d.last.At) {
		return
	}
	d.last = p
	var calls []Call
	for i := range before {
		calls = append(calls, d.progress.move(&before[i], now.Add(-StaleAfter))...)
	}
	calls = append(calls, d.progress.move(p, now.Add(-lateNear))...)
	if len(calls) > 0 {
		t.busy.Go(func() { t.record(d, calls) })
	}
	var etas []StopETA
	if now.Sub(p.At) <= StaleAfter {
		p.ETAs = d.progress.etas()
		if len(calls) > 0 || now.Sub(d.etasSentAt) >= etasEvery {
			d.etasSentAt, etas = now, p.ETAs
		}
	}
	bus := d.trip.BusID
	t.Channel.Move(d.school, bus, p.At, func(emit func(event, key string, data any)) any {
		emit("location", "location", p.Location(bus, t.Clock()))
		for _, e := range etas {
			emit("eta", "eta:"+e.StopID.String(), ETA{BusID: bus, TripID: p.TripID, StopID: e.StopID, Seconds: e.Seconds})
		}
		return p
	})
}

// followedTo is up to when the trail went into the drive's progress.
func (d *drive) followedTo() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.progress.upTo
}
