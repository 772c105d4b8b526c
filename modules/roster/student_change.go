package roster

import (
	"reflect"

	"github.com/google/uuid"

	"homeroom/api"
)

type studentChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[studentEdit]
}

// studentEdit is what of a student can be changed: what the office says of them, and
// where they sit from today on.
type studentEdit struct {
	StudentFields
	SeatFields
	EnrolledFrom *api.Date `json:"enrolledFrom" doc:"Moves the first day of the present enrolment, within its year and while nothing stands before it. With the division of a student who sits nowhere: since when they sit there; the admission date unless given, or the start of the year"`
	WithoutClass bool      `json:"withoutClass" doc:"Takes the student out of class and division. Without it classId and divisionId cannot be cleared"`
}

var errTakenOut = api.InvalidField("withoutClass",
	"classId or divisionId null would take the student out of class: send withoutClass true if that is meant, or leave them out")

func updateStudent(c api.Ctx, r studentChange) (StudentDetail, error) {
	before, err := lockStudent(c, r.ID)
	if err != nil {
		return StudentDetail{}, err
	}
	now, err := currentEnrolment(c, r.ID)
	if err != nil {
		return StudentDetail{}, err
	}
	sat := now
	edit := studentEdit{StudentFields: before.StudentFields}
	if now != nil {
		edit.ClassID, edit.DivisionID, edit.RollNumber = &now.ClassID, &now.DivisionID, now.RollNumber
	}
	if err := r.Apply(&edit); err != nil {
		return StudentDetail{}, err
	}
	if err := r.checkSeat(before, now, &edit); err != nil {
		return StudentDetail{}, err
	}
	if r.Names("customFields") {
		change := customChange{subject: OfStudents, said: edit.CustomFields, was: before.CustomFields}
		if edit.CustomFields, err = change.custom(c); err != nil {
			return StudentDetail{}, err
		}
	}
	if r.Names("enrolledFrom") {
		switch {
		case isZero(edit.EnrolledFrom) || now == nil && edit.DivisionID == nil:
			return StudentDetail{}, api.InvalidField("enrolledFrom",
				"enrolledFrom is the first day of an enrolment: the student must sit in a division")
		case now == nil: // reseat places them
		case r.Names("divisionId") && edit.DivisionID != nil && *edit.DivisionID != now.DivisionID:
			return StudentDetail{}, api.InvalidField("enrolledFrom", "enrolledFrom cannot be changed together with divisionId")
		}
		if now != nil {
			if err := moveFirstDay(c, *now, *edit.EnrolledFrom); err != nil {
				return StudentDetail{}, err
			}
			if now, err = currentEnrolment(c, r.ID); err != nil {
				return StudentDetail{}, err
			}
		}
	}
	if err := r.reseat(c, &before, now, &edit); err != nil {
		return StudentDetail{}, err
	}
	sits := now
	if r.namesSeat() || edit.WithoutClass {
		if sits, err = currentEnrolment(c, r.ID); err != nil {
			return StudentDetail{}, err
		}
	}
	s, err := api.Update(c, "student", r.ID, func(s *Student) error {
		s.StudentFields = edit.StudentFields
		if !reflect.DeepEqual(sits, sat) {
			s.Touch()
		}
		if isZero(s.AdmissionDate) {
			return api.InvalidField("admissionDate", "admissionDate is required")
		}
		if err := s.normalize(c); err != nil {
			return err
		}
		if s.AdmissionNumber == "" {
			return api.InvalidField("admissionNumber", "admissionNumber is required")
		}
		return nil
	})
	if err != nil {
		return StudentDetail{}, err
	}
	if s.searchText() != before.searchText() {
		if err := RefreshSearch(c, []uuid.UUID{s.ID}); err != nil {
			return StudentDetail{}, err
		}
	}
	return studentDetail(c, r.ID)
}

func (r studentChange) namesSeat() bool {
	return r.Names("divisionId") || r.Names("classId") || r.Names("rollNumber")
}

// checkSeat refuses to take a student out of class by a null alone: many clients write one for
// every field they do not know.
func (r studentChange) checkSeat(before Student, now *Enrolment, edit *studentEdit) error {
	noClass := r.Names("classId") && edit.ClassID == nil && (now != nil || before.ClassID != nil)
	noDivision := r.Names("divisionId") && edit.DivisionID == nil && now != nil
	toWait := r.Names("classId") && edit.ClassID != nil
	switch {
	case !edit.WithoutClass && (noClass || noDivision && !toWait):
		return errTakenOut
	case edit.WithoutClass && (toWait || r.Names("divisionId") && edit.DivisionID != nil):
		return api.InvalidField("withoutClass", "withoutClass cannot be sent together with a class or division")
	case edit.WithoutClass:
		edit.ClassID, edit.DivisionID = nil, nil
	}
	return nil
}

// reseat moves the student if the change says so. A class alone takes them out of a
// division of another class: they wait in the new one to be placed.
func (r studentChange) reseat(c api.Ctx, s *Student, now *Enrolment, edit *studentEdit) error {
	if !r.namesSeat() && !edit.WithoutClass {
		return nil
	}
	otherClass := r.Names("classId") && now != nil && (edit.ClassID == nil || *edit.ClassID != now.ClassID)
	if otherClass && !r.Names("divisionId") {
		edit.DivisionID = nil
	}
	if edit.DivisionID == nil {
		switch {
		case r.Names("rollNumber") && edit.RollNumber != nil:
			return errRollAlone
		case now == nil:
			return nil
		}
		return unseat(c, *now, "MOVED")
	}
	var class *uuid.UUID
	if r.Names("classId") {
		class = edit.ClassID
	}
	d, err := divisionOf(c, *edit.DivisionID, class)
	if err != nil {
		return err
	}
	edit.ClassID = &d.ClassID
	if now != nil && now.DivisionID != d.ID && !r.Names("rollNumber") {
		edit.RollNumber = nil // it was theirs in the other division
	}
	if now != nil && now.DivisionID == d.ID && sameNumber(now.RollNumber, edit.RollNumber) {
		return nil
	}
	if s.Status != "ACTIVE" {
		return api.Conflict("This student is %s and cannot be placed in a division", s.Status)
	}
	if !isZero(edit.AdmissionDate) {
		s.AdmissionDate = edit.AdmissionDate
	}
	return move(c, s, now, d, edit.RollNumber, edit.EnrolledFrom)
}
