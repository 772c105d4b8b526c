package attendance

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/modules/roster/lookup"
	"homeroom/sheet"
	"homeroom/tenancy"
)

// The columns of a file of past registers: each row is a student's day.
const (
	colMarked = iota
	colMarkedDay
	colMarkedAs
	colMarkedRemark
)

var statuses = sheet.OneOf(map[string]string{"P": "PRESENT", "1": "PRESENT", "YES": "PRESENT", "उपस्थित": "PRESENT", "حاضر": "PRESENT",
	"A": "ABSENT", "0": "ABSENT", "AB": "ABSENT", "NO": "ABSENT", "अनुपस्थित": "ABSENT", "غائب": "ABSENT", "LT": "LATE", "TARDY": "LATE",
	"متأخر": "LATE", "LV": "LEAVE", "ON LEAVE": "LEAVE", "EXCUSED": "LEAVE", "ML": "LEAVE", "छुट्टी": "LEAVE", "إجازة": "LEAVE",
	"देर": "LATE", "देर से": "LATE", "YUPO": "PRESENT", "HAYUPO": "ABSENT", "AMECHELEWA": "LATE", "RUHUSA": "LEAVE"},
	"PRESENT", "ABSENT", "LATE", "LEAVE")

var daySheet = []sheet.Column{
	colMarked:       lookup.AdmissionNumber,
	colMarkedDay:    {Name: "date", Date: true, Also: []string{"day", "attendanceDate", "तारीख", "التاريخ", "tarehe"}},
	colMarkedAs:     {Name: "status", Check: statuses, Also: []string{"attendance", "mark", "present", "उपस्थिति", "الحضور", "mahudhurio"}},
	colMarkedRemark: {Name: "remark", Check: sheet.Text(200), Also: []string{"note", "reason"}},
}

// dayFiles are files of registers that were kept elsewhere. A day that is marked here stays as it is.
func dayFiles() imports.Kind[imports.Request] {
	return imports.Kind[imports.Request]{
		Key: "ATTENDANCE", Path: "/school-admin/attendance/import", Permission: "attendance", Columns: daySheet,
		Summary: "Import registers of past days from a CSV file or workbook", Tables: []string{"attendance"},
		Begin: func(api.Ctx, imports.Request) (imports.Reading, error) {
			return imports.ByLine(daySheet, planDays), nil
		},
		Undo: undoDays,
	}
}

type importedMark struct {
	id, student, division uuid.UUID
	day, status           string
	remark                string
}

// importedDays are the marks that an import made, by what they have in common: there may be hundreds of thousands.
type importedDays struct {
	First, Last uuid.UUID // ids
	At          time.Time
	By          uuid.UUID
	Marks       int64
}

// importedReason is why an imported mark is as it is.
const importedReason = "Imported"

// undoDays deletes the marks of an import, unless one of them was changed or is gone.
func undoDays(c api.Ctx, made []byte) error {
	var m importedDays
	if err := json.Unmarshal(made, &m); err != nil {
		return fmt.Errorf("reading which marks an import made: %w", err)
	}
	gone := c.DB.Exec(`delete from attendance where id between ? and ? and marked_at = ? and marked_by = ? and source = 'ADMIN'
		and reason = ? and version = 1`, m.First, m.Last, m.At, m.By, importedReason)
	if gone.Error != nil {
		return fmt.Errorf("deleting imported marks: %w", gone.Error)
	}
	if changed := m.Marks - gone.RowsAffected; changed > 0 {
		return api.Conflict("%d of the import's records (attendance) were changed since, so that it cannot be taken back", changed)
	}
	return nil
}

type studentDay struct {
	student uuid.UUID
	day     string
}

