package importing

import (
	"strings"

	"homeroom/api"
	"homeroom/sheet"
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
	colGroups
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

var genders = sheet.OneOf(map[string]string{"F": "FEMALE", "M": "MALE", "O": "OTHER", "GIRL": "FEMALE", "BOY": "MALE"}, "FEMALE", "MALE",
	"OTHER")

var relations = sheet.OneOf(map[string]string{"DAD": "FATHER", "MUM": "MOTHER", "MOM": "MOTHER"}, "FATHER", "MOTHER", "GUARDIAN", "OTHER")

var studentSheet = append([]sheet.Column{
	colAdmissionNumber: {Name: "admissionNumber", Also: []string{"admissionNo", "admNo"}, Check: sheet.Text(40)},
	colFirstName:       {Name: "firstName", Also: []string{"name", "studentName"}, Check: sheet.Text(100)},
	colLastName:        {Name: "lastName", Also: []string{"surname"}, Check: sheet.Text(100)},
	colClass:           {Name: "class", Also: []string{"className", "grade"}, Check: sheet.Text(60)},
	colDivision:        {Name: "division", Also: []string{"section", "divisionName"}, Check: sheet.Text(30)},
	colRollNumber:      {Name: "rollNumber", Also: []string{"rollNo", "roll"}, Check: sheet.Number},
	colGender:          {Name: "gender", Also: []string{"sex"}, Check: genders},
	colDateOfBirth:     {Name: "dateOfBirth", Also: []string{"dob", "birthDate"}, Check: sheet.Date},
	colBloodGroup:      {Name: "bloodGroup", Check: sheet.Text(5)},
	colAddress:         {Name: "address", Check: sheet.Text(500)},
	colPhone:           {Name: "phone", Also: []string{"studentPhone"}, Phone: true},
	colEmail:           {Name: "email", Also: []string{"studentEmail"}, Check: sheet.Email},
	colAdmissionDate:   {Name: "admissionDate", Check: sheet.Date},
	colPreviousSchool:  {Name: "previousSchool", Check: sheet.Text(200)},
	colMedicalNotes:    {Name: "medicalNotes", Check: sheet.Text(2000)},
	colAllergies:       {Name: "allergies", Check: sheet.Text(500)},
	colEmergencyName:   {Name: "emergencyContactName", Check: sheet.Text(100)},
	colEmergencyPhone:  {Name: "emergencyContactPhone", Phone: true},
	colGroups:          {Name: "groups", Also: []string{"group", "electives"}, Check: sheet.Text(1000)},
}, guardianColumns()...)

func guardianColumns() []sheet.Column {
	var out []sheet.Column
	for _, n := range []string{"1", "2", "3"}[:maxGuardians] {
		out = append(out,
			sheet.Column{Name: "guardian" + n + "Relation", Check: relations},
			sheet.Column{Name: "guardian" + n + "FirstName", Also: []string{"guardian" + n + "Name"}, Check: sheet.Text(100)},
			sheet.Column{Name: "guardian" + n + "LastName", Check: sheet.Text(100)},
			sheet.Column{Name: "guardian" + n + "Phone", Phone: true},
			sheet.Column{Name: "guardian" + n + "Email", Check: sheet.Email},
			sheet.Column{Name: "guardian" + n + "Occupation", Check: sheet.Text(100)},
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
func (l studentLine) number() string { return strings.ToLower(l.cells[colAdmissionNumber]) }

// guardian is the cells of the i-th guardian, or nil if the row names none.
func (l studentLine) guardian(i int) []string {
	cells := l.cells[colGuardians+i*guardianWidth : colGuardians+(i+1)*guardianWidth]
	if cells[colGuardianPhone] == "" {
		return nil
	}
	return cells
}

// studentImport is what comes with a file of students.
type studentImport struct {
	importRequest
	Since string `json:"since" validate:"omitempty,oneof=YEAR_START TODAY" doc:"Since when those sit in their division whose row has no admissionDate: the start of the academic year unless given, or today"`
}

func (m *Module) importStudents(c api.Ctx, r studentImport, file *api.Incoming) (ImportResult, error) {
	reading := &studentReading{today: c.Today().String(), numbers: map[string]int{}, people: map[string]int{}}
	return runImport(c, r.importRequest, file, importer{
		kind: "STUDENT", columns: sheet.PhonesIn(api.PhoneRegion(c.School), studentSheet), take: reading.take,
		plan: func(c api.Ctx, found *sheet.Problems) (importPlan, error) {
			return planStudents(c, m, r.Since, reading.lines, found)
		},
	})
}

// studentReading keeps the rows and sees what only a file as a whole can get wrong.
type studentReading struct {
	today   string
	lines   []studentLine
	numbers map[string]int // the row that has an admission number
	people  map[string]int // the row that has a person without one
}

func (s *studentReading) take(row int, cells []string, found *sheet.Problems) {
	l := studentLine{row, cells}
	s.checkGuardians(l, found)
	if cells[colDivision] != "" && cells[colClass] == "" {
		found.Add(row, "division", "needs a class: divisions are named within their class")
	}
	if cells[colRollNumber] != "" && cells[colDivision] == "" {
		found.Add(row, "rollNumber", "needs a division: roll numbers are given within it")
	}
	if cells[colDateOfBirth] > s.today {
		found.Add(row, "dateOfBirth", "must not be in the future")
	}
	if cells[colAdmissionNumber] != "" {
		if first, twice := s.numbers[l.number()]; twice {
			found.Addf(row, "admissionNumber", "is the admission number of row %d, too", first)
		} else {
			s.numbers[l.number()] = row
		}
	} else if cells[colFirstName] != "" {
		who := l.name() + "|" + cells[colDateOfBirth] + "|" + cells[colGuardians+colGuardianPhone]
		if first, twice := s.people[who]; twice {
			found.Addf(row, "admissionNumber", "is needed: row %d says the same of a student", first)
		} else {
			s.people[who] = row
		}
	}
	s.lines = append(s.lines, l)
}

func (s *studentReading) checkGuardians(l studentLine, found *sheet.Problems) {
	for i := range maxGuardians {
		cells := l.cells[colGuardians+i*guardianWidth : colGuardians+(i+1)*guardianWidth]
		said := false
		for _, cell := range cells {
			said = said || cell != ""
		}
		name := func(col int) string { return studentSheet[colGuardians+i*guardianWidth+col].Name }
		if said && cells[colGuardianPhone] == "" && !found.IsBad(l.row) {
			found.Add(l.row, name(colGuardianPhone), "is required: a guardian signs in with it")
		}
		if said && cells[colGuardianFirst] == "" && !found.IsBad(l.row) {
			found.Add(l.row, name(colGuardianFirst), "is required")
		}
		for j := range i {
			if g := l.guardian(j); g != nil && g[colGuardianPhone] == cells[colGuardianPhone] {
				found.Addf(l.row, name(colGuardianPhone), "is the phone of guardian %d, too", j+1)
			}
		}
	}
}
