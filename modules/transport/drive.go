package transport

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/notice"
	"homeroom/tenancy"
)

// drive is a trip that is being driven, as the instance knows it that its driver talks to.
type drive struct {
	school  uuid.UUID
	trip    Trip
	loaded  time.Time
	expired atomic.Bool

	mu        sync.Mutex
	progress  *progress
	walked    time.Time // up to when the trail went into progress
	last      *Point    // newest that was shown
	suspect   *Point    // came from nowhere; believed if the next one is near it
	recent    []time.Time
	allowance float64 // positions that may come now
	counted   time.Time
	told      time.Time // of ETAs
}

// recentKept is how many positions back a repeated one is recognised.
const recentKept = 64

var errJump = refusedPoint("The bus cannot have come here so fast")

var errTooMany = api.Coded(429, "Too Many Requests", "Too many positions, slow down")

// inherit goes on from what was known of the same trip.
func (d *drive) inherit(old *drive) {
	old.mu.Lock()
	defer old.mu.Unlock()
	d.walked, d.last, d.suspect, d.recent = old.walked, old.last, old.suspect, old.recent
	d.allowance, d.counted, d.told = old.allowance, old.counted, old.told
	// What was noticed at stops may not be in the database yet.
	old.progress.path.remember(d.progress.path.stops)
	d.progress.along, d.progress.known, d.progress.pace, d.progress.at = old.progress.along, old.progress.known, old.progress.pace, old.progress.at
}

// remember carries over what happened at stops.
func (p path) remember(into []TripStop) {
	for _, s := range p.stops {
		for i := range into {
			if into[i].ID == s.ID {
				into[i].NearAt, into[i].ArrivedAt, into[i].DepartedAt = orElse(into[i].NearAt, s.NearAt), orElse(into[i].ArrivedAt, s.ArrivedAt), orElse(into[i].DepartedAt, s.DepartedAt)
			}
		}
	}
}

func orElse(a, b *time.Time) *time.Time {
	if a != nil {
		return a
	}
	return b
}

// take checks a position against the trip and shows it if it is the newest. known says
// that it had come before.
func (d *drive) take(p Point, now time.Time, t *Tracker) (known bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.allow(now, float64(t.PerSecond)) {
		return false, errTooMany
	}
	if err := p.during(*d.trip.StartedAt, nil, now); err != nil {
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
func (d *drive) believe(p Point) error {
	if d.last == nil || p.At.Before(d.last.At) || reachable(*d.last, p) {
		d.suspect = nil
		return nil
	}
	if d.suspect != nil && p.At.After(d.suspect.At) && reachable(*d.suspect, p) {
		d.suspect = nil
		return nil
	}
	d.suspect = &p
	return errJump
}

// show shows a position that is in the trail already, if it can be believed; way is the
// trail that leads to it.
func (d *drive) show(p Point, way []Point, now time.Time, t *Tracker) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.believe(p) == nil {
		d.showLocked(p, way, now, t)
	}
}

// showLocked shows a position if it is newer than what is shown: the marker never jumps back.
func (d *drive) showLocked(p Point, way []Point, now time.Time, t *Tracker) {
	if d.last != nil && !p.At.After(d.last.At) {
		return
	}
	d.last = &p
	stale := now.Sub(p.At) > staleAfter
	calls := d.walk(append(way, p), now)
	if len(calls) > 0 {
		t.busy.Go(func() { t.note(d, calls) })
	}
	if t.Live == nil {
		return
	}
	seen := p.seen(d.trip.ID, now.UTC())
	var tell []StopETA
	if !stale {
		seen.ETAs = d.progress.etas()
		if len(calls) > 0 || now.Sub(d.told) >= tellETAs {
			d.told, tell = now, seen.ETAs
		}
	}
	t.Live.Moved(d.school, d.trip.BusID, seen, tell)
}

// walk takes positions in, and says what happened at stops. That a bus was near long ago
// is news to nobody; when it called is written down all the same.
func (d *drive) walk(way []Point, now time.Time) []call {
	var calls []call
	for _, p := range way {
		if p.At.After(d.walked) {
			d.walked = p.At
			calls = append(calls, d.progress.move(p)...)
		}
	}
	return slices.DeleteFunc(calls, func(k call) bool { return k.what == "near" && now.Sub(k.at) > staleAfter })
}

// walkedTo is up to when the trail was taken in.
func (d *drive) walkedTo() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.walked
}

