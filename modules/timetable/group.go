package timetable

import (
	"database/sql"
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// GroupWeek is a group's week: lessons of some students of its divisions.
type GroupWeek struct {
	GroupID   uuid.UUID `json:"groupId"`
	GroupName string    `json:"groupName"`
	Days      []int     `json:"days" doc:"The school's week in its order and other days with lessons: 1 is Monday, 6 Saturday, 7 Sunday"`
	Slots     []Slot    `json:"slots"`
}

type ofGroup struct {
	GroupID uuid.UUID `path:"groupId"`
}

type groupWeekChange struct {
	GroupID uuid.UUID   `path:"groupId"`
	Slots   []hourInput `json:"slots" validate:"required,max=300,dive"`
}

// lessonGroup is what lessons need of a group.
type lessonGroup struct {
	ID        uuid.UUID
	Name      string
	SubjectID uuid.UUID
	Places    []Place `gorm:"serializer:json"`
}

func findGroup(c api.Ctx, id uuid.UUID) (lessonGroup, error) {
	return api.Find[lessonGroup](c, "group", c.DB.Table("(?) as student_group", c.DB.Raw(`select g.id, g.name, g.subject_id,
		(select jsonb_agg(jsonb_build_object('classId', d.class_id, 'divisionId', d.id)) from student_group_division y
			join division d on d.id = y.division_id where y.group_id = g.id) as places
		from student_group g where g.id = ?`, id)), id)
}

func getGroupWeek(c api.Ctx, r ofGroup) (GroupWeek, error) {
	g, err := findGroup(c, r.GroupID)
	if err != nil {
		return GroupWeek{}, err
	}
	return groupWeek(c, g)
}

func groupWeek(c api.Ctx, g lessonGroup) (GroupWeek, error) {
	list, err := slots(c, "s.group_id = ?", g.ID)
	return GroupWeek{GroupID: g.ID, GroupName: g.Name, Days: weekDays(c, list), Slots: list}, err
}

// putGroupWeek sets a group's whole week, all or nothing, as putDivisionWeek does a division's.
func putGroupWeek(c api.Ctx, r groupWeekChange) (GroupWeek, error) {
	if err := lockTimetable(c); err != nil {
		return GroupWeek{}, err
	}
	g, err := findGroup(c, r.GroupID)
	if err != nil {
		return GroupWeek{}, err
	}
	before, err := groupWeek(c, g)
	if err != nil {
		return GroupWeek{}, err
	}
	list := make([]slotInput, len(r.Slots))
	for i, h := range r.Slots {
		list[i] = slotInput{g.SubjectID, h}
	}
	owner := weekOwner{column: "group_id", like: Slot{GroupID: &g.ID, GroupName: g.Name, Places: g.Places}}
	if err := owner.set(c, before.Slots, list); err != nil {
		return GroupWeek{}, err
	}
	after, err := groupWeek(c, g)
	if err != nil {
		return GroupWeek{}, err
	}
	if err := refuseStandIns(c, after.Slots); err != nil {
		return GroupWeek{}, err
	}
	c.Changed("update", "timetable", g.ID, before.Slots, after.Slots)
	return after, tellWeek(c, g.ID, changedLessons(before.Slots, after.Slots))
}

// RefuseGroupClashes refuses the members or divisions that groups were just given, if their lessons
// cannot be held with them.
func RefuseGroupClashes(c api.Ctx, groups ...uuid.UUID) error {
	if err := lockTimetable(c); err != nil {
		return err
	}
	own, err := slots(c, "s.group_id in ?", groups)
	if err != nil || len(own) == 0 {
		return err
	}
	others, err := slots(c, `(s.group_id is null or s.group_id not in @groups) and exists (select from student_group_division y
		where y.group_id in @groups and (y.division_id = s.division_id
			or s.group_id in (select o.group_id from student_group_division o where o.division_id = y.division_id)))`,
		sql.Named("groups", groups))
	if err != nil {
		return err
	}
	shared, err := sharedMembers(c, groups)
	if err != nil {
		return err
	}
	return refuseClashes(clashes(own, others, shared), func(int) string { return "" })
}

// GroupsAtOneTime are the pairs of groups, each in both orders, that have lessons at one time. It lets no timetable change
// until the transaction's end.
func GroupsAtOneTime(c api.Ctx) (map[[2]uuid.UUID]bool, error) {
	if err := lockTimetable(c); err != nil {
		return nil, err
	}
	var pairs []struct{ First, Second uuid.UUID }
	err := c.DB.Raw(`select distinct a.group_id as first, b.group_id as second
		from timetable_slot a join period p on p.id = a.period_id
		join timetable_slot b on b.day_of_week = a.day_of_week and b.group_id <> a.group_id
		join period q on q.id = b.period_id and q.start_time < p.end_time and p.start_time < q.end_time`).Scan(&pairs).Error
	if err != nil {
		return nil, fmt.Errorf("reading groups with lessons at one time: %w", err)
	}
	out := make(map[[2]uuid.UUID]bool, len(pairs))
	for _, p := range pairs {
		out[[2]uuid.UUID{p.First, p.Second}] = true
	}
	return out, nil
}

// LessonRoster is who sits in a lesson on a day.
type LessonRoster struct {
	Slot     Slot                   `json:"slot"`
	Date     api.Date               `json:"date"`
	Students []roster.RosterStudent `json:"students" doc:"By class, division, roll number and name"`
	Total    int                    `json:"total"`
}

type lessonOn struct {
	SlotID uuid.UUID `path:"slotId"`
	Date   api.Date  `json:"date" doc:"Today unless given"`
}

// myLesson is who sits in a lesson that the caller holds, by the week or for somebody that day.
func myLesson(c api.Ctx, r lessonOn) (LessonRoster, error) {
	e, err := roster.CallingEmployee(c)
	if err != nil {
		return LessonRoster{}, err
	}
	out := LessonRoster{Date: orToday(c, r.Date)}
	found, err := slots(c, `s.id = ? and (s.teacher_id = ? or exists (select from substitution x where x.slot_id = s.id and x.date = ?
		and x.substitute_teacher_id = ?))`, r.SlotID, e, out.Date, e)
	if err != nil {
		return out, err
	}
	if len(found) == 0 {
		return out, api.NotFound("lesson")
	}
	out.Slot = found[0]
	out.Students, err = LessonStudents(c, r.SlotID, out.Date)
	out.Total = len(out.Students)
	return out, err
}

// LessonStudents is who sits in a lesson on a day: everybody of its division, or the members of its group.
// One who has been removed since is there on the days before only.
func LessonStudents(c api.Ctx, slot uuid.UUID, day api.Date) ([]roster.RosterStudent, error) {
	list := []roster.RosterStudent{}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select s.id, e.roll_number, s.admission_number, s.first_name, s.last_name, s.gender,
			s.photo_file_id, s.allergies, s.status
		from timetable_slot t join enrolment e on e.start_date <= $2 and (e.end_date is null or e.end_date >= $2)
			and (e.division_id = t.division_id or exists (select from student_group_member m
				join student_group_division y on y.group_id = m.group_id and y.division_id = e.division_id
				where m.group_id = t.group_id and m.student_id = e.student_id
				and m.from_date <= $2 and (m.to_date is null or m.to_date >= $2)))
		join student s on s.id = e.student_id and (s.deleted_at is null or $3)
		join division d on d.id = e.division_id join class k on k.id = d.class_id
		where t.id = $1 order by k.level, k.name, d.name, e.roll_number nulls last, s.first_name, s.last_name, s.id`,
		Args: []any{slot, day, day.Before(c.Today())}, Scan: tenancy.Collect(&list)})
	if err != nil {
		return nil, fmt.Errorf("reading who sits in a lesson: %w", err)
	}
	return list, nil
}
