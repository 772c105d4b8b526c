package transport

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// Listen hears what the module wants to know: that somebody who came by bus was marked
// absent in class, that a bus has news for those who watch it, and that one was seen.
func (m *Module) Listen(bus *events.Bus) {
	bus.On("attendance.marked", "transport", absentButAboard)
	bus.On(NewsFact, "watchers", func(ctx context.Context, h events.Heard) error {
		var n News
		if err := h.Read(&n); err != nil || m.Air == nil {
			return err
		}
		return m.Air.Tell(ctx, h.SchoolID, n.BusID, n)
	})
	bus.On(MovedFact, "tracker", func(ctx context.Context, h events.Heard) error {
		var s Sighting
		if err := h.Read(&s); err != nil || m.Tracker == nil {
			return err
		}
		m.Tracker.sightedSoon(h.SchoolID, s)
		return nil
	})
}

// absentButAboard tells the office of a child who boarded in the morning and is not in
// class.
func absentButAboard(ctx context.Context, h events.Heard) error {
	var day struct {
		Date   api.Date    `json:"date"`
		Absent []uuid.UUID `json:"absent"`
	}
	if err := h.Read(&day); err != nil || len(day.Absent) == 0 {
		return err
	}
	db, err := events.DB(ctx)
	if err != nil {
		return err
	}
	var missing []struct {
		TripStudent
		TripID    uuid.UUID
		BusNumber string
	}
	var office []struct{ ID uuid.UUID }
	err = tenancy.Together(db,
		tenancy.Query{SQL: `select b.student_id, s.first_name, s.last_name, b.boarded_at, t.id as trip_id, v.bus_number
			from boarding b join trip t on t.id = b.trip_id join student s on s.id = b.student_id join bus v on v.id = t.bus_id
			where t.trip_date = $1 and t.trip_type = 'pickup' and b.student_id = any($2) and b.status in ('boarded', 'alighted')`, Args: []any{day.Date, day.Absent}, Scan: roster.Collect(&missing)},
		tenancy.Query{SQL: `select u.id from app_user u join role r on r.id = u.role_id where r.type = 'SCHOOL_ADMIN' and u.status = 'ACTIVE'`, Scan: roster.Collect(&office)},
	)
	if err != nil {
		return fmt.Errorf("looking who came by bus: %w", err)
	}
	var notices []api.Notice
	for _, s := range missing {
		for _, u := range office {
			notices = append(notices, api.Notice{
				Type: api.NoticeTransport, Key: fmt.Sprintf("absent-but-aboard:%s:%s:%s", day.Date, s.StudentID, u.ID), RecordID: s.TripID, UserID: &u.ID,
				Title: "Came by bus, absent in class", Body: fmt.Sprintf("%s boarded bus %s this morning and is marked absent.", s.name(), s.BusNumber), Teaser: "A child is missing in class",
			})
		}
	}
	return api.NotifyIn(db, h.OccurredAt, notices...)
}
