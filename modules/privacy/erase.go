package privacy

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/events"
	"homeroom/modules/roster"
	"homeroom/paper"
	"homeroom/tenancy"
)

// Erased is what is left of a person.
type Erased struct {
	ID       uuid.UUID `json:"id"`
	Name     string    `json:"name" doc:"Replaces their name everywhere" example:"Erased person 12"`
	ErasedAt time.Time `json:"erasedAt"`
}

type eraseStudentRequest struct {
	ID              uuid.UUID `path:"id"`
	Reason          string    `json:"reason" validate:"notblank,max=500" doc:"Kept in the audit log: name nobody in it" example:"Asked by the family in writing"`
	AdmissionNumber string    `json:"admissionNumber" validate:"notblank,max=40" doc:"Of this student, typed again: it cannot be undone"`
}

type eraseGuardianRequest struct {
	ID     uuid.UUID `path:"id"`
	Reason string    `json:"reason" validate:"notblank,max=500" doc:"Kept in the audit log: name nobody in it"`
	Phone  api.Phone `json:"phone" validate:"required,max=20" doc:"Of this guardian, typed again: it cannot be undone"`
}

type eraseEmployeeRequest struct {
	ID           uuid.UUID `path:"id"`
	Reason       string    `json:"reason" validate:"notblank,max=500" doc:"Kept in the audit log: name nobody in it"`
	EmployeeCode string    `json:"employeeCode" validate:"notblank,max=40" doc:"Of this employee, typed again: it cannot be undone"`
}

func (m *Module) eraseStudent(c api.Ctx, r eraseStudentRequest) (Erased, error) {
	return m.erase(c, student, r.ID, r.Reason, "admissionNumber", r.AdmissionNumber)
}

func (m *Module) eraseGuardian(c api.Ctx, r eraseGuardianRequest) (Erased, error) {
	return m.erase(c, guardian, r.ID, r.Reason, "phone", string(r.Phone))
}

func (m *Module) eraseEmployee(c api.Ctx, r eraseEmployeeRequest) (Erased, error) {
	return m.erase(c, employee, r.ID, r.Reason, "employeeCode", r.EmployeeCode)
}

// erase takes what is personal out of everything the school keeps, in one transaction.
// What the platform keeps follows by a fact of that transaction, which is sent until it
// was heard.
func (m *Module) erase(c api.Ctx, k kind, id uuid.UUID, reason, field, typed string) (Erased, error) {
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
	if err := checkAdministrator(c, p); err != nil {
		return Erased{}, err
	}
	if err := k.mayGo(c, p); err != nil {
		return Erased{}, err
	}
	number, err := nextNumber(c)
	if err != nil {
		return Erased{}, err
	}
	out := Erased{ID: p.ID, Name: fmt.Sprintf("Erased person %d", number), ErasedAt: c.Now}
	if err := m.run(c, p, out.Name, number); err != nil {
		return Erased{}, fmt.Errorf("erasing a %s: %w", k.table, err)
	}
	c.Changed("erase", k.table, p.ID, nil, map[string]any{"erasedAs": out.Name, "reason": reason})
	return out, nil
}

// checkAdministrator refuses to erase an administrator to those who could not make one.
func checkAdministrator(c api.Ctx, p person) error {
	var roles []uuid.UUID
	err := c.DB.Raw(`select r.id from app_user u join role r on r.id = u.role_id where u.id = ? and r.type = 'SCHOOL_ADMIN'`,
		p.UserID).Scan(&roles).Error
	if err != nil {
		return fmt.Errorf("reading whose account it is: %w", err)
	}
	return c.CheckGrant(roles...)
}

