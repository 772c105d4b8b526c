package realtime

import "sync"

// errands are done for each of many keys, a few at a time. One that waits already is not
// put down twice, so what waits is bounded by how many keys there are, however often
// somebody asks and however slow the doing is.
type errands[K comparable] struct {
	most int
	do   func(key K, whole bool)

	mu      sync.Mutex
	waiting map[K]bool // whether it is to be done as a whole
	first   []K
	rest    []K
	busy    int
}

func newErrands[K comparable](most int, do func(key K, whole bool)) *errands[K] {
	return &errands[K]{most: most, do: do, waiting: map[K]bool{}}
}

// soon has it done for a key, before those that are not urgent if this one is. What is
// being done at this moment does not count: it may have looked before.
func (e *errands[K]) soon(key K, whole, urgent bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	was, waits := e.waiting[key]
	e.waiting[key] = was || whole
	switch {
	case urgent: // it may stand in the other line too, and is done once
		e.first = append(e.first, key)
	case !waits:
		e.rest = append(e.rest, key)
	}
	if limit := 2*len(e.waiting) + 16; len(e.first) > limit { // somebody asks for the same again and again
		e.first = e.once(e.first)
	}
	if e.busy < e.most {
		e.busy++
		go e.work()
	}
}

// once is a line without the places of those who stand in it before, or are done.
func (e *errands[K]) once(line []K) []K {
	seen := make(map[K]bool, len(e.waiting))
	out := line[:0:0]
	for _, k := range line {
		if _, waits := e.waiting[k]; waits && !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}

func (e *errands[K]) work() {
	for {
		key, whole, ok := e.next()
		if !ok {
			return
		}
		e.do(key, whole)
	}
}

func (e *errands[K]) next() (key K, whole, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for {
		switch {
		case len(e.first) > 0:
			key, e.first = e.first[0], e.first[1:]
		case len(e.rest) > 0:
			key, e.rest = e.rest[0], e.rest[1:]
		default:
			e.first, e.rest = nil, nil
			e.busy--
			return key, false, false
		}
		if whole, ok = e.waiting[key]; ok {
			delete(e.waiting, key)
			return key, whole, true
		}
	}
}
