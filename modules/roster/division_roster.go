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

// RosterStudent is one who sits there.
type RosterStudent struct {
	ID              uuid.UUID  `json:"id"`
	RollNumber      *int       `json:"rollNumber"`
	AdmissionNumber string     `json:"admissionNumber"`
	FirstName       string     `json:"firstName"`
	LastName        string     `json:"lastName"`
	Gender          string     `json:"gender"`
	PhotoFileID     *uuid.UUID `json:"photoFileId"`
	Allergies       string     `json:"allergies"`
	Status          string     `json:"status"`
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
	return rosterOf(c, r.DivisionID, r.Date)
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
	out.Date, out.Students = day, students
	out.Total = len(out.Students)
	return out, nil
}
