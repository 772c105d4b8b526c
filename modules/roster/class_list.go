package roster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/paper"
	"homeroom/tenancy"
)

type classList struct {
	ID           uuid.UUID `path:"id"`
	Date         api.Date  `json:"date" doc:"Who sat there on that day; today unless given"`
	Title        string    `json:"title" validate:"max=100" doc:"What the list is for, printed above it" example:"Trip to the zoo"`
	Columns      []string  `json:"columns" validate:"max=6,unique,dive,oneof=ROLL_NUMBER ADMISSION_NUMBER GENDER DATE_OF_BIRTH GUARDIAN PHONE" doc:"ROLL_NUMBER, GUARDIAN and PHONE unless given"`
	BlankColumns *int      `json:"blankColumns" validate:"omitempty,min=0,max=20" doc:"Empty ones to tick or write in; 5 unless given"`
}

// printedStudent is what class lists and ID cards say of a student. The guardian is the primary one.
type printedStudent struct {
	ID              uuid.UUID
	RollNumber      *int
	AdmissionNumber string
	FirstName       string
	LastName        string
	Gender          string
	DateOfBirth     *api.Date
	BloodGroup      string
	PhotoFileID     *uuid.UUID
	ClassName       string
	DivisionName    string
	GuardianName    string
	GuardianPhone   string
}

// printedStudents reads those who sit somewhere on the day $1; a condition on the enrolment e and the student s
// follows.
const printedStudents = `select s.id, e.roll_number, s.admission_number, s.first_name, s.last_name, s.gender, s.date_of_birth,
		s.blood_group, s.photo_file_id, k.name as class_name, d.name as division_name,
		coalesce(trim(g.first_name || ' ' || g.last_name), '') as guardian_name, coalesce(g.phone, '') as guardian_phone
	from enrolment e join student s on s.id = e.student_id join class k on k.id = e.class_id join division d on d.id = e.division_id
		left join lateral (select g.first_name, g.last_name, g.phone from student_guardian sg join guardian g on g.id = sg.guardian_id
			where sg.student_id = s.id order by sg.is_primary desc, sg.created_at, g.id limit 1) g on true
	where e.start_date <= $1 and (e.end_date is null or e.end_date >= $1) and s.deleted_at is null and `

const byRoll = ` order by e.roll_number nulls last, s.first_name, s.last_name, s.id`

// printClassList is a division's list on paper.
func (m *Module) printClassList(c api.Ctx, r classList) (api.File, error) {
	if r.Date.IsZero() {
		r.Date = c.Today()
	}
	if len(r.Columns) == 0 {
		r.Columns = []string{"ROLL_NUMBER", "GUARDIAN", "PHONE"}
	}
	blank := 5
	if r.BlankColumns != nil {
		blank = *r.BlankColumns
	}
	var students []printedStudent
	var places []struct{ ClassName, DivisionName, YearName string }
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: printedStudents + `e.division_id = $2` + byRoll, Args: []any{r.Date, r.ID}, Scan: tenancy.Collect(&students)},
		tenancy.Query{SQL: `select k.name as class_name, d.name as division_name,
				coalesce((select y.name from academic_year y where $1 between y.start_date and y.end_date), '') as year_name
			from division d join class k on k.id = d.class_id where d.id = $2`, Args: []any{r.Date, r.ID}, Scan: tenancy.Collect(&places)})
	if err != nil {
		return api.File{}, fmt.Errorf("reading a class list: %w", err)
	}
	if len(places) == 0 {
		return api.File{}, api.NotFound("division")
	}
	head, err := m.Letterhead(c)
	if err != nil {
		return api.File{}, err
	}
	f, place := paper.FiguresOf(c.School.Writes()), places[0]
	name := place.ClassName + " " + place.DivisionName
	doc := paper.New(head, "Class list")
	doc.Pairs([2]string{"Class", name}, [2]string{"Academic year", place.YearName},
		[2]string{"Date", f.Day(r.Date.Year, r.Date.Month, r.Date.Day)}, [2]string{"In all", countOf(len(students), "student")},
		[2]string{"For", r.Title})
	doc.Grid(classGrid(students, r.Columns, blank, f))
	body, err := doc.Bytes()
	return api.File{Name: "class-list-" + fileName(name) + ".pdf", ContentType: "application/pdf", Body: body}, err
}

// listColumns are the columns a list can have, in their order; the name follows the roll number.
var listColumns = []struct {
	key   string
	title string
	width float64
	text  func(s printedStudent, f paper.Figures) string
}{
	{"ROLL_NUMBER", "Roll", 10, func(s printedStudent, _ paper.Figures) string { return s.roll() }},
	{"", "Name", 42, func(s printedStudent, _ paper.Figures) string { return FullName(s.FirstName, s.LastName) }},
	{"ADMISSION_NUMBER", "Admission no.", 22, func(s printedStudent, _ paper.Figures) string { return s.AdmissionNumber }},
	{"GENDER", "Gender", 15, func(s printedStudent, _ paper.Figures) string { return sentence(s.Gender) }},
	{"DATE_OF_BIRTH", "Born", 21, func(s printedStudent, f paper.Figures) string {
		if s.DateOfBirth == nil {
			return ""
		}
		return f.Day(s.DateOfBirth.Year, s.DateOfBirth.Month, s.DateOfBirth.Day)
	}},
	{"GUARDIAN", "Guardian", 34, func(s printedStudent, _ paper.Figures) string { return s.GuardianName }},
	{"PHONE", "Phone", 28, func(s printedStudent, _ paper.Figures) string { return s.GuardianPhone }},
}

func classGrid(students []printedStudent, columns []string, blank int, f paper.Figures) paper.Grid {
	grid := paper.Grid{Rows: make([][]string, len(students))}
	for _, column := range listColumns {
		if column.key != "" && !slices.Contains(columns, column.key) {
			continue
		}
		grid.Columns = append(grid.Columns, paper.Column{Title: column.title, Width: column.width, Middle: column.key == "ROLL_NUMBER"})
		for i, s := range students {
			grid.Rows[i] = append(grid.Rows[i], column.text(s, f))
		}
	}
	for range blank {
		grid.Columns = append(grid.Columns, paper.Column{Width: 9})
	}
	grid.Small = len(grid.Columns) > 10
	return grid
}

func (s printedStudent) roll() string {
	if s.RollNumber == nil {
		return ""
	}
	return strconv.Itoa(*s.RollNumber)
}

// sentence is a fixed word as it is printed: FEMALE is Female.
func sentence(word string) string {
	if word == "" {
		return ""
	}
	return word[:1] + strings.ReplaceAll(strings.ToLower(word[1:]), "_", " ")
}

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// fileName is a name without what file systems dislike.
func fileName(name string) string { return strings.NewReplacer("/", "-", " ", "-").Replace(name) }
