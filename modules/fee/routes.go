// Package fee keeps a school's fees: what a class pays, what each student was charged, paid and was let off (package charging),
// and the double-entry ledger all of it is written in (package ledger). Here is what is received and given back, with its papers and
// reports. What is outstanding is the sum of a student's entries and is kept nowhere else; nothing in the ledger is ever changed or
// removed, a mistake is posted the other way round.
package fee

import (
	"time"

	"homeroom/api"
	"homeroom/modules/fee/charging"
	"homeroom/modules/roster"
	"homeroom/paper"
)

// Module serves fees.
type Module struct {
	// Letterhead reads what receipts and statements begin with.
	Letterhead func(api.Ctx) (paper.Letterhead, error)
	// Transport says who rides where, for heads with an amount by route or stop.
	Transport charging.Transport
}

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name:        "fee",
		Permissions: []api.Permission{{Key: "fee", Title: "Fees", Parent: "r"}, {Key: "write-off", Title: "Writing off fees"}},
		Rows:        m.routes(),
		Constraints: constraints(),
		Personal:    personal(),
		Examples:    examples(),
		NextYear:    charging.NextYear(),
		Names: map[string]string{
			"feeHeadId": `select id, name from fee_head`,
			"structure": `select id, name from fee_structure`,
			"receipt": `select r.id, r.receipt_number || ', ' || trim(s.first_name || ' ' || s.last_name) from fee_receipt r
				join student s on s.id = r.student_id`,
			"refund": `select r.id, r.refund_number || ', ' || trim(s.first_name || ' ' || s.last_name) from fee_refund r
				join student s on s.id = r.student_id`,
			"invoice": `select i.id, i.number || ', ' || trim(s.first_name || ' ' || s.last_name) from fee_invoice i
				join student s on s.id = i.student_id`,
			"concession": `select c.id, trim(s.first_name || ' ' || s.last_name) from fee_concession c join student s on s.id = c.student_id`,
		},
		Scheduled: []api.Scheduled{{Name: "late-fines", Every: time.Hour, AtNight: true, School: charging.NightFines}},
	}
}

