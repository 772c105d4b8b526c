package roster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
)

// maxCustomFields bounds what a school keeps of its own on a student.
const maxCustomFields = 16 << 10

// newStudent is a student as the office admits one, with where they sit and who
// answers for them.
type newStudent struct {
	StudentFields
	SeatFields
	Guardians []GuardianEntry `json:"guardians" validate:"omitempty,max=10,dive"`
}

func (m *Module) createStudent(c api.Ctx, r newStudent) (StudentDetail, error) {
	s := Student{StudentFields: r.StudentFields, Status: "ACTIVE"}
	if s.AdmissionDate == nil || s.AdmissionDate.IsZero() {
		today := c.Today()
		s.AdmissionDate = &today
	}
	if err := s.normalize(c); err != nil {
		return StudentDetail{}, err
	}
	var division *Division
	switch {
	case r.DivisionID != nil:
		d, err := divisionOf(c, *r.DivisionID, r.ClassID)
		if err != nil {
			return StudentDetail{}, err
		}
		division, s.ClassID = &d, &d.ClassID
	case r.RollNumber != nil:
		return StudentDetail{}, errRollAlone
	}
	if err := refuseDuplicates(r.Guardians); err != nil {
		return StudentDetail{}, err
	}
	if s.AdmissionNumber == "" {
		numbers, err := AdmissionNumbers(c, *s.AdmissionDate, 1)
		if err != nil {
			return StudentDetail{}, err
		}
		s.AdmissionNumber = numbers[0]
	}
	s.SearchText = s.searchText(phonesOf(r.Guardians)...)
	if err := api.Insert(c, "student", &s); err != nil {
		return StudentDetail{}, err
	}
	if division != nil {
		if err := enrol(c, &s, *division, r.RollNumber); err != nil {
			return StudentDetail{}, err
		}
	}
	accounts, err := addGuardians(c, s.ID, r.Guardians)
	if err != nil {
		return StudentDetail{}, err
	}
	out, err := studentDetail(c, s.ID)
	if err != nil {
		return out, err
	}
	return out, m.enterAll(c, accounts)
}

var errRollAlone = api.InvalidField("rollNumber", "a roll number needs a division: give divisionId too")

// normalize brings a student's fields into the form they are kept in, and refuses what
// cannot be.
func (s *Student) normalize(c api.Ctx) error {
	s.FirstName, s.LastName = strings.TrimSpace(s.FirstName), strings.TrimSpace(s.LastName)
	s.AdmissionNumber = strings.TrimSpace(s.AdmissionNumber)
	s.Email = strings.ToLower(s.Email)
	if s.DateOfBirth != nil && s.DateOfBirth.IsZero() {
		s.DateOfBirth = nil
	}
	if s.DateOfBirth != nil && c.Today().Before(*s.DateOfBirth) {
		return api.InvalidField("dateOfBirth", "dateOfBirth must not be in the future")
	}
	if len(s.CustomFields) == 0 || bytes.Equal(s.CustomFields, []byte("null")) {
		s.CustomFields = json.RawMessage("{}")
	}
	if s.CustomFields[0] != '{' {
		return api.InvalidField("customFields", "customFields must be an object")
	}
	if len(s.CustomFields) > maxCustomFields {
		return api.InvalidField("customFields", "customFields must be at most %d bytes", maxCustomFields)
	}
	return nil
}

// lockStudent reads a student of the school and keeps others from changing them, or
// their guardians and enrolments, until the transaction ends.
func lockStudent(c api.Ctx, id uuid.UUID) (Student, error) {
	var found []Student
	if err := c.DB.Raw(`select `+studentColumns+`, student.search_text from student where id = ? and deleted_at is null for update`,
		id).Scan(&found).Error; err != nil {
		return Student{}, fmt.Errorf("reading a student: %w", err)
	}
	if len(found) == 0 {
		return Student{}, ErrNoStudent
	}
	return found[0], nil
}
