package notice

import (
	"maps"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
)

// Concerned is one whom a plan is about: a student, whose guardians get the notice, or a user of the staff.
type Concerned struct {
	StudentID, UserID *uuid.UUID
	Name              string
}

func (p Concerned) id() uuid.UUID {
	if p.UserID != nil {
		return *p.UserID
	}
	return *p.StudentID
}

// ConcernedStudents is the beginning of a query of students s, as Concerned. A condition follows.
const ConcernedStudents = `select s.id as student_id, null::uuid as user_id, trim(s.first_name || ' ' || s.last_name) as name,
	(select min(x.guardian_id::text) from student_guardian x where x.student_id = s.id) as family
	from student s where s.deleted_at is null and s.status = 'ACTIVE' and `

// ConcernedTeachers is the beginning of a query of teachers u, and as e the employees they are, as Concerned. A condition follows.
const ConcernedTeachers = `select null::uuid as student_id, u.id as user_id, coalesce(trim(e.first_name || ' ' || e.last_name),
	'') as name, null as family
	from app_user u join role r on r.id = u.role_id and r.type = 'TEACHER' left join employee e on e.user_id = u.id
	where u.status = 'ACTIVE' and `

// SelectConcerned is the query of those whom some queries name, in an order in which a person's children follow each other:
// what is about them is one message.
func SelectConcerned(queries ...string) string {
	return `select p.student_id, p.user_id, p.name from (` + strings.Join(queries, " union all ") + `) p
		order by p.family nulls last, p.student_id, p.user_id`
}

// ToEach is a notice for everyone concerned. {who} and {child} are a student's name; for the staff {who} is the value it has.
func ToEach(people []Concerned, n Notice) []Notice {
	out := make([]Notice, len(people))
	for i, p := range people {
		one := n
		one.StudentID, one.UserID, one.Key = p.StudentID, p.UserID, n.Key+"/"+p.id().String()
		if p.StudentID != nil {
			one.Text.Values = maps.Clone(n.Text.Values)
			one.Text.Values["who"], one.Text.Values["child"] = p.Name, p.Name
		}
		out[i] = one
	}
	return out
}

// Compare says whom a plan concerns since it was changed, whom it still does, and whom it does no longer.
func Compare(before, after []Concerned) (joined, stayed, left []Concerned) {
	was, is := map[uuid.UUID]bool{}, map[uuid.UUID]bool{}
	for _, p := range before {
		was[p.id()] = true
	}
	for _, p := range after {
		if is[p.id()] = true; was[p.id()] {
			stayed = append(stayed, p)
		} else {
			joined = append(joined, p)
		}
	}
	for _, p := range before {
		if !is[p.id()] {
			left = append(left, p)
		}
	}
	return joined, stayed, left
}

// Days are days in words: one, or from the first to the last.
func Days(first, last On) Text {
	if first == last {
		return Text{Name: "days.one", Values: Values{"date": first}}
	}
	return Text{Name: "days.span", Values: Values{"from": api.Date(first), "to": api.Date(last)}}
}
