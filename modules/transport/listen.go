package transport

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
)

// listen hears what the module wants to know: that somebody who came by bus was marked
// absent in class, or was marked absent and comes by bus, that leave was granted to
// somebody a bus waits for, that a trip should be over, that a bus has news for those who
// watch it, and that one was seen.
func (m *Module) listen(bus *events.Bus) {
	bus.On("attendance.marked", "transport", m.absentButAboard)
	bus.On(BoardedFact, "transport", m.aboardButAbsent)
	bus.On("leave.decided", "transport", onLeaveAfterAll)
	bus.On(EndDueFact, "transport", m.leftOpen)
	bus.On(NewsFact, "watchers", func(ctx context.Context, h events.Heard) error {
		var n News
		if err := h.Read(&n); err != nil || m.Live == nil {
			return err
		}
		return m.Live.Tell(ctx, h.SchoolID, n.BusID, n)
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

// onLeaveAfterAll keeps a bus that is on its way from waiting for somebody whose leave
// was granted meanwhile. Who is on leave before it starts is asked then.
func onLeaveAfterAll(ctx context.Context, h events.Heard) error {
	var leave struct {
		StudentID *uuid.UUID `json:"studentId"`
		FromDate  api.Date   `json:"fromDate"`
		ToDate    api.Date   `json:"toDate"`
		HalfDay   bool       `json:"halfDay"`
		Status    string     `json:"status"`
	}
	if err := h.Read(&leave); err != nil || leave.StudentID == nil || leave.Status != "APPROVED" || leave.HalfDay {
		return err
	}
	db, err := events.DB(ctx)
	if err != nil {
		return err
	}
	// A trip that starts at this moment may not know of the leave: it is waited for.
	var held []uuid.UUID
	err = db.Raw(`select t.id from trip t where t.trip_date between ? and ? and t.status in ('scheduled', 'in_progress', 'paused')
		and t.route_id in (select y.route_id from ride y where y.student_id = ?) order by t.id for share`, leave.FromDate, leave.ToDate, *leave.StudentID).Scan(&held).Error
	if err != nil {
		return fmt.Errorf("holding the trips of a leave: %w", err)
	}
	err = db.Exec(`update boarding b set status = 'absent', preset = 'absent', reason = 'on leave', updated_at = ? from trip t
		where t.id = b.trip_id and t.status in ('in_progress', 'paused') and t.trip_date between ? and ? and b.student_id = ? and b.status = 'waiting'
			and not exists (select from boarding_tap p where p.trip_id = b.trip_id and p.student_id = b.student_id and p.undone_at is null)`,
		h.OccurredAt, leave.FromDate, leave.ToDate, *leave.StudentID).Error
	if err != nil {
		return fmt.Errorf("letting a bus know of a leave: %w", err)
	}
	return nil
}
