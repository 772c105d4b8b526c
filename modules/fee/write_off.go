package fee

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/paper"
	"homeroom/tenancy"
)

type writeOffIn struct {
	StudentID uuid.UUID     `json:"studentId" validate:"required"`
	Amount    ledger.Amount `json:"amount" validate:"omitempty,min=1,max=1000000000000" doc:"In minor units; all that is due unless given"`
	Reason    string        `json:"reason" validate:"notblank,max=500" example:"Moved away, not to be reached"`
}

// WriteOff is what the school gave up of a student's dues. The invoices it names become
// smaller, the oldest first; it is no payment and no concession.
type WriteOff struct {
	ID             uuid.UUID           `json:"id" doc:"Of the transaction"`
	WriteOffNumber string              `json:"writeOffNumber" example:"2026-27/WO-000001" doc:"Without gaps, by school and academic year"`
	StudentID      uuid.UUID           `json:"studentId"`
	Amount         int64               `json:"amount"`
	Reason         string              `json:"reason"`
	Invoices       []ledger.Allocation `json:"invoices" doc:"What of it was taken off which invoice"`
	Balance        int64               `json:"balance" doc:"What the student owes now"`
}

// WriteOffReceipt is the paper of a write-off.
type WriteOffReceipt struct {
	ID               uuid.UUID           `json:"id" doc:"Of the transaction"`
	WriteOffNumber   string              `json:"writeOffNumber" example:"2026-27/WO-000001"`
	StudentID        uuid.UUID           `json:"studentId"`
	StudentName      string              `json:"studentName"`
	AdmissionNumber  string              `json:"admissionNumber"`
	ClassName        string              `json:"className" doc:"Where the student sat that day, with the division"`
	Amount           int64               `json:"amount"`
	Reason           string              `json:"reason"`
	Invoices         []ledger.Allocation `json:"invoices" doc:"What of it was taken off which invoice"`
	WrittenOffOn     api.Date            `json:"writtenOffOn" doc:"The school's day"`
	WrittenOffBy     *uuid.UUID          `json:"writtenOffBy"`
	WrittenOffByName string              `json:"writtenOffByName"`
	Reversed         bool                `json:"reversed" doc:"It is due again"`
}

// ListedWriteOff is a write-off in the list of them.
type ListedWriteOff struct {
	ID               uuid.UUID  `json:"id" doc:"Of the transaction"`
	WriteOffNumber   string     `json:"writeOffNumber" example:"2026-27/WO-000001"`
	StudentID        uuid.UUID  `json:"studentId"`
	StudentName      string     `json:"studentName"`
	AdmissionNumber  string     `json:"admissionNumber"`
	ClassName        string     `json:"className" doc:"Where the student sat that day, with the division"`
	Amount           int64      `json:"amount"`
	Reason           string     `json:"reason"`
	WrittenOffOn     api.Date   `json:"writtenOffOn" doc:"The school's day"`
	WrittenOffBy     *uuid.UUID `json:"writtenOffBy"`
	WrittenOffByName string     `json:"writtenOffByName"`
	Reversed         bool       `json:"reversed" doc:"It is due again"`
}

// TableName is what the list's query is called.
func (ListedWriteOff) TableName() string { return "fee_write_off" }

const (
	insertWriteOff = `with taken as (` + ledger.TakeNumbers + ` as number)
		insert into fee_write_off (transaction_id, academic_year_id, number, write_off_number)
		select $3, $4, number, $5::text || '/WO-' || ` + sixDigits + ` from taken returning write_off_number`

	selectWriteOff = `select t.id, w.write_off_number, s.id as student_id, trim(s.first_name || ' ' || s.last_name) as student_name,
		s.admission_number, ` + classThen + `t.value_date` + ofClassThen + `,
		(select sum(e.amount)::bigint from ledger_entry e where e.transaction_id = t.id and e.entry_type = 'CR') as amount,
		substr(t.narration, length('` + writtenOff + `') + 1) as reason,
		(select jsonb_agg(jsonb_build_object('invoiceId', i.id, 'number', i.number, 'name', i.name, 'amount', e.amount) order by e.line)
			from ledger_entry e join fee_invoice i on i.id = e.invoice_id
			where e.transaction_id = t.id and e.entry_type = 'CR') as invoices,
		t.value_date as written_off_on, t.created_by as written_off_by,
		coalesce(trim(u.first_name || ' ' || u.last_name), '') as written_off_by_name,
		exists (select from ledger_transaction b where b.reverses_id = t.id) as reversed
		from ledger_transaction t left join fee_write_off w on w.transaction_id = t.id
		left join student s on s.id = (select e.account_id from ledger_entry e where e.transaction_id = t.id and e.entry_type = 'CR'
			order by e.line limit 1)
		left join app_user u on u.id = t.created_by where t.kind = 'WRITE_OFF'`

	// writtenOff begins the narration of a write-off; its reason follows.
	writtenOff = "Written off: "
)

