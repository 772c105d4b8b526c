package privacy

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/events"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// Erased is what is left of a person.
type Erased struct {
	ID       uuid.UUID `json:"id"`
	Name     string    `json:"name" doc:"What stands wherever they were named" example:"Erased person 12"`
	ErasedAt time.Time `json:"erasedAt"`
}

type eraseStudentRequest struct {
	ID              uuid.UUID `path:"id"`
	Reason          string    `json:"reason" validate:"notblank,max=500" doc:"Kept in the books: name nobody in it" example:"Asked by the family in writing"`
	AdmissionNumber string    `json:"admissionNumber" validate:"notblank,max=40" doc:"Of this student, typed again: it cannot be undone"`
}

type eraseGuardianRequest struct {
	ID     uuid.UUID `path:"id"`
	Reason string    `json:"reason" validate:"notblank,max=500" doc:"Kept in the books: name nobody in it"`
	Phone  api.Phone `json:"phone" validate:"required,max=20" doc:"Of this guardian, typed again: it cannot be undone"`
}

type eraseEmployeeRequest struct {
	ID           uuid.UUID `path:"id"`
	Reason       string    `json:"reason" validate:"notblank,max=500" doc:"Kept in the books: name nobody in it"`
	EmployeeCode string    `json:"employeeCode" validate:"notblank,max=40" doc:"Of this employee, typed again: it cannot be undone"`
}

func eraseStudent(c api.Ctx, r eraseStudentRequest) (Erased, error) {
	return student.erase(c, r.ID, r.Reason, "admissionNumber", r.AdmissionNumber)
}

func eraseGuardian(c api.Ctx, r eraseGuardianRequest) (Erased, error) {
	return guardian.erase(c, r.ID, r.Reason, "phone", string(r.Phone))
}

func eraseEmployee(c api.Ctx, r eraseEmployeeRequest) (Erased, error) {
	return employee.erase(c, r.ID, r.Reason, "employeeCode", r.EmployeeCode)
}

// erase takes what is personal out of everything the school keeps, in one transaction.
func (k kind) erase(c api.Ctx, id uuid.UUID, reason, field, typed string) (Erased, error) {
	p, err := k.read(c, id, true)
	if err != nil {
		return Erased{}, err
	}
	if p.ErasedAt != nil {
		return Erased{}, api.Conflict("This %s was erased already", k.table)
	}
	if !strings.EqualFold(strings.TrimSpace(typed), p.Number) {
		return Erased{}, api.InvalidField(field, "%s is not this %s's", field, k.table)
	}
	if err := k.mayGo(c, p); err != nil {
		return Erased{}, err
	}
	number, err := nextNumber(c)
	if err != nil {
		return Erased{}, err
	}
	out := Erased{ID: p.ID, Name: fmt.Sprintf("Erased person %d", number), ErasedAt: c.Now}
	e := erasure{person: p, number: number, name: out.Name}
	if err := e.run(c, k); err != nil {
		return Erased{}, err
	}
	c.Changed("erase", k.table, p.ID, nil, map[string]any{"erasedAs": out.Name, "reason": reason})
	return out, nil
}

// nextNumber takes the next number of an erased person.
func nextNumber(c api.Ctx) (int64, error) {
	var number int64
	err := c.DB.Raw(`insert into number_series as s (name, next) values ('erased person', 2) on conflict (name) do update set next = s.next + 1 returning s.next - 1`).Scan(&number).Error
	if err != nil {
		return 0, fmt.Errorf("numbering an erased person: %w", err)
	}
	return number, nil
}

// mayGo refuses those the school still has to do with.
func (k kind) mayGo(c api.Ctx, p person) error {
	var now struct {
		Balance         int64
		Enrolled, Loans bool
		Children        int
	}
	err := c.DB.Raw(`select
		(select coalesce(sum(case entry_type when 'DR' then amount else -amount end), 0)::bigint from ledger_entry where account_id = ?) as balance,
		exists (select from enrolment where student_id = ? and (end_date is null or end_date >= ?)) as enrolled,
		exists (select from library_loan where (student_id = ? or employee_id = ?) and closed_on is null) as loans,
		(select count(*) from student_guardian sg join student s on s.id = sg.student_id where sg.guardian_id = ? and s.status = 'ACTIVE' and s.deleted_at is null) as children`,
		p.ID, p.ID, c.Today(), p.ID, p.ID, p.ID).Scan(&now).Error
	switch {
	case err != nil:
		return fmt.Errorf("looking whether a %s may be erased: %w", k.table, err)
	case k.table != guardian.table && p.Status == "ACTIVE", now.Enrolled:
		return api.Conflict("This %s is still here: let them leave first", k.table)
	case now.Balance > 0:
		return api.Conflict("This student owes %d (in %s, minor units): settle or waive it first", now.Balance, c.School.Currency)
	case now.Balance < 0:
		return api.Conflict("This student has paid %d (in %s, minor units) too much: give it back first", -now.Balance, c.School.Currency)
	case now.Loans:
		return api.Conflict("This %s still has a book of the library", k.table)
	case now.Children > 0:
		return api.Conflict("This guardian answers for %d students who are still here: unlink them first", now.Children)
	}
	return nil
}

