package transport

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/events"
	"homeroom/modules/transport/live"
)

// Incident is something that went wrong with a bus.
type Incident struct {
	api.Record
	IncidentFields
	OccurredAt time.Time  `json:"occurredAt"`
	ReportedBy uuid.UUID  `json:"reportedBy"`
	Release    string     `json:"release" enum:"WAITING,RELEASED,DISCARDED" doc:"WAITING until the office tells the riders or discards it, where the school wants to see incidents first"`
	ReleasedAt *time.Time `json:"releasedAt" doc:"When the office decided that"`
	ReleasedBy *uuid.UUID `json:"releasedBy"`
	ResolvedAt *time.Time `json:"resolvedAt"`
	ResolvedBy *uuid.UUID `json:"resolvedBy"`
	Resolution string     `json:"resolution"`
}

// IncidentFields are what a driver says of an incident.
type IncidentFields struct {
	BusID       uuid.UUID  `json:"busId" validate:"required"`
	TripID      *uuid.UUID `json:"tripId" doc:"The bus's open trip unless given"`
	Type        string     `json:"type" validate:"required,oneof=vehicle_breakdown traffic_jam accident other"`
	Severity    string     `json:"severity" validate:"omitempty,oneof=LOW MEDIUM HIGH" doc:"MEDIUM unless given; an accident is HIGH"`
	Description string     `json:"description" validate:"max=1000"`
	Lat         *float64   `json:"lat" validate:"omitempty,min=-90,max=90"`
	Lng         *float64   `json:"lng" validate:"omitempty,min=-180,max=180"`
}

type incidentReport struct {
	IncidentFields
	OccurredAt live.Moment `json:"occurredAt" doc:"Now unless given"`
}

var incidentListing = api.Listing{
	Sorts:   map[string]string{"occurredAt": "occurred_at", "createdAt": "created_at"},
	Default: "-occurredAt",
	Filters: map[string]api.Filter{
		"id": api.ByID("id"), "busId": api.ByID("bus_id"), "tripId": api.ByID("trip_id"),
		"type":     api.ByEnum("type", "vehicle_breakdown", "traffic_jam", "accident", "other"),
		"severity": api.ByEnum("severity", "LOW", "MEDIUM", "HIGH"), "release": api.ByEnum("release", waitsForOffice, released, discarded),
		"resolved": api.ByBool("resolved").Where(`@v = (resolved_at is not null)`),
	},
}

// isMyBus holds for buses b that the calling driver drives on a day, or has a trip with.
const isMyBus = `exists (select from employee e where e.user_id = @user and e.status = 'ACTIVE' and (` + driverOn + ` = e.id
	or exists (select from trip t where t.bus_id = b.id and t.driver_id = e.id and (t.trip_date = @today
	or t.status in ('in_progress', 'paused')))))`

// reportIncident puts an incident down and tells the guardians of those aboard or
// waited for, or the office where it is to see it first.
func (m *Module) reportIncident(c api.Ctx, r incidentReport) (Incident, error) {
	i := Incident{IncidentFields: r.IncidentFields, OccurredAt: r.OccurredAt.Time(), ReportedBy: c.User.ID}
	if r.OccurredAt == 0 || i.OccurredAt.After(c.Now) {
		i.OccurredAt = c.Now
	}
	if i.Severity == "" {
		i.Severity = "MEDIUM"
		if i.Type == "accident" {
			i.Severity = "HIGH"
		}
	}
	if err := i.place(c); err != nil {
		return i, err
	}
	if err := i.hold(c); err != nil {
		return i, err
	}
	if err := api.Insert(c, "incident", &i); err != nil {
		return i, err
	}
	return i, i.tell(c)
}

// place finds the bus, which must be the caller's, and the trip it is on.
func (i *Incident) place(c api.Ctx) error {
	var found []struct {
		ID     uuid.UUID
		TripID *uuid.UUID
		Known  bool
	}
	err := c.DB.Raw(`select b.id, (select t.id from trip t where t.bus_id = b.id and t.status in ('in_progress', 'paused')) as trip_id,
			exists (select from trip t where t.id = @trip and t.bus_id = b.id) as known
		from bus b where b.id = @bus
		and `+isMyBus, map[string]any{"bus": i.BusID, "trip": i.TripID, "user": c.User.ID, "today": c.Today()}).Scan(&found).Error
	switch {
	case err != nil:
		return fmt.Errorf("looking for a driver's bus: %w", err)
	case len(found) == 0:
		return api.NotFound("bus")
	case i.TripID == nil:
		i.TripID = found[0].TripID
	case !found[0].Known:
		return api.InvalidField("tripId", "tripId is no trip of the bus")
	}
	return nil
}