// writeOff gives up what is due of a student: what is not due yet may still be paid.
func writeOff(c api.Ctx, r writeOffIn) (WriteOff, error) {
	who, year, open, err := ledger.AtCounter(c, r.StudentID)
	if err != nil {
		return WriteOff{}, err
	}
	var due []ledger.StudentInvoice
	var total int64
	for _, i := range open {
		if i.Open > 0 && !c.Today().Before(i.DueDate) {
			due, total = append(due, i), total+i.Open
		}
	}
	if total == 0 {
		return WriteOff{}, api.Conflict("%s owes nothing that is due", who.Name())
	}
	amount := int64(r.Amount)
	if amount == 0 {
		amount = total
	}
	if amount > total {
		return WriteOff{}, api.InvalidField("amount", "Amount: at most %s, which is what is due", ledger.Money(c, total))
	}
	list, _ := ledger.Allocate(due, amount)
	out := WriteOff{ID: api.NewID(), StudentID: r.StudentID, Amount: amount, Reason: r.Reason, Invoices: list, Balance: who.Balance - amount}
	p := ledger.Transaction{ID: out.ID, Kind: "WRITE_OFF", Narration: writtenOff + r.Reason, Key: "write-off " + out.ID.String(),
		Entries: []ledger.Entry{{Account: ledger.WriteOffAccount, Side: ledger.Debit, Amount: amount}}}
	for n, a := range list {
		p.Entries = append(p.Entries, ledger.Entry{Account: r.StudentID, Side: ledger.Credit, Amount: a.Amount,
			Of: &ledger.Demand{ID: due[n].ID, Student: r.StudentID, Due: due[n].DueDate}})
	}
	queries, err := ledger.Write(c, p)
	if err != nil {
		return out, err
	}
	queries = append(queries, tenancy.Query{SQL: insertWriteOff,
		Args: []any{"fee write-off " + year.ID.String(), 1, out.ID, year.ID, year.Name},
		Scan: tenancy.One(&out.WriteOffNumber)})
	if err := tenancy.Pipeline(c.DB, queries...); err != nil {
		return out, fmt.Errorf("writing off: %w", err)
	}
	c.Changed("write-off", "student", r.StudentID, nil, out)
	return out, nil
}

var writeOffListing = api.Listing{
	Sorts:   map[string]string{"writtenOffOn": "written_off_on", "amount": "amount", "studentName": "student_name"},
	Default: "-writtenOffOn",
	Filters: map[string]api.Filter{
		"search":    api.Search("write_off_number", "student_name", "admission_number", "reason"),
		"studentId": api.ByID("student_id"), "from": api.ByDate("written_off_on", ">="), "to": api.ByDate("written_off_on", "<="),
	},
}

func listWriteOffs(c api.Ctx, l api.ListRequest) (api.Page[ListedWriteOff], error) {
	return api.Fetch[ListedWriteOff](c.DB.Table("(?) as fee_write_off", c.DB.Raw(selectWriteOff)), l)
}

func (m *Module) getWriteOff(c api.Ctx, r printable) (api.MaybeFile[WriteOffReceipt], error) {
	return readPaper[WriteOffReceipt](c, m, r, "write-off", selectWriteOff+` and t.id = $1`, r.ID)
}

func (r WriteOffReceipt) pdf(c api.Ctx, head paper.Letterhead) (*api.File, error) {
	f := ledger.Figures(c)
	doc := paper.New(head, "Write-off receipt")
	if r.Reversed {
		doc.Field("REVERSED", "It is due again")
	}
	doc.Pairs([2]string{"Receipt no.", r.WriteOffNumber}, [2]string{"Date", ledger.Day(f, r.WrittenOffOn)},
		[2]string{"Student", r.StudentName}, [2]string{"Admission no.", r.AdmissionNumber}, [2]string{"Class", r.ClassName})
	doc.Gap(2)
	var rows [][]string
	for _, a := range r.Invoices {
		rows = append(rows, []string{a.Number, a.Name, f.Plain(a.Amount)})
	}
	doc.Grid(paper.Grid{Columns: []paper.Column{{Title: "Invoice", Width: 45}, {Title: "For", Width: 90},
		{Title: "Amount (" + strings.TrimSpace(f.Sign()) + ")", Width: 35, Number: true}}, Rows: rows,
		Totals: [][]string{{"Written off", "", f.Plain(r.Amount)}}})
	doc.Field("Amount in words", f.InWords(r.Amount))
	doc.Field("Reason", r.Reason)
	doc.Field("Written off by", r.WrittenOffByName)
	doc.Signatures("Written off by", "Approved by")
	return printed(doc, "write-off-"+r.WriteOffNumber)
}

// reverseWriteOff makes due again what was written off, once: the family pays after all.
func reverseWriteOff(c api.Ctx, r ledger.Reversal) (WriteOff, error) {
	type row struct {
		AccountID uuid.UUID
		Amount    int64
		Number    string
		Reversed  bool
	}
	var found []row
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select e.account_id, sum(e.amount)::bigint as amount, w.write_off_number as number,
			exists (select from ledger_transaction b where b.reverses_id = t.id) as reversed
		from ledger_transaction t join ledger_entry e on e.transaction_id = t.id and e.entry_type = 'CR'
		join fee_write_off w on w.transaction_id = t.id
		where t.id = $1 group by t.id, w.write_off_number, e.account_id`, Args: []any{r.ID}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return WriteOff{}, fmt.Errorf("reading a write-off: %w", err)
	}
	if len(found) == 0 {
		return WriteOff{}, api.NotFound("write-off")
	}
	if found[0].Reversed {
		return WriteOff{}, api.Conflict("This write-off was reversed already")
	}
	who, _, _, err := ledger.AtCounter(c, found[0].AccountID)
	if err != nil {
		return WriteOff{}, err
	}
	out := WriteOff{ID: api.NewID(), WriteOffNumber: found[0].Number, StudentID: who.ID, Amount: found[0].Amount,
		Reason: r.Reason, Invoices: []ledger.Allocation{}, Balance: who.Balance + found[0].Amount}
	if err := ledger.TakeBack(c, ledger.Transaction{ID: out.ID, Narration: "Reversal of a write-off: " + r.Reason,
		Reverses: &r.ID}); err != nil {
		return out, err
	}
	c.Changed("reverse", "write-off", r.ID, nil, out)
	return out, nil
}
