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

// driveOnce schedules a trip of a line's morning route for now, and drives it to its end. One that was left open is ended.
func (b *builder) driveOnce(ctx context.Context, l line) error {
	var bus []struct {
		ID, RouteID, DriverUser uuid.UUID
		Open                    *uuid.UUID
	}
	err := b.db.Raw(`select b.id, r.id as route_id, e.user_id as driver_user,
		(select t.id from trip t where t.bus_id = b.id and t.status in ('in_progress', 'paused') limit 1) as open
		from bus b join route r on r.bus_id = b.id and r.direction = 'pickup' join employee e on e.id = b.driver_id
		where b.bus_number = ? and r.name = ?`, l.number, l.name+", "+directions[0].suffix).Scan(&bus).Error
	if err != nil || len(bus) == 0 {
		return errors.Join(err, errors.New("the bus that drives by itself is not there"))
	}
	driver := b.as(bus[0].DriverUser, api.Driver)
	b.clock.set(b.demo.now())
	if open := bus[0].Open; open != nil {
		if err := b.endTrip(ctx, driver, *open); err != nil {
			return err
		}
	}
	var trip running
	now := b.demo.now().In(b.school.Location())
	if err := b.post(ctx, "/school-admin/transport/trip/schedule", fields{"routeId": bus[0].RouteID, "tripDate": api.DateOf(now),
		"scheduledStartTime": now.Format("15:04"), "runsOnHolidays": true}, &trip); err != nil {
		return err
	}
	if err := b.call(ctx, driver, "POST", "/driver/bus-tracking/trips/"+trip.ID.String()+"/start", fields{}, &trip); err != nil {
		return err
	}
	own, err := b.guardianStudents(b.plan.parentPhone())
	if err != nil {
		return err
	}
	if err := b.board(ctx, driver, trip, func(student, _ uuid.UUID) bool { return !slices.Contains(own, student) }); err != nil {
		return err
	}
	for i, at := range trip.Stops {
		if i > 0 {
			if err := b.driveTo(ctx, driver.ID, trip, i); err != nil {
				return err
			}
		}
		if err := b.board(ctx, driver, trip,
			func(student, stop uuid.UUID) bool { return slices.Contains(own, student) && stop == at.ID }); err != nil {
			return err
		}
		if err := pause(ctx, busStop); err != nil {
			return err
		}
	}
	return b.endTrip(ctx, driver, trip.ID)
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
