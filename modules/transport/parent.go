package transport

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// ChildsRide is how a child rides.
type ChildsRide struct {
	StudentID   uuid.UUID    `json:"studentId"`
	FirstName   string       `json:"firstName"`
	LastName    string       `json:"lastName"`
	RouteID     uuid.UUID    `json:"routeId"`
	RouteName   string       `json:"routeName"`
	Direction   string       `json:"direction" enum:"pickup,dropoff"`
	BusID       uuid.UUID    `json:"busId"`
	BusNumber   string       `json:"busNumber"`
	StopID      uuid.UUID    `json:"stopId"`
	StopName    string       `json:"stopName"`
	Lat         float64      `json:"lat"`
	Lng         float64      `json:"lng"`
	PlannedTime roster.Clock `json:"plannedTime"`
	// PreviousTime is shown for changedTimeDays, to those who still wait for the bus at the old time.
	PreviousTime roster.Clock `json:"previousTime" doc:"What plannedTime was before it changed, for a week; else empty"`
	NotRiding    bool         `json:"notRiding" doc:"You said that the child will not ride today"`
	TripID       *uuid.UUID   `json:"tripId" doc:"Today's trip"`
	TripStatus   *string      `json:"tripStatus" enum:"scheduled,in_progress,paused,completed,cancelled"`
	ScheduledAt  *time.Time   `json:"scheduledStartAt"`
	Boarding     *string      `json:"boarding" enum:"waiting,boarded,alighted,absent,no_show" doc:"Where the child stands on that trip"`
}

// ParentsBuses are how a parent's children ride.
type ParentsBuses struct {
	Buses         []ChildsRide   `json:"buses"`
	Total         int            `json:"total"`
	NotRidingDays []NotRidingDay `json:"notRidingDays" doc:"The days from today on of which you said that a child will not ride"`
}

// NotRidingDay is a way that a child will not ride on a day.
type NotRidingDay struct {
	StudentID uuid.UUID `json:"studentId"`
	Date      api.Date  `json:"date"`
	TripType  string    `json:"tripType" enum:"pickup,dropoff"`
}

const (
	changedTimeDays  = 7
	notRidingForward = 60 // days ahead that a parent may say it for
)

func (m *Module) parentsBuses(c api.Ctx, _ api.Nothing) (ParentsBuses, error) {
	out := ParentsBuses{Buses: []ChildsRide{}, NotRidingDays: []NotRidingDay{}}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `
		select s.id as student_id, s.first_name, s.last_name, r.id as route_id, r.name as route_name, r.direction,
			b.id as bus_id, b.bus_number, p.id as stop_id, p.name as stop_name, p.lat, p.lng,
			coalesce(to_char(p.planned_time, 'HH24:MI'), '') as planned_time,
			case when p.time_changed_on > $2::date - $3::int and p.previous_time <> p.planned_time
				then to_char(p.previous_time, 'HH24:MI') else '' end as previous_time,
			exists (select from not_riding n where n.student_id = s.id and n.date = $2 and n.trip_type = r.direction) as not_riding,
			t.id as trip_id, t.status as trip_status, t.scheduled_start_at as scheduled_at,
			(select g.status from boarding g where g.trip_id = t.id and g.student_id = s.id) as boarding
		from student_guardian sg join guardian g on g.id = sg.guardian_id join student s on s.id = sg.student_id
		join ride y on y.student_id = s.id and y.start_date <= $2 and (y.end_date is null or y.end_date >= $2)
		join route r on r.id = y.route_id join stop p on p.id = y.stop_id
		left join lateral (select t.id, t.status, t.scheduled_start_at, t.bus_id from trip t where t.route_id = r.id and t.status <> 'cancelled'
			and (t.trip_date = $2 or t.status in ('in_progress', 'paused'))
			order by t.status in ('in_progress', 'paused') desc, t.status = 'scheduled' desc, t.scheduled_start_at limit 1) t on true
		join bus b on b.id = coalesce(t.bus_id, r.bus_id)
		where g.user_id = $1 and sg.can_view_data and s.deleted_at is null
		order by s.first_name, s.id, r.direction desc`, Args: []any{c.User.ID, c.Today(), changedTimeDays},
		Scan: tenancy.Collect(&out.Buses)},
		tenancy.Query{SQL: `select n.student_id, n.date, n.trip_type from not_riding n where n.date >= $1 and n.student_id in (` +
			roster.LinkedIDs("$2") + `) order by n.date, n.student_id, n.trip_type desc`, Args: []any{c.Today(), c.User.ID},
			Scan: tenancy.Collect(&out.NotRidingDays)})
	if err != nil {
		return out, fmt.Errorf("listing a parent's buses: %w", err)
	}
	out.Total = len(out.Buses)
	return out, nil
}

