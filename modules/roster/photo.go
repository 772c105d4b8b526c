package roster

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
)

// MayReadPhoto says whether a file is the photo of a student the caller may see: a
// parent's child, or one who sits today where a teacher teaches. Photos of employees are
// for the office, and each employee reads their own.
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
		query = query.Where("false")
	}
	staff := c.DB.Table("employee e").Where("e.photo_file_id = ?", file)
	if c.User.Role != api.SchoolAdmin {
		staff = staff.Where("e.user_id = ?", c.User.ID)
	}
	var may bool
	if err := c.DB.Raw("select exists (?) or exists (?)", query.Select("1"), staff.Select("1")).Scan(&may).Error; err != nil {
		return false, fmt.Errorf("looking whose photo it is: %w", err)
	}
	return may, nil
}
