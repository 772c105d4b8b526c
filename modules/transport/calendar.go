package transport

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/events"
	"homeroom/notice"
	"homeroom/tenancy"
)

// DaysOff reads the holidays between two days. What it returns names the one that a division, its
// class or with it the whole school has on a day.
type DaysOff func(db *gorm.DB, from, until api.Date) (func(class, division uuid.UUID, day api.Date) string, error)

// rideCalendar knows on which days nobody of a route has school.
type rideCalendar struct {
	off    func(class, division uuid.UUID, day api.Date) string
	riders map[uuid.UUID][]seatedRider // by route
}

// seatedRider is a student who rides a route, and sits in a division, from one day to another.
type seatedRider struct {
	RouteID, StudentID, ClassID, DivisionID uuid.UUID
	FirstDay                                api.Date
	LastDay                                 *api.Date
}

func (r seatedRider) on(day api.Date) bool {
	return !day.Before(r.FirstDay) && (r.LastDay == nil || !r.LastDay.Before(day))
}

const selectSeatedRiders = `select r.route_id, r.student_id, coalesce(e.class_id, '00000000-0000-0000-0000-000000000000') as class_id,
		coalesce(e.division_id, '00000000-0000-0000-0000-000000000000') as division_id,
		greatest(r.start_date, e.start_date) as first_day, least(r.end_date, e.end_date) as last_day
	from ride r join student s on s.id = r.student_id and s.deleted_at is null and s.status = 'ACTIVE'
	left join enrolment e on e.student_id = r.student_id and e.start_date <= $3 and (e.end_date is null or e.end_date >= $2)
		and e.start_date <= coalesce(r.end_date, e.start_date) and (e.end_date is null or e.end_date >= r.start_date)
	where r.route_id = any($1) and r.start_date <= $3 and (r.end_date is null or r.end_date >= $2)
	order by r.route_id, r.student_id`

