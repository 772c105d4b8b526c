package roster

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
)

// newStudent is a student as the office admits one, with where they sit and who
// answers for them.
type newStudent struct {
	StudentFields
	SeatFields
	EnrolledFrom *api.Date       `json:"enrolledFrom" doc:"Since when they sit in the division, in the active academic year; the admission date unless given, or the start of the year"`
	Guardians    []GuardianEntry `json:"guardians" validate:"omitempty,max=10,dive"`
	Rides        []NewRide       `json:"rides" validate:"omitempty,max=4,dive" doc:"The routes they ride since their first day; needs the right to write transport"`
	FeeHeads     []NewFeeHead    `json:"feeHeads" validate:"omitempty,max=20,dive" doc:"The optional fee heads they have since their first day; needs the right to write fee"`
}

func (m *Module) createStudent(c api.Ctx, r newStudent) (StudentDetail, error) {
	s := Student{StudentFields: r.StudentFields, Status: "ACTIVE"}
	if err := s.normalize(c); err != nil {
		return StudentDetail{}, err
	}
	var err error
	if s.CustomFields, err = (customChange{subject: OfStudents, said: r.CustomFields}).custom(c); err != nil {
		return StudentDetail{}, err
	}
	from := c.Today()
	var year AcademicYear
	var division *Division
	switch {
	case r.DivisionID != nil:
		d, err := divisionOf(c, *r.DivisionID, r.ClassID)
		if err != nil {
			return StudentDetail{}, err
		}
		division, s.ClassID = &d, &d.ClassID
		if year, err = ActiveYear(c); err != nil {
			return StudentDetail{}, err
		}
		if from, err = firstDay(year, r.EnrolledFrom, r.AdmissionDate); err != nil {
			return StudentDetail{}, err
		}
	case r.RollNumber != nil:
		return StudentDetail{}, errRollAlone
	default: // as if they were placed: they may be later
		var begun []AcademicYear
		if err := c.DB.Where("active and start_date < ?", from).Find(&begun).Error; err != nil {
			return StudentDetail{}, fmt.Errorf("reading the active year: %w", err)
		}
		if len(begun) > 0 {
			from = begun[0].StartDate
		}
	}
	if isZero(s.AdmissionDate) {
		s.AdmissionDate = &from
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
	s.SearchText = s.searchText(contactsOf(r.Guardians)...)
	if err := api.Insert(c, "student", &s); err != nil {
		return StudentDetail{}, err
	}
	if division != nil {
		if err := enrol(c, s.ID, year, *division, r.RollNumber, from); err != nil {
			return StudentDetail{}, err
		}
	}
	accounts, err := addGuardians(c, s.ID, r.Guardians, true)
	if err != nil {
		return StudentDetail{}, err
	}
	if err := m.addExtras(c, s.ID, r, from); err != nil {
		return StudentDetail{}, err
	}
	out, err := studentDetail(c, s.ID)
	if err != nil {
		return out, err
	}
	return out, m.enterAll(c, accounts)
}

// firstDay is the first day of an enrolment of somebody who sat nowhere in the year: as said,
// or the day of admission, or the start of the year. Who was admitted before the year sits
// here since its start.
func firstDay(year AcademicYear, said, admitted *api.Date) (api.Date, error) {
	switch {
	case !isZero(said):
		if !isZero(admitted) && said.Before(*admitted) {
			return api.Date{}, api.InvalidField("enrolledFrom", "enrolledFrom must not be before admissionDate, %s", admitted)
		}
		return *said, year.holds("enrolledFrom", *said)
	case !isZero(admitted) && year.StartDate.Before(*admitted):
		return *admitted, nil
	}
	return year.StartDate, nil
}

func isZero(d *api.Date) bool { return d == nil || d.IsZero() }

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
