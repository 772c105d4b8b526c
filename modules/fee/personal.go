package fee

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Table: "fee_head", By: "created_by updated_by",
			Nothing: api.Reasons{api.NameOf: "name code", api.FixedText: "type amount_by", "names of options, routes and stops": "amounts"}},
		{Table: "fee_rule", By: "created_by updated_by", Nothing: api.Reasons{api.FixedText: "kind"}},
		{Table: "fee_subscription", Section: "feeSubscriptions", Of: "student_id", By: "created_by updated_by"},
		{Table: "fee_structure", By: "created_by updated_by", Nothing: api.Reasons{api.NameOf: "name", api.FixedText: "fine_type"}},
		{Table: "fee_instalment", Nothing: api.Reasons{api.NameOf: "name"}},
		// The ledger stays for the accounts: amounts, days and numbers. What was typed into it goes.
		{Table: "ledger_account", Section: "ledgerAccount", Of: "student_id",
			Nothing: api.Reasons{api.FixedText: "code type", "the fee head's name, or \"Student\"": "name"}},
		{
			Table: "ledger_transaction", Section: "ledgerTransactions",
			Where: "exists (select from ledger_entry e where e.transaction_id = x.id and e.account_id = any(@ids))",
			By:    "created_by", Sealed: true, Free: "narration", Nothing: api.Reasons{api.FixedText: "kind idempotency_key"},
		},
		{Table: "ledger_entry", Section: "ledgerEntries", Of: "account_id", NoID: true, Nothing: api.Reasons{api.FixedText: "entry_type"}},
		{Table: "fee_invoice", Section: "invoices", Of: "student_id",
			Nothing: api.Reasons{api.NameOf: "number name", "fee heads and amounts": "lines"}},
		// The bank's number proves the payment; a name in it is taken out.
		{Table: "fee_receipt", Section: "receipts", Of: "student_id", By: "received_by", Sealed: true, Free: "reference_number",
			Nothing: api.Reasons{api.FixedText: "receipt_number payment_mode", "invoices and amounts": "allocations"}},
		{Table: "fee_refund", Section: "refunds", Of: "student_id", By: "paid_by", Free: "reference_number reason",
			Nothing: api.Reasons{api.FixedText: "refund_number payment_mode"}},
		{Table: "fee_write_off", Section: "writeOffs", NoID: true,
			Where:   "exists (select from ledger_entry e where e.transaction_id = x.transaction_id and e.account_id = any(@ids))",
			Nothing: api.Reasons{api.FixedText: "write_off_number"}},
		{Table: "fee_concession", Section: "concessions", Of: "student_id", By: "created_by updated_by", Free: "reason",
			Nothing: api.Reasons{api.FixedText: "mode category"}},
		{Table: "fee_day_closing", By: "closed_by", Free: "reason", NoID: true},
		{Table: "fee_reminder", Section: "feeReminders", Of: "student_id", NoID: true, By: "sent_by"},
	}
}
