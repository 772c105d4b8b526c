package importing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/sheet"
)

// knownStudent is a student the school has.
type knownStudent struct {
	id         uuid.UUID
	version    int
	gone       bool
	classID    *uuid.UUID
	fields     []string // by column, up to colGuardians
	custom     string   // the values of the school's own fields, as JSON
	seat       *knownSeat
	sat        string               // the last day in a class of this year that they sit in no longer
	groups     map[uuid.UUID]bool   // from today on
	links      map[string]knownLink // by phone
	hasPrimary bool
}

type knownSeat struct {
	id, yearID, classID, divisionID uuid.UUID
	roll, start                     string
	version                         int
	started                         bool // before today
}

type knownLink struct {
	id       uuid.UUID
	relation string
	name     string // of the guardian
}

type fileGuardian struct {
	id, userID uuid.UUID
	phone      string
	name       string
	known      bool
	hasUser    bool // the account is there already
	disabled   bool // the account is shut: no child of theirs is here any more
	cells      []string
}

// knownPeople are the students and guardians a file speaks of.
type knownPeople struct {
	byNumber  map[string]*knownStudent
	byName    map[string][]*knownStudent
	guardians map[string]*fileGuardian
}

// with lays a row's cells over what is known. An empty cell leaves what is there.
func (k *knownStudent) with(cells []string) (fields []string, changed bool) {
	fields = k.fields
	for i := colFirstName; i < colGuardians; i++ {
		if isPlace(i) || cells[i] == "" || cells[i] == sheet.Clean(k.fields[i]) {
			continue
		}
		if !changed {
			fields, changed = slices.Clone(fields), true
		}
		fields[i] = cells[i]
	}
	return fields, changed
}

// isPlace reports whether a column says where a student sits, which is no field of the student's own record.
func isPlace(col int) bool {
	return col == colClass || col == colDivision || col == colRollNumber || col == colGroups || col == colEnrolledFrom
}

// student finds whom a row is about: by the admission number, or without one by name
// and what else is said, so that a file sent twice does not make anyone twice.
func (p *knownPeople) student(l *studentLine, found *sheet.Problems) *knownStudent {
	if l.cells[colAdmissionNumber] != "" {
		return p.byNumber[l.number()]
	}
	var match *knownStudent
	for _, k := range p.byName[l.name()] {
		if !k.gone && k.fits(l) {
			if match != nil {
				found.Addf(l.row, "admissionNumber", "is needed: both %s and %s fit", match.fields[colAdmissionNumber], k.fields[colAdmissionNumber])
				return nil
			}
			match = k
		}
	}
	return match
}

// fits reports whether a row without an admission number is about this student of the
// same name: nothing speaks against it, and something speaks for it.
func (k *knownStudent) fits(l *studentLine) bool {
	born, phones, shared := l.cells[colDateOfBirth], 0, 0
	for i := range maxGuardians {
		if g := l.guardian(i); g != nil {
			phones++
			if _, linked := k.links[g[colGuardianPhone]]; linked {
				shared++
			}
		}
	}
	switch {
	case born != "" && k.fields[colDateOfBirth] != "" && born != k.fields[colDateOfBirth]:
		return false
	case phones > 0 && len(k.links) > 0 && shared == 0:
		return false
	case shared > 0 || (born != "" && born == k.fields[colDateOfBirth]):
		return true
	}
	return born == "" && phones == 0 // a name is all there is
}

// guardian finds a guardian by phone; new says that the file is the first to name them.
func (p *knownPeople) guardian(cells []string) (g *fileGuardian, new bool) {
	phone := cells[colGuardianPhone]
	if g = p.guardians[phone]; g != nil && g.id != uuid.Nil {
		return g, false
	}
	if g == nil {
		g = &fileGuardian{userID: api.NewID(), phone: phone}
		p.guardians[phone] = g
	}
	g.id, g.cells = api.NewID(), cells
	return g, true
}

var knownColumns = `s.id, s.version, s.deleted_at is not null or s.status <> 'ACTIVE', s.class_id, ` +
	fileCells(studentColumns, colGuardians, "s") + `, s.custom_fields::text`

// readPeople reads the students the rows may be about, with their seats and guardians.
func readPeople(c api.Ctx, lines []studentLine) (*knownPeople, error) {
	p := &knownPeople{byNumber: map[string]*knownStudent{}, byName: map[string][]*knownStudent{}, guardians: map[string]*fileGuardian{}}
	var numbers, names, phones []string
	for i := range lines {
		if n := lines[i].number(); n != "" {
			numbers = append(numbers, n)
		} else {
			names = append(names, strings.ToLower(lines[i].cells[colFirstName]))
		}
		for j := range maxGuardians {
			if g := lines[i].guardian(j); g != nil {
				phones = append(phones, g[colGuardianPhone])
			}
		}
	}
	byID := map[uuid.UUID]*knownStudent{}
	var ids []uuid.UUID
	type row struct {
		ID      uuid.UUID
		Version int
		Gone    bool
		ClassID *uuid.UUID
		Fields  []string
		Custom  string
	}
	for _, by := range []struct {
		sql  string
		keys []string
	}{
		{`select ` + knownColumns + ` from student s where lower(s.admission_number) = any($1)`, numbers},
		{`select ` + knownColumns + ` from student s where lower(s.first_name) = any($1) and s.deleted_at is null`, names},
	} {
		if len(by.keys) == 0 {
			continue
		}
		rows, err := readAll[row](c.DB, by.sql, by.keys)
		if err != nil {
			return nil, fmt.Errorf("reading the file's students: %w", err)
		}
		for _, r := range rows {
			if byID[r.ID] != nil {
				continue
			}
			k := &knownStudent{id: r.ID, version: r.Version, gone: r.Gone, classID: r.ClassID, fields: r.Fields, custom: r.Custom,
				links: map[string]knownLink{}, groups: map[uuid.UUID]bool{}}
			byID[r.ID], ids = k, append(ids, r.ID)
			p.byNumber[strings.ToLower(r.Fields[colAdmissionNumber])] = k
			name := api.Fold(r.Fields[colFirstName], r.Fields[colLastName])
			p.byName[name] = append(p.byName[name], k)
		}
	}
	if err := readSeats(c, byID, ids); err != nil {
		return nil, err
	}
	if err := readLinks(c, byID, ids); err != nil {
		return nil, err
	}
	if err := readMemberships(c, byID, ids); err != nil {
		return nil, err
	}
	return p, p.readGuardians(c, phones)
}

