package leave

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
)

type leaveDecision struct {
	LeaveID uuid.UUID `json:"leaveId" validate:"required"`
	Status  string    `json:"status" validate:"required,oneof=APPROVED REJECTED"`
	Note    string    `json:"note" validate:"max=500"`
}

// officeDecides lets an administrator decide any leave that is not their own.
func (m *Module) officeDecides(c api.Ctx, r leaveDecision) (LeaveView, error) {
	if _, err := find(c, "true", r.LeaveID); err != nil {
		return LeaveView{}, err
	}
	return m.decide(c, r)
}

// teacherDecides lets a class teacher decide their students' leave; other leave is
// not there for them.
func (m *Module) teacherDecides(c api.Ctx, r leaveDecision) (LeaveView, error) {
	if _, err := find(c, leads, r.LeaveID, c.User.ID); err != nil {
		return LeaveView{}, err
	}
	return m.decide(c, r)
}

// decide settles a leave under its lock: of two who decide at once, the second finds
// it decided.
func (m *Module) decide(c api.Ctx, r leaveDecision) (LeaveView, error) {
	if err := refuseOwn(c, r.LeaveID); err != nil {
		return LeaveView{}, err
	}
	l, err := api.Update(c, "leave", r.LeaveID, func(l *Leave) error {
		if l.Status != "PENDING" {
			return api.Conflict("This leave is %s: only PENDING leave can be decided", l.Status)
		}
		if l.EmployeeID != nil && r.Status == "APPROVED" {
			if err := lockEmployee(c, *l.EmployeeID); err != nil {
				return err
			}
			if err := refuseOverdraft(c, *l, "APPROVED"); err != nil {
				return err
			}
		}
		l.Status, l.DecidedBy, l.DecidedAt, l.DecisionNote = r.Status, &c.User.ID, &c.Now, r.Note
		return nil
	})
	if err != nil {
		return LeaveView{}, err
	}
	if l.StudentID != nil && l.Status == "APPROVED" {
		if err := m.Attendance.Excuse(c, l.ID, *l.StudentID, l.FromDate, l.ToDate, l.HalfDay); err != nil {
			return LeaveView{}, err
		}
	}
	c.Tell(l.fact(DecidedFact))
	v, err := m.find(c, l.ID)
	if err != nil {
		return v, err
	}
	tellApplicant(c, v)
	return v, nil
}

// refuseOwn keeps people from deciding their own leave, or their child's: by account,
// and by phone, since a teacher who is a parent has two accounts.
func refuseOwn(c api.Ctx, id uuid.UUID) error {
	var own bool
	err := c.DB.Raw(`select exists (
		select from leave l join app_user me on me.id = ?
		where l.id = ? and (l.created_by = me.id
			or exists (select from app_user u where u.id = l.created_by and u.phone = me.phone)
			or exists (select from employee e where e.id = l.employee_id and (e.user_id = me.id or e.phone = me.phone))
			or exists (select from student_guardian sg join guardian g on g.id = sg.guardian_id where sg.student_id = l.student_id
			and (g.user_id = me.id or g.phone = me.phone))))`,
		c.User.ID, id).Scan(&own).Error
	if err != nil {
		return fmt.Errorf("looking whose leave it is: %w", err)
	}
	if own {
		return api.Denied("Nobody decides their own leave, or their child's")
	}
	return nil
}
