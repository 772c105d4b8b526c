package demo

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

// student is a child of the plan.
type student struct {
	number          string // of admission
	first, last     string
	gender          string
	class, division int
	roll            int
	family          *family
}

// family has one to three children at the school, and one or two guardians.
type family struct {
	mother, father person
	phone, second  string // second is the father's; empty: he is not known
	address        string
	occupation     string
	children       []*student
}

var occupations = []string{"Engineer", "Nurse", "Shopkeeper", "Teacher", "Accountant", "Farmer", "Driver", "Lawyer", "Tailor", "Chef"}

// people are the plan's families and students, the same at every call.
func (p *plan) people() ([]*family, []*student) {
	p.drawn.peopleOnce.Do(func() { p.drawn.families, p.drawn.students = p.drawPeople() })
	return p.drawn.families, p.drawn.students
}

func (p *plan) drawPeople() (families []*family, students []*student) {
	random := rand.New(rand.NewPCG(p.seed, 1))
	pick := func(list []string) string { return list[random.IntN(len(list))] }
	seat := random.Perm(p.seats())
	phone := 1000
	for children, n := range p.families {
		for range n {
			last := pick(p.lasts)
			f := &family{mother: person{pick(p.mothers), last}, father: person{pick(p.fathers), last}, phone: p.phone(phone),
				address:    fmt.Sprintf("%d %s", 1+random.IntN(180), pick(p.streets)),
				occupation: occupations[random.IntN(len(occupations))]}
			if random.IntN(5) < 3 {
				f.second = p.phone(phone + 1)
			}
			phone += 2
			used := map[string]bool{}
			for range children + 1 {
				at := seat[len(students)]
				s := &student{last: last, gender: "MALE", family: f, class: at % len(p.classes), division: at / len(p.classes) % len(p.divisions)}
				names := p.boys
				if random.IntN(2) == 0 {
					s.gender, names = "FEMALE", p.girls
				}
				for s.first = pick(names); used[s.first]; s.first = pick(names) {
				}
				used[s.first] = true
				f.children, students = append(f.children, s), append(students, s)
			}
			families = append(families, f)
		}
	}
	p.placeParent(families)
	p.number(students)
	return families, students
}

// placeParent makes the first family with two children that of the parent who can sign in; one of the children sits with
// the teacher who can.
func (p *plan) placeParent(families []*family) {
	at := slices.IndexFunc(families, func(f *family) bool { return len(f.children) == 2 })
	f := families[at]
	f.mother, f.phone = p.parent, p.parentPhone()
	f.father.last = p.parent.last
	class, division := p.teachersSeat()
	for _, other := range families {
		for _, s := range other.children {
			if other != f && s.class == class && s.division == division {
				s.class, s.division, f.children[0].class, f.children[0].division = f.children[0].class, f.children[0].division, class, division
				for _, c := range f.children {
					c.last = p.parent.last
				}
				return
			}
		}
	}
}

// teachersSeat is the division whose class teacher can sign in: in the middle of the school.
func (p *plan) teachersSeat() (class, division int) { return (len(p.classes) - 1) / 2, 0 }

// number gives admission numbers, the oldest class first, and roll numbers by name.
func (p *plan) number(students []*student) {
	slices.SortStableFunc(students, func(a, b *student) int {
		return cmp.Or(b.class-a.class, a.division-b.division, strings.Compare(a.first+" "+a.last, b.first+" "+b.last))
	})
	for i, s := range students {
		s.number = fmt.Sprintf("%s-%04d", p.prefix(), i+1)
		s.roll = i%p.sizes + 1
	}
}

// prefix is what admission numbers and employees' codes begin with: the school's initials.
func (p *plan) prefix() string {
	out := ""
	for _, word := range strings.Fields(p.name) {
		out += word[:1]
	}
	return out
}

// born is a date of birth that fits the class in a year that began on a day.
func (s *student) born(year api.Date) api.Date {
	month := 1 + (s.roll*7+s.class)%12
	return api.Date{Year: year.Year - 6 - s.class, Month: time.Month(month), Day: 1 + (s.roll*11+s.class*5)%28}
}

// employee is somebody who works at the school.
type employee struct {
	code, kind, phone string
	person
	job
	subject, group int // of a teacher: which subject, and to which four divisions
}

// teacherGroup is how many divisions a teacher teaches: they have one subject at different hours.
const teacherGroup = 4

