package demo

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// builder fills one school.
type builder struct {
	*office
	*people
	demo   *Demo
	plan   *plan
	db     *gorm.DB // to look what is there
	today  api.Date
	latest time.Time // now: nothing happens after it
}

// people are the plan's classes and who is there, as the school has them.
type people struct {
	classes   []uuid.UUID
	divisions [][]uuid.UUID       // by class
	staff     map[string]*worker  // by code
	students  map[string]*learner // by admission number
}

// worker is an employee as the school has them.
type worker struct {
	ID           uuid.UUID
	UserID       *uuid.UUID
	EmployeeCode string
	PhotoFileID  *uuid.UUID
}

// learner is a student as the school has them.
type learner struct {
	ID              uuid.UUID
	AdmissionNumber string
	DivisionID      *uuid.UUID
	ClassID         *uuid.UUID
	FirstName       string
}

// part is something the demo has: done is the condition, in SQL, that it was made.
type part struct {
	name string
	done string
	make func(*builder, context.Context) error
}

// lane is parts that are made one after the other, by one office.
type lane struct {
	parts   []part
	offline bool // they call no endpoint, and need no office
}

// parts are what the others need, and then lanes that are made beside each other. Imports are among the first: a school takes one
// at a time, and that of the old registers is the longest of all.
func (p *plan) parts(today api.Date) (first lane, beside []lane) {
	first = lane{parts: []part{
		{"year", yearGoesOn(today), (*builder).prolongYear},
		{"people", fmt.Sprintf(`exists (select from student where admission_number = '%s-%04d')`, p.prefix(), p.seats()), (*builder).addPeople},
		{"opening balances", openingsDone, (*builder).addOpenings},
		{"lessons", fmt.Sprintf(`(select count(distinct division_id) from timetable_slot) >= %d`, p.allDivisions()), (*builder).addLessons},
		{"books", booksDone, (*builder).addBooks},
	}}
	return first, []lane{
		{parts: []part{{"fees", feesDone, (*builder).addFees}}},
		{parts: []part{{"exams", `(select count(*) from exam where name in ('` + strings.Join(examNames(), `', '`) +
			`') and status = 'PUBLISHED') >= 2`, (*builder).addExams}}},
		{parts: []part{
			{"buses", p.transportDone(), (*builder).addBuses},
			{"days off", daysOffDone, (*builder).addDaysOff},
			{"events", eventsDone(today), (*builder).addEvents},
			{"leave", leaveDone(today), (*builder).askLeave},
			{"messages", messagesDone, (*builder).writeMessages},
			{"announcements", announcementsDone(today), (*builder).announce},
			{"loans", p.loansDone(today), (*builder).lend},
			{"photos", p.photosDone(), (*builder).addPhotos},
		}},
		{offline: true, parts: []part{{"sign-ins", p.pinsDone(), (*builder).setSignIns}}},
	}
}

// examsLane is which lane the registers that teachers marked are made in, before what is there.
const examsLane = 1

// smallSchool is how many students one office makes all of, one part after the other: another office costs more than it saves.
const smallSchool = 200

// fill makes what is missing of a school.
func (d *Demo) fill(ctx context.Context, p *plan, school *tenancy.School) error {
	db, err := d.service.Cluster.School(ctx, school, tenancy.ReadOnly)
	if err != nil {
		return err
	}
	first, beside, err := undone(db, p, d.today(school))
	if err != nil {
		return err
	}
	at := d.offices(ctx, p, school, db)
	if len(first.parts) > 0 {
		if err := at.use(false, func(b *builder) error { return b.makeAll(ctx, first.parts) }); err != nil {
			return err
		}
	}
	missing, err := d.missing(p, school, db)
	if err != nil {
		return err
	}
	older, taught := registerParts(missing, d.today(school))
	beside[examsLane].parts = slices.Concat(taught, beside[examsLane].parts)
	beside = append(beside, lane{parts: older})
	if p.seats() <= smallSchool {
		beside = oneAfterTheOther(beside)
	}
	all, each := errgroup.WithContext(ctx)
	for _, l := range beside {
		switch {
		case len(l.parts) == 0:
		case l.offline:
			all.Go(func() error { return d.outside(p, school, db).makeAll(each, l.parts) })
		default:
			all.Go(func() error { return at.use(true, func(b *builder) error { return b.makeAll(each, l.parts) }) })
		}
	}
	if err := all.Wait(); err != nil {
		return err
	}
	return d.driveDay(ctx, p, school, db, at)
}

// oneAfterTheOther has one office do what calls endpoints.
func oneAfterTheOther(lanes []lane) []lane {
	one, offline := lane{}, []lane(nil)
	for _, l := range lanes {
		if l.offline {
			offline = append(offline, l)
		} else {
			one.parts = append(one.parts, l.parts...)
		}
	}
	return append(offline, one)
}

// makeAll makes parts one after the other.
func (b *builder) makeAll(ctx context.Context, parts []part) error {
	for _, p := range parts {
		began, calls := time.Now(), b.own.Load()
		if err := p.make(b, ctx); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		b.demo.service.Log.Debug("demo data made", "school", b.school.ID, "part", p.name, "calls", b.own.Load()-calls,
			"seconds", time.Since(began).Seconds())
	}
	return nil
}

// undone are the lanes without those parts that are there.
func undone(db *gorm.DB, p *plan, today api.Date) (first lane, beside []lane, err error) {
	first, beside = p.parts(today)
	lanes := []*lane{&first}
	for i := range beside {
		lanes = append(lanes, &beside[i])
	}
	var asked []string
	for _, l := range lanes {
		for _, p := range l.parts {
			asked = append(asked, p.done)
		}
	}
	var text string
	err = db.Raw(`select array_to_string(array[` + strings.Join(asked, `, `) + `]::boolean[], ' ')`).Scan(&text).Error
	if err != nil {
		return first, nil, fmt.Errorf("looking for demo data: %w", err)
	}
	done, n := strings.Fields(text), 0
	for _, l := range lanes {
		l.parts = slices.DeleteFunc(l.parts, func(part) bool {
			n++
			return done[n-1][0] == 't'
		})
	}
	return first, beside, nil
}

// readPeople finds the plan's classes, staff and students in the school.
func (b *builder) readPeople(ctx context.Context) error {
	if err := b.readClasses(ctx); err != nil {
		return err
	}
	staff, err := list[worker](ctx, b.office, "/school-admin/employee/list", nil)
	if err != nil {
		return err
	}
	students, err := list[learner](ctx, b.office, "/school-admin/student/list", query("sort[field]", "admissionNumber"))
	if err != nil {
		return err
	}
	b.staff, b.students = map[string]*worker{}, map[string]*learner{}
	for i := range staff {
		b.staff[staff[i].EmployeeCode] = &staff[i]
	}
	for i := range students {
		b.students[students[i].AdmissionNumber] = &students[i]
	}
	return nil
}

// modules are what permissions are given for.
func (b *builder) modules(ctx context.Context) ([]named, error) {
	var out struct{ Modules []named }
	err := b.get(ctx, "/school-admin/permission/modules", &out)
	return out.Modules, err
}

func query(pairs ...string) url.Values {
	out := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		out.Set(pairs[i], pairs[i+1])
	}
	return out
}
