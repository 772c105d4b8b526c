package roster

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// DivisionRoster is who sits in a division on one day.
type DivisionRoster struct {
	DivisionID   uuid.UUID       `json:"divisionId"`
	DivisionName string          `json:"divisionName"`
	ClassID      uuid.UUID       `json:"classId"`
	ClassName    string          `json:"className"`
	Date         api.Date        `json:"date"`
	Students     []RosterStudent `json:"students" doc:"By roll number, then name"`
	Total        int             `json:"total"`
}

// GuardianContact is a guardian as the class teacher, or the driver of a child's bus, may call them.
type GuardianContact struct {
	StudentID uuid.UUID `json:"-"`
	Name      string    `json:"name"`
	Relation  string    `json:"relation" enum:"FATHER,MOTHER,GUARDIAN,OTHER"`
	Phone     string    `json:"phone"`
}

// RosterStudent is one who sits there.
type RosterStudent struct {
	ID              uuid.UUID  `json:"id"`
	RollNumber      *int       `json:"rollNumber"`
	AdmissionNumber string     `json:"admissionNumber"`
	FirstName       string     `json:"firstName"`
	LastName        string     `json:"lastName"`
	Gender          string     `json:"gender" enum:"FEMALE,MALE,OTHER,''"`
	PhotoFileID     *uuid.UUID `json:"photoFileId"`
	Allergies       string     `json:"allergies"`
	Status          string     `json:"status" enum:"ACTIVE,TRANSFERRED,GRADUATED,WITHDRAWN"`

	Guardians []GuardianContact `json:"guardians" gorm:"-" doc:"Whom the class teacher may call: those who may see the child's data, the primary one first. None for other callers, and without read on students"`
}

type rosterOn struct {
	ID   uuid.UUID `path:"id"`
	Date api.Date  `json:"date" doc:"Today unless given"`
}

type teachersRosterOn struct {
	DivisionID uuid.UUID `path:"divisionId"`
	Date       api.Date  `json:"date" doc:"Today unless given"`
}

func divisionStudents(c api.Ctx, r rosterOn) (DivisionRoster, error) {
	return rosterOf(c, r.ID, r.Date)
}

func teachersDivision(_ api.Ctx, r teachersRosterOn) (api.Target, error) {
	return api.Target{DivisionID: r.DivisionID}, nil
}

func teachersStudents(c api.Ctx, r teachersRosterOn) (DivisionRoster, error) {
	out, err := rosterOf(c, r.DivisionID, r.Date)
	if err != nil {
		return out, err
	}
	if may, err := c.MayRead("student"); err != nil || !may {
		return out, err
	}
	return out, out.nameGuardians(c)
}

// classContacts are the guardians of the students $1, for the user $2 who leads the division $3 this year.
const classContacts = `select sg.student_id, trim(g.first_name || ' ' || g.last_name) as name, sg.relation, g.phone
	from student_guardian sg join guardian g on g.id = sg.guardian_id
	where sg.student_id = any($1) and sg.can_view_data
		and exists (select from teacher_assignment a where a.user_id = $2 and a.division_id = $3 and ` + LeadsNow + `)
	order by sg.student_id, sg.is_primary desc, sg.created_at, g.id`

// nameGuardians fills in whom the calling class teacher may call.
func (d *DivisionRoster) nameGuardians(c api.Ctx) error {
	ids := make([]uuid.UUID, len(d.Students))
	for i, s := range d.Students {
		ids[i] = s.ID
	}
	var found []GuardianContact
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: classContacts, Args: []any{ids, c.User.ID, d.DivisionID}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return fmt.Errorf("reading a class's guardians: %w", err)
	}
	of := map[uuid.UUID][]GuardianContact{}
	for _, g := range found {
		of[g.StudentID] = append(of[g.StudentID], g)
	}
	for i, s := range d.Students {
		d.Students[i].Guardians = append(d.Students[i].Guardians, of[s.ID]...)
	}
	return nil
}

// rosterOf is who sat in a division on a day. One who has been removed since is on
// the rosters of the days before only.
func rosterOf(c api.Ctx, division uuid.UUID, day api.Date) (DivisionRoster, error) {
	if day.IsZero() {
		day = c.Today()
	}
	var found []DivisionRoster
	students := []RosterStudent{}
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select d.id as division_id, d.name as division_name, k.id as class_id, k.name as class_name
			from division d join class k on k.id = d.class_id where d.id = $1`, Args: []any{division}, Scan: tenancy.Collect(&found)},
		tenancy.Query{SQL: `select s.id, e.roll_number, s.admission_number, s.first_name, s.last_name, s.gender, s.photo_file_id, s.allergies,
			s.status
			from enrolment e join student s on s.id = e.student_id
			where e.division_id = $1 and e.start_date <= $2 and (e.end_date is null or e.end_date >= $2) and (s.deleted_at is null or $3)
			order by e.roll_number nulls last, s.first_name, s.last_name,
			s.id`, Args: []any{division, day, day.Before(c.Today())}, Scan: tenancy.Collect(&students)},
	)
	if err != nil {
		return DivisionRoster{}, fmt.Errorf("reading a roster: %w", err)
	}
	if len(found) == 0 {
		return DivisionRoster{}, api.NotFound("division")
	}
	out := found[0]
	for i := range students {
		students[i].Guardians = []GuardianContact{}
	}
	out.Date, out.Students = day, students
	out.Total = len(out.Students)
	return out, nil
}
