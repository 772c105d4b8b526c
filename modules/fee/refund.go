package fee

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/modules/roster"
	"homeroom/notice"
	"homeroom/paper"
	"homeroom/tenancy"
)

type refundIn struct {
	StudentID       uuid.UUID     `json:"studentId" validate:"required"`
	Amount          ledger.Amount `json:"amount" validate:"min=1,max=1000000000000" doc:"In minor units; no more than was paid ahead"`
	PaymentMode     string        `json:"paymentMode" validate:"required,oneof=CASH CHEQUE CARD UPI BANK_TRANSFER ONLINE"`
	ReferenceNumber string        `json:"referenceNumber" validate:"max=100" doc:"Of the cheque or the transfer"`
	PaidOn          api.Date      `json:"paidOn" doc:"The school's day, in the academic year and not closed; today unless given"`
	Reason          string        `json:"reason" validate:"notblank,max=500" example:"Left the school"`
}

// Refund is money that was given back, with a number of its own. It is never changed: one
// that was a mistake is received again, as a payment.
type Refund struct {
	ID              uuid.UUID  `json:"id"`
	RefundNumber    string     `json:"refundNumber" example:"2026-27/RF-000001" doc:"Without gaps, by school and academic year"`
	StudentID       uuid.UUID  `json:"studentId"`
	StudentName     string     `json:"studentName"`
	AdmissionNumber string     `json:"admissionNumber"`
	ClassName       string     `json:"className" doc:"Where the student sat that day, with the division"`
	TransactionID   uuid.UUID  `json:"transactionId"`
	Amount          int64      `json:"amount"`
	PaymentMode     string     `json:"paymentMode" enum:"CASH,CHEQUE,CARD,UPI,BANK_TRANSFER,ONLINE"`
	ReferenceNumber string     `json:"referenceNumber"`
	Reason          string     `json:"reason"`
	PaidOn          api.Date   `json:"paidOn" doc:"The school's day"`
	PaidAt          time.Time  `json:"paidAt"`
	PaidBy          *uuid.UUID `json:"paidBy"`
	PaidByName      string     `json:"paidByName"`
}

// TableName is what the list's query is called.
func (Refund) TableName() string { return "fee_refund" }

// Refunded is a refund that was just paid.
type Refunded struct {
	ID            uuid.UUID `json:"id"`
	RefundNumber  string    `json:"refundNumber"`
	StudentID     uuid.UUID `json:"studentId"`
	TransactionID uuid.UUID `json:"transactionId"`
	Amount        int64     `json:"amount"`
	PaymentMode   string    `json:"paymentMode" enum:"CASH,CHEQUE,CARD,UPI,BANK_TRANSFER,ONLINE"`
	Balance       int64     `json:"balance" doc:"What the student owes now; below zero they have paid ahead"`
}

const (
	// sixDigits is a number of a series as papers carry it: see paperNumber.
	sixDigits = `lpad(number::text, greatest(6, length(number::text)), '0')`

	// classThen is where the student s sat on a day, which follows.
	classThen = `coalesce((select trim(k.name || ' ' || coalesce(d.name, '')) from (select s.class_id) a
			left join enrolment e on e.student_id = s.id and daterange(e.start_date, e.end_date, '[]') @> `
	// ofClassThen ends it.
	ofClassThen = `
			join class k on k.id = coalesce(e.class_id, a.class_id) left join division d on d.id = e.division_id), '') as class_name`

	insertRefund = `with taken as (` + ledger.TakeNumbers + ` as number)
		insert into fee_refund (id, academic_year_id, number, refund_number, student_id, transaction_id, amount, payment_mode,
		reference_number, reason, paid_on, paid_at, paid_by)
		select $3, $4, number, $5::text || '/RF-' || ` + sixDigits + `, $6, $7, $8, $9, $10, $11, $12,
		$13, $14 from taken
		returning refund_number`

	selectRefund = `select r.id, r.refund_number, r.student_id, trim(s.first_name || ' ' || s.last_name) as student_name, s.admission_number,
		` + classThen + `r.paid_on` + ofClassThen + `,
		r.transaction_id, r.amount, r.payment_mode,
		r.reference_number, r.reason, r.paid_on, r.paid_at, r.paid_by,
		coalesce(trim(u.first_name || ' ' || u.last_name), '') as paid_by_name
		from fee_refund r left join student s on s.id = r.student_id left join app_user u on u.id = r.paid_by`
)

var refundListing = api.Listing{
	Sorts:   map[string]string{"paidAt": "paid_at", "amount": "amount", "studentName": "student_name"},
	Default: "-paidAt",
	Filters: map[string]api.Filter{
		"search":    api.Search("refund_number", "student_name", "admission_number", "reference_number"),
		"studentId": api.ByID("student_id"), "from": api.ByDate("paid_on", ">="), "to": api.ByDate("paid_on", "<="),
	},
}

func listRefunds(c api.Ctx, l api.ListRequest) (api.Page[Refund], error) {
	return api.Fetch[Refund](c.DB.Table("(?) as fee_refund", c.DB.Raw(selectRefund)), l)
}

