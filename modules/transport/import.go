package transport

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/modules/roster/lookup"
	"homeroom/sheet"
	"homeroom/tenancy"
)

// The columns of a file of routes: each row is a stop, in the order in which the bus calls there.
const (
	colRoute = iota
	colBus
	colDirection
	colStop
	colTime
	colLat
	colLng
	colRadius
)

var directions = sheet.OneOf(map[string]string{
	"PICKUP": "pickup", "PICK UP": "pickup", "MORNING": "pickup", "AM": "pickup", "TO SCHOOL": "pickup",
	"DROPOFF": "dropoff", "DROP OFF": "dropoff", "DROP": "dropoff", "AFTERNOON": "dropoff", "EVENING": "dropoff", "PM": "dropoff",
	"FROM SCHOOL": "dropoff", "HOME": "dropoff"}, "pickup", "dropoff")

func degrees(most float64) func(string) (string, error) {
	return func(cell string) (string, error) {
		n, err := strconv.ParseFloat(cell, 64)
		if err != nil || n < -most || n > most {
			return "", fmt.Errorf("must be degrees from -%g to %g, such as 12.9716", most, most)
		}
		return strconv.FormatFloat(n, 'f', -1, 64), nil
	}
}

var routeSheet = []sheet.Column{
	colRoute:     {Name: "route", Check: sheet.Text(100), Also: []string{"routeName", "line"}},
	colBus:       {Name: "bus", Check: sheet.Text(30), Also: []string{"busNumber", "busNo", "vehicle", "vehicleNo"}},
	colDirection: {Name: "direction", Check: directions, Also: []string{"trip", "tripType", "shift"}},
	colStop:      {Name: "stop", Check: sheet.Text(100), Also: []string{"stopName", "station", "pickupPoint"}},
	colTime:      {Name: "time", Check: sheet.Clock, Also: []string{"plannedTime", "arrival", "arrivalTime", "pickupTime"}},
	colLat:       {Name: "lat", Check: degrees(90), Also: []string{"latitude"}},
	colLng:       {Name: "lng", Check: degrees(180), Also: []string{"longitude", "lon", "long"}},
	colRadius:    {Name: "radiusMeters", Check: sheet.Number, Also: []string{"radius"}},
}

// routeFiles are files of routes with their stops; buses that the school does not have are made.
func routeFiles() imports.Kind[imports.Request] {
	return imports.Kind[imports.Request]{
		Key: "ROUTE", Path: "/school-admin/transport/route/import", Permission: "transport", Columns: routeSheet, Most: 10_000,
		Summary: "Import routes and their stops from a CSV file or workbook", Tables: []string{"bus", "route", "stop"},
		Begin: func(api.Ctx, imports.Request) (imports.Reading, error) {
			return imports.ByLine(routeSheet, planRoutes), nil
		},
	}
}

type knownRoute struct {
	ID        uuid.UUID
	Name      string
	Direction string
	Bus       uuid.UUID
	Stops     []string
	fresh     bool
}

