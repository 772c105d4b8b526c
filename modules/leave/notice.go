package leave

import (
	"fmt"
	"strings"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/notice"
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
	notice.Send(c, notice.Notice{
		Type: notice.Leave, Key: fmt.Sprintf("leave:%s:asked", v.ID), RecordID: v.ID, StudentID: v.StudentID, UserID: teacher,
		Text: notice.Text{Name: "leave.asked", Values: notice.Values{"who": v.ApplicantName, "when": v.when()}},
	})
	return nil
}

// tellApplicant tells who asked what became of it.
func tellApplicant(c api.Ctx, v LeaveView) {
	notice.Send(c, notice.Notice{
		Type: notice.Leave, Key: fmt.Sprintf("leave:%s:decided", v.ID), RecordID: v.ID, StudentID: v.StudentID, UserID: v.CreatedBy,
		Text: notice.Text{Name: "leave.decided", Values: notice.Values{"who": v.ApplicantName, "when": v.when(),
			"status": notice.Text{Name: "leave." + strings.ToLower(v.Status)}}},
	})
}

// when is its days in words.
func (l *Leave) when() any {
	switch {
	case l.HalfDay:
		return notice.Text{Name: "leave.half", Values: notice.Values{"day": l.FromDate}}
	case l.FromDate == l.ToDate:
		return l.FromDate
	}
	return notice.Text{Name: "leave.days", Values: notice.Values{"from": l.FromDate, "to": l.ToDate}}
}
