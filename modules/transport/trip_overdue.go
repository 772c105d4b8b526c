package transport

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/events"
	"homeroom/modules/roster"
	"homeroom/notice"
	"homeroom/tenancy"
)

// EndDueFact is the fact that a trip should be over by now. It says EndDue.
const EndDueFact = "trip.end-due"

// EndDue is which trip.
type EndDue struct {
	TripID uuid.UUID `json:"tripId"`
}

const (
	// tripLasts is how long a trip is taken to last whose stops have no planned times.
	tripLasts = time.Hour
	// leftOpenAfter is how long after its planned end a trip that is still open is
	// somebody's business: a traffic jam is none, a forgotten phone or bus is.
	leftOpenAfter = time.Hour
)

// tellWhenDue has the trip looked at when it should be over for long.
func tellWhenDue(c api.Ctx, t Trip) error {
	var last []struct{ At roster.Clock }
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select coalesce(to_char(max(planned_time), 'HH24:MI'), '') as at from stop
		where route_id = $1 and removed_at is null`,
		Args: []any{t.RouteID}, Scan: tenancy.Collect(&last)})
	if err != nil {
		return fmt.Errorf("reading when a trip ends: %w", err)
	}
	end := t.ScheduledStartAt.Add(tripLasts)
	if at := last[0].At; at != "" {
		if planned := at.On(t.TripDate, c.School.Location()); planned.After(t.ScheduledStartAt) {
			end = planned
		}
	}
	if late := t.StartedAt.Sub(t.ScheduledStartAt); late > 0 {
		end = end.Add(late)
	}
	c.Tell(events.Fact{Kind: EndDueFact, Data: EndDue{TripID: t.ID}, DueAt: end.Add(leftOpenAfter)})
	return nil
}

// leftOpen tells the office of a trip nobody has ended, and who is on the bus by the boarding log.
func (m *Module) leftOpen(ctx context.Context, h events.Heard) error {
	var due EndDue
	if err := h.Read(&due); err != nil {
		return err
	}
	return api.InSchool(ctx, m.Schools, h.SchoolID, func(db *gorm.DB, school *tenancy.School) error {
		return due.tellOffice(db, school, h)
	})
}

// tellOffice alerts the office, unless the trip has ended.
func (due EndDue) tellOffice(db *gorm.DB, school *tenancy.School, h events.Heard) error {
	var open []struct{ BusNumber, RouteName string }
	var riders []struct{ FirstName, LastName, Status string }
	var office []struct{ ID uuid.UUID }
	err := tenancy.Pipeline(db,
		tenancy.Query{SQL: `select b.bus_number, r.name as route_name from trip t join bus b on b.id = t.bus_id join route r on r.id = t.route_id
			where t.id = $1 and t.status in ('in_progress', 'paused')`, Args: []any{due.TripID}, Scan: tenancy.Collect(&open)},
		tenancy.Query{SQL: `select s.first_name, s.last_name, b.status from boarding b join student s on s.id = b.student_id
			where b.trip_id = $1 and b.status in ('boarded', 'waiting')
			order by s.first_name, s.last_name, s.id`, Args: []any{due.TripID}, Scan: tenancy.Collect(&riders)},
		tenancy.Query{SQL: selectOffice, Scan: tenancy.Collect(&office)},
	)
	if err != nil || len(open) == 0 {
		return err
	}
	var aboard, waiting []string
	for _, r := range riders {
		if name := roster.FullName(r.FirstName, r.LastName); r.Status == "boarded" {
			aboard = append(aboard, name)
		} else {
			waiting = append(waiting, name)
		}
	}
	names := func(list []string) any {
		if len(list) == 0 {
			return notice.Text{Name: "nobody"}
		}
		return strings.Join(list, ", ")
	}
	var notices []notice.Notice
	for _, u := range office {
		notices = append(notices, notice.Notice{
			Type: notice.Transport, Key: fmt.Sprintf("trip-left-open:%s:%s", due.TripID, u.ID), RecordID: due.TripID, UserID: &u.ID,
			Urgent: true, Alarm: true,
			Text: notice.Text{Name: "transport.left-open",
				Values: notice.Values{"bus": open[0].BusNumber, "route": open[0].RouteName, "aboard": names(aboard), "waiting": names(waiting)}},
		})
	}
	return notice.SendIn(db, school, h.OccurredAt, h.IsSilent(), notices...)
}
