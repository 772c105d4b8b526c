package roster

import (
	"fmt"
	"io"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/paper"
	"homeroom/tenancy"
)

// maxIDCards is how many cards one file has at the most.
const maxIDCards = 500

type studentCards struct {
	DivisionID *uuid.UUID `json:"divisionId" doc:"All who sit there today, by roll number"`
	StudentID  *uuid.UUID `json:"studentId" doc:"One student alone"`
	PerPage    int        `json:"perPage" validate:"omitempty,oneof=8 10" doc:"8 to a sheet unless given; 10 have the size of bank cards"`
}

// printStudentCards are ID cards of a division or of one student, valid until the end of the year.
func (m *Module) printStudentCards(c api.Ctx, r studentCards) (api.Stream, error) {
	if (r.DivisionID == nil) == (r.StudentID == nil) {
		return api.Stream{}, api.InvalidField("divisionId", "Choose a division or a student")
	}
	where, id := `e.division_id = $2`, r.DivisionID
	if r.StudentID != nil {
		where, id = `e.student_id = $2`, r.StudentID
	}
	var students []printedStudent
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: printedStudents + where + byRoll + ` limit $3`,
		Args: []any{c.Today(), *id, maxIDCards + 1}, Scan: tenancy.Collect(&students)})
	if err != nil {
		return api.Stream{}, fmt.Errorf("reading ID cards: %w", err)
	}
	if len(students) == 0 && r.StudentID != nil {
		if _, err := studentDetail(c, *r.StudentID); err != nil {
			return api.Stream{}, err
		}
		return api.Stream{}, errNotInClass
	}
	batch := cardBatch{file: "id-cards.pdf", perPage: r.PerPage, n: len(students), field: "divisionId", whom: "student of this division"}
	return m.printCards(c, batch, func(i int, until string) (paper.Badge, error) {
		s := students[i]
		card := paper.Badge{Title: "Student", Name: FullName(s.FirstName, s.LastName), Foot: until, Lines: [][2]string{
			{"Class", s.ClassName + " " + s.DivisionName}, {"Roll no.", s.roll()}, {"Admission no.", s.AdmissionNumber},
			{"Blood group", s.BloodGroup}, {"Guardian", s.GuardianName}, {"Phone", s.GuardianPhone}}}
		var err error
		card.Photo, err = m.photo(c, s.PhotoFileID)
		return card, err
	})
}

// photo reads a person's photo; nil: they have none.
func (m *Module) photo(c api.Ctx, file *uuid.UUID) ([]byte, error) {
	if file == nil || m.Photo == nil {
		return nil, nil
	}
	return m.Photo(c, *file)
}

type employeeCards struct {
	EmployeeID   *uuid.UUID `json:"employeeId" doc:"One employee alone"`
	EmployeeType string     `json:"employeeType" validate:"omitempty,oneof=TEACHER DRIVER ADMIN SUPPORT" doc:"Everybody unless given"`
	PerPage      int        `json:"perPage" validate:"omitempty,oneof=8 10" doc:"8 to a sheet unless given; 10 have the size of bank cards"`
}

// printEmployeeCards are ID cards of those who work here.
func (m *Module) printEmployeeCards(c api.Ctx, r employeeCards) (api.Stream, error) {
	query := c.DB.Where("status = 'ACTIVE'")
	if r.EmployeeID != nil {
		query = query.Where("id = ?", *r.EmployeeID)
	}
	if r.EmployeeType != "" {
		query = query.Where("employee_type = ?", r.EmployeeType)
	}
	var list []Employee
	if err := query.Order("first_name, last_name, id").Limit(maxIDCards + 1).Find(&list).Error; err != nil {
		return api.Stream{}, fmt.Errorf("reading ID cards: %w", err)
	}
	batch := cardBatch{file: "staff-id-cards.pdf", perPage: r.PerPage, n: len(list), field: "employeeType", whom: "employee"}
	return m.printCards(c, batch, func(i int, until string) (paper.Badge, error) {
		e := list[i]
		work := e.Designation
		if work == "" {
			work = sentence(e.EmployeeType)
		}
		photo, err := m.photo(c, e.PhotoFileID)
		return paper.Badge{Title: "Staff", Name: e.Name(), Photo: photo, Foot: until, Lines: [][2]string{{"Designation", work},
			{"Department", e.Department}, {"Employee no.", e.EmployeeCode}, {"Phone", string(e.Phone)}}}, err
	})
}

// cardBatch is n cards in one file. Too many are refused at the field; if there are none, whom was not found.
type cardBatch struct {
	file, field, whom string
	perPage, n        int
}

func (m *Module) printCards(c api.Ctx, b cardBatch, card func(i int, until string) (paper.Badge, error)) (api.Stream, error) {
	switch {
	case b.n == 0:
		return api.Stream{}, api.NotFound(b.whom)
	case b.n > maxIDCards:
		return api.Stream{}, api.InvalidField(b.field, "More than %d cards: print fewer at once", maxIDCards)
	}
	year, err := ActiveYear(c)
	if err != nil {
		return api.Stream{}, err
	}
	head, err := m.Letterhead(c)
	if err != nil {
		return api.Stream{}, err
	}
	if b.perPage == 0 {
		b.perPage = 8
	}
	last := year.EndDate
	until := "Valid until " + paper.FiguresOf(c.School.Writes()).Day(last.Year, last.Month, last.Day)
	return api.Stream{Name: b.file, ContentType: "application/pdf", Write: func(w io.Writer) error {
		doc := paper.Start(w, head, "ID cards "+year.Name)
		if err := doc.Badges(b.perPage, b.n, func(i int) (paper.Badge, error) { return card(i, until) }); err != nil {
			return err
		}
		return doc.Close()
	}}, nil
}
