package charging

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/tenancy"
)

// openingAccount is the other side of opening balances: what they came to before.
var openingAccount = ledger.SchoolAccount(31)

// opening is what a student owed, or had in credit, on the day the school's accounts begin.
type opening struct {
	student uuid.UUID
	amount  int64 // below zero it is a credit
	day     api.Date
	note    string
}

type openingIn struct {
	StudentID uuid.UUID     `json:"studentId" validate:"required"`
	Type      string        `json:"type" validate:"required,oneof=DUE CREDIT" doc:"DUE: the family owed it. CREDIT: it was paid ahead"`
	Amount    ledger.Amount `json:"amount" validate:"min=1,max=1000000000000" doc:"In minor units"`
	Date      api.Date      `json:"date" validate:"required" doc:"Since when it is due, or was paid; today or before"`
	Note      string        `json:"note" validate:"max=200" example:"Term 2 of last year"`
}

// OpeningBalance is what a student's account began with.
type OpeningBalance struct {
	ID              uuid.UUID `json:"id" doc:"The transaction's"`
	StudentID       uuid.UUID `json:"studentId"`
	StudentName     string    `json:"studentName"`
	AdmissionNumber string    `json:"admissionNumber"`
	Type            string    `json:"type" enum:"DUE,CREDIT"`
	Amount          int64     `json:"amount"`
	Date            api.Date  `json:"date"`
	Narration       string    `json:"narration"`
	Reversed        bool      `json:"reversed"`
	CreatedAt       time.Time `json:"createdAt"`
}

// createOpening enters one opening balance. Nobody is notified: the family knows it.
func createOpening(c api.Ctx, r openingIn) (OpeningBalance, error) {
	amount := int64(r.Amount)
	if r.Type == "CREDIT" {
		amount = -amount
	}
	if c.Today().Before(r.Date) {
		return OpeningBalance{}, api.InvalidField("date", "The date must not be in the future")
	}
	if _, _, _, err := ledger.AtCounter(c, r.StudentID); err != nil {
		return OpeningBalance{}, err
	}
	postings, err := open(c, []opening{{student: r.StudentID, amount: amount, day: r.Date, note: r.Note}})
	if err != nil {
		return OpeningBalance{}, err
	}
	out, err := getOpening(c, byID{postings[0].ID})
	if err != nil {
		return out, err
	}
	c.Changed("create", "opening balance", out.ID, nil, out)
	return out, nil
}

// openedSQL selects how many opening balances students were given, and whether one of them holds. students is an array
// of their ids, or a query of them.
func openedSQL(students string) string {
	return `select e.account_id as student_id, count(*) as made,
	bool_or(not exists (select from ledger_transaction r where r.reverses_id = t.id)) as holds
	from ledger_entry e join ledger_transaction t on t.id = e.transaction_id and t.kind = 'OPENING'
	where e.account_id = any(` + students + `) group by 1`
}

type opened struct {
	StudentID uuid.UUID
	Made      int64
	Holds     bool
}

// open posts opening balances: one that holds for a student, with an invoice that is due
// since its day if it is owed. Another is taken once the first was reversed.
func open(c api.Ctx, list []opening) ([]ledger.Transaction, error) {
	ids := make([]uuid.UUID, len(list))
	for i, o := range list {
		ids[i] = o.student
	}
	var years []ledger.SchoolYear
	var before []opened
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: ledger.OpenAccounts, Args: []any{ids, c.Now}},
		tenancy.Query{SQL: ledger.LockAccounts, Args: []any{ids}, Scan: discard},
		tenancy.Query{SQL: ledger.SelectYear, Args: []any{c.Today()}, Scan: tenancy.Collect(&years)},
		tenancy.Query{SQL: openedSQL(`$1`), Args: []any{ids}, Scan: tenancy.Collect(&before)})
	if err != nil {
		return nil, fmt.Errorf("reading opening balances: %w", err)
	}
	year, err := ledger.OnlyYear(years)
	if err != nil {
		return nil, err
	}
	made := map[uuid.UUID]int64{}
	for _, b := range before {
		if made[b.StudentID] = b.Made; b.Holds {
			return nil, api.Conflict("The student has an opening balance already: reverse it first")
		}
	}
	numbers, err := ledger.InvoiceNumbers(c, year, len(list))
	if err != nil {
		return nil, err
	}
	all := make([]ledger.Transaction, len(list))
	for i, o := range list {
		all[i] = o.posting(year, numbers(i), made[o.student]+1)
	}
	if err := ledger.Post(c, all...); err != nil {
		return nil, err
	}
	return all, nil
}

func (o opening) posting(year ledger.SchoolYear, number string, nth int64) ledger.Transaction {
	p := ledger.Transaction{ID: api.NewID(), Kind: "OPENING", On: o.day, Narration: "Opening balance",
		Key: fmt.Sprintf("opening %s %d", o.student, nth)}
	if o.note != "" {
		p.Narration += ": " + o.note
	}
	if o.amount < 0 {
		p.Entries = []ledger.Entry{{Account: o.student, Side: ledger.Credit, Amount: -o.amount}, {Account: openingAccount,
			Side: ledger.Debit, Amount: -o.amount}}
		return p
	}
	p.Invoice = &ledger.Demand{ID: api.NewID(), Year: year.ID, Number: number, Student: o.student, Name: "Opening balance", Due: o.day,
		Lines: []ledger.InvoiceLine{{Name: "Opening balance", Amount: o.amount}}}
	p.Entries = []ledger.Entry{{Account: o.student, Side: ledger.Debit, Amount: o.amount, Of: p.Invoice},
		{Account: openingAccount, Side: ledger.Credit, Amount: o.amount}}
	return p
}

// openingQuery goes by the first entry, which is the student's.
const openingQuery = `select t.id, s.id as student_id, trim(s.first_name || ' ' || s.last_name) as student_name, s.admission_number,
	case e.entry_type when 'DR' then 'DUE' else 'CREDIT' end as type, e.amount, t.value_date as date, t.narration, t.created_at,
	exists (select from ledger_transaction r where r.reverses_id = t.id) as reversed
	from ledger_transaction t left join ledger_entry e on e.transaction_id = t.id and e.line = 1 left join student s on s.id = e.account_id
	where t.kind = 'OPENING'`

func openings(c api.Ctx) *gorm.DB {
	return c.DB.Table("(?) as opening_balance", c.DB.Raw(openingQuery))
}

var openingListing = api.Listing{
	Sorts:   map[string]string{"createdAt": "created_at", "studentName": "student_name", "date": "date"},
	Default: "-createdAt",
	Filters: map[string]api.Filter{"search": api.Search("student_name", "admission_number"), "studentId": api.ByID("student_id"),
		"type": api.ByEnum("type", "DUE", "CREDIT"), "reversed": api.ByBool("reversed")},
}

func listOpenings(c api.Ctx, l api.ListRequest) (api.Page[OpeningBalance], error) {
	return api.Fetch[OpeningBalance](openings(c), l)
}

func getOpening(c api.Ctx, r byID) (OpeningBalance, error) {
	return api.Find[OpeningBalance](c, "opening balance", openings(c), r.ID)
}
