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
// absent in class, that leave was granted to somebody a bus waits for, that a bus has news
// for those who watch it, and that one was seen.
func (m *Module) Listen(bus *events.Bus) {
	bus.On("attendance.marked", "transport", absentButAboard)
	bus.On("leave.decided", "transport", onLeaveAfterAll)
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
