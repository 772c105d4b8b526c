package demo

import (
	"context"
	"time"
)

// lookEvery is how often the demo looks whether a day has begun.
const lookEvery = 10 * time.Minute

// Live fills the schools, and goes on with what happens in them until ctx ends.
func (d *Demo) Live(ctx context.Context, say func(string, ...any)) {
	for first := true; ; first = false {
		began := time.Now()
		switch err := d.Fill(ctx); {
		case ctx.Err() != nil:
			return
		case err != nil:
			say("The demo schools are not as they should be: %v", err)
		case first:
			say("The demo schools are ready, after %.1f s.", time.Since(began).Seconds())
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookEvery):
		}
	}
}
