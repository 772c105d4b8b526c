package transport

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/events"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

type riders struct {
	RouteID  uuid.UUID    `path:"id"`
	Students []riderEntry `json:"students" validate:"required,max=500,dive" doc:"Everybody who rides from that day on; an empty list is nobody"`
	FromDate api.Date     `json:"fromDate" doc:"Today unless given"`
}

type riderEntry struct {
	StudentID uuid.UUID `json:"studentId" validate:"required"`
	StopID    uuid.UUID `json:"stopId" validate:"required"`
}

// wanted is the riders of $1, as the queries below read them.
const wanted = `jsonb_to_recordset($1::jsonb) as w ("studentId" uuid, "stopId" uuid)`

// putRiders makes these the route's riders from a day on. Those who go on riding at the
// same stop keep their ride; the others' ends the day before. A trip of today that is
// under way follows.
func (m *Module) putRiders(c api.Ctx, r riders) (RouteDetail, error) {
	route, err := api.Lock[Route](c, "route", r.RouteID)
	if err != nil {
		return RouteDetail{}, err
	}
	from := r.FromDate
	if from.IsZero() {
		from = c.Today()
	}
	body, err := json.Marshal(r.Students)
	if err != nil {
		return RouteDetail{}, fmt.Errorf("writing riders: %w", err)
	}
	before, err := checkRiders(c, r, string(body), from)
	if err != nil {
		return RouteDetail{}, err
	}
	same := `exists (select from ` + wanted + ` where w."studentId" = r.student_id and w."stopId" = r.stop_id)`
	covers := `r.start_date <= $3 and (r.end_date is null or r.end_date >= $3)`
	args := []any{string(body), route.ID, from}
	var gone, joined []riderEntry
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `delete from ride r where r.route_id = $2 and (r.start_date > $3 or (r.start_date = $3 and not ` + same + `))
			returning student_id, stop_id`, Args: args, Scan: addTo(&gone)},
		tenancy.Query{SQL: `update ride r set end_date = $3::date - 1 where r.route_id = $2 and ` + covers + ` and not ` + same + `
			returning student_id, stop_id`, Args: args, Scan: addTo(&gone)},
		tenancy.Query{SQL: `update ride r set end_date = null where r.route_id = $2 and ` + covers + ` and r.end_date is not null and ` + same +
			` returning student_id, stop_id`, Args: args, Scan: addTo(&joined)},
		tenancy.Query{SQL: `insert into ride (id, student_id, route_id, stop_id, direction, start_date, created_by, created_at)
			select gen_random_uuid(), w."studentId", $2, w."stopId", $4, $3, $5, $6 from ` + wanted + `
			where not exists (select from ride r where r.route_id = $2 and r.student_id = w."studentId" and ` + covers + `)
			returning student_id, stop_id`, Args: append(args, route.Direction, c.User.ID, c.Now), Scan: addTo(&joined)},
	)
	if err != nil {
		return RouteDetail{}, fmt.Errorf("writing riders: %w", err)
	}
	if len(gone)+len(joined) == 0 {
		c.Unchanged()
		return routeDetail(c, route)
	}
	c.Changed("update", "route riders", route.ID, before, r.Students)
	if err := tellGuardians(c, before, r.Students); err != nil {
		return RouteDetail{}, err
	}
	if err := (riderNews{route: route, from: from, gone: gone, joined: joined}).tell(c); err != nil {
		return RouteDetail{}, err
	}
	if !c.Today().Before(from) {
		if err := m.followRiders(c, route.ID, before, r.Students); err != nil {
			return RouteDetail{}, err
		}
	}
	return routeDetail(c, route)
}

// addTo collects rides that were written.
func addTo(list *[]riderEntry) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var r riderEntry
		_, err := pgx.ForEachRow(rows, []any{&r.StudentID, &r.StopID}, func() error {
			*list = append(*list, r)
			return nil
		})
		return err
	}
}

// tellGuardians says whose guardians may see other buses than before: theirs who rode and
// do not, and theirs who ride and did not.
func tellGuardians(c api.Ctx, before []Rider, now []riderEntry) error {
	changed := map[uuid.UUID]bool{}
	for _, r := range before {
		changed[r.StudentID] = true
	}
	for _, r := range now {
		if changed[r.StudentID] {
			delete(changed, r.StudentID)
		} else {
			changed[r.StudentID] = true
		}
	}
	if len(changed) == 0 {
		return nil
	}
	var users []uuid.UUID
	err := c.DB.Raw(`select distinct g.user_id from student_guardian sg join guardian g on g.id = sg.guardian_id where sg.student_id in ?
		order by g.user_id`,
		slices.Collect(maps.Keys(changed))).Scan(&users).Error
	if err != nil {
		return fmt.Errorf("looking for riders' guardians: %w", err)
	}
	if len(users) > 0 {
		c.Tell(events.Fact{Kind: roster.SightChanged, Data: map[string]any{"userIds": users}})
	}
	return nil
}

// checkRiders names every entry that cannot be, and returns who rode on that day.
func checkRiders(c api.Ctx, r riders, body string, from api.Date) ([]Rider, error) {
	var before []Rider
	var students, stops []struct{ ID uuid.UUID }
	var seats []struct{ Capacity *int }
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select s.id from student s where s.id in (select w."studentId" from ` + wanted +
			`) and s.deleted_at is null and s.status = 'ACTIVE'`, Args: []any{body}, Scan: tenancy.Collect(&students)},
		tenancy.Query{SQL: `select id from stop where route_id = $1 and removed_at is null`, Args: []any{r.RouteID},
			Scan: tenancy.Collect(&stops)},
		tenancy.Query{SQL: `select b.capacity from bus b join route x on x.bus_id = b.id where x.id = $1`, Args: []any{r.RouteID},
			Scan: tenancy.Collect(&seats)},
		tenancy.Query{SQL: selectRiders, Args: []any{r.RouteID, from}, Scan: tenancy.Collect(&before)},
	)
	if err != nil {
		return nil, fmt.Errorf("reading riders: %w", err)
	}
	free, there := map[uuid.UUID]bool{}, map[uuid.UUID]bool{}
	for _, s := range students {
		free[s.ID] = true
	}
	for _, s := range stops {
		there[s.ID] = true
	}
	var bad []api.Detail
	for i, e := range r.Students {
		if !free[e.StudentID] {
			bad = append(bad, api.Detail{Field: fmt.Sprintf("students[%d].studentId", i),
				Message: "studentId is no student of the school, or is given twice"})
		}
		free[e.StudentID] = false
		if !there[e.StopID] {
			bad = append(bad, api.Detail{Field: fmt.Sprintf("students[%d].stopId", i), Message: "stopId is no stop of the route"})
		}
	}
	if bad != nil {
		return nil, api.Invalid(bad...)
	}
	if n := seats[0].Capacity; n != nil && *n < len(r.Students) {
		return nil, api.Conflict("The bus has %d seats, you name %d riders", *n, len(r.Students))
	}
	return before, nil
}
