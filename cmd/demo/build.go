package demo

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
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

// parts are made in lanes: the first alone, the others beside each other, each by an office of its own.
func (p *plan) parts(today api.Date) [][]part {
	divisions := len(p.classes) * len(p.divisions)
	return [][]part{
		{
			{"year", yearGoesOn(today), (*builder).prolongYear},
			{"people", fmt.Sprintf(`exists (select from student where admission_number = '%s-%04d')`, p.prefix(), p.seats()), (*builder).addPeople},
			{"lessons", fmt.Sprintf(`(select count(distinct division_id) from timetable_slot) >= %d`, divisions), (*builder).addLessons},
		},
		{{"fees", feesDone, (*builder).addFees}},
		{
			{"sign-ins", p.pinsDone(), (*builder).setPINs},
			{"buses", p.transportDone(), (*builder).addBuses},
			{"exams", `(select count(*) from exam where name in ('` + strings.Join(examNames(), `', '`) + `') and status = 'PUBLISHED') >= 2`,
				(*builder).addExams},
			{"talk", talkDone, (*builder).addTalk},
			{"library", libraryDone, (*builder).addLibrary},
			{"photos", p.photosDone(), (*builder).addPhotos},
		},
	}
}

// fill makes what is missing of a school.
func (d *Demo) fill(ctx context.Context, p *plan, school *tenancy.School) error {
	db, err := d.service.Cluster.School(ctx, school, tenancy.ReadOnly)
	if err != nil {
		return err
	}
	lanes, err := undone(db, p.parts(d.today(school)))
	if err != nil {
		return err
	}
	if len(lanes[0]) > 0 {
		b, err := d.build(p, school, db)
		if err == nil {
			err = b.makeAll(ctx, lanes[0])
		}
		if err != nil {
			return err
		}
	}
	known := sync.OnceValues(func() (*people, error) {
		b, err := d.build(p, school, db)
		if err == nil {
			err = b.readPeople(ctx)
		}
		return b.people, err
	})
	begin := func() (*builder, error) {
		there, err := known()
		if err != nil {
			return nil, err
		}
		b, err := d.build(p, school, db)
		b.people = there
		return b, err
	}
	all, each := errgroup.WithContext(ctx)
	all.Go(func() error { return d.markDays(each, p, school, db, begin) })
	for _, lane := range lanes[1:] {
		if len(lane) == 0 {
			continue
		}
		all.Go(func() error {
			b, err := begin()
			if err == nil {
				err = b.makeAll(each, lane)
			}
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return err
	}
	return d.driveDay(ctx, p, school, db, begin)
}

// makeAll makes parts one after the other.
func (b *builder) makeAll(ctx context.Context, parts []part) error {
	for _, p := range parts {
		if err := p.make(b, ctx); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// undone are the lanes without those parts that are there.
func undone(db *gorm.DB, lanes [][]part) ([][]part, error) {
	var asked []string
	for _, p := range slices.Concat(lanes...) {
		asked = append(asked, p.done)
	}
	var text string
	err := db.Raw(`select array_to_string(array[` + strings.Join(asked, `, `) + `]::boolean[], ' ')`).Scan(&text).Error
	if err != nil {
		return nil, fmt.Errorf("looking for demo data: %w", err)
	}
	done, n := strings.Fields(text), 0
	for i := range lanes {
		lanes[i] = slices.DeleteFunc(lanes[i], func(part) bool {
			n++
			return done[n-1][0] == 't'
		})
	}
	return lanes, nil
}

func (d *Demo) build(p *plan, school *tenancy.School, db *gorm.DB) (*builder, error) {
	o, err := newOffice(d.service, school, &d.calls)
	return &builder{office: o, people: &people{}, demo: d, plan: p, db: db, today: d.today(school), latest: d.now()}, err
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
