package year_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/imports"
	"homeroom/modules/roster"
	"homeroom/modules/year"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

// wholeYear is a school that joins in November and goes on to the next April, through HTTP
// alone. What it answers is compared with SQL that shares nothing with the product's.
type wholeYear struct {
	*testkit.School
	clock      *wait.Clock
	office     *testkit.Client
	phones     string // what the parents' phones begin with
	this, next uuid.UUID
	classes    []uuid.UUID    // by level, from 1
	divisions  [][2]uuid.UUID // of each class: A and B
	children   []child
	fees       yearsFees
	exams      []uuid.UUID
	marks      int // how many marks were sent
}

// child is a row of the school's files.
type child struct {
	id       uuid.UUID
	number   string
	class    int // the index of their class
	division int
	family   int
}

const (
	pupils    = 600
	levels    = 6
	newcomers = 30 // who came on the day the school joined
)

// TestAYearAtSchool lives a year through the API, with the clock moved from day to day. Every
// figure is worked out again: not one may differ.
func TestAYearAtSchool(t *testing.T) {
	t.Parallel()
	y := &wholeYear{clock: wait.ClockAt(time.Date(2026, 11, 16, 4, 30, 0, 0, time.UTC)), phones: testkit.NewPhones()}
	// A database of its own: its clock is months ahead of the other tests'.
	app := testkit.StartOn(t, testkit.Stack(t), testkit.DatabaseName()+"_year",
		func(_ *config.Config, o *service.Options) { o.Clock = y.clock.Now })
	y.School = app.NewSchoolAs(t, lifecycle.NewSchool{})
	for _, hour := range []struct {
		day  string
		name string
		act  func(*testing.T)
	}{
		{"2026-11-16", "classes, and 600 students from two files", y.enrol},
		{"2026-11-16", "fees, and the balances that families bring", y.settleFees},
		{"2026-11-18", "lunch, concessions and rules", y.subscribe},
		{"2026-11-20", "the third instalment", func(t *testing.T) { y.charge(t, y.this, 3) }},
		{"2026-11-23", "a day of payments", y.payThird},
		{"2026-11-24", "families pay, cheques are taken, and two days are closed", y.payFamilies},
		{"2026-11-26", "reversals and refunds", y.takeBack},
		{"2026-11-27", "registers of a week with a holiday", func(t *testing.T) { y.register(t, "2026-11-23", 5) }},
		{"2026-11-30", "what is owed, by age", y.checkDues},
		{"2026-12-02", "cheques are cleared and bounce; later concessions", y.clearCheques},
		{"2026-12-04", "registers of the second week", func(t *testing.T) { y.register(t, "2026-11-30", 5) }},
		{"2026-12-05", "fines of the night", y.fine},
		{"2026-12-07", "an excursion, dues that are given up, leave", y.otherMoney},
		{"2026-12-11", "registers of the third week", func(t *testing.T) { y.register(t, "2026-12-07", 5) }},
		{"2026-12-12", "days declared off later, and attendance so far", y.checkAttendance},
		{"2026-12-21", "the half-yearly exam", func(t *testing.T) { y.examine(t, 0) }},
		{"2027-01-04", "the fourth instalment", func(t *testing.T) { y.charge(t, y.this, 4) }},
		{"2027-01-25", "fines, payments, and what is owed", y.payFourth},
		{"2027-02-10", "one leaves, one changes division", y.leave},
		{"2027-03-10", "the annual exam, with a mark that is missing", func(t *testing.T) { y.examine(t, 1) }},
		{"2027-03-12", "the year's report cards", y.checkCards},
		{"2027-03-15", "the next year's fees are charged too early", y.chargeEarly},
		{"2027-03-20", "promotion", y.promote},
		{"2027-03-22", "the next year's first instalment", func(t *testing.T) { y.charge(t, y.next, 1) }},
		{"2027-04-01", "the new year begins", y.turn},
		{"2027-04-06", "receipts of the new year", y.payNext},
		{"2027-04-26", "fines, attendance and dues of the new year", y.closeAccounts},
	} {
		y.on(t, hour.day)
		if !t.Run(hour.day+" "+hour.name, hour.act) {
			t.FailNow()
		}
	}
}

// on moves the clock to a day's morning, and signs a clerk in.
func (y *wholeYear) on(t *testing.T, day string) {
	t.Helper()
	at, err := time.ParseInLocation("2006-01-02 15:04", day+" 10:00", y.Location())
	if err != nil {
		t.Fatal(err)
	}
	y.clock.Set(at)
	y.office = y.As(t, api.SchoolAdmin)
}

func (y *wholeYear) today() api.Date { return api.DateOf(y.clock.Now().In(y.Location())) }

