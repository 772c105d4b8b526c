package transport

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// Rides answers other modules that ask who rides where.
type Rides struct{}

// Rides are those of some students between two days. The type has no name, so that who asks
// need not know this module.
func (Rides) Rides(c api.Ctx, students []uuid.UUID, from, to api.Date) (list []struct {
	StudentID uuid.UUID
	RouteID   uuid.UUID
	StopID    uuid.UUID
	Direction string
	StartDate api.Date
	EndDate   *api.Date
}, err error) {
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select student_id, route_id, stop_id, direction, start_date, end_date from ride
		where student_id = any($1) and start_date <= $3 and (end_date is null or end_date >= $2)
		order by student_id, direction, start_date`, Args: []any{students, from, to}, Scan: tenancy.Collect(&list)})
	if err != nil {
		return nil, fmt.Errorf("reading students' rides: %w", err)
	}
	return list, nil
}

// Places are those of these ids that are a route or a stop.
func (Rides) Places(c api.Ctx, ids []uuid.UUID) (known []uuid.UUID, err error) {
	err = c.DB.Raw(`select id from route where id in @ids union all select id from stop where id in @ids`,
		map[string]any{"ids": ids}).Scan(&known).Error
	if err != nil {
		return nil, fmt.Errorf("looking for routes and stops: %w", err)
	}
	return known, nil
}
