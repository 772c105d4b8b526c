package exam

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// GroupSheet is a paper's mark sheet of a group whose lessons the caller holds.
type GroupSheet struct {
	PaperID     uuid.UUID      `json:"paperId"`
	GroupID     uuid.UUID      `json:"groupId"`
	GroupName   string         `json:"groupName"`
	DivisionIDs []uuid.UUID    `json:"divisionIds" doc:"Whose students are in the group"`
	Students    []GroupStudent `json:"students" doc:"Who was in it on the paper's day and sits in its class, by name"`
}

// GroupStudent is a member of a group.
type GroupStudent struct {
	ID           uuid.UUID `json:"id"`
	FirstName    string    `json:"firstName"`
	LastName     string    `json:"lastName"`
	DivisionName string    `json:"divisionName"`
	RollNumber   *int      `json:"rollNumber"`
}

// GroupSheets are the mark sheets by group of an exam.
type GroupSheets struct {
	Sheets []GroupSheet `json:"sheets"`
}

// ownGroupsSQL are the students of each group of which the user $2 holds a lesson, paper by paper of the exam $1.
var ownGroupsSQL = `select p.id as paper_id, g.id as group_id, g.name as group_name, m.division_id, v.name as division_name,
		m.roll_number, s.id as student_id, s.first_name, s.last_name
	from exam_paper p join student_group g on g.subject_id = p.subject_id
	join lateral (select m.student_id, e.division_id, e.roll_number from ` + roster.InGroup("p.exam_date") + `
		where m.group_id = g.id and e.class_id = p.class_id) m on true
	join student s on s.id = m.student_id and s.deleted_at is null join division v on v.id = m.division_id
	where p.exam_id = $1 and exists (select from timetable_slot t join employee h on h.id = t.teacher_id
		where t.group_id = g.id and h.user_id = $2)
	order by p.exam_date, p.id, g.name, g.id, s.first_name, s.last_name, s.id`

// groupSheets are what a teacher of groups fills in: a group's sheet goes over the divisions that its members sit in.
func groupSheets(c api.Ctx, r byID) (GroupSheets, error) {
	out := GroupSheets{Sheets: []GroupSheet{}}
	if _, err := teachersSchedule(c, r); err != nil {
		return out, err
	}
	var found []struct {
		PaperID, GroupID, DivisionID, StudentID      uuid.UUID
		GroupName, DivisionName, FirstName, LastName string
		RollNumber                                   *int
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: ownGroupsSQL, Args: []any{r.ID, c.User.ID}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return out, fmt.Errorf("reading a teacher's groups: %w", err)
	}
	divisions := map[[3]uuid.UUID]bool{}
	for _, f := range found {
		n := len(out.Sheets)
		if n == 0 || out.Sheets[n-1].PaperID != f.PaperID || out.Sheets[n-1].GroupID != f.GroupID {
			out.Sheets = append(out.Sheets, GroupSheet{PaperID: f.PaperID, GroupID: f.GroupID, GroupName: f.GroupName})
		}
		sheet := &out.Sheets[len(out.Sheets)-1]
		sheet.Students = append(sheet.Students, GroupStudent{f.StudentID, f.FirstName, f.LastName, f.DivisionName, f.RollNumber})
		if key := [3]uuid.UUID{f.PaperID, f.GroupID, f.DivisionID}; !divisions[key] {
			divisions[key] = true
			sheet.DivisionIDs = append(sheet.DivisionIDs, f.DivisionID)
		}
	}
	return out, nil
}
