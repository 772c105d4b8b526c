package demo

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// line is a bus, and the stops it goes by in the morning; the last is the school. In the afternoon it goes back.
type line struct {
	number, registration string
	name                 string
	stops                []stop
}

type stop struct {
	name     string
	lat, lng float64
}

// stopMinutes is how long a bus takes from one stop to the next by its plan.
const stopMinutes = 7

// riders is how many a bus has.
const riders = 32

// directions of a line: its routes' names end so.
var directions = []struct{ direction, suffix, start string }{{"pickup", "morning", "07:05"}, {"dropoff", "afternoon", "14:15"}}

// ownBus is which of a plan's buses drives by itself; DrivenBus of the demo's drivers.
const ownBus = 1

// transportDone is the condition that all routes have riders.
func (p *plan) transportDone() string {
	return fmt.Sprintf(`(select count(distinct route_id) from ride) >= %d`, len(p.lines)*len(directions))
}

// addBuses makes the buses, their routes both ways, and who rides.
func (b *builder) addBuses(ctx context.Context) error {
	type bus struct {
		ID        uuid.UUID
		BusNumber string
	}
	there, err := list[bus](ctx, b.office, "/school-admin/transport/bus/list", nil)
	if err != nil {
		return err
	}
	var drivers []employee
	for _, e := range b.plan.staff() {
		if e.kind == "DRIVER" {
			drivers = append(drivers, e)
		}
	}
	routes, err := list[named](ctx, b.office, "/school-admin/transport/route/list", nil)
	if err != nil {
		return err
	}
	ride := b.plan.riders()
	for i, l := range b.plan.lines {
		var made bus
		if at := slices.IndexFunc(there, func(t bus) bool { return t.BusNumber == l.number }); at >= 0 {
			made = there[at]
		} else if err := b.post(ctx, "/school-admin/transport/bus/create", fields{"busNumber": l.number, "registrationNumber": l.registration,
			"capacity": 40, "driverId": b.staff[drivers[i].code].ID}, &made); err != nil {
			return err
		}
		for _, d := range directions {
			if err := b.addRoute(ctx, l, made.ID, d.direction, d.suffix, d.start, routes, ride[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// addRoute makes a line's route of one direction, unless it is among those that are there, and says who rides it.
func (b *builder) addRoute(ctx context.Context, l line, bus uuid.UUID, direction, suffix, start string, there []named,
	riders []*student) error {
	stops := slices.Clone(l.stops)
	if direction == "dropoff" {
		slices.Reverse(stops)
	}
	first, err := time.Parse("15:04", start)
	if err != nil {
		return err
	}
	var planned []fields
	for i, s := range stops {
		planned = append(planned, fields{"name": s.name, "lat": s.lat, "lng": s.lng, "radiusMeters": 300,
			"plannedTime": first.Add(time.Duration(i*stopMinutes) * time.Minute).Format("15:04")})
	}
	var route struct {
		ID    uuid.UUID
		Stops []named
	}
	name := l.name + ", " + suffix
	if at := slices.IndexFunc(there, func(n named) bool { return n.Name == name }); at >= 0 {
		err = b.get(ctx, "/school-admin/transport/route/"+there[at].ID.String(), &route)
	} else {
		err = b.post(ctx, "/school-admin/transport/route/create", fields{"name": name, "busId": bus, "direction": direction, "stops": planned},
			&route)
	}
	if err != nil {
		return err
	}
	var seats []fields
	for i, s := range riders {
		at := slices.IndexFunc(route.Stops, func(n named) bool { return n.Name == l.stops[i%(len(l.stops)-1)].name })
		if there := b.students[s.number]; there != nil && at >= 0 {
			seats = append(seats, fields{"studentId": there.ID, "stopId": route.Stops[at].ID})
		}
	}
	return b.put(ctx, "/school-admin/transport/route/"+route.ID.String()+"/students", fields{"students": seats})
}

// riders are whole families, by bus; the parent's children ride the bus that drives by itself.
func (p *plan) riders() [][]*student {
	out := make([][]*student, len(p.lines))
	if len(out) == 0 {
		return out
	}
	families, _ := p.people()
	at := slices.IndexFunc(families, func(f *family) bool { return f.phone == p.parentPhone() })
	out[ownBus%len(out)] = append(out[ownBus%len(out)], families[at].children...)
	next := 0
	for i, f := range families {
		if i == at || i%2 == 0 {
			continue
		}
		for n := 0; n < len(out) && len(out[next]) >= riders; n++ {
			next = (next + 1) % len(out)
		}
		if len(out[next]) < riders {
			out[next] = append(out[next], f.children...)
			next = (next + 1) % len(out)
		}
	}
	return out
}

// tripRecord is a trip as the office lists it.
type tripRecord struct {
	ID, RouteID, BusID uuid.UUID
	DriverID           *uuid.UUID
	Status             string
	TripType           string
	ScheduledStartAt   time.Time
}

// driveDay has today's trips: those that should be over were driven.
func (d *Demo) driveDay(ctx context.Context, p *plan, school *tenancy.School, db *gorm.DB, at *offices) error {
	today, now := d.today(school), d.now()
	lasts := time.Duration(stopMinutes*8) * time.Minute
	var found []struct{ Scheduled, Late, Routes int }
	err := db.Raw(`select count(*) as scheduled, count(*) filter (where status = 'scheduled' and scheduled_start_at < ?) as late,
		(select count(*) from route) as routes from trip where trip_date = ?`, now.Add(-lasts), today).Scan(&found).Error
	if err != nil {
		return fmt.Errorf("looking for today's trips: %w", err)
	}
	weekend := slices.Contains(school.WeekendDays, int16(today.In(time.UTC).Weekday()))
	if weekend || found[0].Routes == 0 || found[0].Scheduled > 0 && found[0].Late == 0 {
		return nil
	}
	return at.use(true, func(b *builder) error {
		if found[0].Scheduled == 0 {
			if err := b.scheduleTrips(ctx); err != nil {
				return err
			}
		}
		return b.driveScheduled(ctx, now.Add(-lasts))
	})
}

// driveScheduled drives today's trips that began before a moment.
func (b *builder) driveScheduled(ctx context.Context, before time.Time) error {
	trips, err := list[tripRecord](ctx, b.office, "/school-admin/transport/trip/list", query("filters[tripDate]", b.today.String(),
		"filters[status]", "scheduled", "sort[field]", "scheduledStartAt"))
	if err != nil {
		return err
	}
	numbers := map[uuid.UUID]string{}
	for number, s := range b.students {
		numbers[s.ID] = number
	}
	for _, t := range trips {
		if t.ScheduledStartAt.Before(before) {
			// A bus that is out goes on; the trip is looked at again later.
			if err := b.drive(ctx, t, numbers); err != nil && !answered(err, http.StatusConflict) {
				return fmt.Errorf("driving a bus: %w", err)
			}
		}
	}
	return nil
}

// scheduleTrips makes today's, of every route of the plan. A day off has none.
func (b *builder) scheduleTrips(ctx context.Context) error {
	routes, err := list[named](ctx, b.office, "/school-admin/transport/route/list", nil)
	if err != nil {
		return err
	}
	b.at(b.today, 6, 0, b.latest)
	for _, l := range b.plan.lines {
		for _, d := range directions {
			at := slices.IndexFunc(routes, func(r named) bool { return r.Name == l.name+", "+d.suffix })
			if at < 0 {
				continue
			}
			err := b.post(ctx, "/school-admin/transport/trip/schedule", fields{"routeId": routes[at].ID, "tripDate": b.today,
				"scheduledStartTime": d.start}, nil)
			if refused(err) {
				return nil // a holiday
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// drive drives a trip from its beginning to its end, as its driver did. Who is absent from school did not ride.
func (b *builder) drive(ctx context.Context, t tripRecord, numbers map[uuid.UUID]string) error {
	driver, err := b.driverOf(t)
	if err != nil || driver == nil {
		return err
	}
	as, path := b.as(*driver, api.Driver), "/driver/bus-tracking/trips/"+t.ID.String()
	b.clock.set(t.ScheduledStartAt)
	var started struct {
		Students []struct {
			StudentID uuid.UUID
			Status    string
		}
	}
	if err := b.call(ctx, as, "POST", path+"/start", fields{}, &started); err != nil {
		return err
	}
	taps := func(status string, minutes int) error {
		at := t.ScheduledStartAt.Add(time.Duration(minutes) * time.Minute)
		b.clock.set(at)
		var list []fields
		for _, s := range started.Students {
			mark := markOf(s.StudentID, numbers[s.StudentID], b.today).Status
			away := mark == "ABSENT" || mark == "LEAVE"
			if s.Status != "waiting" || away != (status == "absent") {
				continue
			}
			list = append(list, fields{"studentId": s.StudentID, "status": status, "clientEventId": status + s.StudentID.String(),
				"at": at.UnixMilli()})
		}
		if len(list) == 0 {
			return nil
		}
		return b.call(ctx, as, "POST", "/driver/student/board-many", fields{"tripId": t.ID, "taps": list}, nil)
	}
	for _, step := range []struct {
		status  string
		minutes int
	}{{"absent", 4}, {"boarded", 5}, {"alighted", 30}} {
		if err := taps(step.status, step.minutes); err != nil {
			return err
		}
	}
	b.clock.set(t.ScheduledStartAt.Add(32 * time.Minute))
	return b.call(ctx, as, "POST", path+"/end", fields{}, nil)
}

// driverOf is the user who drives a trip's bus.
func (b *builder) driverOf(t tripRecord) (*uuid.UUID, error) {
	var found []uuid.UUID
	err := b.db.Raw(`select e.user_id from employee e where e.user_id is not null and e.id = coalesce(?::uuid,
		(select driver_id from bus where id = ?))`, t.DriverID, t.BusID).Scan(&found).Error
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}
