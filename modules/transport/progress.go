package transport

import (
	"math"
	"time"

	"github.com/google/uuid"
)

const (
	// arriveWithin and leaveBeyond are metres: apart, so that a bus whose position
	// trembles at a stop arrives once and leaves once.
	arriveWithin = 60
	leaveBeyond  = 110
	// nextStops is how many stops ahead are told that the bus is near.
	nextStops = 2
	// passed is how far beyond a stop a bus has left it behind without stopping.
	passed = 200
)

// progress is how far a trip has come.
type progress struct {
	path  path
	along float64
	known bool // along is
	pace  float64
	at    time.Time
}

// call is what happened at a stop.
type call struct {
	stop uuid.UUID
	what string // near, arrived, departed
	at   time.Time
}

func newProgress(stops []TripStop) *progress {
	p := &progress{path: newPath(stops)}
	p.pace = p.path.plannedPace()
	for i, s := range stops {
		if s.ArrivedAt != nil {
			p.along = p.path.along[i]
		}
	}
	return p
}

// move takes a newer position in, and says at which stops something happened.
func (p *progress) move(pt Point) []call {
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
	var calls []call
	note := func(s *TripStop, mark **time.Time, what string) {
		at := pt.At
		*mark = &at
		calls = append(calls, call{s.ID, what, at})
	}
	next := 0
	for i := range p.path.stops {
		s := &p.path.stops[i]
		if s.DepartedAt != nil {
			continue
		}
		away := metres(pt.Lat, pt.Lng, s.Lat, s.Lng)
		if s.ArrivedAt == nil && away > arriveWithin && p.behind(i) {
			continue
		}
		if next++; next > nextStops {
			break
		}
		if s.NearAt == nil && away <= float64(max(s.RadiusMeters, arriveWithin)) {
			note(s, &s.NearAt, "near")
		}
		if s.ArrivedAt == nil && away <= arriveWithin {
			note(s, &s.ArrivedAt, "arrived")
		}
		if s.ArrivedAt != nil && away > leaveBeyond {
			note(s, &s.DepartedAt, "departed")
		}
	}
	return calls
}

// behind says that the bus went past a stop without calling there.
func (p *progress) behind(i int) bool { return p.known && p.along > p.path.along[i]+passed }

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
