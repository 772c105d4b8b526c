package transport

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/modules/transport/live"
	"homeroom/notice"
	"homeroom/tenancy"
)

// usersOf are the users of employees who have one.
func usersOf(c api.Ctx, employees ...*uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	var ids []uuid.UUID
	for _, e := range employees {
		if e != nil {
			ids = append(ids, *e)
		}
	}
	var found []struct{ ID, UserID uuid.UUID }
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select id, user_id from employee where id = any($1) and user_id is not null`,
		Args: []any{ids}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return nil, fmt.Errorf("looking for drivers: %w", err)
	}
	users := map[uuid.UUID]uuid.UUID{}
	for _, f := range found {
		users[f.ID] = f.UserID
	}
	return users, nil
}

// notice is what tells a trip's driver, or the families of its riders, of a change before it starts.
func (t *TripView) notice(c api.Ctx, text string, values notice.Values) notice.Notice {
	for name, value := range (notice.Values{"way": way(t.Trip), "date": notice.On(t.TripDate), "route": t.RouteName, "bus": t.BusNumber,
		"start": t.startTime(c), "reason": t.CancelReason}) {
		if _, given := values[name]; !given {
			values[name] = value
		}
	}
	return notice.Notice{
		Type: notice.Transport, Key: fmt.Sprintf("%s:%s:%d", text, t.ID, t.Version), RecordID: t.ID, Day: t.TripDate,
		Begins: t.ScheduledStartAt, Text: notice.Text{Name: text, Values: values},
	}
}

// startTime is what the school's clocks show when the trip starts.
func (t *TripView) startTime(c api.Ctx) string {
	return t.ScheduledStartAt.In(c.School.Location()).Format("15:04")
}

// tellDriver tells the employee who drives a trip.
func (t *TripView) tellDriver(c api.Ctx, users map[uuid.UUID]uuid.UUID, employee *uuid.UUID, text string, values notice.Values) {
	if employee == nil {
		return
	}
	if user, known := users[*employee]; known {
		notice.Send(c, notice.ToEach([]notice.Concerned{{UserID: &user}}, t.notice(c, text, values))...)
	}
}

// waited are the riders of a trip whom the bus expects, or has aboard.
func (t *TripDetail) waited() (people []notice.Concerned) {
	for _, s := range t.Students {
		if s.Status == "waiting" || s.Status == "boarded" {
			people = append(people, notice.Concerned{StudentID: &s.StudentID, Name: s.name()})
		}
	}
	return people
}

// tellMoved tells the families of a trip's riders, and its drivers, that it starts at another time, or has another bus or driver.
func tellMoved(c api.Ctx, before TripView, t TripDetail) error {
	var start, bus, driver any = "", "", ""
	if !before.ScheduledStartAt.Equal(t.ScheduledStartAt) {
		start = notice.Text{Name: "transport.start", Values: notice.Values{"to": t.startTime(c), "from": before.startTime(c)}}
	}
	if before.BusID != t.BusID {
		bus = notice.Text{Name: "transport.bus", Values: notice.Values{"bus": t.BusNumber}}
	}
	sameDriver := sameID(before.DriverID, t.DriverID)
	if !sameDriver && t.DriverID != nil {
		driver = notice.Text{Name: "transport.driver", Values: notice.Values{"driver": t.DriverName}}
	}
	if start == "" && bus == "" && sameDriver {
		return nil
	}
	if start != "" || bus != "" || driver != "" {
		notice.Send(c, notice.ToEach(t.waited(), t.notice(c, "transport.moved", notice.Values{"start": start, "bus": bus, "driver": driver}))...)
	}
	users, err := usersOf(c, before.DriverID, t.DriverID)
	if err != nil {
		return err
	}
	if sameDriver {
		t.tellDriver(c, users, t.DriverID, "transport.driver-moved", notice.Values{"start": start, "bus": bus})
		return nil
	}
	t.tellDriver(c, users, t.DriverID, "transport.driver-given", notice.Values{})
	before.Version = t.Version // the change, of which each gets one notice
	before.tellDriver(c, users, before.DriverID, "transport.driver-taken", notice.Values{})
	return nil
}

// tellCancelled tells the families of a trip's riders, and its driver.
func tellCancelled(c api.Ctx, t TripDetail) error {
	notice.Send(c, notice.ToEach(t.waited(), t.notice(c, "transport.cancelled", notice.Values{}))...)
	users, err := usersOf(c, t.DriverID)
	if err != nil {
		return err
	}
	t.tellDriver(c, users, t.DriverID, "transport.driver-cancelled", notice.Values{})
	return nil
}

func sameID(a, b *uuid.UUID) bool { return a == b || a != nil && b != nil && *a == *b }

// selectRidersOf are the students with a ride r from the day $1 on, until $2 if it is given, on which a condition holds.
func selectRidersOf(condition string) string {
	return notice.SelectConcerned(notice.ConcernedStudents + `exists (select from ride r where r.student_id = s.id
		and (r.end_date is null or r.end_date >= $1) and ($2::date is null or r.start_date <= $2) and ` + condition + `)`)
}

var (
	selectRouteRiders = selectRidersOf(`r.route_id = $3`)
	selectStopRiders  = selectRidersOf(`r.stop_id = $3`)
	selectBusRiders   = selectRidersOf(`r.route_id in (select o.id from route o where o.bus_id = $3)`)
)

func ridersFrom(c api.Ctx, query string, from api.Date, to *api.Date, id uuid.UUID) (people []notice.Concerned, err error) {
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: query, Args: []any{from, to, id}, Scan: tenancy.Collect(&people)})
	if err != nil {
		return nil, fmt.Errorf("reading whom a route concerns: %w", err)
	}
	return people, nil
}

// tellOtherDriver tells the drivers of a bus, and the families of its riders, who drives it from now on, or on some days.
func tellOtherDriver(c api.Ctx, b Bus, before, after *uuid.UUID, from, to api.Date) error {
	if sameID(before, after) || !to.IsZero() && to.Before(c.Today()) {
		return nil
	}
	var days any = notice.Text{Name: "days.onwards"}
	first, last := c.Today(), (*api.Date)(nil)
	if !from.IsZero() {
		days, first, last = notice.Days(notice.On(from), notice.On(to)), from, &to
	}
	users, err := usersOf(c, before, after)
	if err != nil {
		return err
	}
	begins := from.In(c.School.Location())
	if from.IsZero() {
		if begins, err = nextTrip(c, `bus_id = $2`, b.ID); err != nil {
			return err
		}
	}
	tell := func(text, driver string, people ...notice.Concerned) {
		notice.Send(c, notice.ToEach(people, notice.Notice{
			Type: notice.Transport, Key: fmt.Sprintf("%s:%s:%d", text, b.ID, c.Now.UnixNano()), RecordID: b.ID, Begins: begins,
			Text: notice.Text{Name: text, Values: notice.Values{"bus": b.BusNumber, "driver": driver, "days": days, "who": ""}},
		})...)
	}
	for text, employee := range map[string]*uuid.UUID{"transport.bus-given": after, "transport.bus-taken": before} {
		if employee == nil {
			continue
		}
		if user, known := users[*employee]; known {
			tell(text, "", notice.Concerned{UserID: &user})
		}
	}
	if after == nil {
		return nil
	}
	var names []struct{ FirstName, LastName string }
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select first_name, last_name from employee where id = $1`, Args: []any{*after}, Scan: tenancy.Collect(&names)})
	if err != nil {
		return fmt.Errorf("naming a driver: %w", err)
	}
	people, err := ridersFrom(c, selectBusRiders, first, last, b.ID)
	if err != nil {
		return err
	}
	for _, n := range names {
		tell("transport.other-driver", roster.FullName(n.FirstName, n.LastName), people...)
	}
	return nil
}

