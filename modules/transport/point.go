package transport

import (
	"math"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

const (
	// tooOld is how far back a phone may have been offline.
	tooOld = 24 * time.Hour
	// beforeStart is how long before its start a trip's first positions may be.
	beforeStart = 5 * time.Minute
	// fastest is what no bus drives, in metres a second.
	fastest = 60
)

// PointFields are a position as a phone sends it.
type PointFields struct {
	Lat       *float64 `json:"lat" validate:"required" example:"12.9716"`
	Lng       *float64 `json:"lng" validate:"required" example:"77.5946"`
	Speed     *float64 `json:"speed" doc:"Metres a second"`
	Heading   *float64 `json:"heading" doc:"Degrees from north"`
	Timestamp Moment   `json:"timestamp" doc:"By the phone's clock; now unless given"`
}

// Point is a position that could be one.
type Point struct {
	Lat, Lng       float64
	Speed, Heading float64
	At             time.Time
}

func refusedPoint(message string) *api.Error { return api.InvalidField("location", "%s", message) }

// Point checks a position by itself.
func (f PointFields) Point(now time.Time) (Point, error) {
	if f.Lat == nil || f.Lng == nil {
		return Point{}, refusedPoint("lat and lng must be numbers")
	}
	p := Point{Lat: *f.Lat, Lng: *f.Lng, At: f.Timestamp.Time()}
	switch {
	case math.IsNaN(p.Lat) || math.IsNaN(p.Lng) || math.Abs(p.Lat) > 90 || math.Abs(p.Lng) > 180:
		return p, refusedPoint("lat must be from -90 to 90 and lng from -180 to 180")
	case p.Lat == 0 && p.Lng == 0:
		return p, refusedPoint("0, 0 is what a phone says that does not know")
	}
	if f.Timestamp == 0 {
		p.At = now.UTC().Truncate(time.Microsecond)
	}
	if f.Speed != nil && *f.Speed > 0 && *f.Speed < 200 { // phones say -1 when they do not know
		p.Speed = *f.Speed
	}
	if f.Heading != nil && *f.Heading >= 0 && *f.Heading <= 360 {
		p.Heading = *f.Heading
	}
	return p, nil
}

// during refuses a position that cannot be of a trip that began then.
func (p Point) during(began time.Time, ended *time.Time, now time.Time) error {
	switch {
	case p.At.After(now.Add(ahead)):
		return refusedPoint("The position is from the future")
	case p.At.Before(now.Add(-tooOld)), p.At.Before(began.Add(-beforeStart)):
		return refusedPoint("The position is older than the trip")
	case ended != nil && p.At.After(ended.Add(beforeStart)):
		return refusedPoint("The position is from after the trip")
	}
	return nil
}

// reachable says whether a bus could have come from a to b in the time between them.
// Phones are off by a few hundred metres now and then.
func reachable(a, b Point) bool {
	return metres(a.Lat, a.Lng, b.Lat, b.Lng) <= 300+fastest*math.Abs(b.At.Sub(a.At).Seconds())
}

func (p Point) seen(trip uuid.UUID, now time.Time) Seen {
	return Seen{TripID: trip, Lat: p.Lat, Lng: p.Lng, Speed: p.Speed, Heading: p.Heading, At: p.At, ReceivedAt: now}
}

const earthRadius = 6_371_000

// metres is the distance between two places a few kilometres apart.
func metres(lat1, lng1, lat2, lng2 float64) float64 {
	const degree = math.Pi / 180
	x := (lng2 - lng1) * degree * math.Cos((lat1+lat2)/2*degree)
	y := (lat2 - lat1) * degree
	return math.Hypot(x, y) * earthRadius
}
