package charging

import (
	"fmt"
	"math"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/tenancy"
)

// Concession is what a student need not pay. It holds for a year: instalments charged
// before it are made smaller at once, later ones when they are charged, so that it
// comes to the same in either order. One for an invoice holds for that alone.
type Concession struct {
	api.Record
	ConcessionFields
	AcademicYearID uuid.UUID `json:"academicYearId"`
	EndsOn         *api.Date `json:"endsOn" doc:"The first day it holds no more: an instalment due on it or later is charged whole"`
}

// TableName is the record's table.
func (Concession) TableName() string { return "fee_concession" }

// ConcessionFields are what the office says of a concession.
type ConcessionFields struct {
	StudentID uuid.UUID    `json:"studentId" validate:"required"`
	FeeHeadID *uuid.UUID   `json:"feeHeadId" doc:"Of one head; of all unless given"`
	InvoiceID *uuid.UUID   `json:"invoiceId" doc:"Of one invoice only, its fines included"`
	Mode      string       `json:"mode" validate:"required,oneof=PERCENT AMOUNT"`
	Value     ledger.Value `json:"value" label:"Percent, or minor units" validate:"gt=0,max=1000000000000" doc:"PERCENT: up to 100, with at most two decimals. AMOUNT: in minor units, for the year, taken off each instalment by its share; for an invoice, once"`
	Category  string       `json:"category" validate:"omitempty,oneof=SIBLING STAFF MERIT OTHER" doc:"OTHER unless given"`
	Reason    string       `json:"reason" validate:"notblank,max=500" example:"Second child at the school"`
}

type concessionIn struct {
	ConcessionFields
	AcademicYearID *uuid.UUID `json:"academicYearId" doc:"The active year unless given"`
}

// GrantedConcession is a concession and what it came to so far.
type GrantedConcession struct {
	Concession
	Posted  int64 `json:"posted" doc:"What was taken off invoices that were there already"`
	Balance int64 `json:"balance"`
}

const selectGrants = `select id, student_id, academic_year_id, fee_head_id, invoice_id, mode, value::float8 as value, category, reason,
	ends_on from fee_concession`

func grantConcession(c api.Ctx, r concessionIn) (GrantedConcession, error) {
	if err := r.check(); err != nil {
		return GrantedConcession{}, err
	}
	who, year, open, err := ledger.AtCounter(c, r.StudentID)
	if err != nil {
		return GrantedConcession{}, err
	}
	if r.AcademicYearID == nil {
		r.AcademicYearID = &year.ID
	}
	if r.Category == "" {
		r.Category = "OTHER"
	}
	g := Concession{ConcessionFields: r.ConcessionFields, AcademicYearID: *r.AcademicYearID}
	if r.InvoiceID != nil {
		only, err := ledger.Pick(open, *r.InvoiceID)
		if err != nil {
			return GrantedConcession{}, err
		}
		open, g.AcademicYearID = []ledger.StudentInvoice{only}, only.AcademicYearID // which also says the year
	}
	if err := api.Insert(c, "fee concession", &g); err != nil {
		return GrantedConcession{}, err
	}
	out := GrantedConcession{Concession: g, Balance: who.Balance}
	postings, err := g.onInvoices(c, open)
	if err != nil {
		return out, err
	}
	for _, p := range postings {
		out.Posted += p.Entries[0].Amount
	}
	out.Balance -= out.Posted
	return out, ledger.Post(c, postings...)
}

func (f ConcessionFields) check() error {
	value := float64(f.Value)
	switch {
	case f.Mode == "PERCENT" && value > 100:
		return api.InvalidField("value", "value must be at most 100 percent")
	case f.Mode == "PERCENT" && math.Abs(value*100-math.Round(value*100)) > 1e-6:
		return api.InvalidField("value", "value must have at most two decimals")
	case f.Mode == "AMOUNT" && value != math.Trunc(value):
		return api.InvalidField("value", "value must be a whole number of minor units")
	}
	return nil
}

