package roster

import (
	"homeroom/api"
)

// The columns of a students' file, in the order an export writes them.
const (
	colAdmissionNumber = iota
	colFirstName
	colLastName
	colClass
	colDivision
	colRollNumber
	colGender
	colDateOfBirth
	colBloodGroup
	colAddress
	colPhone
	colEmail
	colAdmissionDate
	colPreviousSchool
	colMedicalNotes
	colAllergies
	colEmergencyName
	colEmergencyPhone
	colGuardians // the first column of the first guardian
)

// The columns of each guardian, counted from the guardian's first.
const (
	colRelation = iota
	colGuardianFirst
	colGuardianLast
	colGuardianPhone
	colGuardianEmail
	colOccupation
	guardianWidth
)

// maxGuardians is how many guardians one row can name.
const maxGuardians = 3

var genders = oneOf(map[string]string{"F": "FEMALE", "M": "MALE", "O": "OTHER", "GIRL": "FEMALE", "BOY": "MALE"}, "FEMALE", "MALE", "OTHER")

var relations = oneOf(map[string]string{"DAD": "FATHER", "MUM": "MOTHER", "MOM": "MOTHER"}, "FATHER", "MOTHER", "GUARDIAN", "OTHER")

var studentSheet = append([]column{
	colAdmissionNumber: {"admissionNumber", []string{"admissionNo", "admNo"}, anyText(40)},
	colFirstName:       {"firstName", []string{"name", "studentName"}, anyText(100)},
	colLastName:        {"lastName", []string{"surname"}, anyText(100)},
	colClass:           {"class", []string{"className", "grade"}, anyText(60)},
	colDivision:        {"division", []string{"section", "divisionName"}, anyText(30)},
	colRollNumber:      {"rollNumber", []string{"rollNo", "roll"}, numberCell},
	colGender:          {"gender", []string{"sex"}, genders},
	colDateOfBirth:     {"dateOfBirth", []string{"dob", "birthDate"}, dateCell},
	colBloodGroup:      {"bloodGroup", nil, anyText(5)},
	colAddress:         {"address", nil, anyText(500)},
	colPhone:           {"phone", []string{"studentPhone"}, phoneCell},
	colEmail:           {"email", []string{"studentEmail"}, emailCell},
	colAdmissionDate:   {"admissionDate", nil, dateCell},
	colPreviousSchool:  {"previousSchool", nil, anyText(200)},
	colMedicalNotes:    {"medicalNotes", nil, anyText(2000)},
	colAllergies:       {"allergies", nil, anyText(500)},
	colEmergencyName:   {"emergencyContactName", nil, anyText(100)},
	colEmergencyPhone:  {"emergencyContactPhone", nil, phoneCell},
}, guardianColumns()...)

func guardianColumns() []column {
	var out []column
	for _, n := range []string{"1", "2", "3"}[:maxGuardians] {
		out = append(out,
			column{"guardian" + n + "Relation", nil, relations},
			column{"guardian" + n + "FirstName", []string{"guardian" + n + "Name"}, anyText(100)},
			column{"guardian" + n + "LastName", nil, anyText(100)},
			column{"guardian" + n + "Phone", nil, phoneCell},
			column{"guardian" + n + "Email", nil, emailCell},
			column{"guardian" + n + "Occupation", nil, anyText(100)},
		)
	}
	return out
}

// studentLine is a row of the file: every cell as it is kept, empty where there is none.
type studentLine struct {
	row   int
	cells []string
}

func (l studentLine) name() string { return api.Fold(l.cells[colFirstName], l.cells[colLastName]) }

// number is the admission number as it is compared.
func (l studentLine) number() string { return lower(l.cells[colAdmissionNumber]) }

// guardian is the cells of the i-th guardian, or nil if the row names none.
func (l studentLine) guardian(i int) []string {
	cells := l.cells[colGuardians+i*guardianWidth : colGuardians+(i+1)*guardianWidth]
	if cells[colGuardianPhone] == "" {
		return nil
	}
	return cells
}

func (m *Module) importStudents(c api.Ctx, r importRequest, file *api.Incoming) (ImportResult, error) {
	reading := &studentReading{today: c.Today().String(), numbers: map[string]int{}, people: map[string]int{}}
	return runImport(c, r, file, importer{
		kind: "STUDENT", columns: studentSheet, take: reading.take,
		plan: func(c api.Ctx, found *problems) (importPlan, error) { return planStudents(c, m, reading.lines, found) },
	})
}

// studentReading keeps the rows and sees what only a file as a whole can get wrong.
type studentReading struct {
	today   string
	lines   []studentLine
	numbers map[string]int // the row that has an admission number
	people  map[string]int // the row that has a person without one
}

func (s *studentReading) take(row int, cells []string, found *problems) {
	l := studentLine{row, cells}
	s.checkGuardians(l, found)
	if cells[colDivision] != "" && cells[colClass] == "" {
		found.add(row, "division", "needs a class: divisions are named within their class")
	}
	if cells[colRollNumber] != "" && cells[colDivision] == "" {
		found.add(row, "rollNumber", "needs a division: roll numbers are given within it")
	}
	if cells[colDateOfBirth] > s.today {
		found.add(row, "dateOfBirth", "must not be in the future")
	}
	if cells[colAdmissionNumber] != "" {
		if first, twice := s.numbers[l.number()]; twice {
			found.addf(row, "admissionNumber", "is the admission number of row %d, too", first)
		} else {
			s.numbers[l.number()] = row
		}
	} else if cells[colFirstName] != "" {
		who := l.name() + "|" + cells[colDateOfBirth] + "|" + cells[colGuardians+colGuardianPhone]
		if first, twice := s.people[who]; twice {
			found.addf(row, "admissionNumber", "is needed: row %d says the same of a student", first)
		} else {
			s.people[who] = row
		}
	}
	s.lines = append(s.lines, l)
}

func (s *studentReading) checkGuardians(l studentLine, found *problems) {
	for i := range maxGuardians {
		cells := l.cells[colGuardians+i*guardianWidth : colGuardians+(i+1)*guardianWidth]
		said := false
		for _, cell := range cells {
			said = said || cell != ""
		}
		name := func(col int) string { return studentSheet[colGuardians+i*guardianWidth+col].name }
		if said && cells[colGuardianPhone] == "" && !found.bad(l.row) {
			found.add(l.row, name(colGuardianPhone), "is required: a guardian signs in with it")
		}
		if said && cells[colGuardianFirst] == "" && !found.bad(l.row) {
			found.add(l.row, name(colGuardianFirst), "is required")
		}
		for j := range i {
			if g := l.guardian(j); g != nil && g[colGuardianPhone] == cells[colGuardianPhone] {
				found.addf(l.row, name(colGuardianPhone), "is the phone of guardian %d, too", j+1)
			}
		}
	}
}