// select2 reads pairs of texts: what a figure is of, and the figure.
func (y *wholeYear) select2(t *testing.T, sql string, args ...any) map[string]string {
	t.Helper()
	var rows []struct{ Key, Value string }
	if err := y.DB(t).Raw(sql, args...).Scan(&rows).Error; err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	out := map[string]string{}
	for _, r := range rows {
		out[r.Key] = r.Value
	}
	return out
}

// same compares figures of the product with figures worked out here.
func same(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if len(want) == 0 {
		t.Fatalf("%s: nothing to compare", what)
	}
	keys := maps.Clone(got)
	maps.Copy(keys, want)
	different := 0
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if got[key] != want[key] {
			if different++; different <= 5 {
				t.Errorf("%s of %s: got %q, want %q", what, key, got[key], want[key])
			}
		}
	}
	if different > 5 {
		t.Errorf("%s: %d of %d differ", what, different, len(keys))
	}
}

// enrol makes six classes of two divisions, and imports 570 students who sit there since the
// year began, or since a day of their own, and 30 who came today.
func (y *wholeYear) enrol(t *testing.T) {
	newYear := func(name, from, to string) uuid.UUID {
		return create(t, y.office, "/school-admin/academic-year/create", map[string]any{"name": name, "startDate": from, "endDate": to})
	}
	y.this, y.next = newYear("2026-27", "2026-04-01", "2027-03-31"), newYear("2027-28", "2027-04-01", "2028-03-31")
	testkit.Post[roster.AcademicYear](t, y.office, "/school-admin/academic-year/"+y.this.String()+"/activate", nil)
	y.classes, y.divisions = make([]uuid.UUID, levels), make([][2]uuid.UUID, levels)
	for i := levels - 1; i >= 0; i-- {
		fields := map[string]any{"name": fmt.Sprint("Class ", i+1), "level": i + 1}
		if i < levels-1 {
			fields["nextClassId"] = y.classes[i+1]
		}
		y.classes[i] = create(t, y.office, "/school-admin/class/create", fields)
		for d, name := range []string{"A", "B"} {
			y.divisions[i][d] = create(t, y.office, "/school-admin/division/create",
				map[string]any{"classId": y.classes[i], "name": name, "capacity": 60})
		}
	}
	y.file(t, 0, pupils-newcomers, "YEAR_START")
	y.file(t, pupils-newcomers, pupils, "TODAY")
	ids := y.select2(t, `select admission_number as key, id::text as value from student`)
	for i := range y.children {
		y.children[i].id = uuid.MustParse(ids[y.children[i].number])
	}
	same(t, "first day", y.select2(t, `select s.admission_number as key, e.start_date::text as value
		from enrolment e join student s on s.id = e.student_id`), y.firstDays())
}

func (y *wholeYear) firstDays() map[string]string {
	out := map[string]string{}
	for i, c := range y.children {
		switch day := admittedOn(i); {
		case day > "2026-04-01":
			out[c.number] = day
		case day == "" && i >= pupils-newcomers:
			out[c.number] = "2026-11-16"
		default:
			out[c.number] = "2026-04-01"
		}
	}
	return out
}

// admittedOn is what a row of the file says; nothing for most.
func admittedOn(i int) string {
	switch {
	case i%20 == 3:
		return "2024-06-03"
	case i%20 == 7:
		return "2026-08-17"
	case i%40 == 11:
		return "2026-10-31"
	}
	return ""
}

// familyOf is the first child of the family: of ten children three are siblings, and two.
func familyOf(i int) int {
	if i%10 == 9 {
		return i
	}
	return i - max(0, i%5-2)
}

// file imports some of the students. One of 50 has no date of birth.
func (y *wholeYear) file(t *testing.T, from, to int, since string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("admissionNumber,firstName,lastName,class,division,rollNumber,dateOfBirth,admissionDate," +
		"guardian1FirstName,guardian1Phone,guardian1Relation\r\n")
	for i := from; i < to; i++ {
		c := child{number: fmt.Sprintf("Y-%04d", i), class: i % levels, division: i / levels % 2, family: familyOf(i)}
		y.children = append(y.children, c)
		born := fmt.Sprintf("%d-%02d-11", 2012+i%5, i%12+1)
		if i%50 == 2 {
			born = ""
		}
		fmt.Fprintf(&b, "%s,Child%04d,Rao,Class %d,%c,%d,%s,%s,Parent,%s,mother\r\n", c.number, i, c.class+1, 'A'+rune(c.division),
			i/(2*levels)+1, born, admittedOn(i), y.phoneOf(c))
	}
	a := y.office.Send(t, "POST", "/school-admin/student/import?since="+since, "text/csv", []byte(b.String()))
	if a.Status != 200 {
		t.Fatalf("import: %d %s", a.Status, a.Body)
	}
	var done imports.ImportResult
	if a.Read(t, &done); done.Creates != to-from || done.Enrolments != to-from {
		t.Fatalf("imported %+v", done)
	}
}

