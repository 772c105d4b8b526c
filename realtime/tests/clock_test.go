package realtime_test

import (
	"sync/atomic"
	"time"
)

// clock can be put forward.
type clock struct{ ahead atomic.Int64 }

func newClock() *clock { return &clock{} }

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

func (c *clock) pass(d time.Duration) { c.ahead.Add(int64(d)) }