// lessons is how many there are on a day.
const lessonsADay = 6

// staff are the plan's employees: for each subject of the day's periods a teacher for every four divisions.
func (p *plan) staff() []employee {
	p.drawn.staffOnce.Do(func() { p.drawn.staff = p.drawStaff() })
	return p.drawn.staff
}

func (p *plan) drawStaff() []employee {
	random := rand.New(rand.NewPCG(p.seed, 2))
	someone := func() person {
		first := p.mothers
		if random.IntN(2) == 0 {
			first = p.fathers
		}
		return person{first[random.IntN(len(first))], p.lasts[random.IntN(len(p.lasts))]}
	}
	var all []employee
	add := func(kind string, who person, phone string, j job) *employee {
		all = append(all, employee{code: fmt.Sprintf("%s-E%02d", p.prefix(), len(all)+1), kind: kind, phone: phone, person: who, job: j})
		return &all[len(all)-1]
	}
	divisions := len(p.classes) * len(p.divisions)
	class, division := p.teachersSeat()
	own := class*len(p.divisions) + division
	for group := range (divisions + teacherGroup - 1) / teacherGroup {
		for s := range lessonsADay {
			who, phone := someone(), p.phone(800+len(all))
			if group == own/teacherGroup && s == own%teacherGroup {
				who, phone = p.teacher, p.teacherPhone()
			}
			e := add("TEACHER", who, phone, job{"Teacher", p.subjects[s].name})
			e.subject, e.group = s, group
			if s == 0 {
				e.designation = "Senior teacher"
			}
		}
	}
	for i := range p.lines {
		who, phone := someone(), p.phone(900+i)
		if i == 0 {
			who, phone = p.driver, p.driverPhone()
		}
		add("DRIVER", who, phone, job{"Driver", "Transport"})
	}
	for i, j := range p.support {
		add("SUPPORT", someone(), p.phone(950+i), j)
	}
	return all
}

// file writes a CSV file.
func file(rows [][]string) string {
	var out strings.Builder
	w := csv.NewWriter(&out)
	_ = w.WriteAll(rows) // of memory
	return out.String()
}

// named is a record with a name.
type named struct {
	ID   uuid.UUID
	Name string
}

