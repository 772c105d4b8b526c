package timetable

import (
	"fmt"
	"strings"

	"homeroom/api"
	"homeroom/tenancy"
)

// nextYear is the timetable's part in the turn of the year: lessons belong to divisions and groups, which keep them.
func nextYear() []api.NextYear {
	return []api.NextYear{{Part: api.TimetablePart, Carry: keepLessons}}
}

// keepLessons says which lessons go on, and what they lack in the new year.
func keepLessons(c api.Ctx, t api.YearTurn) (api.CarriedOver, error) {
	var out api.CarriedOver
	var count struct{ Lessons, Divisions, Untaught int }
	var empty []string
	var gone []struct {
		Name string
		N    int
	}
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select count(*)::int as lessons, count(distinct division_id)::int as divisions,
			count(*) filter (where teacher_id is null)::int as untaught from timetable_slot`, Scan: tenancy.Row(&count)},
		tenancy.Query{SQL: `select k.name || ' ' || d.name from division d join class k on k.id = d.class_id
			where exists (select from enrolment e where e.division_id = d.id and e.academic_year_id = $1)
			and not exists (select from timetable_slot s where s.division_id = d.id) order by k.level, k.name, d.name`,
			Args: []any{t.To.ID}, Scan: tenancy.Values(&empty)},
		tenancy.Query{SQL: `select trim(e.first_name || ' ' || e.last_name) as name, count(*)::int as n
			from timetable_slot s join employee e on e.id = s.teacher_id and e.status <> 'ACTIVE' group by e.id order by 1`,
			Scan: tenancy.Collect(&gone)})
	if err != nil {
		return out, fmt.Errorf("reading the timetable: %w", err)
	}
	if count.Lessons == 0 {
		return out, nil
	}
	out.Records = count.Lessons
	out.Will = []string{fmt.Sprintf("%d divisions and their groups keep their week: %d lessons", count.Divisions, count.Lessons)}
	if count.Untaught > 0 {
		out.Missing = append(out.Missing, fmt.Sprintf("%d lessons have no teacher", count.Untaught))
	}
	for _, g := range gone {
		out.Missing = append(out.Missing, fmt.Sprintf("%s is not active any more: %d lessons need another teacher", g.Name, g.N))
	}
	if len(empty) > 0 {
		out.Missing = append(out.Missing, "Without lessons: "+strings.Join(empty, ", "))
	}
	return out, nil
}
