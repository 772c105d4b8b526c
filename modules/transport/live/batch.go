package live

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

// BatchRead is what became of positions that were sent together.
type BatchRead struct {
	Received int            `json:"received"`
	Stored   int            `json:"stored"`
	Known    int            `json:"known"    doc:"They had been sent before"`
	Refused  []RefusedPoint `json:"refused"`
}

// RefusedPoint is a position that cannot be, and why.
type RefusedPoint struct {
	Index   int    `json:"index"`
	Message string `json:"message"`
}

// sentPosition is a position and its place in what was sent.
type sentPosition struct {
	*Position
	index int
}

// StoreBatch adds positions that were sent later to the trail of a trip, as far as a bus
// could have driven so. last is the newest of them; nil if all were refused.
func (t *Tracker) StoreBatch(
	c api.Ctx,
	trip uuid.UUID,
	began time.Time,
	ended *time.Time,
	fields []PointFields,
) (out BatchRead, last *Position, err error) {
	out = BatchRead{Received: len(fields), Refused: []RefusedPoint{}}
	var sent []sentPosition
	for i, f := range fields {
		p, err := f.Position(c.Now)
		if err == nil {
			err = p.during(began, ended)
		}
		if err != nil {
			out.Refused = append(out.Refused, RefusedPoint{i, pointFault(err)})
			continue
		}
		p.TripID = trip
		sent = append(sent, sentPosition{&p, i})
	}
	if len(sent) == 0 {
		return out, nil, nil
	}
	slices.SortStableFunc(sent, func(a, b sentPosition) int { return a.At.Compare(b.At) })
	before, err := trailBefore(c.DB, trip, sent[0].At)
	if err != nil {
		return out, nil, err
	}
	driven, jumps := drivable(before, sent)
	for _, j := range jumps {
		out.Refused = append(out.Refused, RefusedPoint{j.index, pointFault(errJump)})
	}
	slices.SortFunc(out.Refused, func(a, b RefusedPoint) int { return a.Index - b.Index })
	if len(driven) == 0 {
		return out, nil, nil
	}
	if out.Stored, err = storeTrail(c.DB, driven); err != nil {
		return out, nil, fmt.Errorf("storing positions: %w", err)
	}
	out.Known = len(driven) - out.Stored
	t.counts.addBatch(out)
	return out, driven[len(driven)-1], nil
}

// drivable parts positions, which are in order, into those a bus could have driven after
// the last one known, and those it could not. One that seems out of reach is right after
// all if the next one is near it.
func drivable(last *Position, sent []sentPosition) (driven []*Position, jumps []sentPosition) {
	var suspect *sentPosition
	for _, s := range sent {
		switch {
		case last == nil || reachable(last, s.Position):
			if suspect != nil {
				jumps = append(jumps, *suspect)
			}
		case suspect != nil && reachable(suspect.Position, s.Position):
			driven = append(driven, suspect.Position)
		default:
			if suspect != nil {
				jumps = append(jumps, *suspect)
			}
			suspect = &s
			continue
		}
		suspect, last = nil, s.Position
		driven = append(driven, s.Position)
	}
	if suspect != nil {
		jumps = append(jumps, *suspect)
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
