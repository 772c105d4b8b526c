package realtime

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestHoweverOftenItIsAskedForNoMoreIsDoneAtOnceThanAllowedAndNothingIsForgotten(t *testing.T) {
	t.Parallel()
	const most, keys, rounds = 3, 50, 200
	var now, peak, whole atomic.Int64
	var mu sync.Mutex
	done := map[int]int{}
	release := make(chan struct{})
	e := newErrands(most, func(key int, all bool) {
		if n := now.Add(1); n > peak.Load() {
			peak.Store(n)
		}
		<-release
		mu.Lock()
		done[key]++
		mu.Unlock()
		if all {
			whole.Add(1)
		}
		now.Add(-1)
	})
	for range rounds { // nobody gets anywhere: Postgres is slow, and hints rain
		for key := range keys {
			e.soon(key, key == 7, key%2 == 0)
		}
	}
	e.mu.Lock()
	if n := len(e.first) + len(e.rest); n > 4*keys+32 {
		t.Errorf("%d places in line for %d keys", n, keys)
	}
	e.mu.Unlock()
	close(release)
	e.soon(keys, true, false)
	for idle := false; !idle; {
		e.mu.Lock()
		idle = e.busy == 0
		e.mu.Unlock()
	}
	mu.Lock()
	defer mu.Unlock()
	if len(done) != keys+1 || peak.Load() > most || whole.Load() < 2 {
		t.Errorf("%d of %d keys, %d at once, %d as a whole", len(done), keys+1, peak.Load(), whole.Load())
	}
	for key, n := range done {
		if n > 2 { // once, and once more for what was asked while it was done
			t.Errorf("key %d was done %d times", key, n)
		}
	}
}
