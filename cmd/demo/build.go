package demo

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// builder fills one school. What it reads of the school is kept here by the plan's order.
type builder struct {
	*office
	demo   *Demo
	plan   *plan
	db     *gorm.DB // to look what is there
	today  api.Date
	latest time.Time // now: nothing happens after it

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

// parts are made in this order; those of the second list at the same time, each by an office of its own.
func (p *plan) parts(today api.Date) (first, then []part) {
	divisions := len(p.classes) * len(p.divisions)
	return []part{
			{"year", yearGoesOn(today), (*builder).prolongYear},
			{"people", fmt.Sprintf(`exists (select from student where admission_number = '%s-%04d')`, p.prefix(), p.seats()), (*builder).addPeople},
			{"lessons", fmt.Sprintf(`(select count(distinct division_id) from timetable_slot) >= %d`, divisions), (*builder).addLessons},
		}, []part{
			{"sign-ins", p.pinsDone(), (*builder).setPINs},
			{"buses", p.transportDone(), (*builder).addBuses},
			{"photos", p.photosDone(), (*builder).addPhotos},
			{"library", libraryDone, (*builder).addLibrary},
			{"talk", talkDone, (*builder).addTalk},
			{"fees", feesDone, (*builder).addFees},
			{"exams", `(select count(*) from exam where name in ('` + strings.Join(examNames(), `', '`) + `') and status = 'PUBLISHED') >= 2`,
				(*builder).addExams},
		}
}

// fill makes what is missing of a school.
func (d *Demo) fill(ctx context.Context, p *plan, school *tenancy.School) error {
	db, err := d.service.Cluster.School(ctx, school, tenancy.ReadOnly)
	if err != nil {
		return err
	}
	first, then := p.parts(d.today(school))
	done, err := ready(db, append(first[:len(first):len(first)], then...))
	if err != nil {
		return err
	}
	for i, part := range first {
		if done[i] {
			continue
		}
		b, err := d.build(p, school, db)
		if err != nil {
			return err
		}
		if err := part.make(b, ctx); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	all, each := errgroup.WithContext(ctx)
	all.Go(func() error { return d.markDays(each, p, school, db) })
	for i, part := range then {
		if done[len(first)+i] {
			continue
		}
		all.Go(func() error {
			b, err := d.build(p, school, db)
			if err == nil {
				err = b.readPeople(each)
			}
			if err == nil {
				err = part.make(b, each)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", part.name, err)
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		return err
	}
	return d.driveDay(ctx, p, school, db)
}

// ready asks which parts are there.
func ready(db *gorm.DB, parts []part) ([]bool, error) {
	asked := make([]string, len(parts))
	for i, p := range parts {
		asked[i] = p.done
	}
	var text string
	err := db.Raw(`select array_to_string(array[` + strings.Join(asked, `, `) + `]::boolean[], ' ')`).Scan(&text).Error
	if err != nil {
		return nil, fmt.Errorf("looking for demo data: %w", err)
	}
	out := make([]bool, len(parts))
	for i, word := range strings.Fields(text) {
		out[i] = word == "t" || word == "true"
	}
	return out, nil
}

func (d *Demo) build(p *plan, school *tenancy.School, db *gorm.DB) (*builder, error) {
	o, err := newOffice(d.service, school)
	return &builder{office: o, demo: d, plan: p, db: db, today: d.today(school), latest: d.now()}, err
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
