package timetable

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/notice"
	"homeroom/tenancy"
)

// tellTaken tells teachers that they need not hold lessons any more.
func tellTaken(c api.Ctx, list []Substitution, lessons []Slot) error {
	byID := map[uuid.UUID]Slot{}
	for _, s := range lessons {
		byID[s.ID] = s
	}
	return tellSubstitutes(c, "substitution.taken", list, byID)
}

// tellSubstitutes tells teachers of lessons that they hold for others, or hold no longer, and if the school wants it the
// students' families. Past days send nothing.
func tellSubstitutes(c api.Ctx, text string, list []Substitution, lessons map[uuid.UUID]Slot) error {
	var ids []uuid.UUID
	for _, s := range list {
		ids = append(ids, s.SubstituteTeacherID)
	}
	teachers, err := recordsByID(c, ids, func(e roster.Employee) uuid.UUID { return e.ID })
	if err != nil {
		return err
	}
	for _, s := range list {
		user := teachers[s.SubstituteTeacherID].UserID
		if user == nil || s.Date.Before(c.Today()) {
			continue
		}
		l := lessons[s.SlotID]
		until := s.Date.AddDays(1).In(c.School.Location())
		notice.Send(c, notice.Notice{
			Until: &until, Begins: l.StartTime.On(s.Date, c.School.Location()),
			Type: notice.Timetable, Key: fmt.Sprintf("%s %s %s %d", text, s.ID, s.SubstituteTeacherID, c.Now.UnixNano()),
			RecordID: s.ID, UserID: user,
			Text: notice.Text{Name: text, Values: notice.Values{"subject": l.SubjectName, "whose": l.whose(), "date": notice.On(s.Date),
				"period": l.PeriodName, "from": l.StartTime, "to": l.EndTime, "note": s.Note}},
		})
	}
	return tellClasses(c, text, list, lessons, teachers)
}

// tellClasses tells the families of the students of lessons who holds them, or that their teacher does after all, if the
// school wants it.
func tellClasses(c api.Ctx, text string, list []Substitution, lessons map[uuid.UUID]Slot, teachers map[uuid.UUID]roster.Employee) error {
	if len(list) == 0 {
		return nil
	}
	var wanted bool
	if err := c.DB.Raw(`select substitutions_to_classes from school_setting`).Scan(&wanted).Error; err != nil {
		return fmt.Errorf("reading whether classes are notified of substitutions: %w", err)
	}
	if !wanted {
		return nil
	}
	for _, s := range list {
		if s.Date.Before(c.Today()) {
			continue
		}
		students, err := LessonStudents(c, s.SlotID, s.Date)
		if err != nil {
			return err
		}
		people := make([]notice.Concerned, len(students))
		for i, st := range students {
			people[i] = notice.Concerned{StudentID: &st.ID, Name: roster.FullName(st.FirstName, st.LastName)}
		}
		l, teacher := lessons[s.SlotID], teachers[s.SubstituteTeacherID]
		until := s.Date.AddDays(1).In(c.School.Location())
		notice.Send(c, notice.ToEach(people, notice.Notice{
			Until: &until, Day: s.Date, Begins: l.StartTime.On(s.Date, c.School.Location()),
			Type: notice.Timetable, Key: fmt.Sprintf("%s:%s:%s:%d", text, s.ID, s.SubstituteTeacherID, c.Now.UnixNano()), RecordID: s.ID,
			Text: notice.Text{Name: text + "-class",
				Values: notice.Values{"subject": l.SubjectName, "teacher": teacher.Name(), "date": notice.On(s.Date),
					"period": l.PeriodName, "from": l.StartTime, "to": l.EndTime}},
		})...)
	}
	return nil
}

// selectConcerned are the students of the divisions $1 and groups $2, now or later than the day $3, and the teachers $4.
var selectConcerned = notice.SelectConcerned(notice.ConcernedStudents+`exists (select from enrolment e where e.student_id = s.id
		and (e.end_date is null or e.end_date >= $3) and (e.division_id = any($1::uuid[])
			or exists (select from student_group_member m join student_group_division y on y.group_id = m.group_id and y.division_id = e.division_id
				where m.student_id = s.id and m.group_id = any($2::uuid[]) and (m.to_date is null or m.to_date >= $3))))`,
	notice.ConcernedTeachers+`e.id = any($4::uuid[])`)

// tellWeek tells the families of the students and the teachers of lessons that were changed: by one day's changes once, and
// once more if lessons that begin soon are among them and were not before.
func tellWeek(c api.Ctx, record uuid.UUID, changed []Slot) error {
	if len(changed) == 0 {
		return nil
	}
	var divisions []uuid.UUID
	for _, s := range changed {
		if s.DivisionID != nil {
			divisions = append(divisions, *s.DivisionID)
		}
	}
	var people []notice.Concerned
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: selectConcerned, Args: []any{divisions, groupsOf(changed), c.Today(), teachersOf(changed)},
			Scan: tenancy.Collect(&people)})
	if err != nil {
		return fmt.Errorf("reading whom a timetable concerns: %w", err)
	}
	begins, key := nextLesson(c, changed), "timetable.changed:"+c.Today().String()
	if notice.IsSoon(c.Now, begins) {
		key += ":soon"
	}
	for _, p := range people {
		notice.Send(c, notice.ToEach([]notice.Concerned{p}, notice.Notice{
			Type: notice.Timetable, Key: key, RecordID: record, Begins: begins,
			Text: notice.Text{Name: "timetable.changed", Values: notice.Values{"who": p.Name}},
		})...)
	}
	return nil
}

// nextLesson is when the next of some lessons begins, as by the week alone.
func nextLesson(c api.Ctx, lessons []Slot) (next time.Time) {
	for _, l := range lessons {
		for n := range 8 { // today's may be over
			day := c.Today().AddDays(n)
			begins := l.StartTime.On(day, c.School.Location())
			if int(begins.Weekday()) != l.DayOfWeek%7 || begins.Before(c.Now) {
				continue
			}
			if next.IsZero() || begins.Before(next) {
				next = begins
			}
			break
		}
	}
	return next
}

// changedLessons are the lessons that two weeks do not have in common, as they were and as they are. The first week of all
// is no change.
func changedLessons(before, after []Slot) (changed []Slot) {
	if len(before) == 0 {
		return nil
	}
	same := func(a Slot) func(Slot) bool {
		return func(b Slot) bool {
			return a.DayOfWeek == b.DayOfWeek && a.PeriodID == b.PeriodID && a.SubjectID == b.SubjectID && a.Room == b.Room &&
				(a.TeacherID == nil) == (b.TeacherID == nil) && (a.TeacherID == nil || *a.TeacherID == *b.TeacherID)
		}
	}
	for _, s := range before {
		if !slices.ContainsFunc(after, same(s)) {
			changed = append(changed, s)
		}
	}
	for _, s := range after {
		if !slices.ContainsFunc(before, same(s)) {
			changed = append(changed, s)
		}
	}
	return changed
}
