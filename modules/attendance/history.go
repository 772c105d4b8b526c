package attendance

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// AttendanceHistory is a student's days and every change of them.
type AttendanceHistory struct {
	StudentID uuid.UUID    `json:"studentId"`
	FirstName string       `json:"firstName"`
	LastName  string       `json:"lastName"`
	From      api.Date     `json:"from"`
	To        api.Date     `json:"to"`
	Days      []HistoryDay `json:"days" doc:"The newest first"`
}

// HistoryDay is a day that was ever marked.
type HistoryDay struct {
	Date      api.Date   `json:"date"`
	MarkID    uuid.UUID  `json:"markId" doc:"What notices about it are about: data.id of a push"`
	Status    *string    `json:"status" enum:"PRESENT,ABSENT,LATE,LEAVE" doc:"Null where the mark was taken back"`
	Revisions []Revision `json:"revisions" doc:"The oldest first; the last is how it stands"`
}

// Revision is one state a day was in.
type Revision struct {
	Status       *string    `json:"status" enum:"PRESENT,ABSENT,LATE,LEAVE" doc:"Null where the mark was taken back"`
	LateMinutes  *int       `json:"lateMinutes"`
	Remark       string     `json:"remark"`
	Source       string     `json:"source" enum:"TEACHER,ADMIN,LEAVE,LESSON"`
	LeaveID      *uuid.UUID `json:"leaveId"`
	Reason       string     `json:"reason" doc:"Why the office changed a day that was past"`
	MarkedBy     uuid.UUID  `json:"markedBy"`
	MarkedByName string     `json:"markedByName"`
	MarkedAt     time.Time  `json:"markedAt"`
}

type historyRequest struct {
	StudentID uuid.UUID `path:"studentId"`
	From      api.Date  `json:"from" doc:"Thirty days before the end unless given"`
	To        api.Date  `json:"to" doc:"Today unless given"`
}

func history(c api.Ctx, r historyRequest) (AttendanceHistory, error) {
	end := r.To
	if end.IsZero() {
		end = c.Today()
	}
	span, err := between{r.From, r.To}.orElse(end.AddDays(-30), end)
	if err != nil {
		return AttendanceHistory{}, err
	}
	var students []seat
	var found []struct {
		Date   api.Date
		MarkID uuid.UUID
		Revision
	}
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select id, first_name, last_name from student where id = $1`, Args: []any{r.StudentID},
			Scan: tenancy.Collect(&students)},
		tenancy.Query{SQL: selectStates, Args: []any{r.StudentID, span.From, span.To}, Scan: tenancy.Collect(&found)},
	)
	if err != nil {
		return AttendanceHistory{}, fmt.Errorf("reading a student's attendance: %w", err)
	}
	if len(students) == 0 {
		return AttendanceHistory{}, roster.ErrNoStudent
	}
	out := AttendanceHistory{StudentID: r.StudentID, FirstName: students[0].FirstName, LastName: students[0].LastName, From: span.From,
		To: span.To, Days: []HistoryDay{}}
	for i, f := range found {
		if i == 0 || found[i-1].Date != f.Date {
			out.Days = append(out.Days, HistoryDay{Date: f.Date})
		}
		day := &out.Days[len(out.Days)-1]
		day.MarkID, day.Status, day.Revisions = f.MarkID, f.Status, append(day.Revisions, f.Revision)
	}
	return out, nil
}

// selectStates are the states a student's days were in, and for a mark that was taken
// back also the state of being none.
const selectStates = `with states as (
		select v.date, v.attendance_id, v.version, v.status, v.late_minutes, v.remark, v.source, v.leave_id, v.reason, v.marked_by, v.marked_at
		from attendance_revision v where v.student_id = $1 and v.date between $2 and $3
		union all
		select a.date, a.id, a.version, a.status, a.late_minutes, a.remark, a.source, a.leave_id, a.reason, a.marked_by, a.marked_at
		from attendance a where a.student_id = $1 and a.date between $2 and $3
		union all
		select distinct on (v.attendance_id) v.date, v.attendance_id, v.version + 1, null, null, '', v.source, v.leave_id, '', v.replaced_by,
		v.replaced_at
		from attendance_revision v where v.student_id = $1 and v.date between $2 and $3 and not exists (select from attendance a
		where a.id = v.attendance_id)
		order by 2, 3 desc)
	select s.date, s.attendance_id as mark_id, s.status, s.late_minutes, s.remark, s.source, s.leave_id, s.reason, s.marked_by, s.marked_at,
		coalesce(trim(u.first_name || ' ' || u.last_name), '') as marked_by_name
	from states s left join app_user u on u.id = s.marked_by
	order by s.date desc, s.attendance_id, s.version`