// addPeople makes the year, and on its first day the classes, the staff and the students.
func (b *builder) addPeople(ctx context.Context) error {
	if err := b.addYear(ctx); err != nil {
		return err
	}
	year, err := b.year(ctx)
	if err != nil {
		return err
	}
	b.at(year.StartDate, 10, 0, b.latest)
	for _, step := range []func(context.Context) error{b.addSettings, b.addClasses, b.importStaff, b.addAccountant, b.importStudents} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// addSettings has what somebody tries be told at once, at any hour: they look for it in the outbox.
func (b *builder) addSettings(ctx context.Context) error {
	return b.put(ctx, "/school-admin/setting", fields{"attendanceNoticeDelayMinutes": 0, "quietFrom": nil, "quietTo": nil,
		"address": b.plan.address, "principalName": b.plan.admin.name(), "libraryFinePerDay": 200})
}

// yearFields is an academic year.
type yearFields struct {
	ID                 uuid.UUID
	Name               string
	StartDate, EndDate api.Date
	Active             bool
}

// beginDays is how long before today the school's year has begun at least.
const beginDays = 150

// addYear has a year around today that has lasted for some months: a demo that is made in its first week would be empty.
func (b *builder) addYear(ctx context.Context) error {
	active, err := list[yearFields](ctx, b.office, "/school-admin/academic-year/list", query("filters[active]", "true"))
	if err != nil {
		return err
	}
	enough := b.today.AddDays(-beginDays)
	if len(active) > 0 {
		y := active[0]
		if y.StartDate.Before(enough) && b.today.AddDays(yearLeft).Before(y.EndDate) {
			return nil
		}
		change := fields{}
		if enough.Before(y.StartDate) {
			change["startDate"] = api.Date{Year: enough.Year, Month: enough.Month, Day: 1}
		}
		if !b.today.AddDays(yearLeft).Before(y.EndDate) {
			change["endDate"] = b.today.AddDays(3 * yearLeft)
		}
		return b.put(ctx, "/school-admin/academic-year/"+y.ID.String(), change)
	}
	start := api.Date{Year: enough.Year, Month: enough.Month, Day: 1}
	var made yearFields
	err = b.post(ctx, "/school-admin/academic-year/create", fields{"name": fmt.Sprintf("%d-%02d", start.Year, (start.Year+1)%100),
		"startDate": start, "endDate": api.Date{Year: start.Year + 1, Month: start.Month, Day: 1}.AddDays(-1)}, &made)
	if err != nil {
		return err
	}
	return b.post(ctx, "/school-admin/academic-year/"+made.ID.String()+"/activate", nil, nil)
}

// yearGoesOn is the condition that the active year goes on for a while, or that there is none yet.
func yearGoesOn(today api.Date) string {
	return fmt.Sprintf(`not exists (select from academic_year where active and end_date <= '%s')`, today.AddDays(yearLeft))
}

// yearLeft is how many days of the active year there are to come at least: in a folder that is used for long, it is made longer.
const yearLeft = 30

// prolongYear has the active year go on, unless somebody has planned the next one.
func (b *builder) prolongYear(ctx context.Context) error {
	year, err := b.year(ctx)
	if err != nil {
		return err
	}
	b.clock.set(b.latest)
	err = b.put(ctx, "/school-admin/academic-year/"+year.ID.String(), fields{"endDate": b.today.AddDays(3 * yearLeft)})
	if refused(err) || answered(err, http.StatusConflict) {
		return nil
	}
	return err
}

// addClasses makes the classes and divisions that are not there.
func (b *builder) addClasses(ctx context.Context) error {
	p := b.plan
	return b.post(ctx, "/school-admin/class/generate", fields{"classes": strings.Join(p.classes, ", "),
		"divisions": strings.Join(p.divisions, ", "), "capacity": 40}, nil)
}

// readClasses finds the plan's classes and divisions by their names.
func (b *builder) readClasses(ctx context.Context) error {
	classes, err := list[named](ctx, b.office, "/school-admin/class/list", nil)
	if err != nil {
		return err
	}
	divisions, err := list[struct {
		named
		ClassID uuid.UUID
	}](ctx, b.office, "/school-admin/division/list", nil)
	if err != nil {
		return err
	}
	b.classes = make([]uuid.UUID, len(b.plan.classes))
	b.divisions = make([][]uuid.UUID, len(b.plan.classes))
	for i, class := range b.plan.classes {
		b.divisions[i] = make([]uuid.UUID, len(b.plan.divisions))
		for _, c := range classes {
			if c.Name == class {
				b.classes[i] = c.ID
			}
		}
		for _, d := range divisions {
			if j := slices.Index(b.plan.divisions, d.Name); j >= 0 && d.ClassID == b.classes[i] {
				b.divisions[i][j] = d.ID
			}
		}
	}
	return nil
}

// imported is how an import ended.
type imported struct {
	State, Message string
	Errors         []struct {
		Row             int
		Column, Message string
	}
}

func (i imported) err(what string) error {
	if i.State == "DONE" {
		return nil
	}
	return fmt.Errorf("importing %s: %s %s %v", what, i.State, i.Message, i.Errors)
}

// takeIn imports a file.
func (b *builder) takeIn(ctx context.Context, path, what string, rows [][]string) error {
	var done imported
	if err := b.upload(ctx, path, file(rows), &done); err != nil {
		return fmt.Errorf("importing %s: %w", what, err)
	}
	return done.err(what)
}

// giveCodes has those who work at the school already, with a phone of the plan's staff, go under the plan's code: an older
// demo knew the driver by another, and one phone is one employee.
func (b *builder) giveCodes(ctx context.Context) error {
	known, err := list[struct {
		ID                  uuid.UUID
		EmployeeCode, Phone string
	}](ctx, b.office, "/school-admin/employee/list", nil)
	if err != nil {
		return err
	}
	codes := map[string]string{}
	for _, e := range b.plan.staff() {
		codes[e.phone] = e.code
	}
	for _, e := range known {
		if code := codes[e.Phone]; code != "" && code != e.EmployeeCode {
			if err := b.put(ctx, "/school-admin/employee/"+e.ID.String(), fields{"employeeCode": code}); err != nil {
				return err
			}
		}
	}
	return nil
}

// importStaff takes the teachers, drivers and support staff in.
func (b *builder) importStaff(ctx context.Context) error {
	if err := b.giveCodes(ctx); err != nil {
		return err
	}
	rows := [][]string{words("employeeCode firstName lastName employeeType phone department designation joiningDate licenceNumber " +
		"licenceExpiryDate")}
	for i, e := range b.plan.staff() {
		licence, expiry := "", ""
		if e.kind == "DRIVER" {
			licence, expiry = fmt.Sprintf("DL-%07d", 4_100_000+i*37), b.today.AddDays(500+40*i).String()
		}
		joined := api.Date{Year: b.today.Year - 1 - i%9, Month: time.Month(1 + i%12), Day: 1}
		rows = append(rows, []string{e.code, e.first, e.last, e.kind, e.phone, e.department, e.designation, joined.String(), licence, expiry})
	}
	return b.takeIn(ctx, "/school-admin/employee/import", "employees", rows)
}

// importStudents takes the students and their guardians in.
func (b *builder) importStudents(ctx context.Context) error {
	rows := [][]string{words(`admissionNumber firstName lastName class division rollNumber gender dateOfBirth admissionDate address
		guardian1Relation guardian1FirstName guardian1LastName guardian1Phone guardian1Occupation
		guardian2Relation guardian2FirstName guardian2LastName guardian2Phone`)}
	year, err := b.year(ctx)
	if err != nil {
		return err
	}
	_, students := b.plan.people()
	for _, s := range students {
		f := s.family
		row := []string{s.number, s.first, s.last, b.plan.classes[s.class], b.plan.divisions[s.division], fmt.Sprint(s.roll), s.gender,
			s.born(year.StartDate).String(), year.StartDate.String(), f.address,
			"MOTHER", f.mother.first, f.mother.last, f.phone, f.occupation, "", "", "", ""}
		if f.second != "" {
			copy(row[15:], []string{"FATHER", f.father.first, f.father.last, f.second})
		}
		rows = append(rows, row)
	}
	return b.takeIn(ctx, "/school-admin/student/import", "students", rows)
}

// year is the school's active one.
func (b *builder) year(ctx context.Context) (yearFields, error) {
	active, err := list[yearFields](ctx, b.office, "/school-admin/academic-year/list", query("filters[active]", "true"))
	if err == nil && len(active) == 0 {
		err = fmt.Errorf("no academic year is active")
	}
	if err != nil {
		return yearFields{}, err
	}
	return active[0], nil
}

// addAccountant makes a role that sees students and fees alone, and somebody who has it.
func (b *builder) addAccountant(ctx context.Context) error {
	p := b.plan
	if p.accountant.first == "" {
		return nil
	}
	known, err := list[struct{ Email string }](ctx, b.office, "/school-admin/employee/list", query("filters[employeeType]", "ADMIN"))
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(known, func(e struct{ Email string }) bool { return e.Email == p.accountantEmail() }) {
		role, err := b.accountantsRole(ctx)
		if err != nil {
			return err
		}
		err = b.post(ctx, "/school-admin/employee/create", fields{"firstName": p.accountant.first, "lastName": p.accountant.last,
			"employeeType": "ADMIN", "employeeCode": p.accountantCode(), "phone": p.accountantPhone(), "email": p.accountantEmail(),
			"designation": "Accountant", "department": "Office", "roleId": role}, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// accountantsRole finds or makes the role.
func (b *builder) accountantsRole(ctx context.Context) (uuid.UUID, error) {
	const name = "Accountant"
	roles, err := list[named](ctx, b.office, "/school-admin/permission/role/list", nil)
	if err != nil {
		return uuid.Nil, err
	}
	var role named
	if at := slices.IndexFunc(roles, func(r named) bool { return r.Name == name }); at >= 0 {
		role = roles[at]
	} else if err := b.post(ctx, "/school-admin/permission/role/create", fields{"name": name, "type": "SCHOOL_ADMIN"}, &role); err != nil {
		return uuid.Nil, err
	}
	modules, err := b.modules(ctx)
	if err != nil {
		return uuid.Nil, err
	}
	var rights []fields
	for _, m := range modules {
		write := m.Name == "fee"
		if read := write || slices.Contains([]string{"student", "class", "division", "report", "transport", "academic-year"}, m.Name); read {
			rights = append(rights, fields{"moduleId": m.ID, "canRead": true, "canWrite": write, "canDelete": false})
		}
	}
	return role.ID, b.put(ctx, "/school-admin/permission/update", fields{"roleId": role.ID, "permissions": rights})
}
