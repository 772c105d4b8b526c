package transport

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// Viewer is a user who asks to see a bus.
type Viewer struct {
	UserID uuid.UUID
	Role   api.RoleType
}

// Sight is what a viewer sees of a bus: everything (staff), or besides the bus itself only
// how these students board, or who boards on these trips.
type Sight struct {
	Staff    bool
	Students []uuid.UUID
	Trips    []uuid.UUID
}

// linked are a parent's children.
var linked = roster.LinkedIDs("@user")

// ridesRoute holds for a parent's children who ride route r that day.
var ridesRoute = `exists (select from ride y where y.route_id = r.id and y.student_id in (` + linked +
	`) and y.start_date <= @today and (y.end_date is null or y.end_date >= @today))`

// busSights are conditions on the buses b that each role sees. A role without one sees none.
var busSights = map[api.RoleType]string{
	api.SchoolAdmin: `true`,
	api.Teacher:     `true`,
	api.Driver:      isMyBus,
	api.Parent: `(exists (select from route r where ` + ridesRoute +
		` and (r.bus_id = b.id or exists (select from trip t where t.route_id = r.id and t.bus_id = b.id and t.trip_date = @today)))
		or exists (select from trip t join boarding g on g.trip_id = t.id where t.bus_id = b.id and t.status in ('in_progress', 'paused')
		and g.status <> 'absent' and g.student_id in (` + linked + `)))`,
}

// tripSights are the same for trips t.
var tripSights = map[api.RoleType]string{
	api.SchoolAdmin: `true`,
	api.Teacher:     `true`,
	api.Driver:      driverOf + ` = (select e.id from employee e where e.user_id = @user and e.status = 'ACTIVE')`,
	api.Parent: `(exists (select from boarding g where g.trip_id = t.id and g.student_id in (` + linked + `))
		or exists (select from ride y where y.route_id = t.route_id
		and y.student_id in (` + linked + `) and y.start_date <= t.trip_date and (y.end_date is null or y.end_date >= t.trip_date)))`,
}

// sight reads one record by one of the conditions above; what the viewer does not see is
// not found. It can go into a pipeline with what else is read of the record.
func sight[T any](v Viewer, today api.Date, sees map[api.RoleType]string, what, sql string, id uuid.UUID, into *T) tenancy.Query {
	condition, ok := sees[v.Role]
	if !ok {
		condition = "false"
	}
	return tenancy.Query{SQL: sql + condition, Args: []any{pgx.NamedArgs{"id": id, "user": v.UserID, "today": today}},
		Scan: func(rows pgx.Rows) error {
			found, err := pgx.CollectRows(rows, pgx.RowToStructByNameLax[T])
			if err != nil {
				return err
			}
			if len(found) == 0 {
				return api.NotFound(what)
			}
			*into = found[0]
			return nil
		}}
}

func sightOfBus(v Viewer, today api.Date, bus uuid.UUID, into *Bus) tenancy.Query {
	return sight(v, today, busSights, "bus", `select b.id, b.bus_number, b.registration_number, b.driver_id, b.status from bus b
		where b.id = @id and `, bus, into)
}

// SeeBus reads a bus; one the viewer does not see is not found.
func SeeBus(db *gorm.DB, v Viewer, bus uuid.UUID, today api.Date) (found Bus, _ error) {
	if err := tenancy.Pipeline(db, sightOfBus(v, today, bus, &found)); err != nil {
		return found, fmt.Errorf("looking for a bus: %w", err)
	}
	return found, nil
}

// SightOf is what a viewer sees of a bus.
func SightOf(db *gorm.DB, v Viewer, bus uuid.UUID, today api.Date) (Sight, error) {
	var found Bus
	var trips []struct{ ID uuid.UUID }
	queries := []tenancy.Query{sightOfBus(v, today, bus, &found)}
	if v.Role == api.Driver {
		queries = append(queries, tenancy.Query{SQL: `select t.id from trip t where t.bus_id = @id and (t.trip_date = @today
			or t.status in ('in_progress', 'paused')) and ` + tripSights[v.Role],
			Args: []any{pgx.NamedArgs{"id": bus, "user": v.UserID, "today": today}}, Scan: tenancy.Collect(&trips)})
	}
	if err := tenancy.Pipeline(db, queries...); err != nil {
		return Sight{}, fmt.Errorf("looking for a bus: %w", err)
	}
	switch v.Role {
	case api.Driver:
		var sight Sight
		for _, t := range trips {
			sight.Trips = append(sight.Trips, t.ID)
		}
		return sight, nil
	case api.Parent:
		var ids []uuid.UUID
		if err := roster.Linked(db, v.UserID).Scan(&ids).Error; err != nil {
			return Sight{}, fmt.Errorf("reading a parent's children: %w", err)
		}
		return Sight{Students: ids}, nil
	default:
		return Sight{Staff: true}, nil
	}
}

// seeTrip reads a trip; one the caller does not see is not found.
func seeTrip(c api.Ctx, id uuid.UUID) (found Trip, _ error) {
	if err := tenancy.Pipeline(c.DB, sight(viewer(c), c.Today(), tripSights, "trip",
		`select `+tripColumns+` from trip t where t.id = @id and `, id, &found)); err != nil {
		return found, fmt.Errorf("looking for a trip: %w", err)
	}
	return found, nil
}

func viewer(c api.Ctx) Viewer { return Viewer{UserID: c.User.ID, Role: c.User.Role} }
