package roster

import (
	"fmt"
	"slices"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// Group is students of one or more divisions who are taught a subject together, as clients see it.
type Group struct {
	api.Record
	OwnGroupFields
	SubjectName string      `json:"subjectName"`
	DivisionIDs []uuid.UUID `json:"divisionIds" gorm:"serializer:json"`
	Divisions   string      `json:"divisions" doc:"Their names, as Class 9 A, Class 9 B"`
	Members     int         `json:"members" gorm:"-" doc:"Who is in it today"`
}

// OwnGroupFields are what the group's own record holds.
type OwnGroupFields struct {
	Name      string    `json:"name" validate:"name,max=60" example:"French, class 9"`
	SubjectID uuid.UUID `json:"subjectId" validate:"required"`
	Kind      string    `json:"kind" validate:"omitempty,oneof=ELECTIVE BATCH" doc:"ELECTIVE (unless given): in its classes only members of such groups take the subject. BATCH: everybody takes it, in parts"`
}

// GroupFields are what an administrator says of a group.
type GroupFields struct {
	OwnGroupFields
	DivisionIDs []uuid.UUID `json:"divisionIds" validate:"required,min=1,max=100" doc:"Whose students can be in it"`
}

// groupRecord is a group's row.
type groupRecord struct {
	api.Record
	OwnGroupFields
}

// TableName is the record's table.
func (groupRecord) TableName() string { return "student_group" }

type groupChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[GroupFields]
}

// InGroup joins the memberships m of groups to the enrolments e that make them count, on a day
// that is an SQL expression: a member sits in one of the group's divisions.
func InGroup(day string) string {
	return `student_group_member m join student_group_division y on y.group_id = m.group_id
		join enrolment e on e.student_id = m.student_id and e.division_id = y.division_id
		and m.from_date <= ` + day + ` and (m.to_date is null or m.to_date >= ` + day + `)
		and e.start_date <= ` + day + ` and (e.end_date is null or e.end_date >= ` + day + `)`
}

// IsElective holds for a subject of a class that only members of a group take. Both are SQL expressions.
func IsElective(subject, class string) string {
	return `exists (select from student_group g join student_group_division y on y.group_id = g.id join division v on v.id = y.division_id
		where g.subject_id = ` + subject + ` and g.kind = 'ELECTIVE' and v.class_id = ` + class + `)`
}

// TakesSubject holds for a student in a division of a class on a day: everybody takes a subject
// that is no elective, and members of its groups one that is. All are SQL expressions.
func TakesSubject(subject, class, division, student, day string) string {
	return `(not ` + IsElective(subject, class) + `
		or exists (select from student_group_member m join student_group g on g.id = m.group_id
			join student_group_division y on y.group_id = g.id and y.division_id = ` + division + `
			where m.student_id = ` + student + ` and g.subject_id = ` + subject + ` and g.kind = 'ELECTIVE'
			and m.from_date <= ` + day + ` and (m.to_date is null or m.to_date >= ` + day + `)))`
}

// groups are the groups g as clients see them; more narrows them.
func groups(c api.Ctx, more string, args ...any) *gorm.DB {
	const divisions = `from student_group_division y join division d on d.id = y.division_id join class k on k.id = d.class_id
		where y.group_id = g.id`
	return c.DB.Table("(?) as student_group",
		c.DB.Raw(`select g.id, g.created_at, g.updated_at, g.created_by, g.updated_by, g.version, g.name,
		g.subject_id, g.kind, (select j.name from subject j where j.id = g.subject_id) as subject_name,
		array(select y.division_id `+divisions+` order by k.level, k.name, d.name, d.id) as division_ids,
		coalesce((select string_agg(k.name || ' ' || d.name, ', ' order by k.level, k.name, d.name) `+divisions+`), '') as divisions
		from student_group g where `+more, args...))
}

var groupListing = api.Listing{
	Sorts:   map[string]string{"name": "name", "createdAt": "created_at"},
	Default: "name",
	Filters: map[string]api.Filter{
		"search": api.Search("name"), "subjectId": api.ByID("subject_id"), "kind": api.ByEnum("kind", "ELECTIVE", "BATCH"),
		"divisionId": api.ByID("id").Where("id in (select y.group_id from student_group_division y where y.division_id = @v)"),
		"classId": api.ByID("id").Where(`id in (select y.group_id from student_group_division y join division d on d.id = y.division_id
			where d.class_id = @v)`),
		"studentId": api.ByID("id").Where("id in (select m.group_id from student_group_member m where m.student_id = @v)"),
	},
}

func createGroup(c api.Ctx, r GroupFields) (Group, error) {
	g := groupRecord{OwnGroupFields: r.OwnGroupFields}
	if err := g.normalize(c, r.DivisionIDs); err != nil {
		return Group{}, err
	}
	if err := api.Insert(c, "group", &g); err != nil {
		return Group{}, err
	}
	if err := putGroupDivisions(c, g.ID, nil, r.DivisionIDs); err != nil {
		return Group{}, err
	}
	return readGroup(c, g.ID)
}