// onInvoices are the postings against invoices that are there: the year's instalments,
// or the one invoice it is for.
func (g Concession) onInvoices(c api.Ctx, list []ledger.StudentInvoice) ([]ledger.Transaction, error) {
	var out []ledger.Transaction
	spans, err := spansOf(c, list)
	if err != nil {
		return nil, err
	}
	for _, i := range list {
		var n int64
		switch {
		case g.InvoiceID != nil:
			n = g.ofInvoice(i)
		case i.StructureID != nil && i.AcademicYearID == g.AcademicYearID:
			n = g.of(i.Lines, spans[instalmentKey{*i.StructureID, *i.Instalment}])
		}
		if n = min(n, i.Charged-i.Concession); n > 0 {
			out = append(out, g.posting(&ledger.Demand{ID: i.ID, Student: i.StudentID, Name: i.Name, Due: i.DueDate}, n))
		}
	}
	return out, nil
}

// holds says whether it is for what is due on a day. The day it is charged does not
// matter, so that it comes to the same whenever that is done.
func (g Concession) holds(due api.Date) bool { return g.EndsOn == nil || due.Before(*g.EndsOn) }

// of is what it takes off an instalment with these lines.
func (g Concession) of(lines []ledger.InvoiceLine, s span) int64 {
	base := g.base(lines)
	if g.Mode == "PERCENT" {
		return ledger.Part(base, int64(hundredths(float64(g.Value))), whole)
	}
	return min(base, s.of(int64(g.Value)))
}

// ofInvoice is what it takes off one invoice as a whole.
func (g Concession) ofInvoice(i ledger.StudentInvoice) int64 {
	base := i.Charged
	if g.FeeHeadID != nil {
		base = g.base(i.Lines)
	}
	if g.Mode == "PERCENT" {
		return ledger.Part(base, int64(hundredths(float64(g.Value))), whole)
	}
	return min(base, int64(g.Value))
}

// base is the lines it holds for.
func (g Concession) base(lines []ledger.InvoiceLine) (sum int64) {
	for _, l := range lines {
		if g.FeeHeadID == nil || (l.FeeHeadID != nil && *l.FeeHeadID == *g.FeeHeadID) {
			sum += l.Amount
		}
	}
	return sum
}

func (g Concession) posting(v *ledger.Demand, amount int64) ledger.Transaction {
	return ledger.Transaction{ID: api.NewID(), Kind: "CONCESSION", Narration: fmt.Sprintf("Concession on %s: %s", v.Name, g.Reason),
		Key: fmt.Sprintf("concession %s %s", g.ID, v.ID),
		Entries: []ledger.Entry{{Account: ledger.ConcessionAccount, Side: ledger.Debit, Amount: amount},
			{Account: v.Student, Side: ledger.Credit, Amount: amount, Of: v}}}
}

type instalmentKey struct {
	structure uuid.UUID
	number    int
}

// spansOf are the shares of the instalments some invoices are for.
func spansOf(c api.Ctx, list []ledger.StudentInvoice) (map[instalmentKey]span, error) {
	var ids []uuid.UUID
	for _, i := range list {
		if i.StructureID != nil {
			ids = append(ids, *i.StructureID)
		}
	}
	if ids == nil {
		return nil, nil
	}
	type row struct {
		StructureID uuid.UUID
		Number      int
		FromShare   int64
		ToShare     int64
	}
	var rows []row
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select structure_id, number, ((sum(percent) over w - percent) * 100)::bigint as from_share,
		(sum(percent) over w * 100)::bigint as to_share
		from fee_instalment where structure_id = any($1) window w as (partition by structure_id
		order by number)`, Args: []any{ids}, Scan: tenancy.Collect(&rows)})
	if err != nil {
		return nil, fmt.Errorf("reading instalments: %w", err)
	}
	out := map[instalmentKey]span{}
	for _, r := range rows {
		out[instalmentKey{r.StructureID, r.Number}] = span{r.FromShare, r.ToShare}
	}
	return out, nil
}