// routes are the endpoints of fees.
func (m *Module) routes() []api.Row {
	pdf := api.Gives("application/pdf")
	return api.Rows(
		(&charging.Endpoints{Transport: m.Transport}).Rows(),

		api.Create("/school-admin/fee/collection/record", "fee", "Receive a payment; the oldest dues are settled first", recordPayment,
			api.Says("Payment recorded"), onAnOpenDay, api.MayFail(errRepeated)),
		api.Create("/school-admin/fee/collection/family", "fee", "Receive one payment for several children, with a receipt for each",
			recordFamilyPayment, api.Says("Payment recorded"), onAnOpenDay, api.MayFail(errRepeated)),
		api.Get("/school-admin/fee/family/:studentId", "fee", "What is open for a student and their siblings", siblingDues),
		api.Post("/school-admin/fee/collection/:id/reverse", "fee", "Take a payment back, once, by its mirror image", reversePayment,
			api.Says("Payment reversed"), onAnOpenDay),
		api.Post("/school-admin/fee/collection/:id/clear", "fee", "Say that the bank has paid a cheque that is in clearing", clearCheque,
			api.NoBodyNeeded, api.Says("Cheque cleared"), onAnOpenDay),
		api.Post("/school-admin/fee/collection/:id/bounce", "fee", "Say that a cheque in clearing bounced; its payment is reversed",
			bounceCheque, api.Says("Cheque bounced"), onAnOpenDay),
		api.List("/school-admin/fee/collection/list", "fee", "List the receipts", receiptListing, listReceipts),
		api.Get("/school-admin/fee/collection", "fee", "What came in, by day and mode", closing),
		api.Get("/school-admin/fee/collection.pdf", "fee", "What came in, by day and mode, to print", m.printClosing, pdf),
		api.Post("/school-admin/fee/day/close", "fee", "Close a day after its cash was counted; it takes no more entries", closeDay,
			api.Says("Day closed"), onAnOpenDay),
		api.Get("/school-admin/fee/receipt/:id", "fee", "Read a receipt, or print it", m.getReceipt, pdf),

		api.Create("/school-admin/fee/refund", "fee", "Give back what a student has paid ahead", refund,
			api.Says("Refund recorded"), onAnOpenDay),
		api.List("/school-admin/fee/refund/list", "fee", "List the refunds", refundListing, listRefunds),
		api.Get("/school-admin/fee/refund/:id", "fee", "Read a refund, or print it", m.getRefund, pdf),
		api.Create("/school-admin/fee/certificate", "fee", "Certify what was paid for a student in a year, by head", issueCertificate,
			api.Says("Fee certificate issued")),
		api.List("/school-admin/fee/certificate/list", "fee", "List the fee certificates", roster.CertificateListing, listCertificates),
		api.Get("/school-admin/fee/certificate/:id", "fee", "Read a fee certificate, or print it", m.getCertificate, pdf),
		api.Create("/school-admin/fee/write-off", "write-off", "Give up what is due of a student; the oldest dues first", writeOff,
			api.Says("Written off")),
		api.List("/school-admin/fee/write-off/list", "fee", "List the write-offs", writeOffListing, listWriteOffs),
		api.Get("/school-admin/fee/write-off/:id", "fee", "Read a write-off, or print it", m.getWriteOff, pdf),
		api.Post("/school-admin/fee/write-off/:id/reverse", "write-off", "Make due again what was written off, once", reverseWriteOff,
			api.Says("Write-off reversed")),

		api.Get("/school-admin/fee/report/:studentId", "fee", "A student's account with its running balance, or a statement to print",
			m.getReport, pdf),
		api.Get("/school-admin/fee/dues", "fee", "What is owed, by age and class, or all of it as a file", dues, api.Gives("text/csv")),
		api.Get("/school-admin/fee/trial-balance", "fee", "The balance of every account", trialBalance),
		api.Get("/school-admin/fee/trial-balance.pdf", "fee", "The balance of every account to print", m.printTrialBalance, pdf),
		api.Post("/school-admin/fee/reminder/send", "fee", "Remind those who owe, at most once a day; a dry run says whom", sendReminders,
			api.Says("Reminders sent")),

		api.Get("/parent/fee/report/:studentId", "fee", "A child's account, or a statement to print", m.childsReport, pdf),
		api.Get("/parent/fee/dues", "fee", "What is open for my children", familyDues),
		api.List("/parent/fee/certificate/list", "fee", "The fee certificates of my children", roster.CertificateListing,
			listChildsCertificates),
		api.Get("/parent/fee/certificate/:id", "fee", "Read a fee certificate of a child's, or print it", m.childsCertificate, pdf),
		api.Get("/parent/fee/receipt/:id", "fee", "Read a receipt of a child's, or print it", m.childsReceipt, pdf),
		api.Get("/parent/fee/refund/:id", "fee", "Read a refund of a child's, or print it", m.childsRefund, pdf),
	)
}

// constraints are the database's refusals in people's words.
func constraints() []api.Constraint {
	return []api.Constraint{
		{Name: "fee_head_code_key", Field: "code", Message: "A fee head has this code"},
		{Name: "fee_structure_class_key", Field: "classId", Message: "The class has a fee structure for this year"},
		{Name: "fee_structure_class_fkey", Field: "classId", Message: "classId does not exist"},
		{Name: "fee_structure_year_fkey", Field: "academicYearId", Message: "academicYearId does not exist"},
		{Name: "fee_structure_head_head_fkey", Field: "heads", Message: "A feeHeadId does not exist"},
		{Name: "fee_rule_key", Field: "child", Message: "There is such a rule already"},
		{Name: "fee_rule_head_fkey", Field: "feeHeadId", Message: "feeHeadId does not exist"},
		{Name: "fee_subscription_head_fkey", Message: "Students are subscribed to this fee head"},
		{Name: "fee_subscription_overlap_excl", Message: "The student is subscribed to this fee head on some of these days already"},
		{Name: "fee_instalment_name_key", Field: "instalments", Message: "Two instalments have one name"},
		{Name: "fee_concession_head_fkey", Field: "feeHeadId", Message: "feeHeadId does not exist"},
		{Name: "fee_concession_academic_year_id_fkey", Field: "academicYearId", Message: "academicYearId does not exist"},
		{Name: "ledger_transaction_reverses_key", Message: "This was reversed already"},
		{Name: "ledger_transaction_key_key", Message: "This was posted already"},
		{Name: "fee_day_closing_pkey", Field: "date", Message: "This day is closed already"},
		{Name: "fee_invoice_once_key", Message: "This instalment was charged already"},
		{Name: "school_setting_fee_reminder_check", Field: "feeReminderText",
			Message: "feeReminderText may have the placeholders {student}, {amount} and {dueDate} and no other"},
	}
}
