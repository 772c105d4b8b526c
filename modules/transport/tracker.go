package transport

import (
	"context"
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
	// driveKnown is how long what is known of a driver's trip is believed, if nobody says
	// that it changed.
	driveKnown = 30 * time.Second
	driveKept  = time.Hour
	// PositionsPerSecond is how many positions of one bus are taken, unless told otherwise.
	PositionsPerSecond = 5
	// inDoubt is how long a trip whose state is being changed is looked up for every
	// position: until the change is committed, what is read is the old state.
	inDoubt = 2 * time.Second
	// tellETAs is how often watchers are told when the bus will be where.
	tellETAs = 10 * time.Second
	// noteTime is how long it is tried to write down what happened at a stop.
	noteTime = 30 * time.Second
)

// TrackerParts are what a tracker leans on.
type TrackerParts struct {
	Schools api.Opener
	// Work does something at a school outside a request (api.Kernel.Work).
	Work      func(ctx context.Context, school uuid.UUID, name string, f func(api.Ctx) error) error
	Live      LivePublisher
	Clock     func() time.Time
	Log       *slog.Logger
	PerSecond int
}

// Tracker takes the positions drivers report: it shows where a bus is, keeps the trail,
// and notices when a bus comes near a stop. What it remembers is of buses whose drivers
// report to this instance; another takes over from the database.
type Tracker struct {
	TrackerParts

	mu     sync.Mutex
	drives map[uuid.UUID]*drive    // by driver
	doubts map[uuid.UUID]time.Time // by trip, until when
	trails map[uuid.UUID]*trail    // by school
	busy   sync.WaitGroup

	leaving chan struct{}
	leave   sync.Once

	counts positionCounts
}

// NewTracker makes a tracker.
func NewTracker(p TrackerParts) *Tracker {
	if p.PerSecond <= 0 {
		p.PerSecond = PositionsPerSecond
	}
	return &Tracker{TrackerParts: p, drives: map[uuid.UUID]*drive{}, doubts: map[uuid.UUID]time.Time{}, trails: map[uuid.UUID]*trail{}, leaving: make(chan struct{})}
}

// Report takes a position from a driver. What is wrong with it is said at once; done is
// called when it is in the database, or could not be written.
func (t *Tracker) Report(ctx context.Context, school, driver uuid.UUID, f PointFields, done func(error)) error {
	err := t.report(ctx, school, driver, f, done)
	t.counts.received.Add(1)
	if err != nil {
		t.counts.refused.Add(1)
	}
	return err
}

func (t *Tracker) report(ctx context.Context, school, driver uuid.UUID, f PointFields, done func(error)) error {
	now := t.Clock()
	p, err := f.Point(now)
	if err != nil {
		return err
	}
	d, err := t.driveOf(ctx, school, driver)
	if err != nil {
		return err
	}
	known, err := d.take(p, now, t)
	if err != nil {
		return err
	}
	if known {
		done(nil)
		return nil
	}
	t.trailOf(school).add(track{trip: d.trip.ID, point: p, received: now.UTC(), done: done})
	return nil
}

// sightedSoon shows a bus that was seen by other means than Report; the trail has it
// already. Whoever hears of it holds a connection to the school, so it waits for no other.
func (t *Tracker) sightedSoon(school uuid.UUID, s Sighting) {
	t.busy.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), writeTime)
		defer cancel()
		d, err := t.driveOf(ctx, school, s.DriverID)
		if err != nil || d.trip.ID != s.Seen.TripID {
			return // the trip is over, or the next position will show the bus
		}
		// The positions before it may have been heard of by another instance, or have come
		// in the same batch: the trail has them all.
		way, err := t.trailBetween(ctx, school, d.trip.ID, d.walkedTo(), s.Seen.At)
		if err != nil {
			t.Log.Warn("a bus is shown without its way", "schoolId", school, "tripId", d.trip.ID, "error", err)
		}
		d.show(Point{Lat: s.Seen.Lat, Lng: s.Seen.Lng, Speed: s.Seen.Speed, Heading: s.Seen.Heading, At: s.Seen.At}, way, t.Clock(), t)
	})
}

// longestWay is how many positions are read at once: a trip of hours.
const longestWay = 5000

