package transport

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// The states of a trip, as they are emitted.
const (
	scheduled  = "scheduled"
	inProgress = "in_progress"
	paused     = "paused"
	completed  = "completed"
	cancelled  = "cancelled"
)

// Trip is a bus driving a route once.
type Trip struct {
	api.Record
	RouteID          uuid.UUID  `json:"routeId"`
	BusID            uuid.UUID  `json:"busId"`
	DriverID         *uuid.UUID `json:"driverId" doc:"Said for this trip, or who drove it; otherwise the bus's driver of the day"`
	TripType         string     `json:"tripType" enum:"pickup,dropoff"`
	TripDate         api.Date   `json:"tripDate"`
	ScheduledStartAt time.Time  `json:"scheduledStartAt"`
	Status           string     `json:"status" enum:"scheduled,in_progress,paused,completed,cancelled"`
	StartedAt        *time.Time `json:"startedAt"`
	EndedAt          *time.Time `json:"endedAt"`
	CancelReason     string     `json:"cancelReason"`
	RunsOnHolidays   bool       `json:"runsOnHolidays" doc:"It takes place on a holiday too"`
	OffDay           bool       `json:"offDay" doc:"A holiday cancelled it; it comes back if the day is a school day again"`
}

func (t *Trip) open() bool { return t.Status == inProgress || t.Status == paused }

// TripView is a trip with the names of what it refers to.
type TripView struct {
	Trip
	RouteName  string `json:"routeName" gorm:"-"`
	BusNumber  string `json:"busNumber" gorm:"-"`
	DriverName string `json:"driverName" gorm:"-"`
}

// TripDetail is a trip with its riders and stops.
type TripDetail struct {
	TripView
	Students []TripStudent `json:"students"`
	Stops    []TripStop    `json:"stops"`
}

// TripStop is a stop on a trip, and when the bus was there.
type TripStop struct {
	Stop
	NearAt     *time.Time `json:"nearAt" doc:"When the waiting families were notified that the bus is near"`
	ArrivedAt  *time.Time `json:"arrivedAt"`
	DepartedAt *time.Time `json:"departedAt"`
}

const (
	selectTripStops = `select ` + tripStopColumns + ` from stop p left join trip_stop x on x.stop_id = p.id and x.trip_id = $2
		where p.route_id = $1 and ` + tripHasStop + ` order by p.sequence`
	tripStopColumns = stopColumns + `, x.near_at, x.arrived_at, x.departed_at`
	// tripHasStop holds for stops p of a trip's route: a removed one is the trip's if the bus was there.
	tripHasStop = `(p.removed_at is null or x.trip_id is not null)`
)

// tripStatuses are the states and the other names clients have for them.
var tripStatuses = []string{scheduled, inProgress, paused, completed, cancelled, "SCHEDULED", "STARTED", "PAUSED", "ENDED"}

// byTripStatus filters by a state, by either of its names.
func byTripStatus() api.Filter {
	return api.ByEnum("status", tripStatuses...).Where(`status = case @v when 'SCHEDULED' then 'scheduled' when 'STARTED' then 'in_progress'
		when 'PAUSED' then 'paused' when 'ENDED' then 'completed' else @v end`)
}

var tripListing = api.Listing{
	Sorts:   map[string]string{"scheduledStartAt": "scheduled_start_at", "tripDate": "trip_date", "createdAt": "created_at"},
	Default: "-scheduledStartAt",
	Filters: map[string]api.Filter{
		"status": byTripStatus(), "tripType": api.ByEnum("trip_type", "pickup", "dropoff"), "busId": api.ByID("bus_id"),
		"routeId":  api.ByID("route_id"),
		"tripDate": api.ByDate("trip_date", "="), "fromDate": api.ByDate("trip_date", ">="), "toDate": api.ByDate("trip_date", "<="),
	},
}

func listTrips(c api.Ctx, l api.ListRequest) (api.Page[TripView], error) {
	return fetchTrips(c, c.DB.Model(&Trip{}), l)
}

func fetchTrips(c api.Ctx, query *gorm.DB, l api.ListRequest) (api.Page[TripView], error) {
	page, err := api.Fetch[TripView](query, l)
	if err != nil {
		return page, err
	}
	return page, nameTrips(c, page.Items)
}

