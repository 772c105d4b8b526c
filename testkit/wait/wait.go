// Package wait has the one limit on how long a test waits for something, and a clock that a
// test sets. It imports nothing of ours, so that the tests of every package can use it.
package wait

import (
	"context"
	"sync/atomic"
	"testing"
	"time"
)

// Limit is how long a test waits for what must come about. It ends a test that hangs and
// decides nothing else: a machine that runs other suites beside this one is slow, not wrong.
const Limit = 4 * time.Minute

// Eventually waits until is answers true, for what another goroutine, process or instance
// brings about.
func Eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	if !Until(context.Background(), is) {
		t.Fatalf("did not come about: %s", what)
	}
}

// Until is Eventually for goroutines of a test and for what may be tried again: it answers
// whether is came true before the limit and the end of ctx.
func Until(ctx context.Context, is func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	for !is() {
		select {
		case <-ctx.Done():
			return is()
		case <-time.After(10 * time.Millisecond):
		}
	}
	return true
}

// Receive waits for the next value of a channel, or for its end.
func Receive[T any](t testing.TB, what string, from <-chan T) T {
	t.Helper()
	timer := time.NewTimer(Limit)
	defer timer.Stop()
	select {
	case v := <-from:
		return v
	case <-timer.C:
		t.Fatalf("did not come about: %s", what)
		panic("unreachable")
	}
}

// Context ends with the test, and at the limit.
func Context(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Limit)
	t.Cleanup(cancel)
	return ctx
}

// Deadline is the limit from now on, for connections: what is not there by then will not come.
func Deadline() time.Time { return time.Now().Add(Limit) }

// Clock does not move until the test moves it. It may be read and moved at once.
type Clock struct{ at atomic.Pointer[time.Time] }

// NewClock is a clock that shows the time of its creation.
func NewClock() *Clock { return ClockAt(time.Now()) }

// ClockAt is a clock that shows the given time.
func ClockAt(at time.Time) *Clock {
	c := &Clock{}
	c.Set(at)
	return c
}

// Now is what the clock shows.
func (c *Clock) Now() time.Time { return *c.at.Load() }

// Set sets the clock.
func (c *Clock) Set(at time.Time) {
	at = at.Round(0) // a wall clock: no hidden reading of the machine's own passes with it
	c.at.Store(&at)
}

// Pass moves the clock forward.
func (c *Clock) Pass(d time.Duration) { c.Set(c.Now().Add(d)) }