// news is for everybody who watches the bus, or for the staff and the trip's driver while riders
// are not to know.
func (i *Incident) news() events.Fact {
	n := News{BusID: i.BusID, Event: "incident", Data: IncidentNews{
		ID: i.ID, BusID: i.BusID, TripID: i.TripID, Type: i.Type, Severity: i.Severity, Description: i.Description,
		Lat: i.Lat, Lng: i.Lng, OccurredAt: i.OccurredAt, ResolvedAt: i.ResolvedAt, Resolution: i.Resolution, Release: i.Release,
	}}
	if i.Release != released {
		n.StudentID, n.OnTrip = &uuid.Nil, i.TripID
	}
	return events.Fact{Kind: NewsFact, Data: n}
}

func listIncidents(c api.Ctx, l api.ListRequest) (api.Page[Incident], error) {
	return api.Fetch[Incident](c.DB.Model(&Incident{}), l)
}

func driversIncidents(c api.Ctx, l api.ListRequest) (api.Page[Incident], error) {
	mine := c.DB.Raw(`select b.id from bus b where `+isMyBus, map[string]any{"user": c.User.ID, "today": c.Today()})
	return api.Fetch[Incident](c.DB.Model(&Incident{}).Where("(bus_id in (?) or reported_by = ?)", mine, c.User.ID), l)
}

type resolving struct {
	IncidentID uuid.UUID `json:"incidentId" validate:"required"`
	Resolution string    `json:"resolution" validate:"max=1000"`
}

type resolvingByID struct {
	ID         uuid.UUID `path:"id"`
	Resolution string    `json:"resolution" validate:"max=1000"`
}

func (m *Module) resolveIncident(c api.Ctx, r resolving) (Incident, error) {
	var mine int64
	err := c.DB.Raw(`select count(*) from incident i join bus b on b.id = i.bus_id where i.id = @id and (i.reported_by = @user
		or `+isMyBus+`)`,
		map[string]any{"id": r.IncidentID, "user": c.User.ID, "today": c.Today()}).Scan(&mine).Error
	if err != nil {
		return Incident{}, fmt.Errorf("looking for a driver's incident: %w", err)
	}
	if mine == 0 {
		return Incident{}, api.NotFound("incident")
	}
	return m.resolveAnyIncident(c, resolvingByID{r.IncidentID, r.Resolution})
}

// resolveAnyIncident says how an incident ended. Said twice, the first stands.
func (m *Module) resolveAnyIncident(c api.Ctx, r resolvingByID) (Incident, error) {
	i, err := api.Lock[Incident](c, "incident", r.ID)
	if err != nil || i.ResolvedAt != nil {
		return i, err
	}
	i, err = api.Update(c, "incident", r.ID, func(i *Incident) error {
		i.ResolvedAt, i.ResolvedBy, i.Resolution = &c.Now, &c.User.ID, r.Resolution
		return nil
	})
	if err == nil {
		c.Tell(i.news())
	}
	return i, err
}

type busHistory struct {
	BusID uuid.UUID `path:"busId"`
	Page  int       `json:"page" validate:"min=0,max=1000000" doc:"1 unless given"`
	Limit int       `json:"limit" validate:"min=0,max=100" doc:"20 unless given"`
}

func busIncidents(c api.Ctx, r busHistory) (api.Page[Incident], error) {
	if _, err := SeeBus(c.DB, viewer(c), r.BusID, c.Today()); err != nil {
		return api.Page[Incident]{}, err
	}
	page := api.Page[Incident]{Items: []Incident{}, Page: max(1, r.Page), Limit: r.Limit}
	if page.Limit == 0 {
		page.Limit = 20
	}
	var total int64
	query := c.DB.Model(&Incident{}).Where("bus_id = ?", r.BusID)
	if c.User.Role == api.Parent {
		query = query.Where("release = ?", released)
	}
	if err := query.Session(&gorm.Session{}).Count(&total).Error; err != nil {
		return page, fmt.Errorf("counting incidents: %w", err)
	}
	err := query.Order("occurred_at desc, id desc").Limit(page.Limit).Offset((page.Page - 1) * page.Limit).Find(&page.Items).Error
	if err != nil {
		return page, fmt.Errorf("listing incidents: %w", err)
	}
	page.Total = int(total)
	page.TotalPages = (page.Total + page.Limit - 1) / page.Limit
	return page, nil
}
