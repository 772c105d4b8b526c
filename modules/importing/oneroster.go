package importing

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/modules/roster/lookup"
	"homeroom/sheet"
	"homeroom/tenancy"
)

// The parts of a bundle, in the order in which they are taken in: each may name what those before it made.
var rosterParts = []string{"STUDENT", "EMPLOYEE", "SUBJECT", "ASSIGNMENT"}

// rosterNames are the columns that a bundle is read as; the first says which part a row is of.
var rosterNames = append([]string{"admissionNumber", "firstName", "lastName", "class", "division", "gender", "dateOfBirth", "email",
	"enrolledFrom", "employeeCode", "employeeType", "phone", "name", "code", "classes", "teacher", "subject", "classTeacher"},
	guardianNames()...)

func guardianNames() (out []string) {
	for i := 1; i <= maxGuardians; i++ {
		for _, name := range []string{"Relation", "FirstName", "LastName", "Phone", "Email"} {
			out = append(out, fmt.Sprintf("guardian%d%s", i, name))
		}
	}
	return out
}

// rosterSheet are these columns. They have no other names: nobody writes such a file by hand.
var rosterSheet = func() []sheet.Column {
	out := []sheet.Column{{Name: "part", Check: sheet.OneOf(nil, rosterParts...)}}
	for _, name := range rosterNames {
		for _, of := range [][]sheet.Column{studentSheet, employeeSheet, subjectSheet, assignmentSheet} {
			if i := slices.IndexFunc(of, func(c sheet.Column) bool { return c.Name == name }); i >= 0 {
				column := of[i]
				column.Also = nil
				out = append(out, column)
				break
			}
		}
	}
	return out
}()

// rosters are bundles of OneRoster: students with guardians and places, staff, subjects, and who teaches what.
func (m *Module) rosters() imports.Kind[imports.Request] {
	students := m.students()
	return imports.Kind[imports.Request]{
		Key: "ONEROSTER", Path: "/school-admin/oneroster/import", Permission: "student", Columns: rosterSheet, Convert: convertBundle,
		Summary: "Import a bundle (zip) of OneRoster 1.2 or 1.1, or the table that it is read as", Begin: m.beginRoster,
		Tables:  append(slices.Clone(students.Tables), "employee", "subject", "class_subject", "teacher_assignment"),
		Loosen:  students.Loosen,
		Options: []api.Option{api.SometimesFresh("Giving or changing an administrator's account")},
	}
}

// rosterPart is one part's reading, and where its columns are in a bundle's table.
type rosterPart struct {
	imports.Reading
	from []int // the table's column of each of its own; -1: none
	rows int
}

func (p *rosterPart) take(row int, cells []string, bad map[int]bool, found *sheet.Problems) {
	p.rows++
	own, wrong := make([]string, len(p.from)), map[int]bool{}
	for i, from := range p.from {
		if from >= 0 {
			own[i], wrong[i] = cells[from], bad[from]
		}
	}
	p.Take(row, own, wrong, found)
}

// deferred are accounts that are opened once all parts are written: the directory is not in the school's transaction.
type deferred struct {
	calls []func(context.Context, People) error
}

// Enter records an account.
func (d *deferred) Enter(_ context.Context, school, user uuid.UUID, role api.RoleType, phone, email string) error {
	d.calls = append(d.calls, func(ctx context.Context, people People) error {
		return people.Enter(ctx, school, user, role, phone, email)
	})
	return nil
}

// EnterMany records accounts.
func (d *deferred) EnterMany(_ context.Context, school uuid.UUID, role api.RoleType, users []uuid.UUID, phones []string) error {
	d.calls = append(d.calls, func(ctx context.Context, people People) error {
		return people.EnterMany(ctx, school, role, users, phones)
	})
	return nil
}

