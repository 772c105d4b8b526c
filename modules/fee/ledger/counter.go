package ledger

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// DayLock is held by who moves money, shared, and by who closes a day, alone: what is
// counted has no payment that is still being written.
const DayLock = `hashtextextended('fee day ' || current_schema(), 0)`

// Payer is a student at the counter, their account locked.
type Payer struct {
	ID              uuid.UUID
	AdmissionNumber string
	FirstName       string
	LastName        string
	Balance         int64
}

// Name is the first and last name.
func (p Payer) Name() string { return strings.TrimSpace(p.FirstName + " " + p.LastName) }

const (
	// lockPayer locks one student's account. What comes after it in the same pipeline sees
	// all that was posted before.
	lockPayer = `select s.id, s.admission_number, s.first_name, s.last_name from ledger_account a join student s on s.id = a.student_id
		where a.id = $1 and (select pg_advisory_xact_lock_shared(` + DayLock + `)) is not null for no key update of a`
	// balanceOf is what the student $1 owes, and the last receipt that the user $2 wrote them
	// for the amount $3 after the moment $4, unless it was reversed; and whether the day $5 is closed.
	balanceOf = `select b.balance, exists (select from fee_day_closing where day = $5) as closed, r.id,
			coalesce(r.receipt_number, '') as receipt_number, r.received_at
		from (` + owedBy + `) b
		left join lateral (select id, receipt_number, received_at from fee_receipt f where student_id = $1 and received_by = $2 and amount = $3
			and received_at > $4 and not exists (select from ledger_transaction t where t.reverses_id = f.transaction_id)
			order by received_at desc limit 1) r on true`
)

// RepeatWithin is how long an equal payment is taken for the same one.
const RepeatWithin = time.Minute

// LastEqual is the account's balance, and the clerk's last receipt for an equal amount, if
// they wrote it moments ago.
type LastEqual struct {
	Balance       int64
	Closed        bool
	ID            *uuid.UUID
	ReceiptNumber string
	ReceivedAt    *time.Time
}

// AtCounter locks a student's account and reads its open invoices.
func AtCounter(c api.Ctx, student uuid.UUID) (who Payer, year SchoolYear, open []StudentInvoice, err error) {
	who, year, open, _, err = BeforePayment(c, student, 0, c.Today())
	return who, year, open, err
}

// BeforePayment is AtCounter for who moves an amount on a day: it also finds an equal
// payment, and whether the day is closed, which nobody changes until the transaction ends.
func BeforePayment(c api.Ctx, student uuid.UUID, amount int64, day api.Date) (who Payer, year SchoolYear, open []StudentInvoice,
	last LastEqual, err error,
) {
	var found []Payer
	var years []SchoolYear
	var balances []LastEqual
	ids := []uuid.UUID{student}
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: OpenAccounts, Args: []any{ids, c.Now}, ForceGenericPlan: true},
		tenancy.Query{SQL: lockPayer, Args: []any{student}, Scan: tenancy.Collect(&found)},
		tenancy.Query{SQL: AllocateOne, Args: []any{student, c.Today()}, Scan: tenancy.Collect(&open), ForceGenericPlan: true},
		tenancy.Query{SQL: balanceOf, Args: []any{student, c.User.ID, amount, c.Now.Add(-RepeatWithin), day}, Scan: tenancy.Collect(&balances)},
		tenancy.Query{SQL: SelectYear, Args: []any{c.Today()}, Scan: tenancy.Collect(&years)})
	if err != nil {
		return who, year, nil, last, fmt.Errorf("reading a student's account: %w", err)
	}
	if len(found) == 0 {
		return who, year, nil, last, roster.ErrNoStudent
	}
	who, last = found[0], balances[0]
	who.Balance = last.Balance
	year, err = OnlyYear(years)
	return who, year, open, last, err
}
