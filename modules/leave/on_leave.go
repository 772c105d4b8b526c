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
