package fee

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/paper"
	"homeroom/tenancy"
)

// Receipt says that money was received. It is never changed: a payment that was taken
// back is marked by the reversal that stands beside it in the ledger.
type Receipt struct {
	ID              uuid.UUID    `json:"id"`
	ReceiptNumber   string       `json:"receiptNumber"`
	Number          int64        `json:"number"`
	AcademicYearID  uuid.UUID    `json:"academicYearId"`
	StudentID       uuid.UUID    `json:"studentId"`
	StudentName     string       `json:"studentName"`
	AdmissionNumber string       `json:"admissionNumber"`
	ClassName       string       `json:"className" doc:"Where the student sat that day, with the division"`
	TransactionID   uuid.UUID    `json:"transactionId"`
	Amount          int64        `json:"amount"`
	PaymentMode     string       `json:"paymentMode"`
	ReferenceNumber string       `json:"referenceNumber"`
	ReceivedOn      api.Date     `json:"receivedOn" doc:"The school's day it counts for"`
	ReceivedAt      time.Time    `json:"receivedAt" doc:"When it was entered"`
	ReceivedBy      *uuid.UUID   `json:"receivedBy"`
	ReceivedByName  string       `json:"receivedByName"`
	Allocations     []Allocation `json:"allocations" doc:"What it settled when it was written"`
	FamilyPaymentID *uuid.UUID   `json:"familyPaymentId" doc:"Of one payment for several children: their receipts share it"`
	Clearing        string       `json:"clearing" doc:"Of a cheque in clearing: IN_CLEARING, CLEARED, BOUNCED or REVERSED; else empty"`
	Reversed        bool         `json:"reversed"`
	ReversalNote    string       `json:"reversalNote"`
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

func (m *Module) getReceipt(c api.Ctx, r printable) (api.MaybeFile[Receipt], error) {
	return m.receiptBy(c, r, `r.id = $1`, r.ID)
}

// receiptBy reads the receipt a condition names.
func (m *Module) receiptBy(c api.Ctx, r printable, where string, args ...any) (api.MaybeFile[Receipt], error) {
	var found []Receipt
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: selectReceipt + ` where ` + where, Args: args, Scan: tenancy.Collect(&found)})
	if err != nil {
		return api.MaybeFile[Receipt]{}, fmt.Errorf("reading a receipt: %w", err)
	}
	if len(found) == 0 {
		return api.MaybeFile[Receipt]{}, api.NotFound("receipt")
	}
	out := api.MaybeFile[Receipt]{Data: found[0]}
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

func (r Receipt) pdf(c api.Ctx, head paper.Letterhead) (*api.File, error) {
	doc := paper.New(head, "Receipt "+r.ReceiptNumber)
	if r.Reversed {
		doc.Field("REVERSED", r.ReversalNote)
	}
	entered := r.ReceivedAt.In(c.School.Location())
	if api.DateOf(entered) == r.ReceivedOn {
		doc.Field("Received on", entered.Format("2006-01-02 15:04"))
	} else {
		doc.Field("Received on", r.ReceivedOn.String())
		doc.Field("Entered on", entered.Format("2006-01-02 15:04"))
	}
	doc.Field("Student", r.StudentName)
	doc.Field("Admission number", r.AdmissionNumber)
	if r.ClassName != "" {
		doc.Field("Class", r.ClassName)
	}
	doc.Field("Amount", money(c, r.Amount))
	doc.Field("Paid by", spoken[r.PaymentMode])
	if r.Clearing == inClearing {
		doc.Field("In clearing", "Valid once the bank has paid the cheque")
	}
	if r.ReferenceNumber != "" {
		doc.Field("Reference", r.ReferenceNumber)
	}
	left := r.Amount
	var rows [][]string
	for _, a := range r.Allocations {
		rows = append(rows, []string{a.Number, a.Name, plain(c, a.Amount)})
		left -= a.Amount
	}
	if left > 0 {
		rows = append(rows, []string{"", "Advance", plain(c, left)})
	}
	doc.Table([]paper.Column{{Title: "Invoice", Width: 50}, {Title: "For", Width: 80}, {Title: c.School.Currency, Width: 40, Number: true}},
		rows)
	doc.Signatures("Received by")
	return printed(doc, "receipt-"+r.ReceiptNumber)
}

// printed is a document as a file, its name without what file systems dislike.
func printed(doc *paper.Document, name string) (*api.File, error) {
	body, err := doc.Bytes()
	if err != nil {
		return nil, err
	}
	return &api.File{Name: strings.NewReplacer("/", "-", " ", "-").Replace(name) + ".pdf", ContentType: "application/pdf", Body: body}, nil
}
