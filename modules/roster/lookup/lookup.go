// Package lookup finds a school's students, classes, subjects and employees by what a file calls them. It reads all that a file can
// speak of at once, and says in words what it does not find.
package lookup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/sheet"
	"homeroom/tenancy"
)

// AdmissionNumber is the column of a file that says which student a row is about.
var AdmissionNumber = sheet.Column{Name: "admissionNumber", Check: sheet.Text(40), Also: []string{
	"admissionNo", "admNo", "admnNo", "admissionId", "studentId", "studentNo", "grNo", "grNumber", "registerNo",
	"enrolmentNo", "enrollmentNo", "upn", "प्रवेश संख्या", "प्रवेश क्रमांक", "दाखिला संख्या", "رقم القيد",
	"رقم الطالب", "رقم القبول", "namba ya usajili", "nambari ya usajili"}}

// Student is a student by their admission number, and where they sit on the day that was asked for.
type Student struct {
	ID         uuid.UUID
	Number     string // in lower case
	Name       string
	Active     bool
	ClassID    *uuid.UUID
	DivisionID *uuid.UUID
}

// Students finds students by admission number, in any case, as they are on a day.
func Students(c api.Ctx, numbers []string, day api.Date) (map[string]Student, error) {
	var lower []string // each once: a file of registers has every student on every day
	for _, n := range slices.Compact(slices.Sorted(slices.Values(numbers))) {
		lower = append(lower, strings.ToLower(n))
	}
	var found []Student
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select s.id, lower(s.admission_number) as number,
		trim(s.first_name || ' ' || s.last_name) as name, s.status = 'ACTIVE' as active, e.class_id, e.division_id
		from student s left join enrolment e on e.student_id = s.id and e.start_date <= $2 and (e.end_date is null or e.end_date >= $2)
		where lower(s.admission_number) = any($1) and s.deleted_at is null`, Args: []any{lower, day}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return nil, fmt.Errorf("reading the students of a file: %w", err)
	}
	out := make(map[string]Student, len(found))
	for _, s := range found {
		out[s.Number] = s
	}
	return out, nil
}

// Names are a school's things by the names people give them. A name that two things have finds neither.
type Names struct {
	of    string // what they are: "subject"
	ids   map[string]uuid.UUID
	shown []string
}

func newNames(of string) *Names { return &Names{of: of, ids: map[string]uuid.UUID{}} }

// add gives a thing one more name. Another thing's first name counts more than it.
func (n *Names) add(name string, id uuid.UUID) {
	key := api.Fold(name)
	if other, taken := n.ids[key]; taken && other != id {
		id = uuid.Nil
	}
	if key != "" {
		n.ids[key] = id
	}
}

// Find is the thing of a name; why is what to say if there is none, or more than one.
func (n *Names) Find(name string) (id uuid.UUID, why string) {
	id, there := n.ids[api.Fold(name)]
	switch {
	case !there:
		return uuid.Nil, fmt.Sprintf("no %s is called %q: there are %s", n.of, name, SomeOf(n.shown))
	case id == uuid.Nil:
		return uuid.Nil, fmt.Sprintf("more than one %s is called %q: say its code", n.of, name)
	}
	return id, ""
}

// Learn adds a thing that is being made.
func (n *Names) Learn(id uuid.UUID, names ...string) {
	n.shown = append(n.shown, names[0])
	for _, name := range names {
		n.add(name, id)
	}
}

type named struct {
	ID    uuid.UUID
	First string
	More  []string
}

func read(c api.Ctx, of, sql string, args ...any) (*Names, error) {
	var rows []named
	if err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: sql, Args: args, Scan: tenancy.Collect(&rows)}); err != nil {
		return nil, fmt.Errorf("reading the %ss a file speaks of: %w", of, err)
	}
	n := newNames(of)
	for _, r := range rows {
		n.shown = append(n.shown, r.First)
		n.add(r.First, r.ID)
	}
	for _, r := range rows {
		for _, name := range r.More {
			if _, taken := n.ids[api.Fold(name)]; !taken {
				n.add(name, r.ID)
			}
		}
	}
	return n, nil
}

// Subjects are found by code or name.
func Subjects(c api.Ctx) (*Names, error) {
	return read(c, "subject", `select id, name as first, array[code] as more from subject order by name`)
}

// Teachers are found by employee code, phone, e-mail or name.
func Teachers(c api.Ctx) (*Names, error) {
	return read(c, "teacher", `select id, employee_code as first, array[phone, email, trim(first_name || ' ' || last_name),
		trim(last_name || ' ' || first_name)] as more from employee where employee_type = 'TEACHER' and status = 'ACTIVE' order by 2`)
}

// Table are the records of a table that have a name.
func Table(c api.Ctx, of, table, column string) (*Names, error) {
	return read(c, of, `select id, `+column+` as first, array[]::text[] as more from `+table+` order by 2`)
}

// SomeOf names the first few.
func SomeOf(names []string) string {
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > 20:
		return strings.Join(names[:20], ", ") + " and others"
	}
	return strings.Join(names, ", ")
}
