package leave

import (
	"fmt"
	"strings"

	"homeroom/api"
	"homeroom/modules/roster"
)

// tellClassTeacher tells who leads the child's division that leave was asked for. In a
// division that nobody leads, the office finds it in its list.
func tellClassTeacher(c api.Ctx, v LeaveView) error {
	division, err := roster.DivisionOn(c.DB, *v.StudentID, v.FromDate)
	if err != nil {
		return err
	}
	teacher, err := roster.ClassTeacher(c.DB, division)
	if err != nil || teacher == nil {
		return err
	}
	c.Notify(api.Notice{
		Type: api.NoticeLeave, Key: fmt.Sprintf("leave:%s:asked", v.ID), RecordID: v.ID, StudentID: v.StudentID, UserID: teacher,
		Text: api.Text{Name: "leave.asked", Values: api.Values{"who": v.ApplicantName, "when": v.when()}},
	})
	return nil
}

// tellApplicant tells who asked what became of it.
func tellApplicant(c api.Ctx, v LeaveView) {
	c.Notify(api.Notice{
		Type: api.NoticeLeave, Key: fmt.Sprintf("leave:%s:decided", v.ID), RecordID: v.ID, StudentID: v.StudentID, UserID: v.CreatedBy,
		Text: api.Text{Name: "leave.decided", Values: api.Values{"who": v.ApplicantName, "when": v.when(), "status": api.Text{Name: "leave." + strings.ToLower(v.Status)}}},
	})
}

// when is its days in words.
func (l *Leave) when() any {
	switch {
	case l.HalfDay:
		return api.Text{Name: "leave.half", Values: api.Values{"day": l.FromDate}}
	case l.FromDate == l.ToDate:
		return l.FromDate
	}
	return api.Text{Name: "leave.days", Values: api.Values{"from": l.FromDate, "to": l.ToDate}}
}
