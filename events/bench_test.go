package events_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/events"
)

// BenchmarkCommitToListener measures how long a fact takes from the end of its
// commit to its listener, one write after the other over 50 schools.
func BenchmarkCommitToListener(b *testing.B) {
	f := newFleet(b, 50)
	var mu sync.Mutex
	arrived := map[uuid.UUID]time.Time{}
	heard := make(chan struct{}, 1)
	i := f.start(busWith(func(_ context.Context, h events.Heard) error {
		now := time.Now()
		mu.Lock()
		arrived[h.ID] = now
		mu.Unlock()
		heard <- struct{}{}
		return nil
	})).swept(f)
	f.start(busWith(func(context.Context, events.Heard) error { heard <- struct{}{}; return nil }))
	committed := map[uuid.UUID]time.Time{}
	for n := 0; b.Loop(); n++ {
		school := f.schools[n%len(f.schools)]
		ids, commit := f.prepare(i.Relay, school, time.Now(), fact(n))
		must(b, commit())
		committed[ids[0]] = time.Now()
		i.Wake(school)
		<-heard
	}
	mu.Lock()
	defer mu.Unlock()
	var took []time.Duration
	for id, at := range arrived {
		took = append(took, at.Sub(committed[id]))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// BenchmarkThroughput publishes facts of 50 outboxes, with two instances.
func BenchmarkThroughput(b *testing.B) {
	f := newFleet(b, 50)
	var heard sync.WaitGroup
	heard.Add(b.N)
	listen := func(context.Context, events.Heard) error { heard.Done(); return nil }
	i := f.start(busWith(listen)).swept(f)
	f.start(busWith(listen))
	b.ResetTimer()
	for n := 0; n < b.N; n += 100 {
		facts := slices.Repeat([]events.Fact{fact(n)}, min(100, b.N-n))
		f.write(i.Relay, f.schools[(n/100)%50], time.Now(), facts...)
	}
	heard.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "facts/s")
}