func planRoutes(c api.Ctx, lines []imports.Line, d *imports.Draft) error {
	var routes []knownRoute
	var buses []struct {
		ID   uuid.UUID
		Name string
	}
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select r.id, r.name, r.direction, r.bus_id as bus, array(select p.name from stop p where p.route_id = r.id
			and p.removed_at is null order by p.sequence) as stops from route r`, Scan: tenancy.Collect(&routes)},
		tenancy.Query{SQL: `select id, bus_number as name from bus`, Scan: tenancy.Collect(&buses)})
	if err != nil {
		return fmt.Errorf("reading routes: %w", err)
	}
	byName, busIDs := map[string]*knownRoute{}, map[string]uuid.UUID{}
	for i := range routes {
		byName[api.Fold(routes[i].Name)] = &routes[i]
	}
	for _, b := range buses {
		busIDs[api.Fold(b.Name)] = b.ID
	}
	var newBuses []Bus
	var newRoutes []Route
	var stops []Stop
	var of []uuid.UUID
	for _, l := range lines {
		cell := func(col int) string { return l.Cells[col] }
		for _, col := range []int{colRoute, colStop, colLat, colLng} {
			if cell(col) == "" && !l.Bad[col] {
				d.Bad(l.Row, routeSheet[col].Name, "is required")
			}
		}
		r := byName[api.Fold(cell(colRoute))]
		if r == nil {
			for _, col := range []int{colBus, colDirection} {
				if cell(col) == "" && !l.Bad[col] {
					d.Bad(l.Row, routeSheet[col].Name, "is required: the route is new")
				}
			}
		} else if cell(colDirection) != "" && cell(colDirection) != r.Direction {
			d.Bad(l.Row, "direction", "%s goes the other way", r.Name)
		}
		if d.Found.IsBad(l.Row) {
			d.Skip(l.Row)
			continue
		}
		if r == nil {
			bus, there := busIDs[api.Fold(cell(colBus))]
			if !there {
				b := Bus{Record: api.Record{ID: api.NewID()}, BusFields: BusFields{BusNumber: cell(colBus), Status: "ACTIVE"}}
				bus, newBuses = b.ID, append(newBuses, b)
				busIDs[api.Fold(cell(colBus))] = bus
				d.Sum("buses", 1)
			}
			r = &knownRoute{ID: api.NewID(), Name: cell(colRoute), Direction: cell(colDirection), Bus: bus, fresh: true}
			byName[api.Fold(r.Name)] = r
			newRoutes = append(newRoutes, Route{Record: api.Record{ID: r.ID},
				RouteFields: RouteFields{Name: r.Name, BusID: bus, Direction: r.Direction}})
			d.Sum("routes", 1)
		}
		if slices.ContainsFunc(r.Stops, func(s string) bool { return api.Fold(s) == api.Fold(cell(colStop)) }) {
			d.Same(l.Row, r.ID)
			continue
		}
		s := Stop{ID: api.NewID(), Name: cell(colStop), Sequence: len(r.Stops) + 1, RadiusMeters: defaultRadius}
		s.Lat, _ = strconv.ParseFloat(cell(colLat), 64)
		s.Lng, _ = strconv.ParseFloat(cell(colLng), 64)
		if n, err := strconv.Atoi(cell(colRadius)); err == nil {
			s.RadiusMeters = min(max(n, 30), 5000)
		}
		if err := s.PlannedTime.UnmarshalJSON([]byte(strconv.Quote(cell(colTime)))); err != nil {
			return fmt.Errorf("reading a time: %w", err)
		}
		r.Stops = append(r.Stops, s.Name)
		stops, of = append(stops, s), append(of, r.ID)
		d.Create(l.Row, r.Name, s.Sequence, s.Lat, s.Lng, s.PlannedTime)
		d.Sum("stops", 1)
	}
	d.Then(func(c api.Ctx) error {
		for i := range newBuses {
			if err := api.Insert(c, "bus", &newBuses[i]); err != nil {
				return err
			}
			for j := range newRoutes { // an insert may give another id
				if newRoutes[j].BusID == busIDs[api.Fold(newBuses[i].BusNumber)] {
					newRoutes[j].BusID = newBuses[i].ID
				}
			}
		}
		for i := range newRoutes {
			planned := newRoutes[i].ID
			if err := api.Insert(c, "route", &newRoutes[i]); err != nil {
				return err
			}
			for j := range of {
				if of[j] == planned {
					of[j] = newRoutes[i].ID
				}
			}
		}
		var ids []uuid.UUID
		var names, times []string
		var sequences, radii []int
		var lats, lngs []float64
		for _, s := range stops {
			ids, names, times = append(ids, s.ID), append(names, s.Name), append(times, string(s.PlannedTime))
			sequences, radii = append(sequences, s.Sequence), append(radii, s.RadiusMeters)
			lats, lngs = append(lats, s.Lat), append(lngs, s.Lng)
		}
		err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `insert into stop (id, route_id, name, sequence, lat, lng, radius_meters, planned_time)
			select v.id, v.route, v.name, v.sequence, v.lat, v.lng, v.radius, nullif(v.at, '')::time
			from unnest($1::uuid[], $2::uuid[], $3::text[], $4::int[], $5::float8[], $6::float8[], $7::int[], $8::text[])
				as v (id, route, name, sequence, lat, lng, radius, at)`,
			Args: []any{ids, of, names, sequences, lats, lngs, radii, times}})
		if err != nil {
			return fmt.Errorf("adding stops: %w", err)
		}
		return nil
	})
	return nil
}

// The columns of a file of riders: each row is a student's way on one route.
const (
	colRider = iota
	colRidden
	colBoards
	colRidesFrom
)

var riderSheet = []sheet.Column{
	colRider:     lookup.AdmissionNumber,
	colRidden:    {Name: "route", Check: sheet.Text(100), Also: []string{"routeName", "line"}},
	colBoards:    {Name: "stop", Check: sheet.Text(100), Also: []string{"stopName", "station", "pickupPoint"}},
	colRidesFrom: {Name: "from", Date: true, Also: []string{"fromDate", "since", "startDate"}},
}

// riderFiles are files of who rides which route from which stop.
func (m *Module) riderFiles() imports.Kind[imports.Request] {
	return imports.Kind[imports.Request]{
		Key: "RIDER", Path: "/school-admin/transport/rider/import", Permission: "transport", Columns: riderSheet,
		Summary: "Import who rides which route from a CSV file or workbook", Tables: []string{"ride"},
		Begin: func(api.Ctx, imports.Request) (imports.Reading, error) {
			return imports.ByLine(riderSheet, m.planRiders), nil
		},
	}
}

type newRide struct {
	riderEntry
	route     uuid.UUID
	direction string
	from      api.Date
}

func (m *Module) planRiders(c api.Ctx, lines []imports.Line, d *imports.Draft) error {
	numbers := make([]string, len(lines))
	for i, l := range lines {
		numbers[i] = l.Cells[colRider]
	}
	students, err := lookup.Students(c, numbers, c.Today())
	if err != nil {
		return err
	}
	var stops []struct {
		RouteID, StopID  uuid.UUID
		Route, Direction string
		Stop             string
		Seats            *int
		Riders           int
	}
	var rides []struct {
		StudentID, RouteID, StopID uuid.UUID
		Direction                  string
	}
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select r.id as route_id, p.id as stop_id, r.name as route, r.direction, p.name as stop, b.capacity as seats,
			(select count(*)::int from ride x where x.route_id = r.id and (x.end_date is null or x.end_date >= $1)) as riders
			from route r join stop p on p.route_id = r.id and p.removed_at is null join bus b on b.id = r.bus_id order by r.name, p.sequence`,
			Args: []any{c.Today()}, Scan: tenancy.Collect(&stops)},
		tenancy.Query{SQL: `select student_id, route_id, stop_id, direction from ride where end_date is null or end_date >= $1`,
			Args: []any{c.Today()}, Scan: tenancy.Collect(&rides)})
	if err != nil {
		return fmt.Errorf("reading routes: %w", err)
	}
	type ridden struct {
		student   uuid.UUID
		direction string
	}
	now := map[ridden]uuid.UUID{} // the stop
	for _, r := range rides {
		now[ridden{r.StudentID, r.Direction}] = r.StopID
	}
	taken := map[uuid.UUID]int{}
	var names []string
	for _, s := range stops {
		taken[s.RouteID] = s.Riders
		if !slices.Contains(names, s.Route) {
			names = append(names, s.Route)
		}
	}
	var made []newRide
	for i, l := range lines {
		student, known := students[strings.ToLower(numbers[i])]
		switch {
		case numbers[i] == "":
			d.Bad(l.Row, "admissionNumber", "is required")
		case !known:
			d.Bad(l.Row, "admissionNumber", "no student has this number")
		case !student.Active:
			d.Bad(l.Row, "admissionNumber", "belongs to a student who has left")
		}
		r := newRide{riderEntry: riderEntry{StudentID: student.ID}, from: c.Today()}
		var seats *int
		var there []string
		for _, s := range stops {
			if api.Fold(s.Route) != api.Fold(l.Cells[colRidden]) {
				continue
			}
			r.route, r.direction, seats, there = s.RouteID, s.Direction, s.Seats, append(there, s.Stop)
			if api.Fold(s.Stop) == api.Fold(l.Cells[colBoards]) {
				r.StopID = s.StopID
			}
		}
		switch {
		case l.Cells[colRidden] == "":
			d.Bad(l.Row, "route", "is required")
		case r.route == uuid.Nil:
			d.Bad(l.Row, "route", "no route with stops is called %q: there are %s", l.Cells[colRidden], lookup.SomeOf(names))
		case r.StopID == uuid.Nil:
			d.Bad(l.Row, "stop", "%s has no stop %q: it has %s", l.Cells[colRidden], l.Cells[colBoards], lookup.SomeOf(there))
		}
		if cell := l.Cells[colRidesFrom]; cell != "" {
			if err := r.from.UnmarshalText([]byte(cell)); err != nil {
				return fmt.Errorf("reading a date: %w", err)
			}
		}
		key := ridden{student.ID, r.direction}
		stop, rides := now[key]
		if rides && stop != r.StopID && !d.Found.IsBad(l.Row) {
			d.Bad(l.Row, "route", "they ride another route or from another stop that way already")
		}
		if !d.Found.IsBad(l.Row) && !rides && seats != nil && taken[r.route] >= *seats {
			d.Bad(l.Row, "route", "the bus has %d seats, and all are taken", *seats)
		}
		switch {
		case d.Found.IsBad(l.Row):
			d.Skip(l.Row)
		case rides:
			d.Same(l.Row, student.ID, stop)
		default:
			now[key] = r.StopID
			taken[r.route]++
			d.Create(l.Row, student.ID, r.StopID, r.from)
			made = append(made, r)
		}
	}
	d.Then(func(c api.Ctx) error { return m.writeRides(c, made) })
	return nil
}

// writeRides adds rides. Trips of today that are under way follow.
func (m *Module) writeRides(c api.Ctx, made []newRide) error {
	err := tenancy.Copy(c.DB, "ride", []string{"id", "student_id", "route_id", "stop_id", "direction", "start_date", "created_by",
		"created_at"}, len(made), func(i int) ([]any, error) {
		r := made[i]
		return []any{api.NewID(), r.StudentID, r.route, r.StopID, r.direction, r.from.String(), c.User.ID, c.Now}, nil
	})
	if err != nil {
		return fmt.Errorf("adding rides: %w", err)
	}
	byRoute := map[uuid.UUID][]riderEntry{}
	var all []riderEntry
	for _, r := range made {
		all = append(all, r.riderEntry)
		if !c.Today().Before(r.from) {
			byRoute[r.route] = append(byRoute[r.route], r.riderEntry)
		}
	}
	if err := tellGuardians(c, nil, all); err != nil {
		return err
	}
	for route, entries := range byRoute {
		if err := m.followRiders(c, route, nil, entries); err != nil {
			return err
		}
	}
	return c.ChangedMany("import", "route riders", len(made), func(i int) (uuid.UUID, any, any) {
		return made[i].route, nil, made[i].riderEntry
	})
}
