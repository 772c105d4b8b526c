package roster

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// StudentGroups are the groups of the divisions a student sits in on a day or later, and which of them the student is in.
type StudentGroups struct {
	StudentID uuid.UUID      `json:"studentId"`
	Date      api.Date       `json:"date"`
	Groups    []StudentGroup `json:"groups" doc:"By name"`
}

// StudentGroup is one of them.
type StudentGroup struct {
	GroupID     uuid.UUID `json:"groupId"`
	Name        string    `json:"name"`
	SubjectName string    `json:"subjectName"`
	Kind        string    `json:"kind" enum:"ELECTIVE,BATCH"`
	IsMember    bool      `json:"isMember"`
	FromDate    *api.Date `json:"fromDate" doc:"Since when they are in it; none for one they are not in"`
	ToDate      *api.Date `json:"toDate" doc:"Their last day, if it is known"`
}

type studentGroupsChange struct {
	ID       uuid.UUID   `path:"id"`
	GroupIDs []uuid.UUID `json:"groupIds" validate:"required,max=50,unique" doc:"Every group they are in from that day on; they are in no other"`
	FromDate api.Date    `json:"fromDate" doc:"Today unless given. The days before stay as they were"`
}

func getStudentGroups(c api.Ctx, r membersOn) (StudentGroups, error) {
	if _, err := api.Find[Student](c, "student", c.DB.Where("deleted_at is null"), r.ID); err != nil {
		return StudentGroups{}, ErrNoStudent
	}
	if r.Date.IsZero() {
		r.Date = c.Today()
	}
	return groupsOfStudent(c, r.ID, r.Date)
}

func groupsOfStudent(c api.Ctx, student uuid.UUID, day api.Date) (StudentGroups, error) {
	out := StudentGroups{StudentID: student, Date: day, Groups: []StudentGroup{}}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select g.id as group_id, g.name, j.name as subject_name, g.kind,
			m.id is not null as is_member, m.from_date, m.to_date
		from student_group g join subject j on j.id = g.subject_id
		left join student_group_member m on m.group_id = g.id and m.student_id = $1
			and m.from_date <= $2 and (m.to_date is null or m.to_date >= $2)
		where exists (select from student_group_division y join enrolment e on e.division_id = y.division_id and e.student_id = $1
			where y.group_id = g.id and (e.end_date is null or e.end_date >= $2))
		order by lower(g.name), g.id`, Args: []any{student, day}, Scan: tenancy.Collect(&out.Groups)})
	if err != nil {
		return out, fmt.Errorf("reading a student's groups: %w", err)
	}
	return out, nil
}

// putStudentGroups says which groups a student is in from a day on, all or nothing.
func (m *Module) putStudentGroups(c api.Ctx, r studentGroupsChange) (StudentGroups, error) {
	if err := LockGroups(c); err != nil {
		return StudentGroups{}, err
	}
	if _, err := lockStudent(c, r.ID); err != nil {
		return StudentGroups{}, err
	}
	if r.FromDate.IsZero() {
		r.FromDate = c.Today()
	}
	before, err := groupsOfStudent(c, r.ID, r.FromDate)
	if err != nil {
		return StudentGroups{}, err
	}
	if err := r.refuseOthers(before); err != nil {
		return StudentGroups{}, err
	}
	if err := SetGroups(c, []Membership{{StudentID: r.ID, From: r.FromDate.String(), GroupIDs: r.GroupIDs}}); err != nil {
		return StudentGroups{}, err
	}
	if err := m.checkLessons(c, r.GroupIDs...); err != nil {
		return StudentGroups{}, err
	}
	after, err := groupsOfStudent(c, r.ID, r.FromDate)
	if err != nil {
		return StudentGroups{}, err
	}
	c.Changed("update", "student groups", r.ID, before, after)
	return after, nil
}

// refuseOthers refuses groups that are none of those the student can be in.
func (r studentGroupsChange) refuseOthers(can StudentGroups) error {
	there := map[uuid.UUID]bool{}
	for _, g := range can.Groups {
		there[g.GroupID] = true
	}
	var bad []api.Detail
	for i, id := range r.GroupIDs {
		if !there[id] {
			bad = append(bad, api.Detail{Field: fmt.Sprintf("groupIds[%d]", i), Message: "Choose a group of the student's division"})
		}
	}
	if bad == nil {
		return nil
	}
	return api.Invalid(bad...)
}

// Membership is the groups that a student is in from a day on; in others no longer.
type Membership struct {
	StudentID uuid.UUID
	From      string // as YYYY-MM-DD
	GroupIDs  []uuid.UUID
}

// LockGroups lets one change of memberships happen at a time: a group's list and a student's say the same thing.
func LockGroups(c api.Ctx) error {
	if err := c.DB.Exec(`select pg_advisory_xact_lock(hashtextextended(current_schema() || ' groups', 0))`).Error; err != nil {
		return fmt.Errorf("locking the groups: %w", err)
	}
	return nil
}

// SetGroups writes memberships, each student's once. Its number of statements does not grow with them.
func SetGroups(c api.Ctx, list []Membership) error {
	var students, whose, groups []uuid.UUID
	var days []string
	for _, m := range list {
		students, days = append(students, m.StudentID), append(days, m.From)
		for _, g := range m.GroupIDs {
			whose, groups = append(whose, m.StudentID), append(groups, g)
		}
	}
	const wanted = `(m.student_id, m.group_id) in (select * from unnest($3::uuid[], $4::uuid[]))`
	args := []any{students, days, whose, groups}
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `delete from student_group_member m using unnest($1::uuid[], $2::date[]) v(student, day)
			where m.student_id = v.student and (m.from_date > v.day or m.from_date = v.day and not ` + wanted + `)`, Args: args},
		tenancy.Query{SQL: `update student_group_member m set to_date = case when ` + wanted + ` then null else v.day - 1 end
			from unnest($1::uuid[], $2::date[]) v(student, day)
			where m.student_id = v.student and m.from_date <= v.day and (m.to_date is null or m.to_date >= v.day)
			and (m.to_date is not null or not ` + wanted + `)`, Args: args},
		tenancy.Query{SQL: `insert into student_group_member (id, group_id, student_id, from_date, created_by, created_at)
			select gen_random_uuid(), w.grp, w.student, v.day, $5, $6 from unnest($3::uuid[], $4::uuid[]) w(student, grp)
			join unnest($1::uuid[], $2::date[]) v(student, day) on v.student = w.student
			where not exists (select from student_group_member m where m.group_id = w.grp and m.student_id = w.student and m.to_date is null)`,
			Args: append(args, c.User.ID, c.Now)})
	if err != nil {
		return fmt.Errorf("changing students' groups: %w", err)
	}
	return nil
}
