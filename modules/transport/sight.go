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

// Viewer is somebody who wants to see a bus.
type Viewer struct {
	UserID uuid.UUID
	Role   api.RoleType
}

// Sight is what somebody sees of a bus: everything, or besides the bus itself only how
// these students board, or who boards on these trips.
type Sight struct {
	Staff    bool
	Students []uuid.UUID
	Trips    []uuid.UUID
}

// linked are a parent's children.
var linked = roster.LinkedIDs("@user")

// ridesRoute holds for a parent's children who ride route r that day.
var ridesRoute = `exists (select from ride y where y.route_id = r.id and y.student_id in (` + linked + `) and y.start_date <= @today and (y.end_date is null or y.end_date >= @today))`

// busSights say which buses b the people of each role see. A role that is not here sees none.
var busSights = map[api.RoleType]string{
	api.SchoolAdmin: `true`,
	api.Teacher:     `true`,
	api.Driver:      isMyBus,
	api.Parent: `(exists (select from route r where ` + ridesRoute + ` and (r.bus_id = b.id or exists (select from trip t where t.route_id = r.id and t.bus_id = b.id and t.trip_date = @today)))
		or exists (select from trip t join boarding g on g.trip_id = t.id where t.bus_id = b.id and t.status in ('in_progress', 'paused') and g.status <> 'absent' and g.student_id in (` + linked + `)))`,
}

// tripSights say which trips t they see.
var tripSights = map[api.RoleType]string{
	api.SchoolAdmin: `true`,
	api.Teacher:     `true`,
	api.Driver:      driverOf + ` = (select e.id from employee e where e.user_id = @user and e.status = 'ACTIVE')`,
	api.Parent: `(exists (select from boarding g where g.trip_id = t.id and g.student_id in (` + linked + `))
		or exists (select from ride y where y.route_id = t.route_id and y.student_id in (` + linked + `) and y.start_date <= t.trip_date and (y.end_date is null or y.end_date >= t.trip_date)))`,
}

// sight reads one record as somebody sees it, by one of the conditions above; what they
// do not see is not there. It may travel with what else is to be read of the record.
func sight[T any](v Viewer, today api.Date, sees map[api.RoleType]string, what, sql string, id uuid.UUID, into *T) tenancy.Query {
	condition, ok := sees[v.Role]
	if !ok {
		condition = "false"
	}
	return tenancy.Query{SQL: sql + condition, Args: []any{pgx.NamedArgs{"id": id, "user": v.UserID, "today": today}}, Scan: func(rows pgx.Rows) error {
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
	return sight(v, today, busSights, "bus", `select b.id, b.bus_number, b.registration_number, b.driver_id, b.status from bus b where b.id = @id and `, bus, into)
}

// SeeBus reads a bus as somebody sees it; one they do not see is not there.
func SeeBus(db *gorm.DB, v Viewer, bus uuid.UUID, today api.Date) (found Bus, _ error) {
	if err := tenancy.Pipeline(db, sightOfBus(v, today, bus, &found)); err != nil {
		return found, fmt.Errorf("looking for a bus: %w", err)
	}
	return found, nil
}

// SightOf says what somebody sees of a bus.
func SightOf(db *gorm.DB, v Viewer, bus uuid.UUID, today api.Date) (Sight, error) {
	var found Bus
	var trips []struct{ ID uuid.UUID }
	asked := []tenancy.Query{sightOfBus(v, today, bus, &found)}
	if v.Role == api.Driver {
		asked = append(asked, tenancy.Query{SQL: `select t.id from trip t where t.bus_id = @id and (t.trip_date = @today or t.status in ('in_progress', 'paused')) and ` + tripSights[v.Role],
			Args: []any{pgx.NamedArgs{"id": bus, "user": v.UserID, "today": today}}, Scan: tenancy.Collect(&trips)})
	}
	if err := tenancy.Pipeline(db, asked...); err != nil {
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

// seeTrip reads a trip as the caller sees it.
func seeTrip(c api.Ctx, id uuid.UUID) (found Trip, _ error) {
	if err := tenancy.Pipeline(c.DB, sight(viewer(c), c.Today(), tripSights, "trip", `select `+tripColumns+` from trip t where t.id = @id and `, id, &found)); err != nil {
		return found, fmt.Errorf("looking for a trip: %w", err)
	}
	return found, nil
}

func viewer(c api.Ctx) Viewer { return Viewer{UserID: c.User.ID, Role: c.User.Role} }

// tripStudents are the riders of a trip; a parent sees their own children alone.
func (m *Module) tripStudents(c api.Ctx, r onTrip) (TripStudents, error) {
	t, err := seeTrip(c, r.TripID)
	if err != nil {
		return TripStudents{}, err
	}
	list, err := m.studentsOf(c, t)
	if err != nil || c.User.Role != api.Parent {
		return newTripStudents(t, list), err
	}
	var mine []uuid.UUID
	if err := roster.Linked(c.DB, c.User.ID).Scan(&mine).Error; err != nil {
		return TripStudents{}, fmt.Errorf("reading a parent's children: %w", err)
	}
	own := []TripStudent{}
	for _, s := range list {
		for _, id := range mine {
			if s.StudentID == id {
				own = append(own, s)
			}
		}
	}
	return newTripStudents(t, own), nil
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
