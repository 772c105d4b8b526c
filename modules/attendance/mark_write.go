package attendance

import (
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// reviseMarks keeps what marks were before they are written anew.
const reviseMarks = `insert into attendance_revision (attendance_id, version, student_id, date, status, late_minutes, remark, source,
	leave_id, half_day, reason, marked_by, marked_at, replaced_by, replaced_at)
	select a.id, a.version, a.student_id, a.date, a.status, a.late_minutes, a.remark, a.source, a.leave_id, a.half_day, a.reason, a.marked_by,
	a.marked_at, $2, $3
	from attendance a where a.id = any($1)`

// overMark replaces the mark that a student has. The first mark of a day is written without it: that costs Postgres a quarter less.
const overMark = ` on conflict (student_id, date) do update
	set division_id = excluded.division_id, status = excluded.status, late_minutes = excluded.late_minutes,
		remark = excluded.remark, source = excluded.source, leave_id = excluded.leave_id, half_day = excluded.half_day, reason = excluded.reason,
		marked_by = excluded.marked_by, marked_at = excluded.marked_at, version = excluded.version`

// write keeps changes of divisions that the caller holds locked, with the COMMIT. Should a new mark not be the first after all,
// attendance_once refuses it, and the transaction is run again.
func write(c api.Ctx, changes []change, reason string) {
	var ids []uuid.UUID // of the marks that there are
	var first, again []change
	for _, ch := range changes {
		if ch.was == nil {
			first = append(first, ch)
			continue
		}
		again, ids = append(again, ch), append(ids, ch.ID)
	}
	if again != nil {
		c.Finally(tenancy.Query{SQL: reviseMarks, Args: []any{ids, c.User.ID, c.Now}})
		c.Finally(insertMarks(c, again, reason, overMark))
	}
	if first != nil {
		c.Finally(insertMarks(c, first, reason, ""))
	}
}

func insertMarks(c api.Ctx, changes []change, reason, onConflict string) tenancy.Query {
	var w marksWriter
	w.list("id", "uuid", all(changes, func(m Mark) uuid.UUID { return m.ID }))
	each(&w, changes, "student_id", "uuid", func(m Mark) uuid.UUID { return m.StudentID })
	each(&w, changes, "division_id", "uuid", func(m Mark) uuid.UUID { return m.DivisionID })
	each(&w, changes, "date", "date", func(m Mark) api.Date { return m.Date })
	each(&w, changes, "status", "text", func(m Mark) string { return m.Status })
	each(&w, changes, "remark", "text", func(m Mark) string { return m.Remark })
	each(&w, changes, "source", "text", func(m Mark) string { return m.Source })
	each(&w, changes, "version", "int", func(m Mark) int { return m.Version })
	some(&w, changes, "late_minutes", "int", func(m Mark) *int { return m.LateMinutes })
	some(&w, changes, "leave_id", "uuid", func(m Mark) *uuid.UUID { return m.LeaveID })
	each(&w, changes, "half_day", "bool", func(m Mark) bool { return m.HalfDay })
	w.same("marked_by", "uuid", c.User.ID)
	w.same("marked_at", "timestamptz", c.Now)
	w.same("reason", "text", reason)
	return w.query(onConflict)
}

// marksWriter makes the one statement that writes many marks. What is the same for all
// of them is sent once: a class has one day, one division and mostly one status, and
// every list costs Postgres as much as a column of the table. So there are a few such
// statements, each prepared once.
type marksWriter struct {
	columns, values, lists, names []string
	args                          []any
}

func (w *marksWriter) argument(value any) string {
	w.args = append(w.args, value)
	return "$" + strconv.Itoa(len(w.args))
}

func (w *marksWriter) same(column, kind string, value any) {
	w.columns, w.values = append(w.columns, column), append(w.values, w.argument(value)+"::"+kind)
}

func (w *marksWriter) list(column, kind string, values any) {
	w.columns, w.values = append(w.columns, column), append(w.values, "u."+column)
	w.lists, w.names = append(w.lists, w.argument(values)+"::"+kind+"[]"), append(w.names, column)
}

// query writes in the order of the students, so that no two writers wait for each other.
func (w *marksWriter) query(onConflict string) tenancy.Query {
	return tenancy.Query{Args: w.args, SQL: "insert into attendance as a (" + strings.Join(w.columns, ", ") + ") select " +
		strings.Join(w.values, ", ") +
		" from unnest(" + strings.Join(w.lists, ", ") + ") as u (" + strings.Join(w.names, ", ") + ") order by 2, 4" + onConflict}
}

func all[T any](changes []change, of func(Mark) T) []T {
	values := make([]T, len(changes))
	for i, ch := range changes {
		values[i] = of(ch.Mark)
	}
	return values
}

// each adds a column: a list, or where all marks have the same that one alone.
func each[T comparable](w *marksWriter, changes []change, column, kind string, of func(Mark) T) {
	values := all(changes, of)
	if slices.ContainsFunc(values, func(v T) bool { return v != values[0] }) {
		w.list(column, kind, values)
		return
	}
	w.same(column, kind, values[0])
}

// some adds a column that may hold nothing, unless it holds nothing at all.
func some[T any](w *marksWriter, changes []change, column, kind string, of func(Mark) *T) {
	var values []*T
	for i, ch := range changes {
		if v := of(ch.Mark); v != nil {
			if values == nil {
				values = make([]*T, len(changes))
			}
			values[i] = v
		}
	}
	if values == nil {
		w.same(column, kind, nil)
		return
	}
	w.list(column, kind, values)
}