// refund gives back what a student has paid ahead, or a part of it.
func refund(c api.Ctx, r refundIn) (Refunded, error) {
	if r.PaidOn.IsZero() {
		r.PaidOn = c.Today()
	}
	who, year, _, now, err := ledger.BeforePayment(c, r.StudentID, 0, r.PaidOn)
	if err == nil {
		err = valueDate(c, "paidOn", "Paid on", r.PaidOn, year)
	}
	if err == nil && now.Closed {
		err = dayClosed(r.PaidOn)
	}
	if err != nil {
		return Refunded{}, err
	}
	amount := int64(r.Amount)
	var clearing int64
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: clearingOf, Args: []any{r.StudentID}, Scan: tenancy.One(&clearing)})
	if err != nil {
		return Refunded{}, fmt.Errorf("reading what is in clearing: %w", err)
	}
	if who.Balance < 0 && clearing > 0 && amount > -who.Balance-clearing {
		return Refunded{}, api.Conflict("%s of the advance is of a cheque in clearing: wait until it is cleared", ledger.Money(c, clearing))
	}
	if who.Balance >= 0 {
		return Refunded{}, api.Conflict("%s has no advance: there is nothing to refund", who.Name())
	}
	if amount > -who.Balance {
		return Refunded{}, api.InvalidField("amount", "Amount: at most %s, the advance", ledger.Money(c, -who.Balance))
	}
	out := Refunded{ID: api.NewID(), StudentID: r.StudentID, TransactionID: api.NewID(), Amount: amount, PaymentMode: r.PaymentMode,
		Balance: who.Balance + amount}
	queries, err := ledger.Write(c, ledger.Transaction{ID: out.TransactionID, Kind: "REFUND", On: r.PaidOn,
		Narration: fmt.Sprintf("Refund by %s: %s", ledger.Spoken[r.PaymentMode], r.Reason), Key: "refund " + out.ID.String(),
		Entries: []ledger.Entry{
			{Account: r.StudentID, Side: ledger.Debit, Amount: amount}, {Account: ledger.MoneyAccount(r.PaymentMode), Side: ledger.Credit,
				Amount: amount}}})
	if err != nil {
		return out, err
	}
	queries = append(queries, tenancy.Query{SQL: insertRefund, Args: []any{"fee refund " + year.ID.String(), 1, out.ID, year.ID, year.Name,
		r.StudentID, out.TransactionID, amount, r.PaymentMode, r.ReferenceNumber, r.Reason, r.PaidOn, c.Now, c.User.ID},
		Scan: func(rows pgx.Rows) (err error) {
			out.RefundNumber, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[string])
			return err
		}})
	if err := tenancy.Pipeline(c.DB, queries...); err != nil {
		return out, fmt.Errorf("refunding: %w", err)
	}
	c.Changed("create", "fee refund", out.ID, nil, out)
	notice.Send(c, notice.Notice{Type: notice.Fee, Key: "fee refund " + out.ID.String(), RecordID: out.ID, StudentID: &out.StudentID,
		Text: notice.Text{Name: "fee.refunded", Values: notice.Values{"amount": ledger.Money(c, amount), "child": who.Name(),
			"receipt": out.RefundNumber, "reason": r.Reason, "standing": ledger.Standing(c, out.Balance)}}})
	return out, nil
}

func (m *Module) getRefund(c api.Ctx, r printable) (api.MaybeFile[Refund], error) {
	return readPaper[Refund](c, m, r, "refund", selectRefund+` where r.id = $1`, r.ID)
}

// childsRefund is a refund of a linked child's.
func (m *Module) childsRefund(c api.Ctx, r printable) (api.MaybeFile[Refund], error) {
	return readPaper[Refund](c, m, r, "refund", selectRefund+` where r.id = $1 and r.student_id in (`+roster.LinkedIDs("$2")+`)`,
		r.ID, c.User.ID)
}

// readPaper reads the record that a query finds, or prints it.
func readPaper[T interface {
	pdf(c api.Ctx, head paper.Letterhead) (*api.File, error)
}](c api.Ctx, m *Module, r printable, what, query string, args ...any) (api.MaybeFile[T], error) {
	var found []T
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: query, Args: args, Scan: tenancy.Collect(&found)})
	if err != nil {
		return api.MaybeFile[T]{}, fmt.Errorf("reading a %s: %w", what, err)
	}
	if len(found) == 0 {
		return api.MaybeFile[T]{}, api.NotFound(what)
	}
	out := api.MaybeFile[T]{Data: found[0]}
	if r.Format == "pdf" {
		head, err := m.Letterhead(c)
		if err != nil {
			return out, err
		}
		out.File, err = found[0].pdf(c, head)
		return out, err
	}
	return out, nil
}

func (r Refund) pdf(c api.Ctx, head paper.Letterhead) (*api.File, error) {
	f := ledger.Figures(c)
	doc := paper.New(head, "Refund receipt")
	doc.Pairs([2]string{"Receipt no.", r.RefundNumber}, [2]string{"Date", ledger.Day(f, r.PaidOn)},
		[2]string{"Student", r.StudentName}, [2]string{"Admission no.", r.AdmissionNumber}, [2]string{"Class", r.ClassName},
		[2]string{"Paid by", ledger.Spoken[r.PaymentMode]}, [2]string{"Reference", r.ReferenceNumber})
	doc.Gap(2)
	doc.Field("Amount", f.Money(r.Amount))
	doc.Field("Amount in words", f.InWords(r.Amount))
	doc.Field("Reason", r.Reason)
	doc.Field("Paid out by", r.PaidByName)
	doc.Signatures("Paid out by", "Received by")
	return printed(doc, "refund-"+r.RefundNumber)
}
