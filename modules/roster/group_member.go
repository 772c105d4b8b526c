package roster

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// GroupMembers is who is in a group on a day.
type GroupMembers struct {
	GroupID uuid.UUID     `json:"groupId"`
	Date    api.Date      `json:"date"`
	Members []GroupMember `json:"members" doc:"By class, division, roll number and name"`
	Total   int           `json:"total"`
}

// GroupMember is one of them.
type GroupMember struct {
	StudentID       uuid.UUID `json:"studentId"`
	AdmissionNumber string    `json:"admissionNumber"`
	FirstName       string    `json:"firstName"`
	LastName        string    `json:"lastName"`
	ClassName       string    `json:"className"`
	DivisionID      uuid.UUID `json:"divisionId"`
	DivisionName    string    `json:"divisionName"`
	RollNumber      *int      `json:"rollNumber"`
	FromDate        api.Date  `json:"fromDate" doc:"Since when they are in the group"`
	ToDate          *api.Date `json:"toDate" doc:"Their last day, if it is known"`
}

type membersOn struct {
	ID   uuid.UUID `path:"id"`
	Date api.Date  `json:"date" doc:"Today unless given"`
}

type membersChange struct {
	ID         uuid.UUID   `path:"id"`
	StudentIDs []uuid.UUID `json:"studentIds" validate:"required,max=5000,unique" doc:"Everybody who is in the group from that day on; others are in it no longer"`
	FromDate   api.Date    `json:"fromDate" doc:"Today unless given. The days before stay as they were"`
}

func getGroupMembers(c api.Ctx, r membersOn) (GroupMembers, error) {
	if _, err := api.Find[groupRecord](c, "group", c.DB, r.ID); err != nil {
		return GroupMembers{}, err
	}
	if r.Date.IsZero() {
		r.Date = c.Today()
	}
	return membersOf(c, r.ID, r.Date)
}

func membersOf(c api.Ctx, group uuid.UUID, day api.Date) (GroupMembers, error) {
	out := GroupMembers{GroupID: group, Date: day, Members: []GroupMember{}}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select s.id as student_id, s.admission_number, s.first_name, s.last_name,
			k.name as class_name, d.id as division_id, d.name as division_name, e.roll_number, m.from_date, m.to_date
		from ` + InGroup("$2") + ` join student s on s.id = m.student_id and (s.deleted_at is null or $3)
		join division d on d.id = e.division_id join class k on k.id = d.class_id
		where m.group_id = $1 order by k.level, k.name, d.name, e.roll_number nulls last, s.first_name, s.last_name, s.id`,
		Args: []any{group, day, day.Before(c.Today())}, Scan: tenancy.Collect(&out.Members)})
	if err != nil {
		return out, fmt.Errorf("reading a group's members: %w", err)
	}
	out.Total = len(out.Members)
	return out, nil
}

// putGroupMembers says who is in a group from a day on, all or nothing.
func (m *Module) putGroupMembers(c api.Ctx, r membersChange) (GroupMembers, error) {
	if err := LockGroups(c); err != nil {
		return GroupMembers{}, err
	}
	g, err := api.Lock[groupRecord](c, "group", r.ID)
	if err != nil {
		return GroupMembers{}, err
	}
	if r.FromDate.IsZero() {
		r.FromDate = c.Today()
	}
	if err := r.refuseStrangers(c, g); err != nil {
		return GroupMembers{}, err
	}
	before, err := membersOf(c, r.ID, r.FromDate)
	if err != nil {
		return GroupMembers{}, err
	}
	args := []any{r.ID, r.StudentIDs, r.FromDate}
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `delete from student_group_member where group_id = $1
			and (from_date > $3 or from_date = $3 and student_id <> all($2))`,
			Args: args},
		tenancy.Query{SQL: `update student_group_member set to_date = case when student_id = any($2) then null else $3 - 1 end
			where group_id = $1 and from_date <= $3 and (to_date is null or to_date >= $3)
			and (student_id <> all($2) or to_date is not null)`, Args: args},
		tenancy.Query{SQL: `insert into student_group_member (id, group_id, student_id, from_date, created_by, created_at)
			select gen_random_uuid(), $1, s, $3, $4, $5 from unnest($2::uuid[]) s
			where not exists (select from student_group_member m where m.group_id = $1 and m.student_id = s and m.to_date is null)`,
			Args: append(args, c.User.ID, c.Now)})
	if err != nil {
		return GroupMembers{}, fmt.Errorf("changing a group's members: %w", err)
	}
	if err := m.checkLessons(c, r.ID); err != nil {
		return GroupMembers{}, err
	}
	after, err := membersOf(c, r.ID, r.FromDate)
	if err != nil {
		return GroupMembers{}, err
	}
	c.Changed("update", "group members", r.ID, before, after)
	return after, nil
}

// refuseStrangers refuses students who will sit in none of the group's divisions, each by name.
func (r membersChange) refuseStrangers(c api.Ctx, g groupRecord) error {
	var found []struct {
		ID   uuid.UUID
		Name string
		Sits bool
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select s.id, trim(s.first_name || ' ' || s.last_name) as name,
			exists (select from enrolment e
			join student_group_division y on y.division_id = e.division_id and y.group_id = $1
			where e.student_id = s.id and (e.end_date is null or e.end_date >= $3)) as sits
		from student s where s.id = any($2) and s.deleted_at is null`,
		Args: []any{g.ID, r.StudentIDs, r.FromDate}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return fmt.Errorf("reading who shall be in a group: %w", err)
	}
	known := map[uuid.UUID]int{}
	for i, s := range found {
		known[s.ID] = i
	}
	var bad []api.Detail
	var names []string
	for i, id := range r.StudentIDs {
		field := fmt.Sprintf("studentIds[%d]", i)
		at, there := known[id]
		switch {
		case !there:
			bad = append(bad, api.Detail{Field: field, Message: "No such student"})
		case !found[at].Sits:
			bad = append(bad, api.Detail{Field: field, Message: found[at].Name + " sits in none of the divisions of " + g.Name})
			names = append(names, found[at].Name)
		}
	}
	if bad == nil {
		return nil
	}
	refusal := api.Invalid(bad...)
	if len(names) > 0 {
		refusal.Message = fmt.Sprintf("These sit in none of the divisions of %s: %s", g.Name, strings.Join(names[:min(len(names), 5)], ", "))
	}
	return refusal
}
