package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// bells are the periods of a day.
var bells = []struct {
	name, from, to string
	isBreak        bool
}{
	{"1st period", "08:30", "09:15", false}, {"2nd period", "09:15", "10:00", false}, {"Break", "10:00", "10:20", true},
	{"3rd period", "10:20", "11:05", false}, {"4th period", "11:05", "11:50", false}, {"Lunch", "11:50", "12:30", true},
	{"5th period", "12:30", "13:15", false}, {"6th period", "13:15", "14:00", false},
}

// addLessons makes subjects, periods, who teaches what, and every division's week.
func (b *builder) addLessons(ctx context.Context) error {
	for _, step := range []func(context.Context) error{b.importSubjects, b.addPeriods, b.importAssignments, b.importWeek} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// importSubjects takes the subjects in, and that all classes have them.
func (b *builder) importSubjects(ctx context.Context) error {
	rows := [][]string{words("code name type maxMarks passMarks classes weeklyPeriods")}
	for i, s := range b.plan.subjects {
		kind := "CORE"
		if !s.exam {
			kind = "CO_SCHOLASTIC"
		}
		rows = append(rows, []string{s.code, s.name, kind, "100", "35", strings.Join(b.plan.classes, "; "), fmt.Sprint(b.plan.weekly(i))})
	}
	return b.takeIn(ctx, "/school-admin/subject/import", "subjects", rows)
}

// importAssignments says what teachers teach, and whose class teachers they are.
func (b *builder) importAssignments(ctx context.Context) error {
	rows := [][]string{words("employeeCode class division subject classTeacher")}
	for _, e := range b.plan.staff() {
		if e.kind != "TEACHER" {
			continue
		}
		for n := e.group * teacherGroup; n < min((e.group+1)*teacherGroup, b.plan.allDivisions()); n++ {
			class, division := b.plan.divisionNames(n)
			for s := e.subject; s < len(b.plan.subjects); s++ {
				if s > e.subject && e.subject < lessonsADay-1 {
					break
				}
				rows = append(rows, []string{e.code, class, division, b.plan.subjects[s].code, "no"})
			}
			if n%teacherGroup == e.subject {
				rows = append(rows, []string{e.code, class, division, "", "yes"})
			}
		}
	}
	return b.takeIn(ctx, "/school-admin/employee/assignments/import", "assignments", rows)
}

// importWeek takes every division's lessons in.
func (b *builder) importWeek(ctx context.Context) error {
	teachers := map[[2]int]string{} // by subject and group
	for _, e := range b.plan.staff() {
		if e.kind == "TEACHER" {
			teachers[[2]int{e.subject, e.group}] = e.code
		}
	}
	var lessons []string // the periods that are no breaks
	for _, bell := range bells {
		if !bell.isBreak {
			lessons = append(lessons, bell.name)
		}
	}
	rows := [][]string{words("class division day period subject employeeCode room")}
	for n := range b.plan.allDivisions() {
		class, division := b.plan.divisionNames(n)
		room := fmt.Sprintf("%d0%d", n/len(b.plan.divisions)+1, n%len(b.plan.divisions)+1)
		for day := range 5 {
			for period, name := range lessons {
				subject := (period + n%teacherGroup + day) % lessonsADay
				rows = append(rows, []string{class, division, time.Weekday(day + 1).String(), name,
					b.plan.subjects[b.plan.heldAs(subject, day)].code, teachers[[2]int{subject, n / teacherGroup}], room})
			}
		}
	}
	return b.takeIn(ctx, "/school-admin/timetable/import", "lessons", rows)
}

// divisionNames are those of the nth division and its class.
func (p *plan) divisionNames(n int) (class, division string) {
	return p.classes[n/len(p.divisions)], p.divisions[n%len(p.divisions)]
}

// allDivisions is how many there are.
func (p *plan) allDivisions() int { return len(p.classes) * len(p.divisions) }

// heldAs is the subject of a teacher's lesson on a day: those after the fifth share a teacher and a period.
func (p *plan) heldAs(subject, day int) int {
	if subject < lessonsADay-1 {
		return subject
	}
	return subject + day%(len(p.subjects)-lessonsADay+1)
}

// weekly is how many lessons of a subject a division has in a week.
func (p *plan) weekly(subject int) int {
	n := 0
	for day := range 5 {
		for s := range lessonsADay {
			if p.heldAs(s, day) == subject {
				n++
			}
		}
	}
	return n
}

// subjectIDs finds the subjects, in the plan's order.
func (b *builder) subjectIDs(ctx context.Context) ([]uuid.UUID, error) {
	there, err := list[struct {
		ID   uuid.UUID
		Code string
	}](ctx, b.office, "/school-admin/subject/list", nil)
	if err != nil {
		return nil, err
	}
	out := make([]uuid.UUID, len(b.plan.subjects))
	for i, s := range b.plan.subjects {
		for _, t := range there {
			if t.Code == s.code {
				out[i] = t.ID
			}
		}
		if out[i] == uuid.Nil {
			return nil, fmt.Errorf("the subject %s is gone", s.code)
		}
	}
	return out, nil
}

// addPeriods makes the periods of the day that are not there.
func (b *builder) addPeriods(ctx context.Context) error {
	there, err := list[named](ctx, b.office, "/school-admin/timetable/period/list", nil)
	if err != nil {
		return err
	}
	for _, bell := range bells {
		if slices.ContainsFunc(there, func(n named) bool { return n.Name == bell.name }) {
			continue
		}
		if err := b.post(ctx, "/school-admin/timetable/period/create", fields{"name": bell.name, "startTime": bell.from,
			"endTime": bell.to, "isBreak": bell.isBreak}, nil); err != nil {
			return err
		}
	}
	return nil
}
