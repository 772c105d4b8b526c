package service

import (
	"context"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/events"
	"homeroom/modules/attendance"
	"homeroom/modules/dashboard"
	"homeroom/modules/leave"
	"homeroom/modules/roster"
	"homeroom/modules/transport"
	"homeroom/tenancy"
)

// hintTrip is the hint that a trip's state changed.
const hintTrip = "trip"

// hintSight is the hint that a user may see other buses than before.
const hintSight = "sight"

// hintSights is the hint that others may see a school's buses than before.
const hintSights = "sights"

// transport are the rows and listeners of the school's buses.
func (s *Service) transport(o Options) []api.Row {
	s.openHub(o)
	air := air{s}
	s.Tracker = transport.NewTracker(transport.TrackerParts{
		Open: s.openToWrite, Air: air, Clock: s.now, Log: s.Log, PerSecond: o.PositionsPerSecond,
		Work: func(ctx context.Context, school uuid.UUID, name string, f func(api.Ctx) error) error {
			return s.Kernel.Work(ctx, school, name, f)
		},
	})
	m := &transport.Module{Absences: &leave.Module{}, Register: &attendance.Module{}, Schools: readySchools{s}, Air: air, Tracker: s.Tracker}
	m.Listen(s.Bus)
	s.Bus.On(roster.SightChanged, "rooms", func(ctx context.Context, h events.Heard) error {
		var changed struct {
			UserIDs []uuid.UUID `json:"userIds"`
		}
		if err := h.Read(&changed); err != nil {
			return err
		}
		for _, id := range changed.UserIDs {
			s.Hints.Send(ctx, hintSight, id.String())
		}
		return nil
	})
	s.Bus.On(transport.SightsChanged, "rooms", func(ctx context.Context, h events.Heard) error {
		s.Hints.Send(ctx, hintSights, h.SchoolID.String())
		return nil
	})
	return m.Routes()
}

// Buses tells the dashboard what is on the road.
type Buses struct{}

// Out is the question, and then what was found.
func (Buses) Out(c api.Ctx) (tenancy.Query, func() []dashboard.BusOut) {
	var found []transport.Out
	return transport.SelectOut(c, &found), func() []dashboard.BusOut {
		out := make([]dashboard.BusOut, len(found))
		for i, t := range found {
			out[i] = dashboard.BusOut(t)
		}
		return out
	}
}

// openToWrite opens an active school for work that no request asked for.
func (s *Service) openToWrite(ctx context.Context, id uuid.UUID) (*tenancy.School, *gorm.DB, error) {
	school, err := readySchools{s}.School(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	if school.Status != tenancy.Active {
		return nil, nil, tenancy.ErrSchoolNotFound
	}
	db, err := s.Cluster.School(ctx, school, tenancy.ReadWrite)
	return school, db, err
}
