package transport

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
)

type missedLocations struct {
	TripID    uuid.UUID     `path:"tripId"`
	Locations []PointFields `json:"locations" validate:"min=1,max=2000" doc:"In any order; what was sent before is known"`
}

// BatchRead is what became of positions that were sent together.
type BatchRead struct {
	Received int            `json:"received"`
	Stored   int            `json:"stored"`
	Known    int            `json:"known" doc:"They had been sent before"`
	Refused  []RefusedPoint `json:"refused"`
}

// RefusedPoint is a position that cannot be, and why.
type RefusedPoint struct {
	Index   int    `json:"index"`
	Message string `json:"message"`
}

// postLocations takes what a phone could not send while it drove. What a bus could have
// driven goes to the trail; the newest is shown if it is newer than what is shown.
func (m *Module) postLocations(c api.Ctx, r missedLocations) (BatchRead, error) {
	t, err := findMine(c, r.TripID, "for share of t")
	if err != nil {
		return BatchRead{}, err
	}
	if t.StartedAt == nil {
		return BatchRead{}, api.Conflict("The trip is %s: it has not been anywhere", t.Status)
	}
	out := BatchRead{Received: len(r.Locations), Refused: []RefusedPoint{}}
	var sent []numbered
	for i, f := range r.Locations {
		p, err := f.Point(c.Now)
		if err == nil {
			err = p.during(*t.StartedAt, t.EndedAt, c.Now)
		}
		if err != nil {
			out.Refused = append(out.Refused, RefusedPoint{i, pointFault(err)})
			continue
		}
		sent = append(sent, numbered{i, p})
	}
	if len(sent) == 0 {
		return out, nil
	}
	slices.SortStableFunc(sent, func(a, b numbered) int { return a.point.At.Compare(b.point.At) })
	last, err := trailBefore(c, t.ID, sent[0].point.At)
	if err != nil {
		return out, err
	}
	driven, jumps := drivable(last, sent)
	for _, j := range jumps {
		out.Refused = append(out.Refused, RefusedPoint{j.index, pointFault(errJump)})
	}
	slices.SortFunc(out.Refused, func(a, b RefusedPoint) int { return a.Index - b.Index })
	if len(driven) == 0 {
		return out, nil
	}
	rows := make([]track, len(driven))
	for i, d := range driven {
		rows[i] = track{trip: t.ID, point: d.point, received: c.Now}
	}
	if out.Stored, err = storeTrail(c.DB, rows); err != nil {
		return out, fmt.Errorf("storing positions: %w", err)
	}
	out.Known = len(rows) - out.Stored
	if m.Tracker != nil {
		m.Tracker.counts.sentLater(out)
	}
	c.Changed("locations", "trip", t.ID, nil, map[string]any{"stored": out.Stored})
	if t.Status == inProgress {
		c.Tell(events.Fact{Kind: MovedFact, Data: Sighting{BusID: t.BusID, DriverID: c.User.ID, Seen: rows[len(rows)-1].point.seen(t.ID, c.Now)}})
	}
	return out, nil
}

// numbered is a position and its place in what was sent.
type numbered struct {
	index int
	point Point
}

// trailBefore is the last position of the trail before a moment, nil if there is none.
func trailBefore(c api.Ctx, trip uuid.UUID, at time.Time) (*Point, error) {
	var found []Point
	err := c.DB.Raw(`select lat, lng, at from location where trip_id = ? and at < ? order by at desc limit 1`, trip, at).Scan(&found).Error
	if err != nil {
		return nil, fmt.Errorf("reading a trail: %w", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	return &found[0], nil
}

// drivable parts positions, which are in order, into those a bus could have driven after
// the last one known, and those it could not. One that seems out of reach is right after
// all if the next one is near it.
func drivable(last *Point, sent []numbered) (driven, jumps []numbered) {
	var doubted *numbered
	for _, s := range sent {
		switch {
		case last == nil || reachable(*last, s.point):
			if doubted != nil {
				jumps = append(jumps, *doubted)
			}
		case doubted != nil && reachable(doubted.point, s.point):
			driven = append(driven, *doubted)
		default:
			if doubted != nil {
				jumps = append(jumps, *doubted)
			}
			doubted = &s
			continue
		}
		doubted, last = nil, &s.point
		driven = append(driven, s)
	}
	if doubted != nil {
		jumps = append(jumps, *doubted)
	}
	return driven, jumps
}

// pointFault is what is wrong with a position, in words.
func pointFault(err error) string {
	if e, ok := err.(*api.Error); ok && len(e.Details) > 0 {
		return e.Details[0].Message
	}
	return err.Error()
}
