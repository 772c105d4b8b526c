package leave

import (
	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
)

type leaveCancellation struct {
	LeaveID uuid.UUID `json:"leaveId" validate:"required"`
}

// parentCancels takes a child's leave back. Any parent who may see the child may.
func (m *Module) parentCancels(c api.Ctx, r leaveCancellation) (LeaveView, error) {
	if _, err := find(c, "l.student_id in (?)", r.LeaveID, roster.Linked(c.DB, c.User.ID)); err != nil {
		return LeaveView{}, err
	}
	return m.cancel(c, r.LeaveID)
}

func (m *Module) employeeCancels(c api.Ctx, r leaveCancellation) (LeaveView, error) {
	if _, err := find(c, "p.user_id = ?", r.LeaveID, c.User.ID); err != nil {
		return LeaveView{}, err
	}
	return m.cancel(c, r.LeaveID)
}

// cancel takes back a leave that is not decided, or is approved and has not begun.
func (m *Module) cancel(c api.Ctx, id uuid.UUID) (LeaveView, error) {
	var was string
	l, err := api.Update(c, "leave", id, func(l *Leave) error {
		was = l.Status
		switch {
		case l.Status == "APPROVED" && !c.Today().Before(l.FromDate):
			return api.Conflict("This leave is APPROVED and began on %s: it cannot be cancelled any more", l.FromDate)
		case l.Status != "PENDING" && l.Status != "APPROVED":
			return api.Conflict("This leave is %s: it cannot be cancelled", l.Status)
		}
		l.Status = "CANCELLED"
		return nil
	})
	if err != nil {
		return LeaveView{}, err
	}
	if l.StudentID != nil && was == "APPROVED" {
		if err := m.Attendance.Unexcuse(c, l.ID, *l.StudentID); err != nil {
			return LeaveView{}, err
		}
	}
	c.Tell(l.fact(CancelledFact))
	return m.find(c, l.ID)
}
