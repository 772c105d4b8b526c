package roster

import (
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
)

// LeadsNow holds for the assignments a of class teachers that count: those of the
// active year, and those of no year.
const LeadsNow = `a.is_class_teacher and (a.academic_year_id is null or exists (select from academic_year y where y.id = a.academic_year_id
	and y.active))`

// ClassTeacher is the user who leads a division this year, or nil. Someone who has
// left leads none.
func ClassTeacher(db *gorm.DB, division uuid.UUID) (*uuid.UUID, error) {
	var users []uuid.UUID
	err := db.Raw(`select a.user_id from teacher_assignment a join employee e on e.user_id = a.user_id
		where a.division_id = ? and e.status = 'ACTIVE' and `+LeadsNow+` limit 1`, division).Scan(&users).Error
	if err != nil {
		return nil, fmt.Errorf("looking for a class teacher: %w", err)
	}
	if len(users) == 0 {
		return nil, nil
	}
	return &users[0], nil
}

// nameClassTeachers fills in who leads the divisions this year. Someone who has left
// leads none.
func nameClassTeachers(c api.Ctx, views []DivisionView) error {
	if len(views) == 0 {
		return nil
	}
	at := map[uuid.UUID]*DivisionView{}
	var ids []uuid.UUID
	for i := range views {
		at[views[i].ID], ids = &views[i], append(ids, views[i].ID)
	}
	var found []struct {
		DivisionID, EmployeeID uuid.UUID
		First, Last            string
	}
	err := c.DB.Raw(`select a.division_id, e.id as employee_id, e.first_name as first, e.last_name as last
		from teacher_assignment a join employee e on e.user_id = a.user_id
		where a.division_id in ? and e.status = 'ACTIVE' and `+LeadsNow, ids).Scan(&found).Error
	if err != nil {
		return fmt.Errorf("reading class teachers: %w", err)
	}
	for _, f := range found {
		at[f.DivisionID].ClassTeacherID, at[f.DivisionID].ClassTeacherName = &f.EmployeeID, FullName(f.First, f.Last)
	}
	return nil
}