// nameTrips fills in names, and who drives the trips that have no driver of their own.
func nameTrips(c api.Ctx, views []TripView) error {
	if len(views) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(views))
	for i, v := range views {
		ids[i] = v.ID
	}
	var found []struct {
		ID                              uuid.UUID
		DriverID                        *uuid.UUID
		RouteName, BusNumber, FirstName string
		LastName                        string
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select t.id, e.id as driver_id, r.name as route_name, b.bus_number,
		coalesce(e.first_name, '') as first_name, coalesce(e.last_name, '') as last_name
		from trip t join route r on r.id = t.route_id join bus b on b.id = t.bus_id left
		join employee e on e.id = ` + driverOf + ` where t.id = any($1)`,
		Args: []any{ids}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return fmt.Errorf("naming trips: %w", err)
	}
	at := map[uuid.UUID]int{}
	for i, f := range found {
		at[f.ID] = i
	}
	for i := range views {
		f := found[at[views[i].ID]]
		views[i].DriverID, views[i].RouteName, views[i].BusNumber = f.DriverID, f.RouteName, f.BusNumber
		views[i].DriverName = roster.FullName(f.FirstName, f.LastName)
	}
	return nil
}

func (m *Module) getTrip(c api.Ctx, r byID) (TripDetail, error) {
	t, err := api.Find[Trip](c, "trip", c.DB, r.ID)
	if err != nil {
		return TripDetail{}, err
	}
	return m.tripDetail(c, t)
}

func (m *Module) tripDetail(c api.Ctx, t Trip) (TripDetail, error) {
	out := TripDetail{TripView: TripView{Trip: t}}
	views := []TripView{out.TripView}
	if err := nameTrips(c, views); err != nil {
		return out, err
	}
	out.TripView = views[0]
	if err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: selectTripStops, Args: []any{t.RouteID, t.ID}, Scan: tenancy.Collect(&out.Stops)}); err != nil {
		return out, fmt.Errorf("reading a trip's stops: %w", err)
	}
	var err error
	out.Students, err = m.studentsOf(c, t)
	return out, err
}

// isMine holds for trips t that the user of the parameter drives.
const isMine = driverOf + ` = (select e.id from employee e where e.user_id = ? and e.status = 'ACTIVE')`

var driversTripListing = api.Listing{
	Sorts:   map[string]string{"scheduledStartAt": "scheduled_start_at"},
	Default: "scheduledStartAt",
	Filters: map[string]api.Filter{"status": byTripStatus(), "tripType": api.ByEnum("trip_type", "pickup", "dropoff")},
}

func driversTrips(c api.Ctx, l api.ListRequest) (api.Page[TripView], error) {
	mine := c.DB.Raw(`select t.id from trip t where (t.trip_date = ? or t.status in ('in_progress', 'paused')) and `+isMine, c.Today(),
		c.User.ID)
	return fetchTrips(c, c.DB.Model(&Trip{}).Where("id = any(array(?))", mine), l)
}

func (m *Module) driversTrip(c api.Ctx, r byID) (TripDetail, error) {
	t, err := findMine(c, r.ID, "")
	if err != nil {
		return TripDetail{}, err
	}
	return m.tripDetail(c, t)
}

// findMine reads a trip that the calling driver drives; lock is how it is held.
func findMine(c api.Ctx, id uuid.UUID, lock string) (Trip, error) {
	var found []Trip
	err := c.DB.Raw(`select `+tripColumns+` from trip t where t.id = ? and `+isMine+` `+lock, id, c.User.ID).Scan(&found).Error
	if err != nil {
		return Trip{}, fmt.Errorf("reading a driver's trip: %w", err)
	}
	if len(found) == 0 {
		return Trip{}, api.NotFound("trip")
	}
	return found[0], nil
}

const tripColumns = `t.id, t.created_at, t.updated_at, t.created_by, t.updated_by, t.version, t.route_id, t.bus_id, t.driver_id,
	t.trip_type, t.trip_date, t.scheduled_start_at, t.status, t.started_at, t.ended_at, t.cancel_reason, t.runs_on_holidays, t.off_day`
