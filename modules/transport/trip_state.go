package transport

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

type onTrip struct {
	TripID uuid.UUID `path:"tripId"`
}

type cancelling struct {
	ID     uuid.UUID `path:"id"`
	Reason string    `json:"reason" validate:"max=300"`
}

// startTrip starts a trip: its riders are put down, those who will not ride as absent,
// and the others' guardians are notified. A paused one goes on.
func (m *Module) startTrip(c api.Ctx, r onTrip) (TripDetail, error) {
	return m.command(c, r.TripID, inProgress, []string{scheduled, paused}, func(t *Trip) error {
		if t.Status == paused {
			return nil
		}
		driver, err := roster.CallingEmployee(c)
		if err != nil {
			return err
		}
		t.StartedAt, t.DriverID = &c.Now, &driver
		// Who watches the bus already may hear of this trip from now on.
		c.Tell(events.Fact{Kind: roster.SightChanged, Data: map[string]any{"userIds": []uuid.UUID{c.User.ID}}})
		if err := tellWhenDue(c, *t); err != nil {
			return err
		}
		return m.enterRiders(c, *t)
	})
}

func (m *Module) pauseTrip(c api.Ctx, r onTrip) (TripDetail, error) {
	return m.command(c, r.TripID, paused, []string{inProgress}, nil)
}

func (m *Module) resumeTrip(c api.Ctx, r onTrip) (TripDetail, error) {
	return m.command(c, r.TripID, inProgress, []string{paused}, nil)
}

// endTrip completes a trip. No child is left on a bus, or at a stop, unaccounted for.
func (m *Module) endTrip(c api.Ctx, r onTrip) (TripDetail, error) {
	return m.command(c, r.TripID, completed, []string{inProgress, paused}, func(t *Trip) error {
		t.EndedAt = &c.Now
		return unaccounted(c, t.ID, "waiting", "boarded")
	})
}

// command brings a trip of the calling driver into a state. One that it is in already is
// no change: drivers tap twice.
func (m *Module) command(c api.Ctx, id uuid.UUID, to string, from []string, change func(*Trip) error) (TripDetail, error) {
	t, err := findMine(c, id, "for update of t")
	if err != nil {
		return TripDetail{}, err
	}
	if t.Status == to {
		return m.tripDetail(c, t)
	}
	if t, err = m.turn(c, t, to, from, change); err != nil {
		return TripDetail{}, err
	}
	return m.tripDetail(c, t)
}

// turn changes the state of a trip that is held.
func (m *Module) turn(c api.Ctx, t Trip, to string, from []string, change func(*Trip) error) (Trip, error) {
	allowed := false
	for _, f := range from {
		allowed = allowed || t.Status == f
	}
	if !allowed {
		return t, api.Conflict("The trip is %s: it cannot become %s", t.Status, to)
	}
	m.Tracker.Invalidate(t.ID)
	before := t
	if change != nil {
		if err := change(&t); err != nil {
			return t, err
		}
	}
	t.Status = to
	t.Version++
	t.UpdatedAt, t.UpdatedBy = c.Now, &c.User.ID
	err := c.DB.Where("id = ?", t.ID).Select("status", "started_at", "ended_at", "driver_id", "cancel_reason", "version",
		"updated_at", "updated_by").Updates(&t).Error
	if err != nil {
		return t, fmt.Errorf("changing a trip's state: %w", err)
	}
	c.Changed("update", "trip", t.ID, before, t)
	c.Tell(tripNews(t))
	return t, nil
}

// cancelTrip cancels a trip. One that was paused must have nobody aboard.
func (m *Module) cancelTrip(c api.Ctx, r cancelling) (TripDetail, error) {
	t, err := api.Lock[Trip](c, "trip", r.ID)
	if err != nil {
		return TripDetail{}, err
	}
	if t.Status != cancelled {
		began := t.StartedAt != nil
		t, err = m.turn(c, t, cancelled, []string{scheduled, paused}, func(t *Trip) error {
			t.CancelReason = r.Reason
			if began {
				t.EndedAt = &c.Now
			}
			return unaccounted(c, t.ID, "boarded")
		})
		if err != nil {
			return TripDetail{}, err
		}
		detail, err := m.tripDetail(c, t)
		if err != nil {
			return TripDetail{}, err
		}
		return detail, tellCancelled(c, detail)
	}
	return m.tripDetail(c, t)
}

// Unaccounted are the riders who keep a trip from being ended or cancelled.
type Unaccounted struct {
	Waiting []NamedStudent `json:"waiting"`
	Aboard  []NamedStudent `json:"aboard"`
}

// NamedStudent is a student by name.
type NamedStudent struct {
	StudentID uuid.UUID `json:"studentId"`
	Name      string    `json:"name"`
}

// unaccounted refuses while a rider is in one of these states, and names them.
func unaccounted(c api.Ctx, trip uuid.UUID, states ...string) error {
	var found []struct {
		StudentID                   uuid.UUID
		FirstName, LastName, Status string
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select b.student_id, s.first_name, s.last_name, b.status from boarding b
		join student s on s.id = b.student_id
		where b.trip_id = $1 and b.status = any($2)
		order by s.first_name, s.last_name, s.id`, Args: []any{trip, states}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return fmt.Errorf("looking who is aboard: %w", err)
	}
	if len(found) == 0 {
		return nil
	}
	out := Unaccounted{Waiting: []NamedStudent{}, Aboard: []NamedStudent{}}
	var names api.Phrases
	for _, f := range found {
		n := NamedStudent{f.StudentID, roster.FullName(f.FirstName, f.LastName)}
		said := api.Say("%s (waiting)", n.Name)
		if f.Status == "boarded" {
			said = api.Say("%s (aboard)", n.Name)
			out.Aboard = append(out.Aboard, n)
		} else {
			out.Waiting = append(out.Waiting, n)
		}
		names = append(names, said)
	}
	refusal := api.Conflict("Not everybody is accounted for: %s", names)
	refusal.Data = out
	return refusal
}