type absence struct {
	StudentID uuid.UUID `json:"studentId" validate:"required"`
	Date      api.Date  `json:"date" doc:"Today unless given"`
	TripType  string    `json:"tripType" validate:"omitempty,oneof=pickup dropoff" doc:"Both ways unless given"`
	Reason    string    `json:"reason" validate:"max=300"`
	Riding    bool      `json:"riding" doc:"true takes it back"`
}

// NotRidingAnswer is what is known now.
type NotRidingAnswer struct {
	StudentID uuid.UUID `json:"studentId"`
	Date      api.Date  `json:"date"`
	TripTypes []string  `json:"tripTypes" enum:"pickup,dropoff" doc:"The ways the child will not ride that day"`
}

// notRiding keeps what a parent says. A trip that has started already hears of it, as
// long as the child is still waited for.
func (m *Module) notRiding(c api.Ctx, r absence) (NotRidingAnswer, error) {
	if err := roster.MayView(c, r.StudentID); err != nil {
		return NotRidingAnswer{}, err
	}
	if r.Date.IsZero() {
		r.Date = c.Today()
	}
	if r.Date.Before(c.Today()) || c.Today().AddDays(notRidingForward).Before(r.Date) {
		return NotRidingAnswer{}, api.InvalidField("date", "date must be today or within the next 60 days")
	}
	ways := []string{"pickup", "dropoff"}
	if r.TripType != "" {
		ways = []string{r.TripType}
	}
	out := NotRidingAnswer{StudentID: r.StudentID, Date: r.Date, TripTypes: []string{}}
	saying := tenancy.Query{SQL: `insert into not_riding (id, student_id, date, trip_type, reason, created_by, created_at)
		select gen_random_uuid(), $1, $2, way, $4, $5, $6 from unnest($3::text[]) way on conflict (student_id, date, trip_type) do update
		set reason = excluded.reason`,
		Args: []any{r.StudentID, r.Date, ways, r.Reason, c.User.ID, c.Now}}
	from, to, reason := "waiting", "absent", "said not to ride"
	if r.Riding {
		saying = tenancy.Query{SQL: `delete from not_riding where student_id = $1 and date = $2 and trip_type = any($3::text[])`,
			Args: []any{r.StudentID, r.Date, ways}}
		from, to, reason = "absent", "waiting", ""
	}
	var said []struct{ TripType string }
	var moved []struct{ ID, TripID, BusID uuid.UUID }
	err := tenancy.Pipeline(c.DB,
		// A trip that starts at this moment is waited for, or waits: it sees what is said, or is seen.
		tenancy.Query{SQL: `select t.id from trip t where t.trip_date = $2 and t.trip_type = any($3::text[])
			and t.status in ('scheduled', 'in_progress', 'paused')
			and t.route_id in (select y.route_id from ride y where y.student_id = $1)
			order by t.id for share`, Args: []any{r.StudentID, r.Date, ways}},
		saying,
		tenancy.Query{SQL: `update boarding b set status = $5, preset = $5, reason = $6, updated_at = $7 from trip t
			where t.id = b.trip_id and b.student_id = $1 and t.trip_date = $2 and t.trip_type = any($3::text[])
			and t.status in ('in_progress', 'paused')
				and b.status = $4 and (b.preset = $4) and (b.reason <> 'on leave')
				and not exists (select from boarding_tap p where p.trip_id = b.trip_id and p.student_id = b.student_id and p.undone_at is null)
			returning b.id, t.id as trip_id,
			t.bus_id`, Args: []any{r.StudentID, r.Date, ways, from, to, reason, c.Now}, Scan: tenancy.Collect(&moved)},
		tenancy.Query{SQL: `select trip_type from not_riding where student_id = $1 and date = $2 order by trip_type desc`,
			Args: []any{r.StudentID, r.Date}, Scan: tenancy.Collect(&said)},
	)
	if err != nil {
		return out, fmt.Errorf("keeping who will not ride: %w", err)
	}
	for _, s := range said {
		out.TripTypes = append(out.TripTypes, s.TripType)
	}
	for _, b := range moved {
		c.Changed("update", "boarding", b.ID, map[string]any{"status": from}, map[string]any{"status": to, "reason": reason})
		c.Tell(boardingNews(Trip{Record: api.Record{ID: b.TripID}, BusID: b.BusID}, Boarding{StudentID: r.StudentID, Status: to}, c.Now))
	}
	return out, nil
}
