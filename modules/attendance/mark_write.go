package attendance

import (
	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// reviseMarks keeps what marks were before they are written anew.
const reviseMarks = `insert into attendance_revision (attendance_id, version, student_id, date, status, late_minutes, remark, source, leave_id, reason, marked_by, marked_at, replaced_by, replaced_at)
	select a.id, a.version, a.student_id, a.date, a.status, a.late_minutes, a.remark, a.source, a.leave_id, a.reason, a.marked_by, a.marked_at, $2, $3
	from attendance a where a.id = any($1)`

// writeMarks writes many marks in one statement. What is the same for all is sent once,
// and its list is null: a class has one day, one division and mostly one status.
const writeMarks = `insert into attendance as a (id, student_id, division_id, date, status, late_minutes, remark, source, leave_id, version, marked_by, marked_at, reason)
	select u.id, coalesce(u.student_id, $3), coalesce(u.division_id, $5), coalesce(u.day, $7)::date, coalesce(u.status, $9), u.late_minutes,
		coalesce(u.remark, $12), coalesce(u.source, $14), u.leave_id, coalesce(u.version, $17), $18, $19, $20
	from unnest($1::uuid[], $2::uuid[], $4::uuid[], $6::text[], $8::text[], $10::int[], $11::text[], $13::text[], $15::uuid[], $16::int[])
		as u (id, student_id, division_id, day, status, late_minutes, remark, source, leave_id, version)
	order by 2, 4
	on conflict (student_id, date) do update set division_id = excluded.division_id, status = excluded.status, late_minutes = excluded.late_minutes,
		remark = excluded.remark, source = excluded.source, leave_id = excluded.leave_id, reason = excluded.reason,
		marked_by = excluded.marked_by, marked_at = excluded.marked_at, version = excluded.version`

// write keeps changes of divisions that the caller holds locked, with the COMMIT.
func write(c api.Ctx, changes []change, reason string) {
	var known, ids []uuid.UUID
	for _, ch := range changes {
		ids = append(ids, ch.ID)
		if ch.was != nil {
			known = append(known, ch.ID)
		}
	}
	if known != nil {
		c.Finally(tenancy.Query{SQL: reviseMarks, Args: []any{known, c.User.ID, c.Now}})
	}
	students, student := column(changes, func(m Mark) uuid.UUID { return m.StudentID })
	divisions, division := column(changes, func(m Mark) uuid.UUID { return m.DivisionID })
	days, day := column(changes, func(m Mark) string { return m.Date.String() })
	statuses, status := column(changes, func(m Mark) string { return m.Status })
	remarks, remark := column(changes, func(m Mark) string { return m.Remark })
	sources, source := column(changes, func(m Mark) string { return m.Source })
	versions, version := column(changes, func(m Mark) int { return m.Version })
	minutes, leaves := sparse(changes, func(m Mark) *int { return m.LateMinutes }), sparse(changes, func(m Mark) *uuid.UUID { return m.LeaveID })
	c.Finally(tenancy.Query{SQL: writeMarks, Args: []any{
		ids, students, student, divisions, division, days, day, statuses, status, minutes, remarks, remark, sources, source, leaves, versions, version,
		c.User.ID, c.Now, reason}})
}

// column is one column of many marks: a list, or where all are the same that one alone.
func column[T comparable](changes []change, of func(Mark) T) (list []T, one T) {
	one = of(changes[0].Mark)
	for i, ch := range changes {
		v := of(ch.Mark)
		if v != one && list == nil {
			list = make([]T, i, len(changes))
			for j := range list {
				list[j] = one
			}
		}
		if list != nil {
			list = append(list, v)
		}
	}
	return list, one
}

// sparse is a column that may hold nothing; nil where it holds nothing at all.
func sparse[T any](changes []change, of func(Mark) *T) []*T {
	var list []*T
	for i, ch := range changes {
		if v := of(ch.Mark); v != nil {
			if list == nil {
				list = make([]*T, len(changes))
			}
			list[i] = v
		}
	}
	return list
}
