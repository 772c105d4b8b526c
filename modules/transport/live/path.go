package live

import (
	"math"
	"time"
)

const (
	// usualPace is what a school bus makes, stops and all, until we know better: metres a second.
	usualPace = 6.0
	slowest   = 1.5
	// paceMemory is how long the pace of the road behind says something about the road ahead.
	paceMemory = 3 * time.Minute
	// offRoute is how far beside its route a bus is elsewhere.
	offRoute = 500
)

// path is a route as a line from stop to stop.
type path struct {
	stops []Stop
	along []float64 // metres from the first stop to each
}

func newPath(stops []Stop) path {
	p := path{stops: stops, along: make([]float64, len(stops))}
	for i := 1; i < len(stops); i++ {
		p.along[i] = p.along[i-1] + Metres(stops[i-1].Lat, stops[i-1].Lng, stops[i].Lat, stops[i].Lng)
	}
	return p
}

// plannedPace is the pace the plan asks for.
func (p path) plannedPace() float64 {
	if len(p.stops) < 2 {
		return usualPace
	}
	first, last := p.stops[0].PlannedSeconds, p.stops[len(p.stops)-1].PlannedSeconds
	if first == nil || last == nil || *last <= *first {
		return usualPace
	}
	return max(slowest, p.along[len(p.along)-1]/float64(*last-*first))
}

// locate is how far along the route a place is, at or after a point of the way that is
// known to be behind, and how far beside it. Before the first stop it is negative.
func (p path) locate(lat, lng, behind float64) (along, beside float64) {
	if len(p.stops) == 0 {
		return 0, math.Inf(1)
	}
	first := p.stops[0]
	toFirst := Metres(lat, lng, first.Lat, first.Lng)
	along, beside = -toFirst, math.Inf(1)
	if behind <= 0 {
		beside = offRoute // it may come from anywhere
	}
	for i := 1; i < len(p.stops); i++ {
		a, b := p.stops[i-1], p.stops[i]
		length := p.along[i] - p.along[i-1]
		if length == 0 || p.along[i] < behind-200 {
			continue
		}
		share := project(lat, lng, a.Lat, a.Lng, b.Lat, b.Lng)
		at := p.along[i-1] + share*length
		off := Metres(lat, lng, a.Lat+(b.Lat-a.Lat)*share, a.Lng+(b.Lng-a.Lng)*share)
		if share == 0 && i == 1 && behind <= 0 {
			continue // it has not come to the first stop yet
		}
		if at >= behind-200 && off < beside-1 {
			along, beside = at, off
		}
	}
	return along, beside
}

// project is where on the line from a to b the place nearest to p is, from 0 to 1.
func project(lat, lng, aLat, aLng, bLat, bLng float64) float64 {
	scale := math.Cos(aLat * math.Pi / 180)
	dx, dy := (bLng-aLng)*scale, bLat-aLat
	x, y := (lng-aLng)*scale, lat-aLat
	return min(1, max(0, (x*dx+y*dy)/(dx*dx+dy*dy)))
}
