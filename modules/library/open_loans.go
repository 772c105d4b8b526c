package library

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// OpenLoans are the books a student has, for the roster.
func OpenLoans(c api.Ctx, student uuid.UUID) ([]roster.OpenLoan, error) {
	var loans []roster.OpenLoan
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select b.title, k.accession_number, l.due_on
		from library_loan l join book_copy k on k.id = l.copy_id join book b on b.id = k.book_id
		where l.student_id = $1 and l.closed_on is null order by l.due_on, l.id limit 100`, Args: []any{student}, Scan: tenancy.Collect(&loans)})
	if err != nil {
		return nil, fmt.Errorf("reading a student's loans: %w", err)
	}
	return loans, nil
}
