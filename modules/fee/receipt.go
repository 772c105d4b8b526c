package fee

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/modules/roster"
	"homeroom/paper"
	"homeroom/tenancy"
)

// Receipt says that money was received. It is never changed: a payment that was taken
// back is marked by the reversal that stands beside it in the ledger.
type Receipt struct {
	ID              uuid.UUID           `json:"id"`
	ReceiptNumber   string              `json:"receiptNumber"`
	Number          int64               `json:"number"`
	AcademicYearID  uuid.UUID           `json:"academicYearId"`
	StudentID       uuid.UUID           `json:"studentId"`
	StudentName     string              `json:"studentName"`
	AdmissionNumber string              `json:"admissionNumber"`
	ClassName       string              `json:"className" doc:"Where the student sat that day, with the division"`
	TransactionID   uuid.UUID           `json:"transactionId"`
	Amount          int64               `json:"amount"`
	PaymentMode     string              `json:"paymentMode" enum:"CASH,CHEQUE,CARD,UPI,BANK_TRANSFER,ONLINE"`
	ReferenceNumber string              `json:"referenceNumber"`
	ReceivedOn      api.Date            `json:"receivedOn" doc:"The school's day it counts for"`
	ReceivedAt      time.Time           `json:"receivedAt" doc:"When it was entered"`
	ReceivedBy      *uuid.UUID          `json:"receivedBy"`
	ReceivedByName  string              `json:"receivedByName"`
	Allocations     []ledger.Allocation `json:"allocations" doc:"What it settled when it was written"`
	FamilyPaymentID *uuid.UUID          `json:"familyPaymentId" doc:"Of one payment for several children: their receipts share it"`
	Clearing        string              `json:"clearing" enum:"IN_CLEARING,CLEARED,BOUNCED,REVERSED," doc:"Of a cheque that was in clearing; else empty"`
	Reversed        bool                `json:"reversed"`
	ReversalNote    string              `json:"reversalNote"`
	Lines           []ReceiptLine       `json:"lines" doc:"What was paid for, by head; a part of an invoice is spread over its heads by their share"`
	BalanceBefore   int64               `json:"balanceBefore" doc:"What the student owed before it"`
	BalanceAfter    int64               `json:"balanceAfter" doc:"And after it; below zero it was paid in advance"`
	AmountInWords   string              `json:"amountInWords" example:"One thousand rupees only"`
}

// ReceiptLine is what a receipt says of one head of an invoice.
type ReceiptLine struct {
	Number string `json:"number" doc:"Of the invoice"`
	Name   string `json:"name" doc:"Of the invoice"`
	Head   string `json:"head"`
	Amount int64  `json:"amount"`
}

type printable struct {
	ID     uuid.UUID `path:"id"`
	Format string    `json:"format" validate:"omitempty,oneof=json pdf" doc:"pdf to print it"`
}

const selectReceipt = `select r.id, r.receipt_number, r.number::bigint as number, r.academic_year_id, r.student_id,
	trim(s.first_name || ' ' || s.last_name) as student_name, s.admission_number,
		trim(coalesce(k.name, '') || ' ' ||
		coalesce(d.name, '')) as class_name, r.transaction_id, r.amount, r.payment_mode, r.reference_number, r.received_on, r.received_at,
		r.received_by,
		coalesce(trim(u.first_name || ' ' || u.last_name), '') as received_by_name, r.allocations, r.family_payment_id,
		` + clearingState + ` as clearing,
		b.id is not null as reversed, coalesce(b.narration, '') as reversal_note
	from fee_receipt r join student s on s.id = r.student_id left join ledger_transaction b on b.reverses_id = r.transaction_id left
	join app_user u on u.id = r.received_by
		left join enrolment e on e.student_id = s.id and e.start_date <= r.received_on and (e.end_date is null or e.end_date >= r.received_on)
		left join class k on k.id = coalesce(e.class_id, s.class_id) left join division d on d.id = e.division_id`

