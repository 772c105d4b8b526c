package charging

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/modules/roster"
	"homeroom/notice"
	"homeroom/tenancy"
)

type adHocIn struct {
	FeeHeadID uuid.UUID     `json:"feeHeadId" validate:"required"`
	Amount    ledger.Amount `json:"amount" validate:"min=1,max=1000000000000" doc:"For each student, in minor units"`
	DueDate   api.Date      `json:"dueDate" validate:"required"`
	Text      string        `json:"text" validate:"name,max=200" example:"Excursion to the zoo" doc:"What it is for, as the family reads it"`
	ChosenStudents
	DryRun bool `json:"dryRun" doc:"Say whom it would charge, and charge nobody"`
}

// AdHocCharged is how a charge besides the instalments went.
type AdHocCharged struct {
	Charged  int            `json:"charged" doc:"How many students were charged"`
	Amount   int64          `json:"amount" doc:"What they were charged together"`
	DryRun   bool           `json:"dryRun"`
	Students []AdHocStudent `json:"students" doc:"By name"`
}

// AdHocStudent is one of them.
type AdHocStudent struct {
	StudentID     uuid.UUID  `json:"studentId"`
	StudentName   string     `json:"studentName"`
	TransactionID *uuid.UUID `json:"transactionId" doc:"By which it can be reversed; none in a dry run"`
}

// errPastDue refuses to charge somebody who would be in default at once.
var errPastDue = api.InvalidField("dueDate", "The due date must not be in the past")

// chargeAdHoc bills students for something besides the instalments, each with an invoice of
// its own. The year's concessions are for instalments; one for the invoice can be granted.
func chargeAdHoc(c api.Ctx, r adHocIn) (AdHocCharged, error) {
	if r.DueDate.Before(c.Today()) {
		return AdHocCharged{}, errPastDue
	}
	head, err := api.Find[Head](c, "fee head", c.DB, r.FeeHeadID)
	if err != nil {
		return AdHocCharged{}, err
	}
	ids, err := studentsOf(c, r.ChosenStudents, c.Today())
	if err != nil {
		return AdHocCharged{}, err
	}
	var students []chargeable
	var years []ledger.SchoolYear
	queries := []tenancy.Query{{SQL: `select id, first_name, last_name from student where id = any($1) order by first_name, last_name, id`,
		Args: []any{ids}, Scan: tenancy.Collect(&students)},
		{SQL: ledger.SelectYear, Args: []any{c.Today()}, Scan: tenancy.Collect(&years)}}
	if !r.DryRun {
		queries = append(queries, tenancy.Query{SQL: ledger.OpenAccounts, Args: []any{ids, c.Now}},
			tenancy.Query{SQL: ledger.LockAccounts, Args: []any{ids}, Scan: discard})
	}
	if err := tenancy.Pipeline(c.DB, queries...); err != nil {
		return AdHocCharged{}, fmt.Errorf("reading whom to charge: %w", err)
	}
	year, err := ledger.OnlyYear(years)
	if err != nil {
		return AdHocCharged{}, err
	}
	out := AdHocCharged{Charged: len(students), Amount: int64(r.Amount) * int64(len(students)), DryRun: r.DryRun, Students: []AdHocStudent{}}
	if r.DryRun {
		for _, s := range students {
			out.Students = append(out.Students, AdHocStudent{StudentID: s.ID, StudentName: roster.FullName(s.FirstName, s.LastName)})
		}
		return out, nil
	}
	numbers, err := ledger.InvoiceNumbers(c, year, len(students))
	if err != nil {
		return out, err
	}
	postings, notices := make([]ledger.Transaction, len(students)), make([]notice.Notice, len(students))
	for i, s := range students {
		p := r.posting(head, year, numbers(i), s.ID)
		postings[i], notices[i] = p, chargedNotice(ledger.Figures(c), s, p.Invoice, int64(r.Amount))
		out.Students = append(out.Students, AdHocStudent{s.ID, roster.FullName(s.FirstName, s.LastName), &p.ID})
	}
	if err := ledger.Post(c, postings...); err != nil {
		return out, err
	}
	notice.SendBatch(c, notice.FeeCharges, notices...)
	c.Changed("charge", "fee head", head.ID, nil, map[string]any{"text": r.Text, "amount": r.Amount, "dueDate": r.DueDate,
		"students": out.Charged})
	return out, nil
}

func (r adHocIn) posting(h Head, year ledger.SchoolYear, number string, student uuid.UUID) ledger.Transaction {
	amount := int64(r.Amount)
	v := &ledger.Demand{ID: api.NewID(), Year: year.ID, Number: number, Student: student, Name: r.Text, Due: r.DueDate,
		Lines: []ledger.InvoiceLine{{FeeHeadID: &h.ID, Name: h.Name, Amount: amount}}}
	return ledger.Transaction{ID: api.NewID(), Kind: "CHARGE", Narration: r.Text, Key: "ad hoc " + v.ID.String(), Invoice: v,
		Entries: []ledger.Entry{
			{Account: student, Side: ledger.Debit, Amount: amount, Of: v}, {Account: h.ID, Side: ledger.Credit, Amount: amount}}}
}