func listGroups(c api.Ctx, l api.ListRequest) (api.Page[Group], error) {
	page, err := api.Fetch[Group](groups(c, "true"), l)
	if err != nil {
		return page, err
	}
	return page, countMembers(c, page.Items)
}

// countMembers says of groups how many are in them today.
func countMembers(c api.Ctx, list []Group) error {
	ids := make([]uuid.UUID, len(list))
	for i, g := range list {
		ids[i] = g.ID
	}
	var counts []struct {
		GroupID uuid.UUID
		Members int
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select m.group_id, count(distinct m.student_id) as members from ` + InGroup("$2") + `
		where m.group_id = any($1) group by m.group_id`, Args: []any{ids, c.Today()}, Scan: tenancy.Collect(&counts)})
	if err != nil {
		return fmt.Errorf("counting the members of groups: %w", err)
	}
	for _, n := range counts {
		list[slices.Index(ids, n.GroupID)].Members = n.Members
	}
	return nil
}

func getGroup(c api.Ctx, r byID) (Group, error) { return readGroup(c, r.ID) }

func readGroup(c api.Ctx, id uuid.UUID) (Group, error) {
	g, err := api.Find[Group](c, "group", groups(c, "g.id = ?", id), id)
	if err != nil {
		return g, err
	}
	list := []Group{g}
	err = countMembers(c, list)
	return list[0], err
}

// updateGroup changes a group. Who sits in none of its divisions any more is no longer in it.
func (m *Module) updateGroup(c api.Ctx, r groupChange) (Group, error) {
	var wanted GroupFields
	var before []uuid.UUID
	_, err := api.Update(c, "group", r.ID, func(g *groupRecord) (err error) {
		if before, err = groupDivisions(c, g.ID); err != nil {
			return err
		}
		wanted = GroupFields{OwnGroupFields: g.OwnGroupFields, DivisionIDs: before}
		if err := r.Apply(&wanted); err != nil {
			return err
		}
		g.OwnGroupFields = wanted.OwnGroupFields
		if !sameDivisions(before, wanted.DivisionIDs) {
			g.Touch()
		}
		return g.normalize(c, wanted.DivisionIDs)
	})
	if err != nil {
		return Group{}, err
	}
	if !sameDivisions(before, wanted.DivisionIDs) {
		if err := putGroupDivisions(c, r.ID, before, wanted.DivisionIDs); err != nil {
			return Group{}, err
		}
		if err := m.checkLessons(c, r.ID); err != nil {
			return Group{}, err
		}
	}
	return readGroup(c, r.ID)
}

func deleteGroup(c api.Ctx, r byID) error { return api.Erase[groupRecord](c, "group", r.ID) }

// checkLessons asks the timetable whether the lessons of groups can be held as they are now.
func (m *Module) checkLessons(c api.Ctx, groups ...uuid.UUID) error {
	if m.GroupLessons == nil || len(groups) == 0 {
		return nil
	}
	return m.GroupLessons(c, groups...)
}

// normalize fills in what was not said and names everything that does not fit.
func (g *groupRecord) normalize(c api.Ctx, divisions []uuid.UUID) error {
	if g.Kind == "" {
		g.Kind = "ELECTIVE"
	}
	var bad []api.Detail
	subject, err := Present(c, "subject", []uuid.UUID{g.SubjectID})
	if err != nil {
		return err
	}
	if !subject[g.SubjectID] {
		bad = append(bad, api.Detail{Field: "subjectId", Message: "Choose a subject"})
	}
	there, err := Present(c, "division", divisions)
	if err != nil {
		return err
	}
	for i, id := range divisions {
		switch field := fmt.Sprintf("divisionIds[%d]", i); {
		case !there[id]:
			bad = append(bad, api.Detail{Field: field, Message: "does not exist"})
		case slices.Contains(divisions[:i], id):
			bad = append(bad, api.Detail{Field: field, Message: "is named twice"})
		}
	}
	if bad != nil {
		return api.Invalid(bad...)
	}
	return nil
}

func groupDivisions(c api.Ctx, group uuid.UUID) (ids []uuid.UUID, err error) {
	err = c.DB.Table("student_group_division").Where("group_id = ?", group).Order("division_id").Pluck("division_id", &ids).Error
	if err != nil {
		return nil, fmt.Errorf("reading a group's divisions: %w", err)
	}
	return ids, nil
}

func sameDivisions(sorted, other []uuid.UUID) bool {
	return slices.Equal(sorted, slices.SortedFunc(slices.Values(other), func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) }))
}

func putGroupDivisions(c api.Ctx, group uuid.UUID, before, after []uuid.UUID) error {
	err := c.DB.Exec(`delete from student_group_division where group_id = ? and division_id not in ?`, group, after).Error
	if err == nil {
		err = c.DB.Exec(`insert into student_group_division (group_id, division_id) select ?, id from division where id in ?
			on conflict do nothing`, group, after).Error
	}
	if err != nil {
		return fmt.Errorf("changing a group's divisions: %w", err)
	}
	c.Changed("update", "group divisions", group, before, after)
	return nil
}
