package roster

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
)

// MayReadPhoto says whether a file is the photo of a student the caller may see: a
// parent's child, or one who sits today where a teacher teaches.
func MayReadPhoto(c api.Ctx, file uuid.UUID) (bool, error) {
	query := c.DB.Table("student s").Where("s.photo_file_id = ? and s.deleted_at is null", file)
	switch c.User.Role {
	case api.Parent:
		query = query.Where("s.id in (?)", Linked(c.DB, c.User.ID))
	case api.Teacher:
		query = query.Where(`exists (select from enrolment e join (`+TaughtSQL+`) taught on taught.division_id = e.division_id
			where e.student_id = s.id and e.start_date <= ? and (e.end_date is null or e.end_date >= ?))`, c.User.ID, c.Today(), c.Today())
	case api.SchoolAdmin:
	default:
		return false, nil
	}
	var n int64
	if err := query.Limit(1).Count(&n).Error; err != nil {
		return false, fmt.Errorf("looking whose photo it is: %w", err)
	}
	return n > 0, nil
}
