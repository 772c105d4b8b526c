package event

import (
	"slices"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
	"homeroom/notice"
)

// changed is what a PUT may name: the event's fields, and its cancellation.
type changed struct {
	Fields
	Status       string `json:"status" validate:"omitempty,oneof=UPCOMING ONGOING COMPLETED CANCELLED" doc:"CANCELLED cancels it; the other states follow from its date and times"`
	CancelReason string `json:"cancelReason" validate:"max=500"`
}

type eventChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[changed]
}

type teachersChange struct {
	ID uuid.UUID `json:"id" validate:"required"`
	api.Change[changed]
}

func updateEvent(c api.Ctx, r eventChange) (Event, error) { return change(c, r.ID, r.Change) }

func teachersUpdate(c api.Ctx, r teachersChange) (Event, error) { return change(c, r.ID, r.Change) }

// change lays what was named over an event that is not cancelled.
func change(c api.Ctx, id uuid.UUID, r api.Change[changed]) (Event, error) {
	var wanted changed
	var before OwnFields
	var was []notice.Concerned
	e, err := api.Update(c, "event", id, func(e *record) error {
		now, err := readEvent(c, id)
		if err != nil {
			return err
		}
		if now.Status == cancelled {
			return api.Conflict("This event is CANCELLED")
		}
		classes, err := classesOf(c, id)
		if err != nil {
			return err
		}
		before = e.OwnFields
		if was, err = concerned(c, id, before, classes); err != nil {
			return err
		}
		wanted = changed{Fields: Fields{OwnFields: e.OwnFields, ClassIDs: classes}}
		if err := r.Apply(&wanted); err != nil {
			return err
		}
		if !slices.Equal(classes, wanted.ClassIDs) {
			e.Touch()
		}
		e.OwnFields = wanted.OwnFields
		if err := e.normalize(c, wanted.ClassIDs); err != nil {
			return err
		}
		return e.turn(c, now.Status, wanted)
	})
	if err != nil {
		return Event{}, err
	}
	if err := putClasses(c, id, wanted.ClassIDs); err != nil {
		return Event{}, err
	}
	kind := "event.changed"
	if e.CancelledAt != nil {
		kind = "event.cancelled"
		tell(c, kind, was, id, before, before, e.CancelReason)
	} else {
		now, err := concerned(c, id, e.OwnFields, wanted.ClassIDs)
		if err != nil {
			return Event{}, err
		}
		tellChange(c, id, e.OwnFields, before, now, was)
	}
	c.Tell(events.Fact{Kind: kind, Data: map[string]any{"eventId": id}})
	return readEvent(c, id)
}

// turn cancels an event that is not over. A client that sends back the state it was
// shown changes nothing.
func (e *record) turn(c api.Ctx, now string, wanted changed) error {
	switch {
	case wanted.Status == "" || wanted.Status == now:
		return nil
	case wanted.Status == cancelled && now != completed:
		e.CancelledAt, e.CancelReason = &c.Now, wanted.CancelReason
		return nil
	}
	return api.Conflict("This event is %s: it cannot become %s", now, wanted.Status)
}