// erasure is one person being erased.
type erasure struct {
	person
	number int64
	name   string
	photo  *uuid.UUID
}

// words are what tells the person wherever it stands.
func (e erasure) words() []string {
	out := []string{}
	for _, w := range []string{e.Name, e.Phone, e.Email} {
		if len(w) >= 5 { // a shorter one would be found in others' words
			out = append(out, w)
		}
	}
	return out
}

func (e erasure) run(c api.Ctx, k kind) error {
	var guardians, parents, students []uuid.UUID
	if err := c.DB.Raw(`select guardian_id from student_guardian where student_id = ?`, e.ID).Scan(&guardians).Error; err != nil {
		return fmt.Errorf("reading guardians: %w", err)
	}
	if err := c.DB.Raw(`select user_id from guardian where id in ?`, guardians).Scan(&parents).Error; err != nil {
		return fmt.Errorf("reading parents: %w", err)
	}
	if err := c.DB.Raw(`select student_id from student_guardian where guardian_id = ?`, e.ID).Scan(&students).Error; err != nil {
		return fmt.Errorf("reading students: %w", err)
	}
	var photos []uuid.UUID
	if err := c.DB.Raw(`select photo_file_id from student where id = ? and photo_file_id is not null`, e.ID).Scan(&photos).Error; err != nil {
		return fmt.Errorf("reading a photo: %w", err)
	}
	if len(photos) > 0 {
		e.photo = &photos[0]
	}
	keys, err := e.scrub(c, k)
	if err != nil {
		return fmt.Errorf("erasing a %s: %w", k.table, err)
	}
	if len(keys) > 0 {
		c.Tell(events.Fact{Kind: "file.gone", Data: map[string]any{"keys": keys}})
	}
	if e.UserID != nil {
		c.Tell(events.Fact{Kind: "user.changed", Data: map[string]any{"userId": *e.UserID}})
	}
	if len(parents) > 0 {
		c.Tell(events.Fact{Kind: roster.SightChanged, Data: map[string]any{"userIds": parents}})
	}
	if e.Phone != "" || e.Email != "" {
		c.Tell(events.Fact{Kind: PersonErased, Data: Gone{Addresses: []string{e.Phone, e.Email}}})
	}
	if len(students) > 0 {
		if err := roster.RefreshSearch(c, students); err != nil {
			return err
		}
	}
	return roster.DisableChildless(c, guardians)
}

// PersonErased is the fact that what the platform keeps by somebody's phone or e-mail
// goes too.
const PersonErased = "person.erased"

// Gone is its data.
type Gone struct {
	Addresses []string `json:"addresses"`
}

// scrub runs every statement at once and returns the names of bytes that are to go.
func (e erasure) scrub(c api.Ctx, k kind) (keys []string, err error) {
	args := map[string]any{"ids": e.ids(), "first": "Erased", "last": fmt.Sprintf("person %d", e.number), "name": e.name, "number": e.number, "now": c.Now,
		"words": e.words(), "addresses": []string{e.Phone, e.Email}, "search": api.Fold(e.name, e.Number), "by": c.User.ID, "photo": e.photo}
	var queries []tenancy.Query
	for _, sql := range append(own[k.table], everywhere...) {
		bound, values := bind(sql, args)
		queries = append(queries, tenancy.Query{SQL: bound, Args: values})
	}
	bound, values := bind(deleteFiles, args)
	queries = append(queries, tenancy.Query{SQL: bound, Args: values, Scan: func(rows pgx.Rows) error {
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, key := range found {
			if key != "" {
				keys = append(keys, key)
			}
		}
		return nil
	}})
	return keys, tenancy.Together(c.DB, queries...)
}