// trailBetween is a trip's positions after one moment and before another, oldest first.
func (t *Tracker) trailBetween(ctx context.Context, school, trip uuid.UUID, after, before time.Time) ([]Point, error) {
	_, db, err := t.Schools.Open(ctx, school, tenancy.ReadWrite)
	if err != nil {
		return nil, err
	}
	var way []Point
	err = db.Raw(`select lat, lng, speed, heading, at from location where trip_id = ? and at > ? and at < ? order by at limit ?`, trip, after, before, longestWay).Scan(&way).Error
	return way, err
}

// Forget has a trip looked up again: its state changed. What was noticed on the way stays,
// for it may not be in the database yet; drives nobody has asked about for long go.
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

// Invalidate is called when a trip's state is about to change.
func (t *Tracker) Invalidate(trip uuid.UUID) {
	now := t.Clock()
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, until := range t.doubts {
		if now.After(until) {
			delete(t.doubts, id)
		}
	}
	t.doubts[trip] = now.Add(inDoubt)
}

// ForgetAll is for when such words may have been missed.
func (t *Tracker) ForgetAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, d := range t.drives {
		d.expired.Store(true)
	}
}

// Close waits until what was taken is written.
func (t *Tracker) Close() {
	t.leave.Do(func() { close(t.leaving) })
	t.mu.Lock()
	trails := make([]*trail, 0, len(t.trails))
	for _, trail := range t.trails {
		trails = append(trails, trail)
	}
	t.mu.Unlock()
	for _, trail := range trails {
		trail.flush()
	}
	t.busy.Wait()
}

func (t *Tracker) trailOf(school uuid.UUID) *trail {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := t.trails[school]
	if found == nil {
		found = &trail{school: school, schools: t.Schools, counts: &t.counts}
		t.trails[school] = found
	}
	return found
}

var (
	errNoTrip = api.Conflict("You have no trip in progress")
	errPaused = api.Conflict("Your trip is paused")
)

// driveOf is the trip a driver is on.
func (t *Tracker) driveOf(ctx context.Context, school, driver uuid.UUID) (*drive, error) {
	now := t.Clock()
	t.mu.Lock()
	d := t.drives[driver]
	sure := d != nil && !d.expired.Load() && now.Sub(d.loaded) < driveKnown && !now.Before(t.doubts[d.trip.ID])
	t.mu.Unlock()
	if sure {
		return d, nil
	}
	fresh, err := t.load(ctx, school, driver)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		delete(t.drives, driver)
		return nil, err
	}
	if d != nil && d.trip.ID == fresh.trip.ID {
		fresh.inherit(d)
	}
	t.drives[driver] = fresh
	return fresh, nil
}

func (t *Tracker) load(ctx context.Context, school, driver uuid.UUID) (*drive, error) {
	began := t.Clock()
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	_, db, err := t.Schools.Open(ctx, school, tenancy.ReadWrite)
	if err != nil {
		return nil, err
	}
	trip, err := openTripOf(db, driver)
	if err != nil {
		return nil, err
	}
	if trip.Status == paused {
		return nil, errPaused
	}
	var stops []TripStop
	err = tenancy.Pipeline(db, tenancy.Query{SQL: selectTripStops, Args: []any{trip.RouteID, trip.ID}, Scan: tenancy.Collect(&stops)})
	if err != nil {
		return nil, fmt.Errorf("reading a trip's stops: %w", err)
	}
	d := &drive{school: school, trip: trip, loaded: began, progress: newProgress(stops), allowance: float64(t.PerSecond)}
	if t.Live == nil {
		return d, nil
	}
	if seen, err := t.Live.LastSeen(ctx, school, trip.BusID); err == nil && seen != nil && seen.TripID == trip.ID {
		d.last = &Point{Lat: seen.Lat, Lng: seen.Lng, Speed: seen.Speed, Heading: seen.Heading, At: seen.At}
	}
	return d, nil
}

func openTripOf(db *gorm.DB, driver uuid.UUID) (Trip, error) {
	var found []Trip
	err := db.Raw(`select `+tripColumns+` from trip t join employee e on e.id = t.driver_id where e.user_id = ? and t.status in ('in_progress', 'paused')`, driver).Scan(&found).Error
	if err != nil {
		return Trip{}, fmt.Errorf("looking for a driver's trip: %w", err)
	}
	if len(found) == 0 {
		return Trip{}, errNoTrip
	}
	return found[0], nil
}