func planDays(c api.Ctx, lines []imports.Line, d *imports.Draft) error {
	numbers := make([]string, len(lines))
	for i, l := range lines {
		numbers[i] = l.Cells[colMarked]
	}
	students, err := lookup.Students(c, numbers, c.Today())
	if err != nil {
		return err
	}
	var ids []uuid.UUID
	for _, s := range students {
		ids = append(ids, s.ID)
	}
	var sat []struct {
		StudentID, DivisionID uuid.UUID
		First, Last           string
	}
	var marks []struct {
		StudentID   uuid.UUID
		Day, Status string
	}
	var totals []struct {
		StudentID   uuid.UUID
		First, Last string
	}
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select student_id, first_day::text as first, last_day::text as last from attendance_total
			where student_id = any($1)`, Args: []any{ids}, Scan: tenancy.Collect(&totals)},
		tenancy.Query{SQL: `select student_id, division_id, start_date::text as first, coalesce(end_date::text, '9999') as last from enrolment
			where student_id = any($1)`, Args: []any{ids}, Scan: tenancy.Collect(&sat)},
		tenancy.Query{SQL: `select student_id, date::text as day, status from attendance where student_id = any($1)`, Args: []any{ids},
			Scan: tenancy.Collect(&marks)})
	if err != nil {
		return fmt.Errorf("reading registers: %w", err)
	}
	counted := map[uuid.UUID][]int{}
	for i, t := range totals {
		counted[t.StudentID] = append(counted[t.StudentID], i)
	}
	seats := map[uuid.UUID][]int{}
	for i, s := range sat {
		seats[s.StudentID] = append(seats[s.StudentID], i)
	}
	marked, rows := map[studentDay]string{}, map[studentDay]int{}
	for _, m := range marks {
		marked[studentDay{m.StudentID, m.Day}] = m.Status
	}
	today := c.Today().String()
	var made []importedMark
	for i, l := range lines {
		student, known := students[strings.ToLower(numbers[i])]
		m := importedMark{id: api.NewID(), student: student.ID, day: l.Cells[colMarkedDay], status: l.Cells[colMarkedAs],
			remark: l.Cells[colMarkedRemark]}
		for _, col := range []int{colMarked, colMarkedDay, colMarkedAs} {
			if l.Cells[col] == "" && !l.Bad[col] {
				d.Bad(l.Row, daySheet[col].Name, "is required")
			}
		}
		for _, n := range seats[m.student] {
			if sat[n].First <= m.day && m.day <= sat[n].Last {
				m.division = sat[n].DivisionID
			}
		}
		for _, n := range counted[m.student] {
			if totals[n].First <= m.day && m.day <= totals[n].Last {
				d.Bad(l.Row, "date", "is among the days of a total, from %s to %s", totals[n].First, totals[n].Last)
			}
		}
		key := studentDay{m.student, m.day}
		was, there := marked[key]
		first, twice := rows[key]
		switch {
		case numbers[i] != "" && !known:
			d.Bad(l.Row, "admissionNumber", "no student has this number")
		case m.day == "":
		case m.day > today:
			d.Bad(l.Row, "date", "must not be in the future")
		case known && m.division == uuid.Nil:
			d.Bad(l.Row, "date", "the student was in no division on that day")
		case known && twice:
			d.Bad(l.Row, "date", "is the student's day of row %d, too", first)
		case known && there && was != m.status && m.status != "":
			d.Bad(l.Row, "status", "the day is marked %s already: change it in the register", strings.ToLower(was))
		}
		rows[key] = l.Row
		switch {
		case d.Found.IsBad(l.Row):
			d.Skip(l.Row)
		case there:
			d.Same(l.Row, m.student, m.day)
		default:
			d.Create(l.Row, m.student, m.day, m.status)
			d.Sum(strings.ToLower(m.status), 1)
			made = append(made, m)
		}
	}
	d.Then(func(c api.Ctx) error {
		if len(made) == 0 {
			return nil
		}
		columns := []string{"id", "student_id", "division_id", "date", "status", "remark", "source", "reason", "marked_by", "marked_at"}
		days := map[string]time.Time{}
		err := tenancy.Copy(c.DB, "attendance", columns, len(made), func(i int) ([]any, error) {
			m := made[i]
			day, known := days[m.day]
			if !known {
				var err error
				if day, err = time.Parse(time.DateOnly, m.day); err != nil {
					return nil, err
				}
				days[m.day] = day
			}
			return []any{m.id, m.student, m.division, day, m.status, m.remark, "ADMIN", importedReason, c.User.ID, c.Now}, nil
		})
		if err != nil {
			return fmt.Errorf("adding marks: %w", err)
		}
		d.RememberAll(importedDays{First: made[0].id, Last: made[len(made)-1].id, At: c.Now, By: c.User.ID, Marks: int64(len(made))})
		c.Changed("import", "attendance", uuid.Nil, nil, map[string]any{"marks": len(made)})
		return nil
	})
	return nil
}
