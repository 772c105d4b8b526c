package socketio

import "time"

// bucket counts a client's packets: so many a second, and so many at once.
type bucket struct {
	used float64
	last time.Time
}

func (b *bucket) take(now time.Time, rate float64, burst int) bool {
	b.used = max(0, b.used-now.Sub(b.last).Seconds()*rate)
	b.last = now
	if b.used+1 > float64(burst) {
		return false
	}
	b.used++
	return true
}