// selectHeads finds the heads of what a receipt r settled, and balanceBefore what was owed before it.
const (
	selectHeads = `select i.id, i.lines from fee_receipt r join fee_invoice i on i.student_id = r.student_id
		where exists (select from jsonb_array_elements(r.allocations) a where (a->>'invoiceId')::uuid = i.id) and `
	balanceBefore = `select coalesce(sum(case e.entry_type when 'DR' then e.amount else -e.amount end), 0)::bigint
		from fee_receipt r join ledger_transaction p on p.id = r.transaction_id join ledger_entry e on e.account_id = r.student_id
			join ledger_transaction t on t.id = e.transaction_id and (t.created_at, t.id) < (p.created_at, p.id) where `
)

func (m *Module) getReceipt(c api.Ctx, r printable) (api.MaybeFile[Receipt], error) {
	return m.receiptBy(c, r, `r.id = $1`, r.ID)
}

// receiptBy reads the receipt a condition names.
func (m *Module) receiptBy(c api.Ctx, r printable, where string, args ...any) (api.MaybeFile[Receipt], error) {
	var found []Receipt
	var invoices []ledger.Invoice
	var before int64
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: selectReceipt + ` where ` + where, Args: args, Scan: tenancy.Collect(&found)},
		tenancy.Query{SQL: selectHeads + where, Args: args, Scan: tenancy.Collect(&invoices)},
		tenancy.Query{SQL: balanceBefore + where, Args: args, Scan: tenancy.One(&before)})
	if err != nil {
		return api.MaybeFile[Receipt]{}, fmt.Errorf("reading a receipt: %w", err)
	}
	if len(found) == 0 {
		return api.MaybeFile[Receipt]{}, api.NotFound("receipt")
	}
	found[0].BalanceBefore = before
	out := api.MaybeFile[Receipt]{Data: found[0].complete(c, invoices)}
	if r.Format == "pdf" {
		head, err := m.Letterhead(c)
		if err != nil {
			return out, err
		}
		out.File, err = out.Data.pdf(c, head)
		return out, err
	}
	return out, nil
}

// complete adds what follows from the record.
func (r Receipt) complete(c api.Ctx, invoices []ledger.Invoice) Receipt {
	r.AmountInWords = ledger.Figures(c).InWords(r.Amount)
	r.BalanceAfter = r.BalanceBefore - r.Amount
	r.Lines = []ReceiptLine{}
	left := r.Amount
	for _, a := range r.Allocations {
		left -= a.Amount
		at := slices.IndexFunc(invoices, func(i ledger.Invoice) bool { return i.ID == a.InvoiceID })
		if at < 0 || len(invoices[at].Lines) == 0 {
			r.Lines = append(r.Lines, ReceiptLine{a.Number, a.Name, a.Name, a.Amount})
			continue
		}
		for n, amount := range spread(a.Amount, invoices[at].Lines) {
			if amount > 0 {
				r.Lines = append(r.Lines, ReceiptLine{a.Number, a.Name, invoices[at].Lines[n].Name, amount})
			}
		}
	}
	if left > 0 {
		r.Lines = append(r.Lines, ReceiptLine{Head: "Advance", Amount: left})
	}
	return r
}

// spread divides what was paid of an invoice among its heads by their share, to the last unit.
func spread(amount int64, lines []ledger.InvoiceLine) []int64 {
	var total, before, given int64
	for _, l := range lines {
		total += l.Amount
	}
	out := make([]int64, len(lines))
	for i, l := range lines {
		before += l.Amount
		out[i] = ledger.Part(amount, before, total) - given
		given += out[i]
	}
	return out
}

