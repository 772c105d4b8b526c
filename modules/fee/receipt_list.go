package fee

import (
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

// ReceiptItem is a receipt in a list.
type ReceiptItem struct {
	ID              uuid.UUID  `json:"id"`
	ReceiptNumber   string     `json:"receiptNumber"`
	AcademicYearID  uuid.UUID  `json:"academicYearId"`
	StudentID       uuid.UUID  `json:"studentId"`
	StudentName     string     `json:"studentName"`
	AdmissionNumber string     `json:"admissionNumber"`
	Amount          int64      `json:"amount"`
	PaymentMode     string     `json:"paymentMode" enum:"CASH,CHEQUE,CARD,UPI,BANK_TRANSFER,ONLINE"`
	ReferenceNumber string     `json:"referenceNumber"`
	ReceivedOn      api.Date   `json:"receivedOn" doc:"The school's day"`
	ReceivedAt      time.Time  `json:"receivedAt"`
	ReceivedBy      *uuid.UUID `json:"receivedBy"`
	ReceivedByName  string     `json:"receivedByName"`
	FamilyPaymentID *uuid.UUID `json:"familyPaymentId"`
	Clearing        string     `json:"clearing" enum:"IN_CLEARING,CLEARED,BOUNCED,REVERSED," doc:"Of a cheque that was in clearing; else empty"`
	Reversed        bool       `json:"reversed"`
	ReversalNote    string     `json:"reversalNote"`
}

// TableName is what the list's query is called.
func (ReceiptItem) TableName() string { return "fee_receipt" }

const receiptQuery = `select r.id, r.receipt_number, r.academic_year_id, r.student_id,
	trim(s.first_name || ' ' || s.last_name) as student_name, s.admission_number, r.amount, r.payment_mode,
	r.reference_number, r.received_on, r.received_at, r.received_by,
	coalesce(trim(u.first_name || ' ' || u.last_name), '') as received_by_name, r.family_payment_id,
	` + clearingState + ` as clearing, b.id is not null as reversed, coalesce(b.narration, '') as reversal_note
	from fee_receipt r left join student s on s.id = r.student_id left join app_user u on u.id = r.received_by left
	join ledger_transaction b on b.reverses_id = r.transaction_id`

var receiptListing = api.Listing{
	Sorts:   map[string]string{"receivedAt": "received_at", "amount": "amount", "studentName": "student_name"},
	Default: "-receivedAt",
	Filters: map[string]api.Filter{
		"search":    api.Search("receipt_number", "student_name", "admission_number", "reference_number"),
		"studentId": api.ByID("student_id"), "familyPaymentId": api.ByID("family_payment_id"),
		"clearing": api.ByEnum("clearing", "IN_CLEARING", "CLEARED", "BOUNCED", "REVERSED"),
		"paymentMode": api.ByEnum("payment_mode", "CASH", "CHEQUE", "CARD", "UPI", "BANK_TRANSFER",
			"ONLINE"),
		"from": api.ByDate("received_on", ">="), "to": api.ByDate("received_on", "<="), "reversed": api.ByBool("reversed"),
	},
}

func listReceipts(c api.Ctx, l api.ListRequest) (api.Page[ReceiptItem], error) {
	return api.Fetch[ReceiptItem](c.DB.Table("(?) as fee_receipt", c.DB.Raw(receiptQuery)), l)
}
