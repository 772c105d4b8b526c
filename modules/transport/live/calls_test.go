package live

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

func TestRecord_DatabaseAway_CallIsNoticedAgain(t *testing.T) {
	t.Parallel()
	away, tries := true, 0
	tracker := NewTracker(Parts{Clock: time.Now, Log: slog.New(slog.DiscardHandler),
		Work: func(context.Context, uuid.UUID, string, func(api.Ctx) error) error {
			if tries++; away {
				return errors.New("the database is away")
			}
			return nil
		}})
	stop := Stop{ID: uuid.New(), Lat: 12.97, Lng: 77.59}
	d := &drive{progress: newProgress([]Stop{stop})}
	here := func() []Call { return d.progress.move(&Position{Lat: 12.97, Lng: 77.59, At: time.Now()}, time.Time{}) }
	calls := here()
	if len(calls) != 2 || len(here()) != 0 {
		t.Fatalf("noticed %+v", calls)
	}
	tracker.Close() // it is not waited for
	tracker.record(d, calls)
	if again := here(); len(again) != 2 || tries != 1 {
		t.Errorf("after %d tries noticed %+v", tries, again)
	}
	away = false
	tracker.record(d, calls)
	if again := here(); len(again) != 0 || tries != 2 {
		t.Errorf("after %d tries noticed %+v", tries, again)
	}
}
