package demo

import (
	"context"
	"sync"
	"time"
)

// utc is the zone in which a date is a day of the week.
var utc = time.UTC

// lookEvery is how often the demo looks whether a day has begun, or what failed can be done now.
const lookEvery = 5 * time.Minute

// tryAgain is how soon what failed is tried once more.
const tryAgain = 10 * time.Second

// Live fills the schools, and goes on with what happens in them until ctx ends: days begin, and a bus drives.
func (d *Demo) Live(ctx context.Context, say func(string, ...any)) {
	var beside sync.WaitGroup
	defer beside.Wait()
	for first := true; ; {
		began, next := time.Now(), lookEvery
		switch err := d.Fill(ctx); {
		case ctx.Err() != nil:
			return
		case err != nil:
			say("The demo schools are not complete: %v", err)
			next = tryAgain
		case first:
			say("The demo schools are complete, after %.1f s.", time.Since(began).Seconds())
			first = false
			beside.Go(func() { d.keepDriving(ctx) })
			if d.Complete != nil {
				beside.Go(func() { d.Complete(ctx) })
			}
		}
		if pause(ctx, next) != nil {
			return
		}
	}
}

// keepDriving drives the bus, and begins again when somebody was in its way: its driver can be signed in as, too.
func (d *Demo) keepDriving(ctx context.Context) {
	for ctx.Err() == nil {
		if err := d.driveOwnBus(ctx); err != nil && ctx.Err() == nil {
			d.service.Log.Info("the demo's bus stopped", "error", err)
		}
		if pause(ctx, tryAgain) != nil {
			return
		}
	}
}
