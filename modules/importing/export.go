package importing

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"io"

	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/sheet"
)

// export is a file of the query's rows; fill brings one into the order of columns.
func export(c api.Ctx, name string, columns []sheet.Column, query *gorm.DB, fill func(rows *sql.Rows, cells []string) error) api.Stream {
	return api.Stream{Name: name + "-" + c.Today().String() + ".csv", ContentType: "text/csv; charset=utf-8", Write: func(w io.Writer) error {
		return exportRows(w, columns, query, fill)
	}}
}

// exportRows writes a header and one row for each of the query's, as they come. Cells
// that a spreadsheet would run are made text; an import reads them as they were.
func exportRows(w io.Writer, columns []sheet.Column, query *gorm.DB, fill func(rows *sql.Rows, cells []string) error) error {
	rows, err := query.Rows()
	if err != nil {
		return fmt.Errorf("exporting: %w", err)
	}
	defer func() { _ = rows.Close() }()
	out, err := sheet.NewWriter(w)
	if err != nil {
		return err
	}
	cells := make([]string, len(columns))
	if err := out.Write(sheet.Heads(columns)); err != nil {
		return err
	}
	for rows.Next() {
		clear(cells)
		if err := fill(rows, cells); err != nil {
			return fmt.Errorf("exporting: %w", err)
		}
		for i := range cells {
			cells[i] = sheet.Guard(cells[i])
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("exporting: %w", err)
	}
	out.Flush()
	return out.Error()
}

// exportStudent is a student's own cells, the seat and groups an import would compare with, and
// the guardians, the primary one first. It joins nothing, as the list's conditions need.
var exportStudent = `to_jsonb(` + fileCells(studentColumns, colGuardians, "student") + `)::text,
	coalesce((select jsonb_build_array(k.name, d.name, coalesce(e.roll_number::text, ''), e.start_date::text)
			from enrolment e join class k on k.id = e.class_id join division d on d.id = e.division_id
			where e.student_id = student.id and (e.end_date is null or e.end_date >= today.day) order by e.start_date limit 1),
		(select jsonb_build_array(k.name) from class k where k.id = student.class_id), '[]')::text,
	coalesce((select string_agg(g.name, '; ' order by lower(g.name)) from student_group g
		where g.id in (select m.group_id from ` + roster.InGroup("today.day") + ` where m.student_id = student.id)), ''),
	coalesce((select jsonb_agg(jsonb_build_array(sg.relation, g.first_name, g.last_name, g.phone, g.email, g.occupation)
	order by sg.is_primary desc, sg.created_at, sg.id)
		from student_guardian sg join guardian g on g.id = sg.guardian_id where sg.student_id = student.id), '[]')::text,
	student.custom_fields::text`

// exportStudents gives the students a list would show, as a file that can be imported.
func exportStudents(c api.Ctx, l api.ListRequest) (api.Stream, error) {
	if err := roster.CheckCustomFilter(c, roster.OfStudents, l); err != nil {
		return api.Stream{}, err
	}
	custom, err := readCustomFields(c, roster.OfStudents)
	if err != nil {
		return api.Stream{}, err
	}
	query := l.All(roster.StudentsToday(c).Select(exportStudent))
	return export(c, "students", custom.columns(studentSheet), query, func(rows *sql.Rows, cells []string) error {
		return fillStudent(rows, cells, custom)
	}), nil
}

func fillStudent(rows *sql.Rows, cells []string, custom customFields) error {
	var texts [3]string
	var groups, values string
	if err := rows.Scan(&texts[0], &texts[1], &groups, &texts[2], &values); err != nil {
		return err
	}
	if err := custom.fill(values, cells[len(studentSheet):]); err != nil {
		return err
	}
	var own, seat []string
	var guardians [][]string
	for i, into := range []any{&own, &seat, &guardians} {
		if err := json.Unmarshal([]byte(texts[i]), into); err != nil {
			return err
		}
	}
	copy(cells, own)
	if len(seat) == 4 {
		cells[colEnrolledFrom], seat = seat[3], seat[:3]
	}
	copy(cells[colClass:], seat)
	cells[colGroups] = groups
	for i, g := range guardians {
		if i < maxGuardians {
			copy(cells[colGuardians+i*guardianWidth:], g)
		}
	}
	return nil
}

// exportEmployees gives the employees a list would show, as a file that can be imported.
func exportEmployees(c api.Ctx, l api.ListRequest) (api.Stream, error) {
	if err := roster.CheckCustomFilter(c, roster.OfEmployees, l); err != nil {
		return api.Stream{}, err
	}
	custom, err := readCustomFields(c, roster.OfEmployees)
	if err != nil {
		return api.Stream{}, err
	}
	cells := fileCells(employeeColumns, len(employeeSheet), "employee")
	query := l.All(c.DB.Model(&roster.Employee{}).Select(`to_jsonb(` + cells + `)::text, custom_fields::text`))
	return export(c, "employees", custom.columns(employeeSheet), query, func(rows *sql.Rows, cells []string) error {
		var own, values string
		if err := rows.Scan(&own, &values); err != nil {
			return err
		}
		if err := custom.fill(values, cells[len(employeeSheet):]); err != nil {
			return err
		}
		cells = cells[:len(employeeSheet)]
		return json.Unmarshal([]byte(own), &cells) // in place: there are as many as columns
	}), nil
}
