package timetable

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// Clash is two lessons at one time that need the same teacher, room or division.
type Clash struct {
	Kind   string `json:"kind" doc:"TEACHER, ROOM, DIVISION, GROUP, or STUDENT: students who are in both groups"`
	First  Slot   `json:"first"`
	Second Slot   `json:"second"`
	index  int    // of First among those that were sent
	who    string // of STUDENT
}

func (x Clash) String() string {
	what := "The division"
	switch x.Kind {
	case "TEACHER":
		what = x.First.TeacherName
	case "ROOM":
		what = "Room " + x.First.Room
	case "GROUP":
		what = "The group"
	case "STUDENT":
		return fmt.Sprintf("%s would sit in both: %s and %s", x.who, x.First, x.Second)
	}
	return fmt.Sprintf("%s is booked twice: %s and %s", what, x.First, x.Second)
}

// pair is two groups.
type pair struct{ first, second uuid.UUID }

// sharedMembers says who is in one of the groups and in another, now or later.
func sharedMembers(c api.Ctx, groups []uuid.UUID) (map[pair]string, error) {
	out := map[pair]string{}
	if len(groups) == 0 {
		return out, nil
	}
	var found []struct {
		First, Second uuid.UUID
		Names         []string // the first five
		Total         int
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `with coming as (
			select distinct m.group_id, m.student_id, m.from_date, m.to_date from student_group_member m
			join student_group_division y on y.group_id = m.group_id
			join enrolment e on e.student_id = m.student_id and e.division_id = y.division_id
			where (m.to_date is null or m.to_date >= $2) and (e.end_date is null or e.end_date >= $2))
		select a.group_id as first, b.group_id as second, 
			(array_agg(distinct trim(s.first_name || ' ' || s.last_name)))[1:5] as names, count(distinct s.id) as total
		from coming a join coming b on b.student_id = a.student_id and b.group_id <> a.group_id
			and daterange(a.from_date, a.to_date, '[]') && daterange(b.from_date, b.to_date, '[]')
		join student s on s.id = a.student_id and s.deleted_at is null
		where a.group_id = any($1) group by a.group_id, b.group_id`, Args: []any{groups, c.Today()}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return nil, fmt.Errorf("looking who is in two groups: %w", err)
	}
	for _, f := range found {
		who := strings.Join(f.Names, ", ")
		if more := f.Total - len(f.Names); more > 0 {
			who += fmt.Sprintf(" and %d more", more)
		}
		out[pair{f.First, f.Second}] = who
	}
	return out, nil
}

// clashes finds every pair of a new lesson and another one, new or not, that cannot
// both be held. Lessons are looked up by who or what they need, not all by all. Two groups of
// a division can have lessons at one time, unless they share members.
func clashes(fresh, others []Slot, shared map[pair]string) []Clash {
	type need struct {
		kind string
		key  string
		day  int
	}
	needs := func(s Slot) []need {
		var n []need
		for _, p := range s.Places {
			n = append(n, need{"DIVISION", p.DivisionID.String(), s.DayOfWeek})
		}
		if s.TeacherID != nil && *s.TeacherID != uuid.Nil {
			n = append(n, need{"TEACHER", s.TeacherID.String(), s.DayOfWeek})
		}
		if s.Room != "" {
			n = append(n, need{"ROOM", strings.ToLower(s.Room), s.DayOfWeek})
		}
		return n
	}
	type booking struct {
		Slot
		id int
	}
	booked := map[need][]booking{}
	for i, s := range others {
		for _, n := range needs(s) {
			booked[n] = append(booked[n], booking{s, i})
		}
	}
	var found []Clash
	for i, s := range fresh {
		met := map[int]bool{} // groups of several divisions meet in each of them
		for _, n := range needs(s) {
			for _, o := range booked[n] {
				x := Clash{Kind: n.kind, First: s, Second: o.Slot, index: i}
				switch {
				case !s.sameTime(o.Slot):
					continue
				case n.kind != "DIVISION":
					if s.sameStudents(o.Slot) { // they themselves are booked twice
						continue
					}
				case met[o.id]:
					continue
				case s.GroupID != nil && s.sameStudents(o.Slot):
					x.Kind = "GROUP"
				case s.GroupID != nil && o.GroupID != nil:
					if x.who = shared[pair{*s.GroupID, *o.GroupID}]; x.who == "" {
						continue
					}
					x.Kind = "STUDENT"
				}
				if n.kind == "DIVISION" {
					met[o.id] = true
				}
				found = append(found, x)
			}
			booked[n] = append(booked[n], booking{s, len(others) + i})
		}
	}
	return found
}

// refuseClashes answers with all clashes at once, each naming both lessons. field
// says which field of the request the nth lesson's clash is about.
func refuseClashes(found []Clash, field func(index int) string) error {
	if len(found) == 0 {
		return nil
	}
	message := found[0].String()
	if len(found) > 1 {
		message += fmt.Sprintf(" (and %d more)", len(found)-1)
	}
	refusal := api.Conflict("%s", message)
	for _, x := range found {
		refusal.Details = append(refusal.Details, api.Detail{Field: field(x.index), Message: x.String()})
	}
	refusal.Data = struct {
		Clashes []Clash `json:"clashes"`
	}{found}
	return refusal
}
