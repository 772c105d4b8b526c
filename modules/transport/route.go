package transport

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// Route is a way a bus goes, in one direction.
type Route struct {
	api.Record
	RouteFields
}

// RouteFields are what the office says of a route.
type RouteFields struct {
	Name      string    `json:"name" validate:"name,max=100" example:"Hill Road, morning"`
	BusID     uuid.UUID `json:"busId" validate:"required"`
	Direction string    `json:"direction" validate:"required,oneof=pickup dropoff"`
	// RunsOnHolidays holds for all its trips.
	RunsOnHolidays bool `json:"runsOnHolidays" doc:"Its trips take place on holidays too"`
}

// routeInput is a route with its stops.
type routeInput struct {
	RouteFields
	Stops []StopFields `json:"stops" validate:"max=200,dive" doc:"In the order the bus calls at them"`
}

type routeChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[routeInput]
}

// RouteDetail is a route with its stops and who rides it today.
type RouteDetail struct {
	Route
	BusNumber string  `json:"busNumber"`
	Stops     []Stop  `json:"stops"`
	Students  []Rider `json:"students" doc:"Who rides it today"`
}

// Rider is a student who rides a route.
type Rider struct {
	StudentID uuid.UUID `json:"studentId"`
	FirstName string    `json:"firstName"`
	LastName  string    `json:"lastName"`
	StopID    uuid.UUID `json:"stopId"`
	StopName  string    `json:"stopName"`
	StartDate api.Date  `json:"startDate"`
	EndDate   *api.Date `json:"endDate"`
}

var routeListing = api.Listing{
	Sorts:   map[string]string{"name": "name", "createdAt": "created_at"},
	Default: "name",
	Filters: map[string]api.Filter{"search": api.Search("name"), "busId": api.ByID("bus_id"),
		"direction": api.ByEnum("direction", "pickup", "dropoff")},
}

func createRoute(c api.Ctx, r routeInput) (RouteDetail, error) {
	route := Route{RouteFields: r.RouteFields}
	if err := api.Insert(c, "route", &route); err != nil {
		return RouteDetail{}, err
	}
	if err := putStops(c, route.ID, r.Stops); err != nil {
		return RouteDetail{}, err
	}
	return routeDetail(c, route)
}

func listRoutes(c api.Ctx, l api.ListRequest) (api.Page[Route], error) {
	return api.Fetch[Route](c.DB.Model(&Route{}), l)
}

func getRoute(c api.Ctx, r byID) (RouteDetail, error) {
	route, err := api.Find[Route](c, "route", c.DB, r.ID)
	if err != nil {
		return RouteDetail{}, err
	}
	return routeDetail(c, route)
}

func updateRoute(c api.Ctx, r routeChange) (RouteDetail, error) {
	var said routeInput
	var before RouteFields
	route, err := api.Update(c, "route", r.ID, func(route *Route) error {
		before, said.RouteFields = route.RouteFields, route.RouteFields
		if err := r.Apply(&said); err != nil {
			return err
		}
		if said.Direction != route.Direction {
			return api.Conflict("A route keeps its direction: its riders ride that way. Add another route")
		}
		route.RouteFields = said.RouteFields
		if r.Names("stops") {
			route.Touch()
		}
		return nil
	})
	if err != nil {
		return RouteDetail{}, err
	}
	if r.Names("busId") {
		c.Tell(sightsChanged())
	}
	if r.Names("stops") {
		if err := putStops(c, route.ID, said.Stops); err != nil {
			return RouteDetail{}, err
		}
	}
	out, err := routeDetail(c, route)
	if err != nil || out.BusID == before.BusID {
		return out, err
	}
	return out, tellOtherBus(c, out)
}

func deleteRoute(c api.Ctx, r byID) error { return api.Erase[Route](c, "route", r.ID) }

const selectRiders = `select r.student_id, s.first_name, s.last_name, r.stop_id, p.name as stop_name, r.start_date, r.end_date
	from ride r join student s on s.id = r.student_id join stop p on p.id = r.stop_id
	where r.route_id = $1 and r.start_date <= $2 and (r.end_date is null or r.end_date >= $2) and s.deleted_at is null
	order by p.sequence, s.first_name, s.last_name, s.id`

func routeDetail(c api.Ctx, route Route) (RouteDetail, error) {
	out := RouteDetail{Route: route}
	var bus []struct{ BusNumber string }
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select bus_number from bus where id = $1`, Args: []any{route.BusID}, Scan: tenancy.Collect(&bus)},
		tenancy.Query{SQL: selectStops, Args: []any{route.ID}, Scan: tenancy.Collect(&out.Stops)},
		tenancy.Query{SQL: selectRiders, Args: []any{route.ID, c.Today()}, Scan: tenancy.Collect(&out.Students)},
	)
	if err != nil {
		return out, fmt.Errorf("reading a route: %w", err)
	}
	for _, b := range bus {
		out.BusNumber = b.BusNumber
	}
	return out, nil
}
