package leave

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
)

// OnLeave is which of the students have leave for the whole of a day. Half of one says
// nothing about which half.
func (m *Module) OnLeave(c api.Ctx, day api.Date, students []uuid.UUID) ([]uuid.UUID, error) {
	var away []uuid.UUID
	err := c.DB.Raw(`select student_id from leave where student_id in ? and status = 'APPROVED' and not half_day and ? between from_date
		and to_date`, students, day).Scan(&away).Error
	if err != nil {
		return nil, fmt.Errorf("looking who is on leave: %w", err)
	}
	return away, nil
}

// EmployeesOnLeave are the employees who have leave on a day, and whether for half of it.
func (m *Module) EmployeesOnLeave(c api.Ctx, day api.Date) (map[uuid.UUID]bool, error) {
	var found []Leave
	err := c.DB.Select("employee_id", "half_day").Where(`employee_id is not null and status = 'APPROVED' and ? between from_date and to_date`,
		day).Order("half_day desc").Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("looking which employees are on leave: %w", err)
	}
	away := map[uuid.UUID]bool{}
	for _, l := range found {
		away[*l.EmployeeID] = l.HalfDay
	}
	return away, nil
}
