package live

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

// aRoute has three stops, each about 1,112 metres north of the one before.
func aRoute() []Stop {
	var stops []Stop
	for i := range 3 {
		stops = append(stops, Stop{ID: uuid.New(), Lat: 12.97 + float64(i)*0.01, Lng: 77.59, RadiusMeters: 300})
	}
	return stops
}

// along is so many metres along the route, so many seconds after the first.
func along(metres, seconds float64) *Position {
	return &Position{Lat: 12.97 + metres/111_195, Lng: 77.59,
		At: time.Unix(1_800_000_000, 0).Add(time.Duration(seconds * float64(time.Second)))}
}

func TestMove_PositionTremblesAtStop_OneArrivalOneDeparture(t *testing.T) {
	t.Parallel()
	p := newProgress(aRoute())
	counts := map[string]int{}
	for i, m := range []float64{-500, -250, -40, 10, 70, 20, 65, 5, 100, 130, 90, 140, 300} {
		for _, c := range p.move(along(m, float64(10*i)), time.Time{}) {
			if c.StopID == p.path.stops[0].ID {
				counts[c.What]++
			}
		}
	}
	if counts["near"] != 1 || counts["arrived"] != 1 || counts["departed"] != 1 {
		t.Errorf("at the first stop %v", counts)
	}
}

func TestMove_WideStops_OnlyNextTwoAreNear(t *testing.T) {
	t.Parallel()
	stops := aRoute()
	for i := range stops {
		stops[i].RadiusMeters = 5000
	}
	calls := newProgress(stops).move(along(-400, 0), time.Time{})
	if len(calls) != 2 || calls[0].StopID != stops[0].ID || calls[1].StopID != stops[1].ID {
		t.Errorf("told %+v", calls)
	}
}

func TestETAs_TrafficJam_FollowTheTripsPace(t *testing.T) {
	t.Parallel()
	p := newProgress(aRoute())
	for i := range 60 { // ten minutes at 5 m/s would pass all stops: stay before the second
		p.move(along(float64(i)*15, float64(i)*3), time.Time{})
	}
	fast := p.etas()
	if len(fast) != 2 || fast[0].StopID != p.path.stops[1].ID {
		t.Fatalf("ahead are %+v", fast)
	}
	if left := (1112.0 - 885) / p.pace; float64(fast[0].Seconds) < left*0.9-1 || float64(fast[0].Seconds) > left*1.1+1 {
		t.Errorf("%d s at %.1f m/s", fast[0].Seconds, p.pace)
	}
	for i := range 60 { // a traffic jam
		p.move(along(885+float64(i)*0.1, 180+float64(i)*5), time.Time{})
	}
	if slow := p.etas(); slow[0].Seconds <= fast[0].Seconds {
		t.Errorf("in a jam %d s, before it %d s", slow[0].Seconds, fast[0].Seconds)
	}
}

func TestBelieve_Jump_NeedsASecondPosition(t *testing.T) {
	t.Parallel()
	d := &drive{last: &Position{Lat: 12.97, Lng: 77.59, At: time.Unix(1000, 0)}}
	far := func(second int64) *Position { return &Position{Lat: 13.5, Lng: 77.59, At: time.Unix(1000+second, 0)} }
	if d.believe(far(1)) == nil {
		t.Error("sixty kilometres in a second")
	}
	if err := d.believe(far(2)); err != nil {
		t.Errorf("and there it stays: %v", err)
	}
	d.suspect = nil
	if d.believe(far(1)) == nil || d.believe(&Position{Lat: 12.9701, Lng: 77.59, At: time.Unix(1003, 0)}) != nil {
		t.Error("a single slip")
	}
}
