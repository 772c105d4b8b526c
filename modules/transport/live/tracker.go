package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

const (
	// driveCached is how long a driver's trip is believed without a hint that it changed.
	driveCached = 30 * time.Second
	driveKept   = time.Hour
	// PositionsPerSecond is how many positions of one bus are taken, unless set otherwise.
	PositionsPerSecond = 5
	// changeTime is how long a trip whose state is being changed is loaded for every
	// position: until the change is committed, what is read is the old state.
	changeTime = 10 * time.Second
	// etasEvery is how often watchers get the times to the stops ahead.
	etasEvery = 10 * time.Second
)

// Channel shows positions to those who watch a bus, on every instance, and keeps the last
// one of each bus. It may lose it.
type Channel interface {
	// Move shows where a bus was at a moment. It calls show with what emits the events,
	// once or more or never, maybe later; last is kept. It returns at once.
	Move(school, bus uuid.UUID, at time.Time, show func(emit func(event, key string, data any)) (last any))
	// Last is what Move kept of a bus as JSON; nil is nothing, or long ago.
	Last(ctx context.Context, school, bus uuid.UUID) ([]byte, error)
}

// Parts are what a tracker needs.
type Parts struct {
	Schools api.Opener
	// OpenTrip reads the trip that a user drives now; an error refuses their positions.
	OpenTrip func(db *gorm.DB, driver uuid.UUID) (Trip, error)
	// RecordCalls writes down what a bus did at stops. It may be called again with the same.
	RecordCalls func(c api.Ctx, t Trip, calls []Call) error
	// Work does something at a school outside a request (api.Kernel.Work).
	Work      func(ctx context.Context, school uuid.UUID, name string, f func(api.Ctx) error) error
	Channel   Channel
	Clock     func() time.Time
	Log       *slog.Logger
	PerSecond int
}

// Tracker takes the positions drivers report. What it caches is of buses whose drivers
// are connected to this instance; another takes over from the database.
type Tracker struct {
	Parts

	mu       sync.Mutex
	drives   map[uuid.UUID]*drive    // by driver
	changing map[uuid.UUID]time.Time // by trip, until when it may change
	batchers map[uuid.UUID]*batcher  // by school
	busy     sync.WaitGroup

	closing chan struct{}
	close   sync.Once

	counts positionCounts
}

// NewTracker makes a tracker.
func NewTracker(p Parts) *Tracker {
	if p.PerSecond <= 0 {
		p.PerSecond = PositionsPerSecond
	}
	return &Tracker{
		Parts: p, drives: map[uuid.UUID]*drive{}, changing: map[uuid.UUID]time.Time{}, batchers: map[uuid.UUID]*batcher{},
		closing: make(chan struct{}),
	}
}

var errMalformed = api.Malformed("Send an object with lat, lng, speed, heading and timestamp")

// refuse is what is wrong with a position that cannot be read.
func refuse(err error) error {
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.Is(err, errMoment):
		return api.InvalidField("timestamp", "%v", errMoment)
	case errors.As(err, &mistyped) && mistyped.Field != "":
		return api.InvalidField(mistyped.Field, "must be a number")
	}
	return errMalformed.Because(err)
}

// Report takes a position from a driver, as JSON of PointFields. It returns at once what
// is wrong with it; done is called when it is in the database, or could not be written.
func (t *Tracker) Report(ctx context.Context, school, driver uuid.UUID, sent []byte, done func(error)) (err error) {
	var fields PointFields
	if err := json.Unmarshal(sent, &fields); err != nil {
		return refuse(err)
	}
	t.counts.received.Add(1)
	defer func() {
		if err != nil {
			t.counts.refused.Add(1)
		}
	}()
	now := t.Clock()
	p, err := fields.Position(now)
	if err != nil {
		return err
	}
	d, err := t.driveOf(ctx, school, driver)
	if err != nil {
		return err
	}
	p.TripID = d.trip.ID
	known, err := d.take(&p, now, t)
	if err != nil {
		return err
	}
	if known {
		done(nil)
		return nil
	}
	t.batcherOf(school).add(pendingPosition{&p, done})
	return nil
}

