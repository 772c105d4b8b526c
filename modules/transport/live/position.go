package live

import (
	"math"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

const (
	// StaleAfter is how long a position says where a bus is.
	StaleAfter = 90 * time.Second
	// lateNear is how late the last known position may come and still say that the bus is near: a phone with a poor line
	// sends minutes later, and who waits at the stop would hear nothing.
	lateNear = 10 * time.Minute
	// tooOld is how far back a phone may have been offline.
	tooOld = 24 * time.Hour
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

// Position is where a bus was on a trip, and when by its phone's clock. It is what the
// trail stores and, as JSON, what Redis keeps as the last one of a bus.
type Position struct {
	TripID     uuid.UUID `json:"tripId"`
	Lat        float64   `json:"lat"`
	Lng        float64   `json:"lng"`
	Speed      float64   `json:"speed"`
	Heading    float64   `json:"heading"`
	At         time.Time `json:"at"`
	ReceivedAt time.Time `json:"receivedAt"`
	ETAs       []StopETA `json:"etas,omitempty" gorm:"-"` // not in the trail
}

// StopETA is how long a bus needs to a stop.
type StopETA struct {
	StopID  uuid.UUID `json:"stopId"`
	Seconds int       `json:"etaSeconds"`
}

// Location is a position as watchers and callers get it.
type Location struct {
	BusID      uuid.UUID `json:"busId"`
	TripID     uuid.UUID `json:"tripId"`
	Lat        float64   `json:"lat"`
	Lng        float64   `json:"lng"`
	Speed      float64   `json:"speed" doc:"Metres a second"`
	Heading    float64   `json:"heading" doc:"Degrees from north"`
	Timestamp  time.Time `json:"timestamp"`
	AgeSeconds int       `json:"ageSeconds"`
	IsStale    bool      `json:"isStale"`
}

func refusedPoint(message string) *api.Error { return api.InvalidField("location", "%s", message) }

// Position checks what a phone sent, apart from any trip.
func (f PointFields) Position(now time.Time) (Position, error) {
	if f.Lat == nil || f.Lng == nil {
		return Position{}, refusedPoint("lat and lng must be numbers")
	}
	p := Position{Lat: *f.Lat, Lng: *f.Lng, At: f.Timestamp.Time(), ReceivedAt: now.UTC()}
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

// during refuses a position that cannot be of a trip that began then; a nil end is an open trip.
func (p *Position) during(began time.Time, ended *time.Time) error {
	switch {
	case p.At.After(p.ReceivedAt.Add(ClockAhead)):
		return refusedPoint("The position is from the future")
	case p.At.Before(p.ReceivedAt.Add(-tooOld)), p.At.Before(began.Add(-BeforeStart)):
		return refusedPoint("The position is older than the trip")
	case ended != nil && p.At.After(ended.Add(BeforeStart)):
		return refusedPoint("The position is from after the trip")
	}
	return nil
}

// Age is how long ago the bus was there; a phone whose clock is ahead makes it zero.
func (p *Position) Age(now time.Time) time.Duration { return max(0, now.Sub(p.At)) }

// Location is the position as it is shown at a moment.
func (p *Position) Location(bus uuid.UUID, now time.Time) Location {
	age := p.Age(now)
	return Location{BusID: bus, TripID: p.TripID, Lat: p.Lat, Lng: p.Lng, Speed: p.Speed, Heading: p.Heading, Timestamp: p.At,
		AgeSeconds: int(age / time.Second), IsStale: age > StaleAfter}
}

// reachable reports whether a bus could have come from a to b in the time between them.
// Phones are off by a few hundred metres now and then.
func reachable(a, b *Position) bool {
	return Metres(a.Lat, a.Lng, b.Lat, b.Lng) <= 300+fastest*math.Abs(b.At.Sub(a.At).Seconds())
}

const earthRadius = 6_371_000

// Metres is the distance between two places a few kilometres apart.
func Metres(lat1, lng1, lat2, lng2 float64) float64 {
	const degree = math.Pi / 180
	x := (lng2 - lng1) * degree * math.Cos((lat1+lat2)/2*degree)
	y := (lat2 - lat1) * degree
	return math.Hypot(x, y) * earthRadius
}
