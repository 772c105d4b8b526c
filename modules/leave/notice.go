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
		Title: "Leave request", Body: fmt.Sprintf("Leave is asked for %s, %s.", v.ApplicantName, v.when()), Teaser: "A leave request is waiting",
	})
	return nil
}

// tellApplicant tells who asked what became of it.
func tellApplicant(c api.Ctx, v LeaveView) {
	c.Notify(api.Notice{
		Type: api.NoticeLeave, Key: fmt.Sprintf("leave:%s:decided", v.ID), RecordID: v.ID, StudentID: v.StudentID, UserID: v.CreatedBy,
		Title: "Leave decided", Body: fmt.Sprintf("The leave of %s, %s, is %s.", v.ApplicantName, v.when(), strings.ToLower(v.Status)), Teaser: "A leave request was decided",
	})
}

// when is its days in words.
func (l *Leave) when() string {
	switch {
	case l.HalfDay:
		return fmt.Sprintf("half of %s", l.FromDate)
	case l.FromDate == l.ToDate:
		return l.FromDate.String()
	}
	return fmt.Sprintf("%s to %s", l.FromDate, l.ToDate)
}
