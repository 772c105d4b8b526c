package timetable

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/modules/roster"
	"homeroom/modules/roster/lookup"
	"homeroom/sheet"
	"homeroom/tenancy"
)

// The columns of a file of lessons: each row is one lesson of the week. They are also those of FET's timetable as CSV.
const (
	colLessonClass = iota
	colLessonDivision
	colLessonGroup
	colLessonDay
	colLessonPeriod
	colLessonSubject
	colLessonTeacher
	colLessonRoom
)

var lessonSheet = []sheet.Column{
	colLessonClass: {Name: "class", Check: sheet.Text(100), Also: []string{"className", "grade", "standard", "studentsSets", "students",
		"classSection", "कक्षा", "الصف", "darasa"}},
	colLessonDivision: {Name: "division", Check: sheet.Text(30), Also: []string{"section", "sec", "div", "stream", "अनुभाग", "सेक्शन",
		"الشعبة", "mkondo"}},
	colLessonGroup: {Name: "group", Check: sheet.Text(100), Also: []string{"elective", "batch"}},
	colLessonDay:   {Name: "day", Check: sheet.Weekday, Also: []string{"dayOfWeek", "weekday", "दिन", "اليوم", "siku"}},
	colLessonPeriod: {Name: "period", Check: sheet.Text(60),
		Also: []string{"hour", "lesson", "periodNo", "time", "startTime", "घंटा", "पीरियड", "الحصة", "kipindi"}},
	colLessonSubject: {Name: "subject", Check: sheet.Text(100), Also: []string{"subjectName", "subjectCode", "विषय", "المادة", "somo"}},
	colLessonTeacher: {Name: "teacher", Check: sheet.Text(200), Also: []string{"teachers", "teacherName", "teacherCode", "employeeCode",
		"शिक्षक", "المعلم", "mwalimu"}},
	colLessonRoom: {Name: "room", Check: sheet.Text(30), Also: []string{"roomNo", "classroom", "कमरा", "الغرفة", "chumba"}},
}

// lessons are files of the week's lessons: a table of the school's own, FET's timetable as CSV or its own file, or aSc's XML. A lesson
// that a division or group has at the same time is replaced, all others stay.
func lessons() imports.Kind[lookup.SubjectImport] {
	return imports.Kind[lookup.SubjectImport]{
		Key: "TIMETABLE", Path: "/school-admin/timetable/import", Permission: "timetable", Columns: lessonSheet, Most: 20_000,
		Summary: "Import the week's lessons from a CSV file or workbook, a file of FET or aSc's XML",
		Tables:  append(slices.Clone(lookup.SubjectTables), "timetable_slot"),
		Convert: convertXML,
		Begin: func(_ api.Ctx, r lookup.SubjectImport) (imports.Reading, error) {
			return imports.ByLine(lessonSheet, func(c api.Ctx, lines []imports.Line, d *imports.Draft) error {
				return planLessons(c, lines, d, r.CreateSubjects)
			}), nil
		},
	}
}

// schoolWeek is what lessons are made of, by the names a file may give it.
type schoolWeek struct {
	places       *lookup.Places
	subjects     *lookup.NewSubjects
	teachers     *lookup.Names
	groups       map[string]groupLike
	periods      map[string]Period
	shown        []string
	there        map[lessonKey]Slot
	subjectNames map[uuid.UUID]string
}

type groupLike struct {
	ID        uuid.UUID
	Name      string
	SubjectID uuid.UUID
	Divisions []uuid.UUID
	Classes   []uuid.UUID
}

// lessonKey is whose lesson is when.
type lessonKey struct {
	whose  uuid.UUID
	day    int
	period uuid.UUID
}

func (s Slot) key() lessonKey {
	if s.GroupID != nil {
		return lessonKey{*s.GroupID, s.DayOfWeek, s.PeriodID}
	}
	return lessonKey{*s.DivisionID, s.DayOfWeek, s.PeriodID}
}

