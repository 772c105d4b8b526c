package dashboard

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

type searchRequest struct {
	Text string `json:"text" validate:"notblank,max=100" doc:"Words of names, a phone, or a number: of an admission, a receipt, an employee, a book's copy"`
	Only string `json:"only" validate:"omitempty,oneof=STUDENTS EMPLOYEES PEOPLE" doc:"Everything unless given; PEOPLE are students and employees"`
}

// Found is what was found, the best first: a few of each kind.
type Found struct {
	Students  []FoundStudent  `json:"students"`
	Employees []FoundEmployee `json:"employees"`
	Receipts  []FoundReceipt  `json:"receipts"`
	Books     []FoundBook     `json:"books"`
	More      bool            `json:"more" doc:"There are more of some kind: type more of the name"`
}

// mostStudents and mostOthers are how many of a kind a search shows. One more is read, to know whether there are more.
const mostStudents, mostOthers = 8, 5

// cut leaves as many as are shown.
func (f *Found) cut() {
	f.Students = cutAt(f, f.Students, mostStudents)
	f.Employees = cutAt(f, f.Employees, mostOthers)
	f.Receipts = cutAt(f, f.Receipts, mostOthers)
	f.Books = cutAt(f, f.Books, mostOthers)
}

func cutAt[T any](f *Found, found []T, most int) []T {
	if len(found) <= most {
		return found
	}
	f.More = true
	return found[:most]
}

// FoundStudent is a student with what tells namesakes apart.
type FoundStudent struct {
	ID              uuid.UUID  `json:"id"`
	AdmissionNumber string     `json:"admissionNumber"`
	FirstName       string     `json:"firstName"`
	LastName        string     `json:"lastName"`
	Status          string     `json:"status" enum:"ACTIVE,TRANSFERRED,GRADUATED,WITHDRAWN"`
	PhotoFileID     *uuid.UUID `json:"photoFileId"`
	ClassName       string     `json:"className"`
	DivisionName    string     `json:"divisionName"`
	GuardianName    string     `json:"guardianName" doc:"Of the primary guardian"`
}

// FoundEmployee is an employee.
type FoundEmployee struct {
	ID           uuid.UUID `json:"id"`
	EmployeeCode string    `json:"employeeCode"`
	FirstName    string    `json:"firstName"`
	LastName     string    `json:"lastName"`
	Designation  string    `json:"designation"`
	EmployeeType string    `json:"employeeType" enum:"TEACHER,DRIVER,ADMIN,SUPPORT"`
	Status       string    `json:"status" enum:"ACTIVE,INACTIVE"`
}

// FoundReceipt is a receipt.
type FoundReceipt struct {
	ID            uuid.UUID `json:"id"`
	ReceiptNumber string    `json:"receiptNumber"`
	StudentName   string    `json:"studentName"`
	Amount        int64     `json:"amount"`
	ReceivedOn    api.Date  `json:"receivedOn"`
}

// FoundBook is a book.
type FoundBook struct {
	ID              uuid.UUID `json:"id"`
	Title           string    `json:"title"`
	Author          string    `json:"author"`
	AccessionNumber string    `json:"accessionNumber" doc:"Of the copy that was searched for by its number"`
}

// search asks for all kinds in one round trip.
func search(c api.Ctx, r searchRequest) (Found, error) {
	out := Found{Students: []FoundStudent{}, Employees: []FoundEmployee{}, Receipts: []FoundReceipt{}, Books: []FoundBook{}}
	words := strings.Fields(api.Fold(r.Text))
	if len(words) > api.MaxWords {
		return out, api.InvalidField("text", "Search: at most %d words", api.MaxWords)
	}
	number := lastNumber(r.Text)
	kinds := []struct {
		module string
		asked  bool
		query  tenancy.Query
	}{
		{"student", r.Only != "EMPLOYEES", tenancy.Query{SQL: studentsFound(words), Args: wordArgs(words, c.Today()),
			Scan: tenancy.Collect(&out.Students)}},
		{"employee", r.Only != "STUDENTS", tenancy.Query{SQL: employeesFound(words), Args: wordArgs(words),
			Scan: tenancy.Collect(&out.Employees)}},
		{"fee", r.Only == "" && number > 0, tenancy.Query{SQL: receiptsFound, Args: []any{number, "%" + escape(strings.TrimSpace(r.Text)) + "%"},
			Scan: tenancy.Collect(&out.Receipts)}},
		{"library", r.Only == "", tenancy.Query{SQL: booksFound(words), Args: wordArgs(words, strings.ToLower(strings.TrimSpace(r.Text))),
			Scan: tenancy.Collect(&out.Books)}},
	}
	var queries []tenancy.Query
	for _, k := range kinds {
		may, err := c.MayRead(k.module)
		if err != nil {
			return out, err
		}
		if may && k.asked {
			queries = append(queries, k.query)
		}
	}
	if len(queries) == 0 {
		return out, nil
	}
	if err := tenancy.Pipeline(c.DB, queries...); err != nil {
		return out, fmt.Errorf("searching: %w", err)
	}
	out.cut()
	return out, nil
}

