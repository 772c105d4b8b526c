package main

import (
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
)

// BenchStudent is a record of the size a student's has.
type BenchStudent struct {
	api.Record
	AdmissionNo  string     `json:"admissionNo"`
	RollNo       int        `json:"rollNo"`
	FirstName    string     `json:"firstName"`
	MiddleName   string     `json:"middleName"`
	LastName     string     `json:"lastName"`
	Gender       string     `json:"gender"`
	BirthDate    api.Date   `json:"birthDate"`
	BloodGroup   string     `json:"bloodGroup"`
	Nationality  string     `json:"nationality"`
	MotherTongue string     `json:"motherTongue"`
	Address      string     `json:"address"`
	City         string     `json:"city"`
	PostalCode   string     `json:"postalCode"`
	Phone        string     `json:"phone"`
	Email        string     `json:"email"`
	ClassID      uuid.UUID  `json:"classId"`
	AdmittedOn   api.Date   `json:"admittedOn"`
	PhotoFileID  *uuid.UUID `json:"photoFileId"`
	Status       string     `json:"status"`
}

// StudentLine is what a list shows of a student.
type StudentLine struct {
	ID          uuid.UUID  `json:"id"`
	AdmissionNo string     `json:"admissionNo"`
	RollNo      int        `json:"rollNo"`
	FirstName   string     `json:"firstName"`
	LastName    string     `json:"lastName"`
	Gender      string     `json:"gender"`
	BirthDate   api.Date   `json:"birthDate"`
	City        string     `json:"city"`
	Phone       string     `json:"phone"`
	ClassID     uuid.UUID  `json:"classId"`
	PhotoFileID *uuid.UUID `json:"photoFileId"`
	Status      string     `json:"status"`
}

// The columns GORM names for the two, for those who write the same SQL by hand.
var (
	recordColumns = quoted(`id created_at updated_at created_by updated_by version admission_no roll_no first_name middle_name last_name
		gender birth_date blood_group nationality mother_tongue address city postal_code phone email class_id admitted_on photo_file_id status`)
	lineColumns = quoted(`id admission_no roll_no first_name last_name gender birth_date city phone class_id photo_file_id status`)
)

func quoted(names string) string {
	fields := strings.Fields(names)
	for i, f := range fields {
		fields[i] = `"bench_student"."` + f + `"`
	}
	return strings.Join(fields, ",")
}

const (
	listPath   = "/school-admin/bench/student/list"
	recordPath = "/school-admin/bench/student/"
	idlePath   = "/school-admin/bench/nothing"
)

// studentRows are the endpoints that are measured, as a module would declare them.
func studentRows() []api.Row {
	listing := api.Listing{
		Sorts:   map[string]string{"lastName": "last_name", "createdAt": "created_at"},
		Default: "lastName",
		Filters: map[string]api.Filter{"classId": api.ByID("class_id"), "search": api.Search("first_name", "last_name")},
	}
	return api.Rows(
		api.List(listPath, "student", "List students", listing, listStudents),
		api.Get(recordPath+":id", "student", "Read a student", getStudent),
		api.Get(idlePath, "student", "Read nothing", func(api.Ctx, api.Nothing) (api.Nothing, error) { return api.Nothing{}, nil }),
	)
}

type byID struct {
	ID uuid.UUID `path:"id"`
}

func listStudents(c api.Ctx, l api.ListRequest) (api.Page[StudentLine], error) {
	return api.Fetch[StudentLine](c.DB.Model(&BenchStudent{}), l)
}

func getStudent(c api.Ctx, r byID) (BenchStudent, error) {
	return api.Find[BenchStudent](c, "student", c.DB, r.ID)
}
