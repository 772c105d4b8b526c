package realtime

import "sync"

// queue does work for each of many keys, a few at a time. A key that waits is not queued
// twice, so its length is bounded by the number of keys, however often they are added and
// however slow the work is.
type queue[K comparable] struct {
	workers int
	work    func(key K, full bool)

	mu      sync.Mutex
	waiting map[K]bool // whether the full work is to be done
	urgent  []K
	rest    []K
	running int
}

func newQueue[K comparable](workers int, work func(key K, full bool)) *queue[K] {
	return &queue[K]{workers: workers, work: work, waiting: map[K]bool{}}
}

// add queues a key, before those that are not urgent if it is. Work that is running does
// not count: it may have read what changed since.
func (q *queue[K]) add(key K, full, urgent bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	was, waits := q.waiting[key]
	q.waiting[key] = was || full
	switch {
	case urgent: // it may be in the other line too, and is done once
		q.urgent = append(q.urgent, key)
	case !waits:
		q.rest = append(q.rest, key)
	}
	if limit := 2*len(q.waiting) + 16; len(q.urgent) > limit { // the same keys again and again
		q.urgent = q.compact(q.urgent)
	}
	if q.running < q.workers {
		q.running++
		go q.run()
	}
}

// compact removes repeated keys from a line, and those that do not wait.
func (q *queue[K]) compact(line []K) []K {
	seen := make(map[K]bool, len(q.waiting))
	out := line[:0:0]
	for _, k := range line {
		if _, waits := q.waiting[k]; waits && !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}

func (q *queue[K]) run() {
	for {
		key, full, ok := q.next()
		if !ok {
			return
		}
		q.work(key, full)
	}
}

func (q *queue[K]) next() (key K, full, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		switch {
		case len(q.urgent) > 0:
			key, q.urgent = q.urgent[0], q.urgent[1:]
		case len(q.rest) > 0:
			key, q.rest = q.rest[0], q.rest[1:]
		default:
			q.urgent, q.rest = nil, nil
			q.running--
			return key, false, false
		}
		if full, ok = q.waiting[key]; ok {
			delete(q.waiting, key)
			return key, full, true
		}
	}
}
