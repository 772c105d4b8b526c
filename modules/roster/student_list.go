package roster

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

// StudentItem is a student in a list.
type StudentItem struct {
	Seat
	StudentSummary
}

// ListedStudent is a student in the office's list, told apart from namesakes by a parent's name.
type ListedStudent struct {
	StudentItem
	GuardianName string          `json:"guardianName" doc:"Of the primary guardian, empty without one"`
	CustomFields json.RawMessage `json:"customFields" members:"any" doc:"By the keys of the school's custom fields"`
}

// StudentSummary is what a list says of a student.
type StudentSummary struct {
	ID              uuid.UUID  `json:"id"`
	AdmissionNumber string     `json:"admissionNumber"`
	FirstName       string     `json:"firstName"`
	LastName        string     `json:"lastName"`
	Gender          string     `json:"gender" enum:"FEMALE,MALE,OTHER,''"`
	DateOfBirth     *api.Date  `json:"dateOfBirth"`
	Phone           string     `json:"phone"`
	PhotoFileID     *uuid.UUID `json:"photoFileId"`
	AdmissionDate   api.Date   `json:"admissionDate"`
	Status          string     `json:"status" enum:"ACTIVE,TRANSFERRED,GRADUATED,WITHDRAWN"`
	CreatedAt       time.Time  `json:"createdAt"`
	Version         int        `json:"version"`
}

const summaryColumns = `student.id, student.admission_number, student.first_name, student.last_name, student.gender, student.date_of_birth,
	student.phone, student.photo_file_id, student.admission_date, student.status, student.created_at, student.version`

// seated is a summary and its seat as a query gives them.
type seated struct {
	StudentSummary
	Seat Seat
}

// StudentListing is how students are listed and exported. It names today.day, so its queries
// begin with StudentsToday. A filter
// never joins: counting then needs no enrolment it does not ask for.
var StudentListing = api.Listing{
	Sorts: map[string]string{
		"firstName": "first_name", "lastName": "last_name", "admissionNumber": "admission_number", "createdAt": "created_at",
		"rollNumber": "(select e.roll_number from enrolment e where e.student_id = student.id and " + covers + ")",
	},
	Default: "firstName",
	Filters: map[string]api.Filter{
		"search": api.SearchWords("search_text"),
		"status": api.ByEnum("status", "ACTIVE", "TRANSFERRED", "GRADUATED", "WITHDRAWN"),
		"gender": api.ByEnum("gender", "FEMALE", "MALE", "OTHER"),
		// A class and a division are few of the school's students: they are found by their ids, however many others there are.
		"classId": api.ByID("class_id").Where(`student.id = any(array(
			select e.student_id from enrolment e where e.class_id = @v and ` + coversToday + `
			union all
			select s.id from student s where s.class_id = @v and s.status = 'ACTIVE'
				and not exists (select from enrolment e where e.student_id = s.id and ` + coversToday + `)))`),
		"divisionId": api.ByID("division_id").Where(`student.id = any(array(select e.student_id from enrolment e where e.division_id = @v and ` +
			coversToday + `))`),
		"academicYearId": api.ByID("academic_year_id").Where(`student.id in (select e.student_id from enrolment e
			where e.academic_year_id = @v)`),
		customFilter: api.ByMembers("custom_fields"),
		"unplaced": api.ByBool("unplaced").Where(`@v = (student.status = 'ACTIVE'
			and student.id not in (select e.student_id from enrolment e where ` + coversToday + `))`),
	},
}

// guardianColumn is the name of a student's primary guardian, of whom there is one at most.
const guardianColumn = `coalesce((select trim(g.first_name || ' ' || g.last_name) from student_guardian sg
	join guardian g on g.id = sg.guardian_id where sg.student_id = student.id and sg.is_primary), '') as guardian_name`

func listStudents(c api.Ctx, l api.ListRequest) (api.Page[ListedStudent], error) {
	type row struct {
		StudentSummary
		Seat         Seat `gorm:"type:record"`
		GuardianName string
		CustomFields json.RawMessage
	}
	if err := CheckCustomFilter(c, OfStudents, l); err != nil {
		return api.Page[ListedStudent]{}, err
	}
	columns := summaryColumns + ", student.custom_fields, " + seatColumn + ", " + guardianColumn
	found, err := api.Fetch[row](StudentsToday(c).Select(columns), l)
	return api.MapPage(found, func(s row) ListedStudent {
		return ListedStudent{StudentItem{s.Seat, s.StudentSummary}, s.GuardianName, s.CustomFields}
	}), err
}