func escape(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}

// wordArgs are the first word, then a pattern for each word, then the rest.
func wordArgs(words []string, rest ...any) []any {
	args := []any{words[0]}
	for _, w := range words {
		args = append(args, "%"+escape(w)+"%")
	}
	return append(args, rest...)
}

// holdsWords is that a search text has every word. Each is a condition of its own, as the trigram index needs.
func holdsWords(words []string) string {
	var parts []string
	for i := range words {
		parts = append(parts, fmt.Sprintf("search_text like $%d", i+2))
	}
	return strings.Join(parts, " and ")
}

// studentsFound has who is asked for by number first, then those whose own name begins so: a search text begins with it.
func studentsFound(words []string) string {
	return fmt.Sprintf(`select s.id, s.admission_number, s.first_name, s.last_name, s.status, s.photo_file_id,
		coalesce(k.name, '') as class_name, coalesce(d.name, '') as division_name,
		coalesce((select trim(g.first_name || ' ' || g.last_name) from student_guardian sg join guardian g on g.id = sg.guardian_id
			where sg.student_id = s.id and sg.is_primary), '') as guardian_name
		from (select *, lower(admission_number) = $1 as by_number, starts_with(search_text, $1) as by_name from student
			where deleted_at is null and %[1]s
			order by by_number desc, status = 'ACTIVE' desc, by_name desc, first_name, last_name, id limit %[3]d) s
		left join enrolment e on e.student_id = s.id and e.start_date <= $%[2]d and (e.end_date is null or e.end_date >= $%[2]d)
		left join class k on k.id = coalesce(e.class_id, s.class_id) left join division d on d.id = e.division_id
		order by s.by_number desc, s.status = 'ACTIVE' desc, s.by_name desc, s.first_name, s.last_name, s.id`, holdsWords(words), len(words)+2,
		mostStudents+1)
}

func employeesFound(words []string) string {
	return fmt.Sprintf(`select id, employee_code, first_name, last_name, designation, employee_type, status from employee where %s
		order by lower(employee_code) = $1 desc, status = 'ACTIVE' desc, starts_with(search_text, $1) desc, first_name, last_name, id limit %d`,
		holdsWords(words), mostOthers+1)
}

// receiptsFound goes by the number within each year, which is indexed; $2 is the text as it was typed.
var receiptsFound = fmt.Sprintf(`select r.id, r.receipt_number, trim(s.first_name || ' ' || s.last_name) as student_name, r.amount,
		r.received_on
	from fee_receipt r join student s on s.id = r.student_id
	where r.academic_year_id in (select id from academic_year) and r.number = $1 and r.receipt_number ilike $2
	order by r.received_on desc, r.id limit %d`, mostOthers+1)

// booksFound finds a copy by its whole number, else books by words. The first word is of no use to it.
func booksFound(words []string) string {
	return fmt.Sprintf(`select b.id, b.title, b.author, m.accession_number from (
			(select c.book_id as id, c.accession_number from book_copy c where lower(c.accession_number) = $%[2]d
			union select c.book_id, c.accession_number from book_copy c where lower(c.barcode) = $%[2]d and c.barcode <> '')
			union all (select id, '' from book where $1::text <> '' and %[1]s order by title, id limit %[3]d)) m
		join book b on b.id = m.id order by m.accession_number = '', b.title, b.id limit %[3]d`, holdsWords(words), len(words)+2, mostOthers+1)
}

var digits = regexp.MustCompile(`[0-9]+$`)

// lastNumber is the number that a text ends with, as receipts' do; 0 is none.
func lastNumber(text string) int32 {
	n, err := strconv.ParseInt(digits.FindString(strings.TrimSpace(text)), 10, 32)
	if err != nil {
		return 0
	}
	return int32(n)
}
