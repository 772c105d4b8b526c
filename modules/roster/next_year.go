package roster

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// nextYear is what the roster carries over into the next year, besides the students themselves.
func (m *Module) nextYear() []api.NextYear {
	return []api.NextYear{
		{Part: api.AssignmentsPart, Permission: "employee", Carry: carryAssignments, Undo: undoAssignments},
		{Part: api.GroupsPart, Permission: "class", Carry: m.carryGroups, Undo: undoGroups},
	}
}

// carryAssignments gives teachers the classes they had. One who has assignments in the new year already keeps to those,
// and one who has left gets none.
func carryAssignments(c api.Ctx, t api.YearTurn) (api.CarriedOver, error) {
	var out api.CarriedOver
	var made []struct {
		ID, UserID uuid.UUID
		Seen       string
	}
	var byHand int
	var gone []struct {
		Name string
		N    int
	}
	var without []string
	years := []any{t.From.ID, t.To.ID}
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select count(distinct user_id)::int from teacher_assignment where academic_year_id = $1`, Args: years[1:],
			Scan: tenancy.One(&byHand)},
		tenancy.Query{SQL: `insert into teacher_assignment (id, user_id, academic_year_id, class_id, division_id, subject_id, is_class_teacher,
			created_by, updated_by, created_at, updated_at)
			select gen_random_uuid(), a.user_id, $2, a.class_id, a.division_id, a.subject_id, a.is_class_teacher, $3, $3, $4, $4
			from teacher_assignment a join employee e on e.user_id = a.user_id and e.status = 'ACTIVE' and e.employee_type = 'TEACHER'
			where a.academic_year_id = $1
			and not exists (select from teacher_assignment n where n.user_id = a.user_id and n.academic_year_id = $2)
			on conflict do nothing
			returning id, user_id, concat_ws(' ', user_id, class_id, division_id, subject_id, is_class_teacher) as seen`,
			Args: append(years, c.User.ID, c.Now), Scan: tenancy.Collect(&made)},
		tenancy.Query{SQL: `select trim(e.first_name || ' ' || e.last_name) as name, count(*)::int as n from teacher_assignment a
			join employee e on e.user_id = a.user_id and not (e.status = 'ACTIVE' and e.employee_type = 'TEACHER')
			where a.academic_year_id = $1 group by e.id order by 1`, Args: years[:1], Scan: tenancy.Collect(&gone)},
		tenancy.Query{SQL: `select k.name || ' ' || d.name from division d join class k on k.id = d.class_id
			where exists (select from enrolment e where e.division_id = d.id and e.academic_year_id = $1)
			and not exists (select from teacher_assignment a where a.division_id = d.id and a.is_class_teacher
				and (a.academic_year_id = $1 or a.academic_year_id is null))
			order by k.level, k.name, d.name`, Args: years[1:], Scan: tenancy.Values(&without)})
	if err != nil {
		return out, fmt.Errorf("carrying assignments over: %w", err)
	}
	ids, teachers := []uuid.UUID{}, map[uuid.UUID]bool{}
	for _, a := range made {
		ids, out.Seen = append(ids, a.ID), append(out.Seen, a.Seen)
		teachers[a.UserID] = true
	}
	slices.Sort(out.Seen)
	out.Records, out.Made = len(ids), ids
	if len(ids) > 0 {
		out.Will = []string{fmt.Sprintf("%d teachers keep their classes and subjects (%d assignments)", len(teachers), len(ids))}
	}
	if byHand > 0 {
		out.Will = append(out.Will, fmt.Sprintf("%d teachers have assignments of %s already: these stay as they are", byHand, t.To.Name))
	}
	for _, g := range gone {
		out.Missing = append(out.Missing, fmt.Sprintf("%s is no active teacher: %d assignments are for somebody else", g.Name, g.N))
	}
	if len(without) > 0 {
		out.Missing = append(out.Missing, "Without a class teacher: "+strings.Join(without, ", "))
	}
	return out, nil
}

func undoAssignments(c api.Ctx, _ api.YearTurn, made json.RawMessage) error {
	var ids []uuid.UUID
	if err := json.Unmarshal(made, &ids); err != nil {
		return fmt.Errorf("reading what was made: %w", err)
	}
	if err := c.DB.Exec(`delete from teacher_assignment where id in ?`, append(ids, uuid.Nil)).Error; err != nil {
		return fmt.Errorf("taking assignments back: %w", err)
	}
	return nil
}

// madeGroups is what undoing the groups' part needs: the memberships that begin, and those that end.
type madeGroups struct {
	Begun []uuid.UUID `json:"begun"`
	Ended []uuid.UUID `json:"ended"`
}

// groupMove is a member of a group whose new division is none of the group's.
type groupMove struct {
	Member, Student  uuid.UUID
	GroupName, Place string
	Targets          []uuid.UUID // groups of the new division for the same subject
	Already          bool        // in one of them
}

// movingMembers are the members of groups who sit in another division from the first day of the new year on.
const movingMembers = `select m.id as member, m.student_id as student, g.name as group_name, k.name || ' ' || d.name as place,
	array(select h.id ` + groupsOfPlace + ` order by h.id) as targets,
	exists (select from student_group_member i where i.student_id = m.student_id and (i.to_date is null or i.to_date >= $4)
		and i.group_id in (select h.id ` + groupsOfPlace + `)) as already
	from student_group_member m join student_group g on g.id = m.group_id
	join enrolment n on n.student_id = m.student_id and n.academic_year_id = $2 and n.start_date = $4
	join enrolment o on o.student_id = m.student_id and o.academic_year_id = $1 and o.end_date = $3
	join student_group_division was on was.group_id = m.group_id and was.division_id = o.division_id
	join division d on d.id = n.division_id join class k on k.id = d.class_id
	where m.to_date is null and m.from_date <= $3
	and not exists (select from student_group_division y where y.group_id = m.group_id and y.division_id = n.division_id)
	order by k.level, k.name, d.name, g.name, m.id`

const groupsOfPlace = `from student_group h join student_group_division y on y.group_id = h.id and y.division_id = n.division_id
	where h.subject_id = g.subject_id and h.kind = g.kind`

// carryGroups takes the members of elective groups and batches into the group of the same subject in their new division.
// Where there is none, or more than one, the office decides.
func (m *Module) carryGroups(c api.Ctx, t api.YearTurn) (api.CarriedOver, error) {
	out := api.CarriedOver{Made: madeGroups{Begun: []uuid.UUID{}, Ended: []uuid.UUID{}}}
	if err := LockGroups(c); err != nil {
		return out, err
	}
	var moves []groupMove
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: movingMembers,
		Args: []any{t.From.ID, t.To.ID, t.From.EndDate, t.To.StartDate}, Scan: tenancy.Collect(&moves)})
	if err != nil {
		return out, fmt.Errorf("reading the members of groups: %w", err)
	}
	made := madeGroups{Begun: []uuid.UUID{}, Ended: []uuid.UUID{}}
	var students, groups []uuid.UUID
	undecided := map[string]int{}
	var order []string
	for _, move := range moves {
		out.Seen = append(out.Seen, fmt.Sprint(move.Member, move.Place, move.Targets, move.Already))
		if !move.Already && len(move.Targets) != 1 {
			why := "has no group of the subject"
			if len(move.Targets) > 1 {
				why = "has several groups of the subject"
			}
			line := fmt.Sprintf("%s (from %s) %s", move.Place, move.GroupName, why)
			if undecided[line] == 0 {
				order = append(order, line)
			}
			undecided[line]++
			continue
		}
		made.Ended = append(made.Ended, move.Member)
		if !move.Already {
			made.Begun, students, groups = append(made.Begun, api.NewID()), append(students, move.Student), append(groups, move.Targets[0])
		}
	}
	for _, line := range order {
		out.Missing = append(out.Missing, fmt.Sprintf("%s: %d students to be placed", line, undecided[line]))
	}
	if len(made.Ended) == 0 {
		return out, nil
	}
	clash, err := m.moveMembers(c, t, made, students, groups)
	if err != nil {
		return out, err
	}
	if clash != "" {
		out.Missing = append(out.Missing, "The groups' lessons cannot be held with last year's members, so nobody is carried over: "+clash)
		return out, nil
	}
	out.Made, out.Records = made, len(made.Begun)
	out.Will = []string{fmt.Sprintf("%d memberships go on in the groups of the new classes", len(made.Begun))}
	return out, nil
}

// moveMembers ends memberships with the old year and begins others with the new one. If lessons then clash it does nothing
// and says which.
func (m *Module) moveMembers(c api.Ctx, t api.YearTurn, made madeGroups, students, groups []uuid.UUID) (clash string, err error) {
	if err := c.DB.SavePoint("groups").Error; err != nil {
		return "", fmt.Errorf("carrying groups over: %w", err)
	}
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `update student_group_member set to_date = $2 where id = any($1)`, Args: []any{made.Ended, t.From.EndDate}},
		tenancy.Query{SQL: `insert into student_group_member (id, group_id, student_id, from_date, created_by, created_at)
			select v.id, v.group_id, v.student_id, $4, $5, $6 from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as v(id, group_id, student_id)`,
			Args: []any{made.Begun, groups, students, t.To.StartDate, c.User.ID, c.Now}})
	if err != nil {
		return "", fmt.Errorf("carrying groups over: %w", err)
	}
	slices.SortFunc(groups, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
	err = m.checkLessons(c, slices.Compact(groups)...)
	var refusal *api.Error
	if errors.As(err, &refusal) && refusal.Status == 409 {
		return refusal.Message, c.DB.RollbackTo("groups").Error
	}
	return "", err
}

func undoGroups(c api.Ctx, t api.YearTurn, raw json.RawMessage) error {
	var made madeGroups
	if err := json.Unmarshal(raw, &made); err != nil {
		return fmt.Errorf("reading what was made: %w", err)
	}
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `delete from student_group_member where id = any($1)`, Args: []any{made.Begun}},
		tenancy.Query{SQL: `update student_group_member set to_date = null where id = any($1) and to_date = $2`,
			Args: []any{made.Ended, t.From.EndDate}})
	if err != nil {
		return fmt.Errorf("taking groups back: %w", err)
	}
	return nil
}