// Receipts are the paper of those of some records that are receipts of the calling parent's children, a sheet each; nil: none is.
func (m *Module) Receipts(c api.Ctx, records []uuid.UUID) (*api.File, error) {
	var ids []uuid.UUID
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select r.id from fee_receipt r where r.id = any($1) and r.student_id in (` +
		roster.LinkedIDs("$2") + `) order by r.number`, Args: []any{records, c.User.ID}, Scan: tenancy.Values(&ids)})
	if err != nil {
		return nil, fmt.Errorf("looking for receipts: %w", err)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	head, err := m.Letterhead(c)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	doc, name := paper.Start(&out, head, "Receipts"), "receipts"
	for _, id := range ids { // of one family, of one moment: a few
		r, err := m.receiptBy(c, printable{}, `r.id = $1`, id)
		if err != nil {
			return nil, err
		}
		doc.Sheet("Receipt")
		r.Data.draw(c, doc)
		if len(ids) == 1 {
			name = "receipt-" + r.Data.ReceiptNumber
		}
	}
	if err := doc.Close(); err != nil {
		return nil, err
	}
	return pdfFile(name, out.Bytes()), nil
}

func (r Receipt) pdf(c api.Ctx, head paper.Letterhead) (*api.File, error) {
	doc := paper.New(head, "Receipt")
	r.draw(c, doc)
	return printed(doc, "receipt-"+r.ReceiptNumber)
}

// draw fills a sheet.
func (r Receipt) draw(c api.Ctx, doc *paper.Document) {
	f := ledger.Figures(c)
	if r.Reversed {
		doc.Field("REVERSED", r.ReversalNote)
	}
	date, entered := f.Moment(r.ReceivedAt.In(c.School.Location())), ""
	if api.DateOf(r.ReceivedAt.In(c.School.Location())) != r.ReceivedOn {
		date, entered = ledger.Day(f, r.ReceivedOn), date
	}
	doc.Pairs([2]string{"Receipt no.", r.ReceiptNumber}, [2]string{"Date", date},
		[2]string{"Student", r.StudentName}, [2]string{"Admission no.", r.AdmissionNumber}, [2]string{"Class", r.ClassName},
		[2]string{"Paid by", ledger.Spoken[r.PaymentMode]}, [2]string{"Reference", r.ReferenceNumber}, [2]string{"Entered", entered})
	if r.Clearing == inClearing {
		doc.Field("In clearing", "Valid once the bank has paid the cheque")
	}
	doc.Gap(2)
	var rows [][]string
	for _, l := range r.Lines {
		what := l.Name
		if l.Number != "" {
			what += " (" + l.Number + ")"
		}
		rows = append(rows, []string{l.Head, what, f.Plain(l.Amount)})
	}
	doc.Grid(paper.Grid{Columns: []paper.Column{{Title: "Head", Width: 60}, {Title: "Invoice", Width: 75},
		{Title: "Amount (" + strings.TrimSpace(f.Sign()) + ")", Width: 35, Number: true}}, Rows: rows,
		Totals: [][]string{{"Received", "", f.Plain(r.Amount)}}})
	doc.Field("Amount in words", r.AmountInWords)
	doc.Field("Balance before", balanceWords(f, r.BalanceBefore))
	doc.Field("Balance after", balanceWords(f, r.BalanceAfter))
	doc.Field("Received by", r.ReceivedByName)
	doc.Signatures("Received by", "For the school")
}

// balanceWords is a balance on paper: an advance is said to be one.
func balanceWords(f paper.Figures, balance int64) string {
	switch {
	case balance < 0:
		return f.Money(-balance) + " in advance"
	case balance > 0:
		return f.Money(balance) + " outstanding"
	}
	return "Nothing outstanding"
}

// printed is a document as a file, its name without what file systems dislike.
func printed(doc *paper.Document, name string) (*api.File, error) {
	body, err := doc.Bytes()
	if err != nil {
		return nil, err
	}
	return pdfFile(name, body), nil
}

func pdfFile(name string, body []byte) *api.File {
	return &api.File{Name: strings.NewReplacer("/", "-", " ", "-").Replace(name) + ".pdf", ContentType: "application/pdf", Body: body}
}
