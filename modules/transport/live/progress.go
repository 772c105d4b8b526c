package live

import (
	"cmp"
	"math"
	"time"
)

const (
	// arriveWithin and leaveBeyond are metres: apart, so that a bus whose position
	// trembles at a stop arrives once and leaves once.
	arriveWithin = 60
	leaveBeyond  = 110
	// nextStops is how many stops ahead can have the bus near.
	nextStops = 2
	// passed is how far beyond a stop a bus has left it behind without stopping.
	passed = 200
)

// progress is how far a trip has come.
type progress struct {
	path  path
	along float64   // metres from the first stop
	known bool      // along is
	pace  float64   // metres a second
	at    time.Time // of the last position on the route
	upTo  time.Time // of the last position
}

func newProgress(stops []Stop) *progress {
	p := &progress{path: newPath(stops)}
	p.pace = p.path.plannedPace()
	for i, s := range stops {
		if s.ArrivedAt != nil {
			p.along = p.path.along[i]
		}
	}
	return p
}

// inherit takes over what an older copy knows. What happened at stops may not be in the
// database yet.
func (p *progress) inherit(old *progress) {
	p.along, p.known, p.pace, p.at, p.upTo = old.along, old.known, old.pace, old.at, old.upTo
	for _, s := range old.path.stops {
		for i := range p.path.stops {
			if now := &p.path.stops[i]; now.ID == s.ID {
				now.NearAt, now.ArrivedAt, now.DepartedAt = cmp.Or(
					now.NearAt,
					s.NearAt,
				), cmp.Or(
					now.ArrivedAt,
					s.ArrivedAt,
				), cmp.Or(
					now.DepartedAt,
					s.DepartedAt,
				)
			}
		}
	}
}

// move goes on to a position and returns what happened at stops. One that is not newer
// than the last changes nothing. That the bus is near a stop is left to a later position if this one was before nearSince.
func (p *progress) move(pt *Position, nearSince time.Time) []Call {
	if !pt.At.After(p.upTo) {
		return nil
	}
	p.upTo = pt.At
	along, beside := p.path.locate(pt.Lat, pt.Lng, p.along)
	if beside <= offRoute {
		if gone := pt.At.Sub(p.at).Seconds(); p.known && gone > 0 && gone < 120 {
			weight := 1 - math.Exp(-gone/paceMemory.Seconds())
			p.pace = max(slowest, p.pace*(1-weight)+max(0, along-p.along)/gone*weight)
		}
		if !p.known || along > p.along {
			p.along = along
		}
		p.known, p.at = true, pt.At
	}
	var calls []Call
	note := func(s *Stop, mark **time.Time, what string) {
		at := pt.At
		*mark = &at
		calls = append(calls, Call{s.ID, what, at})
	}
	next := 0
	for i := range p.path.stops {
		s := &p.path.stops[i]
		if s.DepartedAt != nil {
			continue
		}
		away := Metres(pt.Lat, pt.Lng, s.Lat, s.Lng)
		if s.ArrivedAt == nil && away > arriveWithin && p.behind(i) {
			continue
		}
		if next++; next > nextStops {
			break
		}
		if s.NearAt == nil && !pt.At.Before(nearSince) && away <= float64(max(s.RadiusMeters, arriveWithin)) {
			note(s, &s.NearAt, Near)
		}
		if s.ArrivedAt == nil && away <= arriveWithin {
			note(s, &s.ArrivedAt, Arrived)
		}
		if s.ArrivedAt != nil && away > leaveBeyond {
			note(s, &s.DepartedAt, Departed)
		}
	}
	return calls
}

// behind reports that the bus went past a stop without calling there.
func (p *progress) behind(i int) bool { return p.known && p.along > p.path.along[i]+passed }

// forget undoes what happened at stops, so that the next position notices it again.
func (p *progress) forget(calls []Call) {
	for _, k := range calls {
		for i := range p.path.stops {
			s := &p.path.stops[i]
			mark := map[string]**time.Time{Near: &s.NearAt, Arrived: &s.ArrivedAt, Departed: &s.DepartedAt}[k.What]
			if s.ID == k.StopID && *mark != nil && (*mark).Equal(k.At) {
				*mark = nil
			}
		}
	}
}

// etas are how long the bus needs to the stops ahead, at today's pace.
func (p *progress) etas() []StopETA {
	if !p.known {
		return nil
	}
	var out []StopETA
	for i, s := range p.path.stops {
		if s.DepartedAt != nil || (s.ArrivedAt == nil && p.behind(i)) {
			continue
		}
		left := max(0, p.path.along[i]-p.along)
		if s.ArrivedAt != nil {
			left = 0
		}
		out = append(out, StopETA{StopID: s.ID, Seconds: int(left / p.pace)})
	}
	return out
}