func readWeek(c api.Ctx, mayMake bool) (*schoolWeek, []Slot, error) {
	w := &schoolWeek{groups: map[string]groupLike{}, periods: map[string]Period{}, there: map[lessonKey]Slot{},
		subjectNames: map[uuid.UUID]string{}}
	if err := lockTimetable(c); err != nil {
		return nil, nil, err
	}
	var err error
	if w.places, err = lookup.ReadPlaces(c); err != nil {
		return nil, nil, err
	}
	if w.subjects, err = lookup.FindSubjects(c, mayMake); err != nil {
		return nil, nil, err
	}
	if w.teachers, err = lookup.Teachers(c); err != nil {
		return nil, nil, err
	}
	var periods []Period
	if err := c.DB.Where("not is_break").Order("start_time, end_time").Find(&periods).Error; err != nil {
		return nil, nil, fmt.Errorf("reading periods: %w", err)
	}
	for i, p := range periods {
		w.shown = append(w.shown, p.Name)
		for _, name := range []string{strconv.Itoa(i + 1), "p" + strconv.Itoa(i+1), "period " + strconv.Itoa(i+1), string(p.StartTime)} {
			if _, taken := w.periods[name]; !taken {
				w.periods[name] = p
			}
		}
	}
	for _, p := range periods { // a name counts more than a number
		w.periods[api.Fold(p.Name)] = p
	}
	var groups []groupLike
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select g.id, g.name, g.subject_id, array_agg(d.id) as divisions,
		array_agg(d.class_id) as classes
		from student_group g join student_group_division y on y.group_id = g.id join division d on d.id = y.division_id
		group by g.id, g.name, g.subject_id`, Scan: tenancy.Collect(&groups)})
	if err != nil {
		return nil, nil, fmt.Errorf("reading groups: %w", err)
	}
	for _, g := range groups {
		w.groups[api.Fold(g.Name)] = g
	}
	var subjects []roster.Subject
	if err := c.DB.Find(&subjects).Error; err != nil {
		return nil, nil, fmt.Errorf("reading subjects: %w", err)
	}
	for _, s := range subjects {
		w.subjectNames[s.ID] = s.Name
	}
	now, err := slots(c, "true")
	for _, s := range now {
		w.there[s.key()] = s
	}
	return w, now, err
}

// period finds a period by its name, its number or when it begins.
func (w *schoolWeek) period(cell string) (Period, bool) {
	p, there := w.periods[api.Fold(cell)]
	if !there {
		start, _, _ := strings.Cut(cell, "-")
		if clock, err := sheet.Clock(strings.TrimSpace(start)); err == nil {
			p, there = w.periods[clock]
		}
	}
	return p, there
}

func planLessons(c api.Ctx, lines []imports.Line, d *imports.Draft, mayMake bool) error {
	w, now, err := readWeek(c, mayMake)
	if err != nil {
		return err
	}
	var fresh []Slot
	var rows []int
	replaced, seen := map[uuid.UUID]bool{}, map[lessonKey]int{}
	for _, l := range lines {
		s, ok := w.lesson(l, d)
		if !ok {
			d.Skip(l.Row)
			continue
		}
		key := s.key()
		if first, twice := seen[key]; twice {
			d.Bad(l.Row, "period", "is that of row %d, too: %s has one lesson at a time", first, s.whose())
			d.Skip(l.Row)
			continue
		}
		seen[key] = l.Row
		old, there := w.there[key]
		if there && old.SubjectID == s.SubjectID && same(old.TeacherID, s.TeacherID) && old.Room == s.Room {
			d.Same(l.Row, old.ID)
			continue
		}
		if there {
			s.ID, replaced[old.ID] = old.ID, true
		}
		fresh, rows = append(fresh, s), append(rows, l.Row)
	}
	var others []Slot
	for _, s := range now {
		if !replaced[s.ID] {
			others = append(others, s)
		}
	}
	shared, err := sharedMembers(c, groupsOf(fresh))
	if err != nil {
		return err
	}
	for _, x := range clashes(fresh, others, shared) {
		d.Bad(rows[x.index], "", "%s", x)
	}
	var made []TimetableSlot
	for i, s := range fresh {
		switch {
		case d.Found.IsBad(rows[i]):
			d.Skip(rows[i])
			continue
		case s.ID == uuid.Nil:
			d.Create(rows[i], s.key(), w.subjects.Key(s.SubjectID), text(s.TeacherID))
			s.ID = api.NewID()
		default:
			d.Update(rows[i], s.ID, w.subjects.Key(s.SubjectID), text(s.TeacherID))
		}
		for _, p := range s.Places {
			w.subjects.Use(s.SubjectID, p.ClassID)
		}
		made = append(made, TimetableSlot{ID: s.ID, DivisionID: s.DivisionID, GroupID: s.GroupID, DayOfWeek: s.DayOfWeek, PeriodID: s.PeriodID,
			SubjectID: s.SubjectID, TeacherID: s.TeacherID, Room: s.Room})
	}
	d.Then(w.subjects.Write)
	d.Then(func(c api.Ctx) error { return writeLessons(c, made) })
	return nil
}

func same(a, b *uuid.UUID) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// lesson is what a row says, if nothing is wrong with it.
func (w *schoolWeek) lesson(l imports.Line, d *imports.Draft) (Slot, bool) {
	var s Slot
	cell := func(col int) string { return l.Cells[col] }
	for _, col := range []int{colLessonDay, colLessonPeriod} {
		if cell(col) == "" && !l.Bad[col] {
			d.Bad(l.Row, lessonSheet[col].Name, "is required")
		}
	}
	s.DayOfWeek, _ = strconv.Atoi(cell(colLessonDay))
	if p, there := w.period(cell(colLessonPeriod)); there {
		s.PeriodID, s.PeriodName, s.StartTime, s.EndTime = p.ID, p.Name, p.StartTime, p.EndTime
	} else if cell(colLessonPeriod) != "" {
		d.Bad(l.Row, "period", "no period is called %q: there are %s", cell(colLessonPeriod), lookup.SomeOf(w.shown))
	}
	if name := cell(colLessonGroup); name != "" {
		g, there := w.groups[api.Fold(name)]
		if !there {
			d.Bad(l.Row, "group", "no group is called %q", name)
		}
		s.GroupID, s.GroupName, s.SubjectID = &g.ID, g.Name, g.SubjectID
		for i := range g.Divisions {
			s.Places = append(s.Places, Place{g.Classes[i], g.Divisions[i]})
		}
	} else if cell(colLessonClass) == "" {
		d.Bad(l.Row, "class", "is required")
	} else if place, column, why := w.places.Find(cell(colLessonClass), cell(colLessonDivision)); why != "" {
		d.Bad(l.Row, column, "%s", why)
	} else if place.DivisionID == uuid.Nil {
		d.Bad(l.Row, "division", "is required: a lesson is of a division")
	} else {
		s.DivisionID, s.ClassName, s.Places = &place.DivisionID, place.Name, []Place{{place.ClassID, place.DivisionID}}
	}
	if name := cell(colLessonSubject); name != "" && s.GroupID == nil {
		s.SubjectID = w.subjects.For(d, l.Row, "subject", name)
	} else if name == "" && s.GroupID == nil && !l.Bad[colLessonSubject] {
		d.Bad(l.Row, "subject", "is required")
	}
	if s.SubjectName, s.Room = w.subjectNames[s.SubjectID], cell(colLessonRoom); s.SubjectName == "" {
		s.SubjectName = w.subjects.Name(s.SubjectID)
	}
	if name := cell(colLessonTeacher); name != "" {
		id, why := w.teachers.Find(name)
		if s.TeacherID, s.TeacherName = &id, name; why != "" {
			d.Bad(l.Row, "teacher", "%s", why)
		}
	}
	return s, !d.Found.IsBad(l.Row)
}

func text(id *uuid.UUID) string {
	if id == nil {
		return ""
	}
	return id.String()
}

// writeLessons adds lessons, and changes those that are there. Teachers and rooms that lessons exchange are given up first.
func writeLessons(c api.Ctx, made []TimetableSlot) error {
	var ids, divisions, groups, periods, subjects, teachers []string
	var days []int
	var rooms []string
	for _, s := range made {
		ids, divisions, groups = append(ids, s.ID.String()), append(divisions, text(s.DivisionID)), append(groups, text(s.GroupID))
		days, periods, subjects = append(days, s.DayOfWeek), append(periods, s.PeriodID.String()), append(subjects, s.SubjectID.String())
		teachers, rooms = append(teachers, text(s.TeacherID)), append(rooms, s.Room)
	}
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `update timetable_slot set teacher_id = null, room = '' where id = any($1::uuid[])`, Args: []any{ids}},
		tenancy.Query{SQL: `insert into timetable_slot (id, division_id, group_id, day_of_week, period_id, subject_id, teacher_id, room,
			created_by, created_at)
			select v.id, nullif(v.division, '')::uuid, nullif(v.grp, '')::uuid, v.day, v.period, v.subject,
				nullif(v.teacher, '')::uuid, v.room, $9, $10
			from unnest($1::uuid[], $2::text[], $3::text[], $4::int[], $5::uuid[], $6::uuid[], $7::text[], $8::text[])
				as v (id, division, grp, day, period, subject, teacher, room)
			on conflict (id) do update set subject_id = excluded.subject_id, teacher_id = excluded.teacher_id, room = excluded.room`,
			Args: []any{ids, divisions, groups, days, periods, subjects, teachers, rooms, c.User.ID, c.Now}})
	if err != nil {
		return fmt.Errorf("writing a timetable: %w", err)
	}
	c.Changed("import", "timetable", uuid.Nil, nil, map[string]any{"lessons": len(made)})
	return nil
}
