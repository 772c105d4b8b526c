package transport

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
)

// listen subscribes to facts: a student who came by bus was marked absent in class, or
// boards after being marked; the holidays changed; leave was granted to a student a bus waits for; a trip should
// be over; there is news for those who watch a bus; positions came late.
func (m *Module) listen(bus *events.Bus) {
	bus.On("attendance.marked", "transport", m.absentButAboard)
	bus.On("holiday.changed", "transport", m.followHolidays)
	bus.On(BoardedFact, "transport", m.aboardButAbsent)
	bus.On("leave.decided", "transport", onLeaveAfterAll)
	bus.On(EndDueFact, "transport", m.leftOpen)
	bus.On(NewsFact, "watchers", func(ctx context.Context, h events.Heard) error {
		var n News
		if err := h.Read(&n); err != nil {
			return err
		}
		return m.Publish(ctx, h.SchoolID, n)
	})
	bus.On(MovedFact, "tracker", func(ctx context.Context, h events.Heard) error {
		var s Sighting
		if err := h.Read(&s); err != nil {
			return err
		}
		m.Tracker.ShowStored(h.SchoolID, s.DriverID, s.Seen)
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
		and t.route_id in (select y.route_id from ride y where y.student_id = ?)
		order by t.id for share`, leave.FromDate, leave.ToDate, *leave.StudentID).Scan(&held).Error
	if err != nil {
		return fmt.Errorf("holding the trips of a leave: %w", err)
	}
	err = db.Exec(`update boarding b set status = 'absent', preset = 'absent', reason = 'on leave', updated_at = ? from trip t
		where t.id = b.trip_id and t.status in ('in_progress', 'paused') and t.trip_date between ? and ? and b.student_id = ?
		and b.status = 'waiting'
			and not exists (select from boarding_tap p where p.trip_id = b.trip_id and p.student_id = b.student_id and p.undone_at is null)`,
		h.OccurredAt, leave.FromDate, leave.ToDate, *leave.StudentID).Error
	if err != nil {
		return fmt.Errorf("letting a bus know of a leave: %w", err)
	}
	return nil
}
