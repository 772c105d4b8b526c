package ledger

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// owedBy is what the student $1 owes.
const owedBy = `select coalesce(sum(case entry_type when 'DR' then amount else -amount end), 0)::bigint as balance from ledger_entry
	where account_id = $1`

// dueNow is what each of the students $1 owes of what is due by the day $2: what is not due yet is taken off, and
// money settles the oldest first.
const dueNow = `select account_id as student_id,
		least(sum(s), sum(s) filter (where due_date is null or due_date <= $2))::bigint as due
	from (select account_id, due_date, case entry_type when 'DR' then amount else -amount end as s from ledger_entry
		where account_id = any($1)) e
	group by account_id`

// Due is what of fees is due today, by student, for other modules. Who owes nothing that is due is not in it.
func Due(c api.Ctx, students []uuid.UUID) (map[uuid.UUID]int64, error) {
	var rows []struct {
		StudentID uuid.UUID
		Due       *int64
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: dueNow, Args: []any{students, c.Today()}, Scan: tenancy.Collect(&rows)})
	if err != nil {
		return nil, fmt.Errorf("reading what is due: %w", err)
	}
	out := map[uuid.UUID]int64{}
	for _, r := range rows {
		if r.Due != nil && *r.Due > 0 {
			out[r.StudentID] = *r.Due
		}
	}
	return out, nil
}

// Owed is what a student owes, for other modules; below zero it is paid ahead.
func Owed(c api.Ctx, student uuid.UUID) (balance int64, err error) {
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: owedBy, Args: []any{student}, Scan: tenancy.One(&balance)})
	if err != nil {
		return 0, fmt.Errorf("reading what a student owes: %w", err)
	}
	return balance, nil
}