// note writes down what happened at stops, and tells the families who wait there. A
// database that restarts is waited for; what could not be noted did not happen, so that
// the next position tells it.
func (t *Tracker) note(d *drive, calls []call) {
	ctx, cancel := context.WithTimeout(context.Background(), noteTime)
	defer cancel()
	var err error
	for pause := 200 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		err = t.noteOnce(ctx, d, calls)
		if err == nil {
			return
		}
		select {
		case <-time.After(pause):
			continue
		case <-t.leaving: // once more would not be in time
		case <-ctx.Done():
		}
		break
	}
	t.Log.Error("a bus at a stop was not noted", "schoolId", d.school, "tripId", d.trip.ID, "error", err)
	d.unnote(calls)
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, other := range t.drives { // what was known may have been read anew meanwhile
		if other != d && other.trip.ID == d.trip.ID {
			other.unnote(calls)
		}
	}
}

func (t *Tracker) noteOnce(ctx context.Context, d *drive, calls []call) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	return t.Work(ctx, d.school, "bus at a stop", func(c api.Ctx) error { return noteCalls(c, d.trip, calls) })
}

// unnote forgets what happened at stops.
func (d *drive) unnote(calls []call) {
	d.mu.Lock()
	defer d.mu.Unlock()
	stops := d.progress.path.stops
	for _, k := range calls {
		for i := range stops {
			if stops[i].ID != k.stop {
				continue
			}
			mark := map[string]**time.Time{"near": &stops[i].NearAt, "arrived": &stops[i].ArrivedAt, "departed": &stops[i].DepartedAt}[k.what]
			if *mark != nil && (*mark).Equal(k.at) {
				*mark = nil
			}
		}
	}
}

func noteCalls(c api.Ctx, trip Trip, calls []call) error {
	ids, near, arrived, departed := []uuid.UUID{}, []*time.Time{}, []*time.Time{}, []*time.Time{}
	var nearby []uuid.UUID
	for _, k := range calls {
		at := k.at
		var n, a, d *time.Time
		switch k.what {
		case "near":
			n = &at
			nearby = append(nearby, k.stop)
		case "arrived":
			a = &at
		default:
			d = &at
		}
		ids, near, arrived, departed = append(ids, k.stop), append(near, n), append(arrived, a), append(departed, d)
	}
	who := "waiting"
	if trip.TripType == "dropoff" {
		who = "boarded"
	}
	var riders []TripStudent
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `insert into trip_stop (trip_id, stop_id, near_at, arrived_at, departed_at)
			select $1, id, min(near), min(arrived), min(departed) from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[]) as x (id, near, arrived, departed) group by id
			on conflict (trip_id, stop_id) do update set near_at = coalesce(trip_stop.near_at, excluded.near_at),
				arrived_at = coalesce(trip_stop.arrived_at, excluded.arrived_at), departed_at = coalesce(trip_stop.departed_at, excluded.departed_at)`,
			Args: []any{trip.ID, ids, near, arrived, departed}},
		tenancy.Query{SQL: `select b.student_id, s.first_name, s.last_name, p.id as stop_id, p.name as stop_name from boarding b join student s on s.id = b.student_id join stop p on p.id = b.stop_id
			where b.trip_id = $1 and b.stop_id = any($2) and b.status = $3`, Args: []any{trip.ID, nearby, who}, Scan: tenancy.Collect(&riders)},
	)
	if err != nil {
		return fmt.Errorf("noting stops: %w", err)
	}
	for _, s := range riders {
		notice.Send(c, notice.Notice{
			Type: notice.Transport, Key: fmt.Sprintf("near:%s:%s:%s", trip.ID, s.StopID, s.StudentID), RecordID: trip.ID, StudentID: &s.StudentID,
			Text: notice.Text{Name: "transport.near", Values: notice.Values{"child": s.name(), "stop": s.StopName}},
		})
	}
	return nil
}