func (m *Module) beginRoster(c api.Ctx, r imports.Request) (imports.Reading, error) {
	for _, module := range []string{"employee", "subject"} {
		if err := c.Permit(module, api.Write); err != nil {
			return imports.Reading{}, err
		}
	}
	accounts := &deferred{}
	within := *m
	within.People = accounts
	parts := map[string]*rosterPart{}
	for name, begin := range map[string]func() (imports.Reading, error){
		"STUDENT": func() (imports.Reading, error) {
			return within.beginStudents(c, studentImport{Request: r, CreateClasses: true})
		},
		"EMPLOYEE":   func() (imports.Reading, error) { return within.beginEmployees(c, r) },
		"SUBJECT":    func() (imports.Reading, error) { return subjects().Begin(c, r) },
		"ASSIGNMENT": func() (imports.Reading, error) { return assignments().Begin(c, lookup.SubjectImport{Request: r}) },
	} {
		reading, err := begin()
		if err != nil {
			return imports.Reading{}, err
		}
		p := &rosterPart{Reading: reading}
		for _, column := range reading.Columns {
			p.from = append(p.from, slices.IndexFunc(rosterSheet, func(c sheet.Column) bool { return c.Name == column.Name }))
		}
		parts[name] = p
	}
	return imports.Reading{
		Columns: rosterSheet,
		Take: func(row int, cells []string, bad map[int]bool, found *sheet.Problems) {
			switch part := parts[cells[0]]; {
			case part != nil:
				part.take(row, cells, bad, found)
			case !bad[0]:
				found.Add(row, "part", "is required")
			}
		},
		Plan: func(c api.Ctx, found *sheet.Problems) (imports.Plan, error) {
			p := &rosterPlan{PlanBase: imports.NewPlanBase(found), people: m.People, accounts: accounts}
			if !r.DryRun {
				return p, p.work(c, parts)
			}
			// What a part does depends on what those before it made: a dry run makes it and takes it back.
			err := c.Transact(func(c api.Ctx) error {
				if err := p.work(c, parts); err != nil {
					return err
				}
				return errTryOnly
			})
			if errors.Is(err, errTryOnly) {
				err = nil
			}
			return p, err
		},
	}, nil
}

var errTryOnly = errors.New("a dry run")

// rosterPlan is a bundle whose parts are planned and written one after the other. The transaction is the importer's: it is rolled back
// if the plan is refused.
type rosterPlan struct {
	imports.PlanBase
	people   People
	accounts *deferred
}

func (p *rosterPlan) work(c api.Ctx, parts map[string]*rosterPart) error {
	p.accounts.calls = nil
	if err := p.hashState(c); err != nil {
		return err
	}
	for _, name := range rosterParts {
		part := parts[name]
		if part.rows == 0 {
			continue
		}
		plan, err := part.Plan(c, p.Found)
		if err != nil {
			return err
		}
		if err := plan.Write(c, func(float64) {}); err != nil {
			return fmt.Errorf("importing a roster: %w", err)
		}
		p.add(plan.Base().Totals)
	}
	return nil
}

// hashState adds the tables that a bundle is compared with, as they are: what the parts make has other ids each time.
func (p *rosterPlan) hashState(c api.Ctx) error {
	var state []string
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select concat_ws(' ', 'class', count(*), max(updated_at)) from class
		union all select concat_ws(' ', 'division', count(*), max(updated_at)) from division
		union all select concat_ws(' ', 'student', count(*), max(updated_at)) from student
		union all select concat_ws(' ', 'guardian', count(*), max(updated_at)) from guardian
		union all select concat_ws(' ', 'enrolment', count(*), max(updated_at)) from enrolment
		union all select concat_ws(' ', 'employee', count(*), max(updated_at)) from employee
		union all select concat_ws(' ', 'subject', count(*), max(updated_at)) from subject
		union all select concat_ws(' ', 'classes of subjects', count(*)) from class_subject
		union all select concat_ws(' ', 'assignment', count(*), max(updated_at)) from teacher_assignment`, Scan: tenancy.Values(&state)})
	if err != nil {
		return fmt.Errorf("reading what a roster is compared with: %w", err)
	}
	p.Hash("%q", state)
	return nil
}

func (p *rosterPlan) add(t imports.ImportResult) {
	sum := &p.Totals
	for _, n := range []struct{ to, more *int }{{&sum.Creates, &t.Creates}, {&sum.Updates, &t.Updates}, {&sum.Unchanged, &t.Unchanged},
		{&sum.GuardiansNew, &t.GuardiansNew}, {&sum.GuardiansFound, &t.GuardiansFound}, {&sum.Enrolments, &t.Enrolments},
		{&sum.FromYearStart, &t.FromYearStart}, {&sum.Moves, &t.Moves}, {&sum.GuardiansLeftOut, &t.GuardiansLeftOut}} {
		*n.to += *n.more
	}
	sum.NewClasses = append(sum.NewClasses, t.NewClasses...)
}

// Write opens the accounts of the people that work wrote.
func (p *rosterPlan) Write(c api.Ctx, progress func(float64)) error {
	for _, call := range p.accounts.calls {
		if err := call(c, p.people); err != nil {
			return err
		}
	}
	progress(1)
	return nil
}
