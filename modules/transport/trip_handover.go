package transport

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
	"homeroom/modules/roster"
	"homeroom/notice"
	"homeroom/tenancy"
)

type handover struct {
	ID       uuid.UUID `path:"id"`
	DriverID uuid.UUID `json:"driverId" validate:"required"`
	Reason   string    `json:"reason" validate:"max=300"`
}

// handOver gives a trip that is under way to another driver. The one before drives it no
// more: what their phone sends about it is refused, on every channel.
func (m *Module) handOver(c api.Ctx, r handover) (TripDetail, error) {
	t, err := api.Lock[Trip](c, "trip", r.ID)
	if err != nil {
		return TripDetail{}, err
	}
	return m.giveTo(c, t, r)
}

// handOverMine is the same by the driver's own phone.
func (m *Module) handOverMine(c api.Ctx, r handover) (TripView, error) {
	t, err := findMine(c, r.ID, "for update of t")
	if err != nil {
		return TripView{}, err
	}
	detail, err := m.giveTo(c, t, r)
	return detail.TripView, err
}

// Colleague is a driver who may take a trip over.
type Colleague struct {
	EmployeeID uuid.UUID `json:"driverId"`
	Name       string    `json:"name"`
}

// Colleagues are the drivers who may take a trip over.
type Colleagues struct {
	Drivers []Colleague `json:"drivers" doc:"Who has an account to drive with and no trip under way, by name"`
}

// selectColleagues are the drivers but the one of trip $1.
const selectColleagues = `select e.id as employee_id, trim(e.first_name || ' ' || e.last_name) as name from employee e
	where e.employee_type = 'DRIVER' and e.status = 'ACTIVE' and e.user_id is not null
		and e.id <> (select ` + driverOf + ` from trip t where t.id = $1)
		and not exists (select from trip o where o.driver_id = e.id and o.status in ('in_progress', 'paused'))
	order by 2, 1 limit 200`

// colleagues are names alone: the office knows the rest.
func colleagues(c api.Ctx, r byID) (Colleagues, error) {
	out := Colleagues{Drivers: []Colleague{}}
	t, err := findMine(c, r.ID, "")
	if err != nil {
		return out, err
	}
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: selectColleagues, Args: []any{t.ID}, Scan: tenancy.Collect(&out.Drivers)})
	if err != nil {
		return out, fmt.Errorf("looking for colleagues: %w", err)
	}
	return out, nil
}

func (m *Module) giveTo(c api.Ctx, t Trip, r handover) (TripDetail, error) {
	if !t.open() {
		return TripDetail{}, api.Conflict("The trip is %s: only one that is under way is handed over", t.Status)
	}
	if *t.DriverID == r.DriverID {
		return m.tripDetail(c, t)
	}
	if err := mayDrive(c, &r.DriverID); err != nil {
		return TripDetail{}, err
	}
	m.Tracker.Invalidate(t.ID)
	before := t
	t.DriverID, t.UpdatedAt, t.UpdatedBy = &r.DriverID, c.Now, &c.User.ID
	t.Version++
	if err := c.DB.Where("id = ?", t.ID).Select("driver_id", "version", "updated_at",
		"updated_by").Updates(&t).Error; err != nil {
		return TripDetail{}, fmt.Errorf("handing a trip over: %w", err)
	}
	c.Changed("hand over", "trip", t.ID, before, map[string]any{"driverId": r.DriverID, "reason": r.Reason})
	c.Tell(tripNews(t))
	detail, err := m.tripDetail(c, t)
	if err != nil {
		return TripDetail{}, err
	}
	notice.Send(c, notice.ToEach(detail.waited(), detail.notice(c, "transport.moved", notice.Values{"start": "", "bus": "",
		"driver": notice.Text{Name: "transport.driver", Values: notice.Values{"driver": detail.DriverName}}}))...)
	return detail, tellDrivers(c, detail, *before.DriverID)
}

// tellDrivers tells both drivers who drives now, and has it looked up what they may see.
func tellDrivers(c api.Ctx, t TripDetail, before uuid.UUID) error {
	var drivers []struct{ ID, UserID uuid.UUID }
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select id, user_id from employee where id = any($1) and user_id is not null
		order by user_id`,
		Args: []any{[]uuid.UUID{before, *t.DriverID}}, Scan: tenancy.Collect(&drivers)})
	if err != nil {
		return fmt.Errorf("looking for drivers: %w", err)
	}
	var users []uuid.UUID
	for _, d := range drivers {
		users = append(users, d.UserID)
		notice.Send(c, notice.Notice{
			Type: notice.Transport, Key: fmt.Sprintf("trip-handed-over:%s:%d:%s", t.ID, t.Version, d.UserID), RecordID: t.ID, UserID: &d.UserID,
			Urgent: true,
			Text: notice.Text{Name: "transport.handed-over",
				Values: notice.Values{"bus": t.BusNumber, "route": t.RouteName, "driver": t.DriverName}},
		})
	}
	if len(users) > 0 {
		c.Tell(events.Fact{Kind: roster.SightChanged, Data: map[string]any{"userIds": users}})
	}
	return nil
}