func (y *wholeYear) phoneOf(c child) string { return fmt.Sprintf("%s%04d", y.phones, c.family) }

// parent signs the child's guardian in.
func (y *wholeYear) parent(t *testing.T, c child) *testkit.Client {
	t.Helper()
	return y.App.SignIn(t, "parent", y.phoneOf(c))
}

// leave lets one student go, and moves another to the other division.
func (y *wholeYear) leave(t *testing.T) {
	gone, moved := y.children[100], y.children[200]
	testkit.Post[struct{}](t, y.office, "/school-admin/student/"+gone.id.String()+"/transfer", map[string]any{"reason": "Moved away"})
	testkit.Post[struct{}](t, y.office, "/school-admin/student/move",
		map[string]any{"studentIds": []uuid.UUID{moved.id}, "divisionId": y.divisions[moved.class][1-moved.division]})
}

// named are some students of a class: with 1 those who are retained, with 2 those who leave.
func (y *wholeYear) named(class, remainder int) []uuid.UUID {
	var out []uuid.UUID
	for i, c := range y.children {
		if c.class == class && i%24 < levels && i/24%5 == remainder && i != 100 {
			out = append(out, c.id)
		}
	}
	return out
}

// promote takes every class into the next year, the highest first.
func (y *wholeYear) promote(t *testing.T) {
	got := map[string]string{}
	want := map[string]string{}
	for i := levels - 1; i >= 0; i-- {
		p := testkit.Post[year.Promotion](t, y.office, "/school-admin/student/promote",
			map[string]any{"toYearId": y.next, "classId": y.classes[i], "retained": y.named(i, 1), "left": y.named(i, 2)})
		for _, s := range p.Students {
			got[s.AdmissionNumber] = s.Outcome + " " + s.To
		}
		var retained, left []string
		for _, id := range y.named(i, 1) {
			retained = append(retained, id.String())
		}
		for _, id := range y.named(i, 2) {
			left = append(left, id.String())
		}
		maps.Copy(want, y.select2(t, `select s.admission_number as key,
				case when s.id::text = any(string_to_array(@left, ',')) then 'LEFT '
				when s.id::text = any(string_to_array(@retained, ',')) then 'RETAINED ' || k.name || '-' || d.name
				when k.level = 6 then 'GRADUATED '
				else 'PROMOTED Class ' || k.level + 1 || '-' || d.name end as value
			from (select distinct on (student_id) student_id, class_id, division_id from enrolment where academic_year_id = @this
				order by student_id, start_date desc) e
			join student s on s.id = e.student_id join class k on k.id = e.class_id join division d on d.id = e.division_id
			where k.id = @class and s.status = 'ACTIVE'`, map[string]any{"this": y.this, "class": y.classes[i],
			"left": strings.Join(left, ","), "retained": strings.Join(retained, ",")}))
	}
	same(t, "promotion", got, want)
}

// turn begins the new year: who left with the old one is gone, and those who were admitted
// for it get their seats.
func (y *wholeYear) turn(t *testing.T) {
	y.RunScheduled(t, "let-students-leave")
	testkit.Post[roster.AcademicYear](t, y.office, "/school-admin/academic-year/"+y.next.String()+"/activate", nil)
	for _, c := range y.children[pupils:] {
		testkit.Put[roster.StudentDetail](t, y.office, "/school-admin/student/"+c.id.String(), map[string]any{"divisionId": y.divisions[0][0]})
	}
	same(t, "status", y.select2(t, `select status as key, count(*)::text as value from student group by 1`),
		y.select2(t, `select case when not exists (select from enrolment n where n.student_id = s.id and n.academic_year_id = @next)
				and s.admission_date < '2027-04-01'
				then case when s.admission_number = 'Y-0100' then 'TRANSFERRED'
					when exists (select from enrolment e join class k on k.id = e.class_id where e.student_id = s.id and k.level = 6)
					and not s.id::text = any(string_to_array(@left, ',')) then 'GRADUATED' else 'WITHDRAWN' end
				else 'ACTIVE' end as key, count(*)::text as value from student s group by 1`,
			map[string]any{"next": y.next, "left": y.allLeft()}))
}

func (y *wholeYear) allLeft() string {
	var ids []string
	for i := range levels {
		for _, id := range y.named(i, 2) {
			ids = append(ids, id.String())
		}
	}
	return strings.Join(ids, ",")
}

// create makes a record and returns its id.
func create(t testing.TB, office *testkit.Client, path string, data map[string]any) uuid.UUID {
	t.Helper()
	return testkit.Post[struct{ ID uuid.UUID }](t, office, path, data).ID
}