// nextNumber takes the next number of an erased person.
func nextNumber(c api.Ctx) (int64, error) {
	var number int64
	err := c.DB.Raw(`insert into number_series as s (name, next) values ('erased person', 2) on conflict (name) do update
		set next = s.next + 1 returning s.next - 1`).Scan(&number).Error
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
		(select coalesce(sum(case entry_type when 'DR' then amount else -amount end), 0)::bigint from ledger_entry
		where account_id = ?) as balance,
		exists (select from enrolment where student_id = ? and (end_date is null or end_date >= ?)) as enrolled,
		exists (select from library_loan where (student_id = ? or employee_id = ?) and closed_on is null) as loans,
		(select count(*) from student_guardian sg join student s on s.id = sg.student_id where sg.guardian_id = ? and s.status = 'ACTIVE'
		and s.deleted_at is null) as children`,
		p.ID, p.ID, c.Today(), p.ID, p.ID, p.ID).Scan(&now).Error
	switch {
	case err != nil:
		return fmt.Errorf("looking whether a %s may be erased: %w", k.table, err)
	case k.table != guardian.table && p.Status == "ACTIVE", now.Enrolled:
		return api.Conflict("This %s is still here: mark them as left first", k.table)
	case now.Balance > 0:
		return api.Conflict("This student owes %s: settle or waive it first", paper.FiguresOf(c.School.Writes()).Money(now.Balance))
	case now.Balance < 0:
		return api.Conflict("This student has paid %s too much: give it back first", paper.FiguresOf(c.School.Writes()).Money(-now.Balance))
	case now.Loans:
		return api.Conflict("This %s still has a book of the library", k.table)
	case now.Children > 0:
		return api.Conflict("This guardian answers for %d students who are still here: unlink them first", now.Children)
	}
	return nil
}

// run erases somebody in the school, and has what hangs on them follow.
func (m *Module) run(c api.Ctx, p person, name string, number int64) error {
	var guardians, parents, students []uuid.UUID
	if err := c.DB.Raw(`select guardian_id from student_guardian where student_id = ?`, p.ID).Scan(&guardians).Error; err != nil {
		return fmt.Errorf("reading guardians: %w", err)
	}
	if err := c.DB.Raw(`select user_id from guardian where id in ?`, guardians).Scan(&parents).Error; err != nil {
		return fmt.Errorf("reading parents: %w", err)
	}
	if err := c.DB.Raw(`select student_id from student_guardian where guardian_id = ?`, p.ID).Scan(&students).Error; err != nil {
		return fmt.Errorf("reading students: %w", err)
	}
	t, err := p.traces(c, m.school)
	if err != nil {
		return err
	}
	args := t.args()
	args["name"], args["first"], args["last"], args["number"] = name, "Erased", fmt.Sprintf("person %d", number), number
	args["search"], args["now"], args["by"] = api.Fold(name, p.Number), c.Now, c.User.ID
	files, err := m.school.run(c.DB, args)
	if err != nil {
		return err
	}
	if len(files) > 0 {
		c.Tell(events.Fact{Kind: "file.gone", Data: map[string]any{"files": files}})
	}
	if len(parents) > 0 {
		c.Tell(events.Fact{Kind: roster.SightChanged, Data: map[string]any{"userIds": parents}})
	}
	c.Tell(events.Fact{Kind: PersonErased, Data: gone{traces: t, UserID: p.UserID, Name: name}})
	if len(students) > 0 {
		if err := roster.RefreshSearch(c, students); err != nil {
			return err
		}
	}
	return roster.DisableChildless(c, guardians)
}

// run erases by the plan, in one round trip, and returns the files whose bytes are to go.
func (s plan) run(db *gorm.DB, args pgx.NamedArgs) (files []uuid.UUID, err error) {
	queries := []tenancy.Query{patiently}
	for _, sql := range s.erase {
		queries = append(queries, tenancy.Query{SQL: sql, Args: []any{args}})
	}
	for _, sql := range s.bytes {
		queries = append(queries, tenancy.Query{SQL: sql, Args: []any{args}, Scan: func(rows pgx.Rows) error {
			found, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
			files = append(files, found...)
			return err
		}})
	}
	err = tenancy.Pipeline(db, queries...)
	return files, err
}

// PersonErased is the fact that what the platform keeps of somebody goes too.
const PersonErased = "person.erased"

// gone is its data.
type gone struct {
	traces
	UserID *uuid.UUID `json:"userId"`
	Name   string     `json:"name"` // what they are called now
}

// listen erases in the platform's schema, however often the fact is heard.
func (m *Module) listen(bus *events.Bus) {
	bus.On(PersonErased, "platform", func(ctx context.Context, h events.Heard) error {
		var g gone
		if err := h.Read(&g); err != nil {
			return err
		}
		args := g.args()
		args["name"], args["school"] = g.Name, h.SchoolID
		if _, err := m.platform.run(m.Cluster.Platform(ctx, tenancy.ReadWrite), args); err != nil {
			return fmt.Errorf("erasing what the platform keeps: %w", err)
		}
		if g.UserID == nil {
			return nil
		}
		return m.Leave(ctx, h.SchoolID, *g.UserID)
	})
}
