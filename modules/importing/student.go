package importing

import (
	"strings"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/modules/roster"
	"homeroom/modules/roster/lookup"
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
	colEnrolledFrom
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

var genders = sheet.OneOf(map[string]string{
	"F": "FEMALE", "G": "FEMALE", "GIRL": "FEMALE", "महिला": "FEMALE", "स्त्री": "FEMALE", "लड़की": "FEMALE",
	"बालिका": "FEMALE", "أنثى": "FEMALE", "انثى": "FEMALE", "KE": "FEMALE", "MSICHANA": "FEMALE",
	"M": "MALE", "B": "MALE", "BOY": "MALE", "पुरुष": "MALE", "लड़का": "MALE", "बालक": "MALE", "ذكر": "MALE",
	"ME": "MALE", "MVULANA": "MALE",
	"O": "OTHER", "अन्य": "OTHER",
}, "FEMALE", "MALE", "OTHER")

var relations = sheet.OneOf(map[string]string{
	"DAD": "FATHER", "F": "FATHER", "PAPA": "FATHER", "BABA": "FATHER", "पिता": "FATHER", "الأب": "FATHER",
	"والد": "FATHER", "أب": "FATHER",
	"MUM": "MOTHER", "MOM": "MOTHER", "M": "MOTHER", "MUMMY": "MOTHER", "MAMA": "MOTHER", "माता": "MOTHER",
	"الأم": "MOTHER", "والدة": "MOTHER", "أم": "MOTHER",
	"अभिभावक": "GUARDIAN", "ولي الأمر": "GUARDIAN", "MLEZI": "GUARDIAN",
	"GRANDFATHER": "OTHER", "GRANDMOTHER": "OTHER", "UNCLE": "OTHER", "AUNT": "OTHER", "BROTHER": "OTHER",
	"SISTER": "OTHER",
}, "FATHER", "MOTHER", "GUARDIAN", "OTHER")

var studentSheet = append([]sheet.Column{
	colAdmissionNumber: lookup.AdmissionNumber,
	colFirstName: {Name: "firstName", Check: sheet.Text(100), Also: []string{
		"givenName", "forename", "studentFirstName", "पहला नाम", "الاسم الأول", "jina la kwanza"}},
	colLastName: {Name: "lastName", Check: sheet.Text(100), Also: []string{
		"surname", "familyName", "studentLastName", "उपनाम", "कुलनाम", "اسم العائلة", "اللقب", "jina la ukoo",
		"jina la mwisho"}},
	colClass: {Name: "class", Check: sheet.Text(60), Also: []string{
		"classId", "className", "grade", "std", "standard", "form", "yearGroup", "classSection", "classDivision",
		"gradeSection", "classAndSection", "कक्षा", "الصف", "صف", "darasa", "kidato"}},
	colDivision: {Name: "division", Check: sheet.Text(30), Also: []string{
		"divisionId", "section", "sectionId", "divisionName", "sec", "div", "stream", "अनुभाग", "वर्ग", "सेक्शन", "الشعبة",
		"شعبة", "الفصل", "mkondo"}},
	colRollNumber: {Name: "rollNumber", Check: sheet.Number, Also: []string{
		"rollNo", "roll", "अनुक्रमांक", "रोल नंबर", "रोल नं", "رقم الجلوس", "الرقم التسلسلي", "namba ya darasani"}},
	colGender: {Name: "gender", Check: genders, Also: []string{"sex", "लिंग", "الجنس", "النوع", "jinsia", "jinsi"}},
	colDateOfBirth: {Name: "dateOfBirth", Date: true, Also: []string{
		"dob", "birthDate", "birthday", "dateOfBirthDdmmyyyy", "dobDdmmyyyy", "born", "जन्म तिथि", "जन्मतिथि",
		"जन्म दिनांक", "تاريخ الميلاد", "tarehe ya kuzaliwa"}},
	colBloodGroup: {Name: "bloodGroup", Check: sheet.Text(5), Also: []string{
		"bloodType", "रक्त समूह", "فصيلة الدم", "kundi la damu"}},
	colAddress: {Name: "address", Check: sheet.Text(500), Also: []string{
		"residentialAddress", "homeAddress", "permanentAddress", "पता", "العنوان", "anwani"}},
	colPhone: {Name: "phone", Phone: true, Also: []string{"studentPhone", "studentMobile", "studentMobileNo"}},
	colEmail: {Name: "email", Check: sheet.Email, Also: []string{
		"studentEmail", "emailId", "emailAddress", "ईमेल", "البريد الإلكتروني", "barua pepe"}},
	colAdmissionDate: {Name: "admissionDate", Date: true, Also: []string{
		"dateOfAdmission", "doa", "joiningDate", "dateJoined", "प्रवेश तिथि", "تاريخ القبول", "تاريخ الالتحاق",
		"tarehe ya kujiunga"}},
	colEnrolledFrom: {Name: "enrolledFrom", Date: true, Also: []string{
		"sitsHereSince", "inClassSince", "inDivisionSince", "inThisDivisionSince", "enrolledSince", "enrolmentDate",
		"enrollmentDate", "dateOfEnrolment", "कक्षा में कब से", "في الصف منذ", "darasani tangu"}},
	colPreviousSchool: {Name: "previousSchool", Check: sheet.Text(200), Also: []string{
		"lastSchool", "पिछला विद्यालय", "المدرسة السابقة", "shule ya awali"}},
	colMedicalNotes:  {Name: "medicalNotes", Check: sheet.Text(2000), Also: []string{"medical", "medicalConditions"}},
	colAllergies:     {Name: "allergies", Check: sheet.Text(500), Also: []string{"allergy", "एलर्जी", "الحساسية", "mzio"}},
	colEmergencyName: {Name: "emergencyContactName", Check: sheet.Text(100), Also: []string{"emergencyContact"}},
	colEmergencyPhone: {Name: "emergencyContactPhone", Phone: true, Also: []string{
		"emergencyPhone", "emergencyContactNo", "emergencyContactNumber", "emergencyNo"}},
	colGroups: {Name: "groups", Check: sheet.Text(1000), Also: []string{"group", "electives"}},
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
	row    int
	cells  []string
	custom []string // of the school's own fields
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
	imports.Request
	Since string `json:"since" validate:"omitempty,oneof=YEAR_START TODAY" doc:"Since when those sit in their division whose row has neither enrolledFrom nor admissionDate: the start of the academic year unless given, or today"`

	CreateClasses bool `json:"createClasses" doc:"Make the classes and divisions that the file names and the school does not have; needs the right to write classes"`
}

// students are files of students with their guardians, places and groups.
func (m *Module) students() imports.Kind[studentImport] {
	return imports.Kind[studentImport]{
		Key: "STUDENT", Path: "/school-admin/student/import", Permission: "student", Columns: officeSheet,
		Summary: "Import students with guardians and enrolments from a CSV file or workbook", Begin: m.beginStudents,
		Tables: []string{"class", "division", "app_user", "guardian", "student", "enrolment", "student_group_member", "student_guardian"},
		Loosen: `update enrolment e set roll_number = null from import_change h where h.run_id = $1 and h.table_name = 'enrolment'
			and h.before is not null and h.row_key = e.id::text`,
	}
}

func (m *Module) beginStudents(c api.Ctx, r studentImport) (imports.Reading, error) {
	if r.CreateClasses {
		if err := c.Permit("class", api.Write); err != nil {
			return imports.Reading{}, err
		}
	}
	custom, err := readCustomFields(c, roster.OfStudents)
	if err != nil {
		return imports.Reading{}, err
	}
	reading := &studentReading{today: c.Today().String(), numbers: map[string]int{}, people: map[string]int{}, custom: custom}
	return imports.Reading{
		Columns: custom.columns(officeSheet), Take: reading.take,
		Plan: func(c api.Ctx, found *sheet.Problems) (imports.Plan, error) {
			return planStudents(c, m, r, reading, found)
		},
	}, nil
}

// studentReading keeps the rows and sees what only a file as a whole can get wrong.
type studentReading struct {
	today   string
	lines   []studentLine
	numbers map[string]int // the row that has an admission number
	people  map[string]int // the row that has a person without one
	leftOut map[int]int    // guardians of a row who have no phone of their own
	custom  customFields
}

func (s *studentReading) take(row int, cells []string, bad map[int]bool, found *sheet.Problems) {
	s.spread(row, cells, bad, found)
	custom := cells[len(officeSheet):]
	cells = cells[:len(studentSheet):len(studentSheet)]
	l := studentLine{row, cells, custom}
	s.checkGuardians(l, bad, found)
	if cells[colDivision] != "" && cells[colClass] == "" && !bad[colClass] {
		found.Add(row, "division", "needs a class: divisions are named within their class")
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

func (s *studentReading) checkGuardians(l studentLine, bad map[int]bool, found *sheet.Problems) {
	for i := range maxGuardians {
		cells := l.cells[colGuardians+i*guardianWidth : colGuardians+(i+1)*guardianWidth]
		said := false
		for _, cell := range cells {
			said = said || cell != ""
		}
		name := func(col int) string { return studentSheet[colGuardians+i*guardianWidth+col].Name }
		at := colGuardians + i*guardianWidth
		if said && cells[colGuardianPhone] == "" && !bad[at+colGuardianPhone] {
			found.Add(l.row, name(colGuardianPhone), "is required: a guardian signs in with it")
		}
		if said && cells[colGuardianFirst] == "" && !bad[at+colGuardianFirst] {
			found.Add(l.row, name(colGuardianFirst), "is required")
		}
		for j := range i {
			if g := l.guardian(j); g != nil && g[colGuardianPhone] == cells[colGuardianPhone] {
				found.Addf(l.row, name(colGuardianPhone), "is the phone of guardian %d, too", j+1)
			}
		}
	}
}
