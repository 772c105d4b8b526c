package transport

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/notice"
	"homeroom/tenancy"
)

type extraRider struct {
	ID        uuid.UUID `path:"id"`
	StudentID uuid.UUID `json:"studentId" validate:"required"`
	StopID    uuid.UUID `json:"stopId" validate:"required" doc:"A stop of the trip's route"`
}

// addRider puts one more rider down on a trip that is under way, for this trip alone.
func (m *Module) addRider(c api.Ctx, r extraRider) (TripDetail, error) {
	t, err := api.Lock[Trip](c, "trip", r.ID)
	if err != nil {
		return TripDetail{}, err
	}
	if !t.open() {
		return TripDetail{}, api.Conflict("The trip is %s: riders are added to one that is under way", t.Status)
	}
	if err := checkExtra(c, t, r); err != nil {
		return TripDetail{}, err
	}
	joined, err := join(c, []Trip{t}, []TripStudent{{StudentID: r.StudentID, StopID: r.StopID, Status: "waiting"}})
	if err != nil {
		return TripDetail{}, err
	}
	if joined > 0 {
		c.Changed("add rider", "trip", t.ID, nil, map[string]any{"studentId": r.StudentID, "stopId": r.StopID})
		if err := tellGuardians(c, nil, []riderEntry{{StudentID: r.StudentID, StopID: r.StopID}}); err != nil {
			return TripDetail{}, err
		}
	}
	return m.tripDetail(c, t)
}

// checkExtra says everything that is wrong with one more rider.
func checkExtra(c api.Ctx, t Trip, r extraRider) error {
	var found []struct {
		Student, Stop, Riding bool
		Capacity              *int
		Riders                int
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select exists (select from student s where s.id = $2 and s.deleted_at is null
		and s.status = 'ACTIVE') as student,
			exists (select from stop p where p.id = $3 and p.route_id = $4 and p.removed_at is null) as stop,
			exists (select from boarding b where b.trip_id = $1 and b.student_id = $2) as riding,
			(select v.capacity from bus v where v.id = $5) as capacity,
			(select count(*) from boarding b where b.trip_id = $1 and b.status in ('waiting', 'boarded')) as riders`,
		Args: []any{t.ID, r.StudentID, r.StopID, t.RouteID, t.BusID}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return fmt.Errorf("checking a rider: %w", err)
	}
	var bad []api.Detail
	if !found[0].Student {
		bad = append(bad, api.Detail{Field: "studentId", Message: "studentId is no student of the school"})
	}
	if !found[0].Stop {
		bad = append(bad, api.Detail{Field: "stopId", Message: "stopId is no stop of the route"})
	}
	if bad != nil {
		return api.Invalid(bad...)
	}
	if seats := found[0].Capacity; !found[0].Riding && seats != nil && found[0].Riders >= *seats {
		return api.Conflict("The bus has %d seats, and %d riders are waited for or aboard", *seats, found[0].Riders)
	}
	return nil
}

// join puts riders down on trips under way, all of one route and day; who is on one stays
// as they are. Watchers and the guardians of those who are waited for are notified.
func join(c api.Ctx, trips []Trip, riders []TripStudent) (int, error) {
	if len(trips) == 0 || len(riders) == 0 {
		return 0, nil
	}
	byID := map[uuid.UUID]Trip{}
	ids, students, stops, states, reasons := []uuid.UUID{}, []uuid.UUID{}, []uuid.UUID{}, []string{}, []string{}
	for _, t := range trips {
		ids, byID[t.ID] = append(ids, t.ID), t
	}
	for _, s := range riders {
		students, stops, states, reasons = append(students, s.StudentID), append(stops, s.StopID), append(states, s.Status),
			append(reasons, s.Reason)
	}
	var joined []struct {
		TripID uuid.UUID
		TripStudent
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `with new as (
			insert into boarding (id, trip_id, student_id, stop_id, status, preset, reason, updated_at)
			select gen_random_uuid(), t.id, x.student, x.stop, x.state, x.state, x.reason, $6
			from unnest($1::uuid[]) as t (id) cross join unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[]) as x (student, stop, state, reason)
			on conflict (trip_id, student_id) do nothing returning *)
		select n.trip_id, n.student_id, n.status, s.first_name, s.last_name, p.name as stop_name
		from new n join student s on s.id = n.student_id join stop p on p.id = n.stop_id order by n.trip_id, n.student_id`,
		Args: []any{ids, students, stops, states, reasons, c.Now}, Scan: tenancy.Collect(&joined)})
	if err != nil {
		return 0, fmt.Errorf("putting riders down: %w", err)
	}
	for _, s := range joined {
		t := byID[s.TripID]
		if s.Status == "waiting" {
			notice.Send(c, startedNotice(t, s.TripStudent))
		}
		c.Tell(boardingNews(t, Boarding{StudentID: s.StudentID, Status: s.Status}, c.Now))
	}
	return len(joined), nil
}

// followRiders lets trips of today that are under way know who rides the route from today
// on: newcomers are waited for, and nobody is who was taken off.
func (m *Module) followRiders(c api.Ctx, route uuid.UUID, before []Rider, now []riderEntry) error {
	var trips, open []Trip
	// A trip that starts at this moment is waited for, or waits and reads the riders then.
	err := c.DB.Raw(`select `+tripColumns+` from trip t where t.route_id = ? and t.trip_date = ?
		and t.status in ('scheduled', 'in_progress', 'paused') order by t.id for share`,
		route, c.Today()).Scan(&trips).Error
	if err != nil {
		return fmt.Errorf("holding a route's trips: %w", err)
	}
	var ids []uuid.UUID
	for _, t := range trips {
		if t.open() {
			open, ids = append(open, t), append(ids, t.ID)
		}
	}
	if len(open) == 0 {
		return nil
	}
	riding := map[uuid.UUID]bool{}
	for _, e := range now {
		riding[e.StudentID] = true
	}
	off := []uuid.UUID{}
	for _, r := range before {
		if !riding[r.StudentID] {
			off = append(off, r.StudentID)
		}
	}
	var left []struct{ TripID, StudentID uuid.UUID }
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `update boarding b set status = 'absent', preset = 'absent',
		reason = 'taken off the route', updated_at = $3
		where b.trip_id = any($1) and b.student_id = any($2) and b.status = 'waiting'
			and not exists (select from boarding_tap p where p.trip_id = b.trip_id and p.student_id = b.student_id and p.undone_at is null)
		returning b.trip_id, b.student_id`, Args: []any{ids, off, c.Now}, Scan: tenancy.Collect(&left)})
	if err != nil {
		return fmt.Errorf("taking riders off a trip: %w", err)
	}
	for _, l := range left {
		for _, t := range open {
			if t.ID == l.TripID {
				c.Tell(boardingNews(t, Boarding{StudentID: l.StudentID, Status: "absent"}, c.Now))
			}
		}
	}
	list, err := m.expected(c, open[0]) // of one route and day, so of them all
	if err != nil {
		return err
	}
	_, err = join(c, open, list)
	return err
}
