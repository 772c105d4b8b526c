package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

const (
	// busPace is how fast the bus that drives by itself does, in metres a second.
	busPace = 9.0
	// busTick is how often it says where it is.
	busTick = time.Second
	// busRest is how long it stands between two trips.
	busRest = 2 * time.Minute
	// busStop is how long it stands at a stop.
	busStop = 8 * time.Second
)

// driveOwnBus drives one bus of the first school along its route, again and again, so that there is always one to watch. It
// is driven as its driver drives it, only that parents are not notified of who boards: the children of the parent who
// can sign in wait at their stop, all others are aboard from the beginning.
func (d *Demo) driveOwnBus(ctx context.Context) error {
	p, school := plans[0], d.schools[0]
	if school.Status != tenancy.Active {
		return nil
	}
	db, err := d.service.Cluster.School(ctx, school, tenancy.ReadOnly)
	if err != nil {
		return err
	}
	b, err := d.build(p, school, db)
	if err != nil {
		return err
	}
	for {
		if err := b.driveOnce(ctx, p.lines[ownBus]); err != nil {
			return err
		}
		if err := pause(ctx, busRest); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// running is a trip that is under way.
type running struct {
	ID, BusID uuid.UUID
	Stops     []struct {
		ID       uuid.UUID
		Lat, Lng float64
	}
	Students []struct {
		StudentID, StopID uuid.UUID
		Status            string
	}
}

// errNoBus says that the bus that drives by itself is gone, or has no driver.
var errNoBus = errors.New("the bus that drives by itself is not there")

// ownRoute is the bus that drives by itself, on its morning route.
type ownRoute struct{ ID, RouteID, DriverID, DriverUser uuid.UUID }

// driveOnce drives a trip of a line's morning route to its end. One that was left open is ended first.
func (b *builder) driveOnce(ctx context.Context, l line) error {
	var found []ownRoute
	err := b.db.Raw(`select b.id, r.id as route_id, e.id as driver_id, e.user_id as driver_user
		from bus b join route r on r.bus_id = b.id and r.direction = 'pickup' join employee e on e.id = b.driver_id
		where b.bus_number = ? and r.name = ? and e.user_id is not null`, l.number, l.name+", "+directions[0].suffix).Scan(&found).Error
	if err != nil || len(found) == 0 {
		return errors.Join(err, errNoBus)
	}
	own := found[0]
	if err := b.endOpen(ctx, own); err != nil {
		return err
	}
	driver, trip := b.as(own.DriverUser, api.Driver), running{}
	if trip.ID, err = b.ownTrip(ctx, own); err != nil {
		return err
	}
	b.clock.set(b.demo.now())
	if err := b.call(ctx, driver, "POST", "/driver/bus-tracking/trips/"+trip.ID.String()+"/start", fields{}, &trip); err != nil {
		return err
	}
	children, err := b.guardianStudents(b.plan.parentPhone())
	if err != nil {
		return err
	}
	if err := b.board(ctx, driver, trip, func(student, _ uuid.UUID) bool { return !slices.Contains(children, student) }); err != nil {
		return err
	}
	for i, at := range trip.Stops {
		if i > 0 {
			if err := b.driveTo(ctx, driver.ID, trip, i); err != nil {
				return err
			}
		}
		if err := b.board(ctx, driver, trip,
			func(student, stop uuid.UUID) bool { return slices.Contains(children, student) && stop == at.ID }); err != nil {
			return err
		}
		if err := pause(ctx, busStop); err != nil {
			return err
		}
	}
	return b.endTrip(ctx, driver, trip.ID)
}

// endOpen ends the trips of the bus, or of its driver, that are under way: the program was stopped amid one, or somebody
// signed in as the driver.
func (b *builder) endOpen(ctx context.Context, own ownRoute) error {
	var open []struct{ ID, DriverUser uuid.UUID }
	err := b.db.Raw(`select t.id, e.user_id as driver_user from trip t join employee e on e.id = t.driver_id
		where (t.bus_id = ? or t.driver_id = ?) and t.status in ('in_progress', 'paused') and e.user_id is not null`,
		own.ID, own.DriverID).Scan(&open).Error
	if err != nil {
		return fmt.Errorf("looking for trips that were left open: %w", err)
	}
	for _, t := range open {
		if err := b.endTrip(ctx, b.as(t.DriverUser, api.Driver), t.ID); err != nil {
			return fmt.Errorf("ending a trip that was left open: %w", err)
		}
	}
	return nil
}

// ownTrip is the trip that is to begin now. A route has one trip at a minute, whether it was driven or not, so that a new one
// is scheduled for the first minute that has none; one that was scheduled so and never began is taken instead.
func (b *builder) ownTrip(ctx context.Context, own ownRoute) (uuid.UUID, error) {
	at := b.demo.now().Truncate(time.Minute)
	var there []struct {
		ID               uuid.UUID
		ScheduledStartAt time.Time
		Fresh            bool
	}
	err := b.db.Raw(`select id, scheduled_start_at, status = 'scheduled' and runs_on_holidays as fresh from trip
		where route_id = ? and status <> 'cancelled' and scheduled_start_at >= ? order by scheduled_start_at`, own.RouteID, at.Add(-time.Hour)).
		Scan(&there).Error
	if err != nil {
		return uuid.Nil, fmt.Errorf("looking for trips of the bus that drives by itself: %w", err)
	}
	for _, t := range there {
		if t.Fresh && t.ScheduledStartAt.Before(at.Add(time.Hour)) {
			return t.ID, nil
		}
		if t.ScheduledStartAt.Equal(at) {
			at = at.Add(time.Minute)
		}
	}
	var made struct{ ID uuid.UUID }
	at = at.In(b.school.Location())
	b.clock.set(b.demo.now())
	err = b.post(ctx, "/school-admin/transport/trip/schedule", fields{"routeId": own.RouteID, "tripDate": api.DateOf(at),
		"scheduledStartTime": at.Format("15:04"), "runsOnHolidays": true}, &made)
	return made.ID, err
}

// guardianStudents are the children of the guardian with a phone.
func (b *builder) guardianStudents(phone string) ([]uuid.UUID, error) {
	var found []uuid.UUID
	err := b.db.Raw(`select t.student_id from student_guardian t join guardian g on g.id = t.guardian_id where g.phone = ?`, phone).
		Scan(&found).Error
	return found, err
}

// board lets riders on who wait.
func (b *builder) board(ctx context.Context, driver api.User, trip running, who func(student, stop uuid.UUID) bool) error {
	var taps []fields
	for _, s := range trip.Students {
		if s.Status == "waiting" && who(s.StudentID, s.StopID) {
			taps = append(taps, b.tap(s.StudentID, "boarded"))
		}
	}
	return b.tapAll(ctx, driver, trip.ID, taps)
}

func (b *builder) tap(student uuid.UUID, status string) fields {
	return fields{"studentId": student, "status": status, "clientEventId": uuid.NewString(), "at": b.demo.now().UnixMilli()}
}

func (b *builder) tapAll(ctx context.Context, driver api.User, trip uuid.UUID, taps []fields) error {
	if len(taps) == 0 {
		return nil
	}
	b.clock.set(b.demo.now())
	return b.call(ctx, driver, "POST", "/driver/student/board-many", fields{"tripId": trip, "taps": taps}, nil)
}

// endTrip lets everybody off and ends a trip.
func (b *builder) endTrip(ctx context.Context, driver api.User, trip uuid.UUID) error {
	b.clock.set(b.demo.now())
	var now running
	if err := b.call(ctx, driver, "GET", "/driver/student/list?tripId="+trip.String(), nil, &now); err != nil {
		return err
	}
	var taps []fields
	for _, s := range now.Students {
		if status := map[string]string{"boarded": "alighted", "waiting": "no_show"}[s.Status]; status != "" {
			taps = append(taps, b.tap(s.StudentID, status))
		}
	}
	if err := b.tapAll(ctx, driver, trip, taps); err != nil {
		return err
	}
	return b.call(ctx, driver, "POST", "/driver/bus-tracking/trips/"+trip.String()+"/end", fields{}, nil)
}

// driveTo drives to a stop from the one before, a position a tick, as the driver's phone reports them.
func (b *builder) driveTo(ctx context.Context, driver uuid.UUID, trip running, n int) error {
	const degree = math.Pi / 180
	from, to := trip.Stops[n-1], trip.Stops[n]
	x, y := (to.Lng-from.Lng)*math.Cos(from.Lat*degree), to.Lat-from.Lat
	metres := math.Hypot(x, y) * degree * 6_371_000
	steps := max(1, int(metres/(busPace*busTick.Seconds())))
	for i := range steps {
		if err := pause(ctx, busTick); err != nil {
			return err
		}
		share := float64(i+1) / float64(steps)
		sent, err := json.Marshal(fields{"lat": from.Lat + (to.Lat-from.Lat)*share, "lng": from.Lng + (to.Lng-from.Lng)*share, "speed": busPace,
			"heading": math.Mod(math.Atan2(x, y)/degree+360, 360), "timestamp": b.demo.now().UnixMilli()})
		if err != nil {
			return err
		}
		if err := b.demo.service.Tracker.Report(ctx, b.school.ID, driver, sent, func(error) {}); err != nil {
			return fmt.Errorf("reporting a position: %w", err)
		}
	}
	return nil
}
