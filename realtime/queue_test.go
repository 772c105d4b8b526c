package realtime

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestQueue_KeysAddedRepeatedly_BoundedAndNoneLost(t *testing.T) {
	t.Parallel()
	const workers, keys, rounds = 3, 50, 200
	var now, peak, whole atomic.Int64
	var mu sync.Mutex
	done := map[int]int{}
	release := make(chan struct{})
	q := newQueue(workers, func(key int, all bool) {
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
	for range rounds { // no work ends: Postgres is slow, and hints rain
		for key := range keys {
			q.add(key, key == 7, key%2 == 0)
		}
	}
	q.mu.Lock()
	if n := len(q.urgent) + len(q.rest); n > 4*keys+32 {
		t.Errorf("%d places in line for %d keys", n, keys)
	}
	q.mu.Unlock()
	close(release)
	q.add(keys, true, false)
	for idle := false; !idle; {
		q.mu.Lock()
		idle = q.running == 0
		q.mu.Unlock()
	}
	mu.Lock()
	defer mu.Unlock()
	if len(done) != keys+1 || peak.Load() > workers || whole.Load() < 2 {
		t.Errorf("%d of %d keys, %d at once, %d as a whole", len(done), keys+1, peak.Load(), whole.Load())
	}
	for key, n := range done {
		if n > 2 { // once, and once more for what was asked while it was done
			t.Errorf("key %d was done %d times", key, n)
		}
	}
}
