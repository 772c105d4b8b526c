package privacy

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// person is whoever the request is about.
type person struct {
	ID       uuid.UUID
	UserID   *uuid.UUID
	Name     string
	Number   string
	Phone    string
	Email    string
	Status   string
	ErasedAt *time.Time
}

// ids are what their rows are found by: the record's and the account's.
func (p person) ids() []uuid.UUID {
	if p.UserID == nil {
		return []uuid.UUID{p.ID}
	}
	return []uuid.UUID{p.ID, *p.UserID}
}

// read finds somebody, also one who was removed; lock keeps them as they are until the
// transaction ends.
func (k kind) read(c api.Ctx, id uuid.UUID, lock bool) (person, error) {
	sql := k.find
	if lock {
		sql += " for update"
	}
	var found []person
	if err := tenancy.Together(c.DB, tenancy.Query{SQL: sql, Args: []any{id}, Scan: tenancy.Collect(&found)}); err != nil {
		return person{}, fmt.Errorf("reading a %s: %w", k.table, err)
	}
	if len(found) == 0 {
		return person{}, k.missing()
	}
	return found[0], nil
}

func (k kind) missing() error {
	if k.table == student.table {
		return api.Coded(404, "STUDENT_NOT_FOUND", "Student not found")
	}
	return api.NotFound(k.table)
}
