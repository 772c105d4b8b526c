package roster

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// StudentDetail is all the office sees of a student.
type StudentDetail struct {
	Seat
	Student
	Guardians  []Guardianship  `json:"guardians"`
	Enrolments []EnrolmentView `json:"enrolments" doc:"Where they sat, oldest first"`
}

// EnrolmentView is an enrolment with the names of what it speaks of.
type EnrolmentView struct {
	ID               uuid.UUID `json:"id"`
	AcademicYearID   uuid.UUID `json:"academicYearId"`
	AcademicYearName string    `json:"academicYearName"`
	ClassID          uuid.UUID `json:"classId"`
	ClassName        string    `json:"className"`
	DivisionID       uuid.UUID `json:"divisionId"`
	DivisionName     string    `json:"divisionName"`
	RollNumber       *int      `json:"rollNumber"`
	StartDate        api.Date  `json:"startDate"`
	EndDate          *api.Date `json:"endDate"`
	Outcome          *string   `json:"outcome" enum:"PROMOTED,RETAINED,LEFT,MOVED"`
}

// ErrNoStudent refuses a student who does not exist, or is not the caller's.
var ErrNoStudent = api.Coded(404, "STUDENT_NOT_FOUND", "Student not found")

const (
	studentColumns = `student.id, student.created_at, student.updated_at, student.created_by, student.updated_by, student.version,
		student.first_name, student.last_name, student.admission_number, student.class_id, student.gender, student.date_of_birth,
			student.blood_group,
		student.address, student.phone, student.email, student.photo_file_id, student.admission_date, student.previous_school,
			student.medical_notes,
		student.allergies, student.emergency_contact_name, student.emergency_contact_phone, student.custom_fields, student.status,
		student.leaving_date, student.leaving_reason, student.leaving_status`
	selectEnrolments = `select e.id, e.academic_year_id, y.name as academic_year_name, e.class_id, k.name as class_name, e.division_id,
			d.name as division_name, e.roll_number, e.start_date, e.end_date, e.outcome
		from enrolment e join academic_year y on y.id = e.academic_year_id join class k on k.id = e.class_id
		join division d on d.id = e.division_id
		where e.student_id = $1 order by e.start_date`
)

func getStudent(c api.Ctx, r byID) (StudentDetail, error) { return studentDetail(c, r.ID) }

// studentDetail reads a student, their guardians and enrolments in one round trip.
func studentDetail(c api.Ctx, id uuid.UUID) (StudentDetail, error) {
	type row struct {
		Student
		Seat Seat
	}
	var found []row
	out := StudentDetail{}
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select ` + studentColumns + `, ` + seatColumn +
			` from student, (select $2::date as day) as today where student.id = $1 and student.deleted_at is null`,
			Args: []any{id, c.Today()}, Scan: tenancy.Collect(&found)},
		tenancy.Query{SQL: selectGuardianships, Args: []any{id}, Scan: tenancy.Collect(&out.Guardians)},
		tenancy.Query{SQL: selectEnrolments, Args: []any{id}, Scan: tenancy.Collect(&out.Enrolments)},
	)
	if err != nil {
		return out, fmt.Errorf("reading a student: %w", err)
	}
	if len(found) == 0 {
		return out, ErrNoStudent
	}
	out.Student, out.Seat = found[0].Student, found[0].Seat
	return out, nil
}
