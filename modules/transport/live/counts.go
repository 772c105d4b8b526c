package live

import "sync/atomic"

// PositionCounts are what became of the positions this instance was sent, since it
// started, for metrics.
type PositionCounts struct {
	Received int64
	Refused  int64 // cannot be, too many, or of no trip
	Written  int64 // are in the trail
	Lost     int64 // were taken and could not be written
	Waiting  int   // are about to be written
}

// positionCounts are the same while they change.
type positionCounts struct{ received, refused, written, lost atomic.Int64 }

func (c *positionCounts) wrote(n int, err error) {
	if err != nil {
		c.lost.Add(int64(n))
		return
	}
	c.written.Add(int64(n))
}

// addBatch counts what a phone could not send while it drove.
func (c *positionCounts) addBatch(b BatchRead) {
	c.received.Add(int64(b.Received))
	c.refused.Add(int64(len(b.Refused)))
	c.written.Add(int64(b.Stored))
}

// Counts are the figures up to now.
func (t *Tracker) Counts() PositionCounts {
	c := PositionCounts{
		Received: t.counts.received.Load(),
		Refused:  t.counts.refused.Load(),
		Written:  t.counts.written.Load(),
		Lost:     t.counts.lost.Load(),
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, b := range t.batchers {
		b.mu.Lock()
		c.Waiting += len(b.pending)
		b.mu.Unlock()
	}
	return c
}
