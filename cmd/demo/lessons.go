package demo

import (
	"context"
	"fmt"

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
	if err := b.readPeople(ctx); err != nil {
		return err
	}
	subjects, err := b.addSubjects(ctx)
	if err != nil {
		return err
	}
	periods, err := b.addPeriods(ctx)
	if err != nil {
		return err
	}
	for _, class := range b.classes {
		var taken []fields
		for i, id := range subjects {
			taken = append(taken, fields{"subjectId": id, "weeklyPeriods": b.plan.weekly(i)})
		}
		if err := b.put(ctx, "/school-admin/subject/class-subjects", fields{"classId": class, "subjects": taken}); err != nil {
			return err
		}
	}
	teachers := map[[2]int]*worker{} // by subject and group
	for _, e := range b.plan.staff() {
		if e.kind != "TEACHER" {
			continue
		}
		teachers[[2]int{e.subject, e.group}] = b.staff[e.code]
		if err := b.assign(ctx, e, subjects); err != nil {
			return err
		}
	}
	for n := range b.plan.allDivisions() {
		class, division := b.divisionAt(n)
		var slots []fields
		for day := range 5 {
			for period := range lessonsADay {
				subject := (period + n%teacherGroup + day) % lessonsADay
				slots = append(slots, fields{"dayOfWeek": day + 1, "periodId": periods[period], "subjectId": subjects[b.plan.heldAs(subject, day)],
					"teacherId": teachers[[2]int{subject, n / teacherGroup}].ID, "room": fmt.Sprintf("%d0%d", class+1, n%len(b.plan.divisions)+1)})
			}
		}
		if err := b.put(ctx, "/school-admin/timetable/division/"+division.String(), fields{"slots": slots}); err != nil {
			return err
		}
	}
	return nil
}

// allDivisions is how many there are; divisionAt is the nth.
func (p *plan) allDivisions() int { return len(p.classes) * len(p.divisions) }

func (b *builder) divisionAt(n int) (class int, division uuid.UUID) {
	class = n / len(b.plan.divisions)
	return class, b.divisions[class][n%len(b.plan.divisions)]
}

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

// assign says what a teacher teaches, and whose class teacher they are.
func (b *builder) assign(ctx context.Context, e employee, subjects []uuid.UUID) error {
	var given []fields
	for n := e.group * teacherGroup; n < min((e.group+1)*teacherGroup, b.plan.allDivisions()); n++ {
		class, division := b.divisionAt(n)
		for s := e.subject; s < len(subjects); s++ {
			if s > e.subject && e.subject < lessonsADay-1 {
				break
			}
			given = append(given, fields{"classId": b.classes[class], "divisionId": division, "subjectId": subjects[s]})
		}
		if n%teacherGroup == e.subject {
			given = append(given, fields{"classId": b.classes[class], "divisionId": division, "isClassTeacher": true})
		}
	}
	return b.put(ctx, "/school-admin/employee/"+b.staff[e.code].ID.String()+"/assignments", fields{"assignments": given})
}

// addSubjects finds or makes the subjects, in the plan's order.
func (b *builder) addSubjects(ctx context.Context) ([]uuid.UUID, error) {
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
		if out[i] != uuid.Nil {
			continue
		}
		kind := "CORE"
		if !s.exam {
			kind = "CO_SCHOLASTIC"
		}
		var made named
		err := b.post(ctx, "/school-admin/subject/create",
			fields{"name": s.name, "code": s.code, "type": kind, "maxMarks": 100, "passMarks": 35}, &made)
		if err != nil {
			return nil, err
		}
		out[i] = made.ID
	}
	return out, nil
}

// addPeriods finds or makes the periods of the day; it returns those that have lessons.
func (b *builder) addPeriods(ctx context.Context) ([]uuid.UUID, error) {
	there, err := list[named](ctx, b.office, "/school-admin/timetable/period/list", nil)
	if err != nil {
		return nil, err
	}
	var out []uuid.UUID
	for _, bell := range bells {
		var period named
		for _, t := range there {
			if t.Name == bell.name {
				period = t
			}
		}
		if period.ID == uuid.Nil {
			err := b.post(ctx, "/school-admin/timetable/period/create", fields{"name": bell.name, "startTime": bell.from, "endTime": bell.to,
				"isBreak": bell.isBreak}, &period)
			if err != nil {
				return nil, err
			}
		}
		if !bell.isBreak {
			out = append(out, period.ID)
		}
	}
	return out, nil
}