// ShowStored shows a position that came by other means than Report and is in the trail
// already. It returns at once: its caller may hold the only connection to the school.
func (t *Tracker) ShowStored(school, driver uuid.UUID, p Position) {
	t.busy.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), writeTime)
		defer cancel()
		d, err := t.driveOf(ctx, school, driver)
		if err != nil || d.trip.ID != p.TripID {
			return // the trip is over, or the next position will show the bus
		}
		// The positions before it may have come to another instance, or in the same batch:
		// the trail has them all.
		before, err := t.trailBetween(ctx, school, p.TripID, d.followedTo(), p.At)
		if err != nil {
			t.Log.Warn("a bus is shown without its trail", "schoolId", school, "tripId", p.TripID, "error", err)
		}
		d.showStored(&p, before, t.Clock(), t)
	})
}

// Last is where a bus was seen last; nil is nowhere, or long ago.
func (t *Tracker) Last(ctx context.Context, school, bus uuid.UUID) (*Position, error) {
	last, err := t.Channel.Last(ctx, school, bus)
	if err != nil || last == nil {
		return nil, err
	}
	var p Position
	if err := json.Unmarshal(last, &p); err != nil {
		return nil, fmt.Errorf("reading a last position: %w", err)
	}
	return &p, nil
}

// Forget has a trip loaded again: its state changed. What was noticed at stops stays, for
// it may not be in the database yet; drives that were not used for long are dropped.
func (t *Tracker) Forget(trip uuid.UUID) {
	now := t.Clock()
	t.mu.Lock()
	defer t.mu.Unlock()
	for driver, d := range t.drives {
		if d.trip.ID == trip {
			d.expired.Store(true)
		}
		if d.expired.Load() && now.Sub(d.loaded) > driveKept {
			delete(t.drives, driver)
		}
	}
}

// Invalidate has a trip loaded for every position of the next moments: its state is
// about to change.
func (t *Tracker) Invalidate(trip uuid.UUID) {
	now := t.Clock()
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, until := range t.changing {
		if now.After(until) {
			delete(t.changing, id)
		}
	}
	t.changing[trip] = now.Add(changeTime)
}

// ForgetAll is Forget for every trip: hints may have been missed.
func (t *Tracker) ForgetAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, d := range t.drives {
		d.expired.Store(true)
	}
}

// Close waits until what was taken is written.
func (t *Tracker) Close() {
	t.close.Do(func() { close(t.closing) })
	t.mu.Lock()
	batchers := make([]*batcher, 0, len(t.batchers))
	for _, b := range t.batchers {
		batchers = append(batchers, b)
	}
	t.mu.Unlock()
	for _, b := range batchers {
		b.flush()
	}
	t.busy.Wait()
}

func (t *Tracker) batcherOf(school uuid.UUID) *batcher {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := t.batchers[school]
	if found == nil {
		found = &batcher{school: school, schools: t.Schools, counts: &t.counts}
		t.batchers[school] = found
	}
	return found
}

// driveOf is the trip a driver is on.
func (t *Tracker) driveOf(ctx context.Context, school, driver uuid.UUID) (*drive, error) {
	now := t.Clock()
	t.mu.Lock()
	d := t.drives[driver]
	fresh := d != nil && !d.expired.Load() && now.Sub(d.loaded) < driveCached && !now.Before(t.changing[d.trip.ID])
	t.mu.Unlock()
	if fresh {
		return d, nil
	}
	loaded, err := t.load(ctx, school, driver)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		delete(t.drives, driver)
		return nil, err
	}
	if d != nil && d.trip.ID == loaded.trip.ID {
		loaded.inherit(d)
	}
	t.drives[driver] = loaded
	return loaded, nil
}

func (t *Tracker) load(ctx context.Context, school, driver uuid.UUID) (*drive, error) {
	began := t.Clock()
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	_, db, err := t.Schools.Open(ctx, school, tenancy.ReadWrite)
	if err != nil {
		return nil, err
	}
	trip, err := t.OpenTrip(db, driver)
	if err != nil {
		return nil, err
	}
	d := &drive{school: school, trip: trip, loaded: began, progress: newProgress(trip.Stops), allowance: float64(t.PerSecond)}
	if last, err := t.Last(ctx, school, trip.BusID); err == nil && last != nil && last.TripID == trip.ID {
		d.last = last
	}
	return d, nil
}