func (m *Module) readRideCalendar(db *gorm.DB, routes []uuid.UUID, from, until api.Date) (*rideCalendar, error) {
	off, err := m.DaysOff(db, from, until)
	if err != nil {
		return nil, err
	}
	var found []seatedRider
	err = tenancy.Pipeline(db, tenancy.Query{SQL: selectSeatedRiders, Args: []any{routes, from, until}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return nil, fmt.Errorf("reading the divisions of riders: %w", err)
	}
	k := &rideCalendar{off: off, riders: map[uuid.UUID][]seatedRider{}}
	for _, r := range found {
		k.riders[r.RouteID] = append(k.riders[r.RouteID], r)
	}
	return k, nil
}

// dayOff is the holiday for which a route has nobody to drive on a day: the whole school's, or one
// of every rider's; nothing when somebody has school.
func (k *rideCalendar) dayOff(route uuid.UUID, day api.Date) string {
	if name := k.off(uuid.Nil, uuid.Nil, day); name != "" {
		return name
	}
	name := ""
	for _, r := range k.riders[route] {
		if !r.on(day) {
			continue
		}
		if name = k.off(r.ClassID, r.DivisionID, day); name == "" {
			return ""
		}
	}
	return name
}

// restingTrip is a trip that a change of the holidays may cancel or bring back.
type restingTrip struct {
	Trip
	Runs         bool       // on holidays too
	DriverUserID *uuid.UUID // who would drive it
}

// followHolidays cancels the trips that have nobody to drive since a day was declared off, and
// brings those back whose day is a school day again. It looks at all trips to come: what
// the change was does not matter, and twice is once.
func (m *Module) followHolidays(ctx context.Context, h events.Heard) error {
	return api.InSchool(ctx, m.Schools, h.SchoolID, func(db *gorm.DB, school *tenancy.School) error {
		return m.restOnHolidays(db, school, h)
	})
}

func (m *Module) restOnHolidays(db *gorm.DB, school *tenancy.School, h events.Heard) error {
	today := api.DateOf(h.OccurredAt.In(school.Location()))
	var trips []restingTrip
	err := tenancy.Pipeline(db, tenancy.Query{SQL: `select ` + tripColumns + `, t.runs_on_holidays or r.runs_on_holidays as runs,
			(select e.user_id from employee e where e.id = ` + driverOf + `) as driver_user_id
		from trip t join route r on r.id = t.route_id
		where t.trip_date >= $1 and (t.status = 'scheduled' or t.status = 'cancelled' and t.off_day and t.scheduled_start_at > $2)
		order by t.scheduled_start_at, t.id`, Args: []any{today, h.OccurredAt}, Scan: tenancy.Collect(&trips)})
	if err != nil || len(trips) == 0 {
		return err
	}
	var routes []uuid.UUID
	until := today
	for _, t := range trips {
		routes = append(routes, t.RouteID)
		if until.Before(t.TripDate) {
			until = t.TripDate
		}
	}
	k, err := m.readRideCalendar(db, routes, today, until)
	if err != nil {
		return err
	}
	off, on := map[uuid.UUID]string{}, map[uuid.UUID]string{}
	for _, t := range trips {
		name := ""
		if !t.Runs {
			name = k.dayOff(t.RouteID, t.TripDate)
		}
		switch {
		case t.Status == scheduled && name != "":
			off[t.ID] = name
		case t.Status == cancelled && name == "":
			on[t.ID] = ""
		}
	}
	told := tripsTold{calendar: k, school: school, until: today.AddDays(tellAhead)}
	if err := m.rest(db, h, trips, off, true, told); err != nil {
		return err
	}
	return m.rest(db, h, trips, on, false, told)
}

// restTrips and runTrips are written under the condition that nobody did something else with
// the trip meanwhile: started it, cancelled it, or scheduled another in its place.
const (
	restTrips = `update trip t set status = 'cancelled', off_day = true, cancel_reason = x.reason, version = t.version + 1, updated_at = $3
		from unnest($1::uuid[], $2::text[]) as x (id, reason) where t.id = x.id and t.status = 'scheduled' returning t.id`
	runTrips = `update trip t set status = 'scheduled', off_day = false, cancel_reason = x.reason, version = t.version + 1, updated_at = $3
		from unnest($1::uuid[], $2::text[]) as x (id, reason) where t.id = x.id and t.status = 'cancelled' and t.off_day
			and not exists (select from trip o where o.route_id = t.route_id and o.scheduled_start_at = t.scheduled_start_at
				and o.status <> 'cancelled') returning t.id`
)

// rest cancels trips, or schedules them again, and tells of it.
func (m *Module) rest(db *gorm.DB, h events.Heard, trips []restingTrip, why map[uuid.UUID]string, off bool, told tripsTold) error {
	if len(why) == 0 {
		return nil
	}
	var ids []uuid.UUID
	var reasons []string
	for _, t := range trips {
		if reason, among := why[t.ID]; among {
			ids, reasons = append(ids, t.ID), append(reasons, reason)
		}
	}
	statement, status := runTrips, scheduled
	if off {
		statement, status = restTrips, cancelled
	}
	var changed []struct{ ID uuid.UUID }
	err := tenancy.Pipeline(db, tenancy.Query{SQL: statement, Args: []any{ids, reasons, h.OccurredAt}, Scan: tenancy.Collect(&changed)})
	if err != nil {
		return fmt.Errorf("following the holidays: %w", err)
	}
	var done []restingTrip
	var news []tenancy.Query
	for _, t := range trips {
		if !slices.ContainsFunc(changed, func(c struct{ ID uuid.UUID }) bool { return c.ID == t.ID }) {
			continue
		}
		t.Status, t.UpdatedAt, t.CancelReason = status, h.OccurredAt, why[t.ID]
		m.Tracker.Invalidate(t.ID)
		args, err := tripNews(t.Trip).InsertArgs(h.OccurredAt)
		if err != nil {
			return err
		}
		done, news = append(done, t), append(news, tenancy.Query{SQL: events.InsertSQL, Args: args})
	}
	if len(done) == 0 {
		return nil
	}
	if err := tenancy.Pipeline(db, news...); err != nil {
		return fmt.Errorf("writing news of trips: %w", err)
	}
	return told.tell(db, h, done, off)
}

// tellAhead is for how many days riders get notices of trips that rest: a year's holidays, entered
// at once, are no news to anybody.
const tellAhead = 14

// tripsTold tells riders and drivers of trips that rest or run again: once each, however many trips.
type tripsTold struct {
	calendar *rideCalendar
	school   *tenancy.School
	until    api.Date
}

func (n tripsTold) tell(db *gorm.DB, h events.Heard, trips []restingTrip, off bool) error {
	riders, drivers := map[uuid.UUID][]restingTrip{}, map[uuid.UUID][]restingTrip{}
	var order []uuid.UUID
	for _, t := range trips {
		if n.until.Before(t.TripDate) {
			continue
		}
		for _, r := range n.calendar.riders[t.RouteID] {
			if !r.on(t.TripDate) {
				continue
			}
			if riders[r.StudentID] == nil {
				order = append(order, r.StudentID)
			}
			riders[r.StudentID] = append(riders[r.StudentID], t)
		}
		if t.DriverUserID != nil {
			if drivers[*t.DriverUserID] == nil {
				order = append(order, *t.DriverUserID)
			}
			drivers[*t.DriverUserID] = append(drivers[*t.DriverUserID], t)
		}
	}
	var names []struct {
		ID   uuid.UUID
		Name string
	}
	err := tenancy.Pipeline(db, tenancy.Query{SQL: `select id, trim(first_name || ' ' || last_name) as name from student where id = any($1)`,
		Args: []any{order}, Scan: tenancy.Collect(&names)})
	if err != nil {
		return fmt.Errorf("naming riders: %w", err)
	}
	child := map[uuid.UUID]string{}
	for _, s := range names {
		child[s.ID] = s.Name
	}
	text := "runs"
	if off {
		text = "rests"
	}
	var notices []notice.Notice
	for _, id := range order {
		list, kind := riders[id], "transport."
		if list == nil {
			list, kind = drivers[id], "transport.driver-"
		}
		first, last := list[0], list[len(list)-1]
		days := notice.Text{Name: "days.one", Values: notice.Values{"date": notice.On(first.TripDate)}}
		if first.TripDate != last.TripDate {
			days = notice.Text{Name: "days.span", Values: notice.Values{"from": first.TripDate, "to": last.TripDate}}
		}
		one := notice.Notice{
			Type: notice.Transport, Key: fmt.Sprintf("trips-%s:%s:%s", text, h.ID, id), RecordID: first.ID, Day: last.TripDate,
			Begins: first.ScheduledStartAt,
			// Families hear that there is no school, and not twice in a minute of one thing: this is in their log.
			Detail: riders[id] != nil,
			Text:   notice.Text{Name: kind + text, Values: notice.Values{"child": child[id], "days": days, "reason": first.CancelReason}},
		}
		if riders[id] != nil {
			one.StudentID = &id
		} else {
			one.UserID = &id
		}
		notices = append(notices, one)
	}
	return notice.SendIn(db, n.school, h.OccurredAt, h.IsSilent(), notices...)
}