// nextTrip is when the next trip on which a condition of $2 holds begins; zero: none is scheduled.
func nextTrip(c api.Ctx, condition string, id uuid.UUID) (time.Time, error) {
	var at *time.Time
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select min(scheduled_start_at) from trip
		where scheduled_start_at > $1 and status = 'scheduled' and ` +
		condition, Args: []any{c.Now, id}, Scan: tenancy.One(&at)})
	if err != nil || at == nil {
		return time.Time{}, err
	}
	return *at, nil
}

// tellOtherBus tells the families of a route's riders that another bus drives it.
func tellOtherBus(c api.Ctx, route RouteDetail) error {
	people, err := ridersFrom(c, selectRouteRiders, c.Today(), nil, route.ID)
	if err != nil {
		return err
	}
	begins, err := nextTrip(c, `route_id = $2`, route.ID)
	if err != nil {
		return err
	}
	notice.Send(c, notice.ToEach(people, notice.Notice{
		Type: notice.Transport, Key: fmt.Sprintf("transport.other-bus:%s:%d", route.ID, c.Now.UnixNano()), RecordID: route.ID, Begins: begins,
		Text: notice.Text{Name: "transport.other-bus", Values: notice.Values{"bus": route.BusNumber, "route": route.Name}},
	})...)
	return nil
}

// movedStop is how far a stop is from where it was, in metres, if families are to be told: less is a better pin on the map.
const movedStop = 30

// tellStops tells the families who wait at stops that they are elsewhere, or that the bus comes at another time.
func tellStops(c api.Ctx, before, after []Stop) error {
	was := map[uuid.UUID]Stop{}
	for _, s := range before {
		was[s.ID] = s
	}
	for _, s := range after {
		o, there := was[s.ID]
		if !there {
			continue
		}
		var at, place any = "", ""
		if o.PlannedTime != s.PlannedTime && s.PlannedTime != "" {
			at = notice.Text{Name: "transport.stop-time", Values: notice.Values{"to": s.PlannedTime}}
		}
		if live.Metres(o.Lat, o.Lng, s.Lat, s.Lng) >= movedStop {
			place = notice.Text{Name: "transport.stop-place"}
		}
		if at == "" && place == "" {
			continue
		}
		people, err := ridersFrom(c, selectStopRiders, c.Today(), nil, s.ID)
		if err != nil {
			return err
		}
		begins, err := nextTrip(c, `route_id = (select route_id from stop where id = $2)`, s.ID)
		if err != nil {
			return err
		}
		notice.Send(c, notice.ToEach(people, notice.Notice{
			Type: notice.Transport, Key: fmt.Sprintf("transport.stop:%s:%d", s.ID, c.Now.UnixNano()), RecordID: s.ID, Begins: begins,
			Text: notice.Text{Name: "transport.stop", Values: notice.Values{"stop": s.Name, "time": at, "place": place}},
		})...)
	}
	return nil
}
