package live

import (
	"context"
	"time"

	"homeroom/api"
)

// recordTime is how long it is tried to record what happened at a stop.
const recordTime = 30 * time.Second

// record writes down what happened at stops. It retries while the database is away; what
// could not be recorded is forgotten, so that the next position notices it again.
func (t *Tracker) record(d *drive, calls []Call) {
	ctx, cancel := context.WithTimeout(context.Background(), recordTime)
	defer cancel()
	var err error
	for pause := 200 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		err = t.recordOnce(ctx, d, calls)
		if err == nil {
			return
		}
		select {
		case <-time.After(pause):
			continue
		case <-t.closing: // once more would not be in time
		case <-ctx.Done():
		}
		break
	}
	t.Log.Error("a bus at a stop was not recorded", "schoolId", d.school, "tripId", d.trip.ID, "error", err)
	d.forget(calls)
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, other := range t.drives { // the drive may have been loaded anew meanwhile
		if other != d && other.trip.ID == d.trip.ID {
			other.forget(calls)
		}
	}
}

func (t *Tracker) recordOnce(ctx context.Context, d *drive, calls []Call) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	return t.Work(ctx, d.school, "bus at a stop", func(c api.Ctx) error { return t.RecordCalls(c, d.trip, calls) })
}

func (d *drive) forget(calls []Call) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.progress.forget(calls)
}
