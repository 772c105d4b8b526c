package roster

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/api"
)

// deleteStudent erases a student who was entered by mistake. One with history leaves
// every list and stays in the records.
func deleteStudent(c api.Ctx, r byID) error {
	s, err := lockStudent(c, r.ID)
	if err != nil {
		return err
	}
	guardians, err := guardiansOf(c, r.ID)
	if err != nil {
		return err
	}
	erased, err := eraseStudent(c, s)
	if err != nil {
		return err
	}
	if !erased {
		if err := deactivateStudent(c, s); err != nil {
			return err
		}
	}
	return DisableChildless(c, guardians)
}

// eraseStudent removes a student of whom nothing is known but that they were entered.
// What other modules keep of them is found by the database: it refuses, and the
// student is left as they were.
func eraseStudent(c api.Ctx, s Student) (bool, error) {
	var history bool
	// Who was entered today sat in no class yesterday, whenever the enrolment begins.
	err := c.DB.Raw(`select exists (select from enrolment where student_id = ? and start_date < ? and created_at < ?)
		or exists (select from leaving_certificate where student_id = ?)`, s.ID, c.Today(), c.Today().In(c.School.Location()), s.ID).
		Scan(&history).Error
	if err != nil {
		return false, fmt.Errorf("looking for a student's history: %w", err)
	}
	if history {
		return false, nil
	}
	if err := c.DB.SavePoint("erase").Error; err != nil {
		return false, fmt.Errorf("erasing a student: %w", err)
	}
	err = c.DB.Exec(`delete from enrolment where student_id = ?`, s.ID).Error
	if err == nil {
		err = c.DB.Exec(`delete from student where id = ?`, s.ID).Error
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "23503" {
		return false, c.DB.RollbackTo("erase").Error
	}
	if err != nil {
		return false, fmt.Errorf("erasing a student: %w", err)
	}
	c.Changed("delete", "student", s.ID, s, nil)
	return true, nil
}

func deactivateStudent(c api.Ctx, s Student) error {
	now, err := currentEnrolment(c, s.ID)
	if err != nil {
		return err
	}
	if now != nil {
		if err := leaveDivision(c, *now); err != nil {
			return err
		}
	}
	after := s
	after.DeletedAt, after.UpdatedAt, after.UpdatedBy, after.Version = &c.Now, c.Now, &c.User.ID, s.Version+1
	if s.Status == "ACTIVE" {
		today := c.Today()
		after.Status, after.LeavingDate, after.LeavingStatus = "WITHDRAWN", &today, nil
	}
	err = c.DB.Select("deleted_at", "status", "leaving_date", "leaving_status", "updated_at", "updated_by", "version").Where("id = ?",
		s.ID).Updates(&after).Error
	if err != nil {
		return fmt.Errorf("deactivating a student: %w", err)
	}
	c.Changed("deactivate", "student", s.ID, s, after)
	return nil
}

// leaveDivision ends an enrolment for good: yesterday was its last day, or its only
// one if it began today. What was settled for later falls away.
func leaveDivision(c api.Ctx, now Enrolment) error {
	last := c.Today().AddDays(-1)
	if last.Before(now.StartDate) {
		last = now.StartDate
	}
	if err := endEnrolment(c, now, last, "LEFT"); err != nil {
		return err
	}
	return dropEnrolmentsAfter(c, now.StudentID, last)
}

// dropEnrolmentsAfter removes those that were to begin after a day.
func dropEnrolmentsAfter(c api.Ctx, student uuid.UUID, day api.Date) error {
	var gone []Enrolment
	if err := c.DB.Where("student_id = ? and start_date > ?", student, day).Order("start_date").Find(&gone).Error; err != nil {
		return fmt.Errorf("looking for later enrolments: %w", err)
	}
	if len(gone) == 0 {
		return nil
	}
	if err := c.DB.Delete(&gone).Error; err != nil {
		return fmt.Errorf("removing later enrolments: %w", err)
	}
	for _, e := range gone {
		c.Changed("delete", "enrolment", e.ID, e, nil)
	}
	return nil
}