func readSeats(c api.Ctx, byID map[uuid.UUID]*knownStudent, ids []uuid.UUID) error {
	type row struct {
		Student, ID, Year, Class, Division uuid.UUID
		Roll                               *int
		Start                              string
		Version                            int
		Started                            bool
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := readAll[row](c.DB, `select distinct on (student_id) student_id, id, academic_year_id, class_id, division_id, roll_number,
		start_date::text, version, start_date < $2
		from enrolment where student_id = any($1) and (end_date is null or end_date >= $2)
		order by student_id, start_date`, ids, c.Today().String())
	if err != nil {
		return fmt.Errorf("reading enrolments: %w", err)
	}
	type last struct {
		Student uuid.UUID
		Day     string
	}
	left, err := readAll[last](c.DB, `select e.student_id, max(e.end_date)::text from enrolment e
		join academic_year y on y.id = e.academic_year_id and y.active
		where e.student_id = any($1) and e.end_date < $2 group by 1`, ids, c.Today().String())
	if err != nil {
		return fmt.Errorf("reading enrolments: %w", err)
	}
	for _, l := range left {
		byID[l.Student].sat = l.Day
	}
	for _, r := range rows {
		seat := &knownSeat{id: r.ID, yearID: r.Year, classID: r.Class, divisionID: r.Division, start: r.Start,
			version: r.Version, started: r.Started}
		if r.Roll != nil {
			seat.roll = fmt.Sprint(*r.Roll)
		}
		byID[r.Student].seat = seat
	}
	return nil
}

func readLinks(c api.Ctx, byID map[uuid.UUID]*knownStudent, ids []uuid.UUID) error {
	type row struct {
		Student, ID     uuid.UUID
		Phone, Relation string
		Name            string
		Primary         bool
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := readAll[row](c.DB,
		`select sg.student_id, sg.id, g.phone, sg.relation, trim(g.first_name || ' ' || g.last_name), sg.is_primary
		from student_guardian sg join guardian g on g.id = sg.guardian_id where sg.student_id = any($1)`, ids)
	if err != nil {
		return fmt.Errorf("reading guardians: %w", err)
	}
	for _, r := range rows {
		k := byID[r.Student]
		k.links[r.Phone] = knownLink{r.ID, r.Relation, r.Name}
		k.hasPrimary = k.hasPrimary || r.Primary
	}
	return nil
}

// readGuardians finds guardians, and parents' accounts without one, by phone.
func (p *knownPeople) readGuardians(c api.Ctx, phones []string) error {
	if len(phones) == 0 {
		return nil
	}
	type row struct {
		Phone  string
		ID     *uuid.UUID
		UserID uuid.UUID
		Name   string
		Shut   bool
	}
	rows, err := readAll[row](c.DB, `select g.phone, g.id, g.user_id, trim(g.first_name || ' ' || g.last_name), u.status <> 'ACTIVE'
		from guardian g join app_user u on u.id = g.user_id
		where g.phone = any($1)
		union all
		select distinct on (u.phone) u.phone, null, u.id, '', false from app_user u join role r on r.id = u.role_id
		where u.phone = any($1) and r.type = 'PARENT' and u.status = 'ACTIVE' and not exists (select from guardian g where g.user_id = u.id
		or g.phone = u.phone)`, phones)
	if err != nil {
		return fmt.Errorf("reading guardians: %w", err)
	}
	for _, r := range rows {
		g := &fileGuardian{userID: r.UserID, phone: r.Phone, hasUser: true, disabled: r.Shut}
		if r.ID != nil {
			g.id, g.name, g.known = *r.ID, r.Name, true
		}
		p.guardians[r.Phone] = g
	}
	return nil
}

// guardians are the phones and names of all a student will have, for the search.
func (ch *studentStep) guardians() []string {
	var out []string
	if ch.old != nil {
		for phone, l := range ch.old.links {
			out = append(out, phone+" "+l.name)
		}
		slices.Sort(out)
	}
	for _, l := range ch.links {
		out = append(out, l.guardian.phone+" "+l.guardian.fullName())
	}
	return out
}

// fullName is a guardian's as the school has it, else as the file says.
func (g *fileGuardian) fullName() string {
	if g.known {
		return g.name
	}
	return g.cells[colGuardianFirst] + " " + g.cells[colGuardianLast]
}

func (ch *studentStep) searchText() string {
	f := ch.fields
	return api.Fold(strings.Join([]string{f[colFirstName], f[colLastName], f[colAdmissionNumber], f[colPhone]}, " "),
		strings.Join(ch.guardians(), " "))
}
