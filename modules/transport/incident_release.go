package transport

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/notice"
	"homeroom/tenancy"
)

// Whether an incident may be told to riders.
const (
	waitsForOffice = "WAITING"
	released       = "RELEASED"
	discarded      = "DISCARDED"
)

// hold keeps an incident from the riders where the school wants the office to see it first.
func (i *Incident) hold(c api.Ctx) error {
	i.Release = released
	var to []struct{ IncidentsTo string }
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select incidents_to from school_setting`, Scan: tenancy.Collect(&to)})
	if err != nil {
		return fmt.Errorf("reading whom incidents go to: %w", err)
	}
	if to[0].IncidentsTo == "OFFICE" {
		i.Release = waitsForOffice
	}
	return nil
}

// tell sends an incident to those who may know of it: the office while it waits, then the
// guardians of the riders aboard or waited for.
func (i *Incident) tell(c api.Ctx) error {
	c.Tell(i.news())
	text := notice.Text{Name: "transport.incident." + i.Type, Values: notice.Values{"description": i.Description}}
	var found []struct{ ID uuid.UUID }
	switch {
	case i.Release == waitsForOffice:
		if err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: selectOffice, Scan: tenancy.Collect(&found)}); err != nil {
			return fmt.Errorf("looking for the office: %w", err)
		}
		for _, u := range found {
			notice.Send(c, notice.Notice{Type: notice.Transport, Key: fmt.Sprintf("incident-waits:%s:%s", i.ID, u.ID), RecordID: i.ID,
				UserID: &u.ID, Text: text, Urgent: true, Alarm: true})
		}
	case i.Release == released && i.TripID != nil:
		err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select student_id as id from boarding where trip_id = $1
			and status in ('waiting', 'boarded') order by student_id`, Args: []any{*i.TripID}, Scan: tenancy.Collect(&found)})
		if err != nil {
			return fmt.Errorf("looking who is aboard: %w", err)
		}
		for _, s := range found {
			notice.Send(c, notice.Notice{Type: notice.Transport, Key: fmt.Sprintf("incident:%s:%s", i.ID, s.ID), RecordID: i.ID,
				StudentID: &s.ID, Text: text, Urgent: true, Alarm: true})
		}
	}
	return nil
}

// releaseIncident tells the riders of an incident that waited. Released twice, it is sent once.
func (m *Module) releaseIncident(c api.Ctx, r byID) (Incident, error) {
	i, changed, err := decideIncident(c, r.ID, released)
	if err != nil || !changed {
		return i, err
	}
	return i, i.tell(c)
}

// discardIncident keeps an incident that waited from the riders for good.
func (m *Module) discardIncident(c api.Ctx, r byID) (Incident, error) {
	i, _, err := decideIncident(c, r.ID, discarded)
	return i, err
}

func decideIncident(c api.Ctx, id uuid.UUID, to string) (i Incident, changed bool, err error) {
	i, err = api.Lock[Incident](c, "incident", id)
	if err != nil || i.Release == to {
		return i, false, err
	}
	if i.Release != waitsForOffice {
		return i, false, api.Conflict("The incident does not wait for the office any more: it is %s", i.Release)
	}
	i, err = api.Update(c, "incident", id, func(i *Incident) error {
		i.Release, i.ReleasedAt, i.ReleasedBy = to, &c.Now, &c.User.ID
		return nil
	})
	return i, err == nil, err
}
