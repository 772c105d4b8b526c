package charging

import (
	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
)

// ConcessionItem is a concession in a list, with what it has come to.
type ConcessionItem struct {
	Concession
	StudentName     string `json:"studentName"`
	AdmissionNumber string `json:"admissionNumber"`
	FeeHeadName     string `json:"feeHeadName" doc:"Empty where it is of all heads"`
	InvoiceNumber   string `json:"invoiceNumber" doc:"Of the one invoice it is for"`
	Given           int64  `json:"given" doc:"What it has taken off invoices so far"`
	Status          string `json:"status" enum:"ACTIVE,ENDED,ONCE" doc:"ACTIVE, ENDED, or ONCE: given on one invoice and done"`
}

// concessionQuery is the concessions as of a day. What one has given is found by the keys
// of its postings: one for each invoice of the student's.
const concessionQuery = `select g.id, g.created_at, g.updated_at, g.created_by, g.updated_by, g.version, g.student_id, g.academic_year_id,
	g.fee_head_id, g.invoice_id, g.mode, g.value::float8 as value,
	g.category, g.reason, g.ends_on, trim(s.first_name || ' ' || s.last_name) as student_name, s.admission_number,
	coalesce(h.name, '') as fee_head_name, coalesce(i.number, '') as invoice_number,
	coalesce((select sum(e.amount) from fee_invoice v join ledger_transaction t on t.idempotency_key = 'concession ' || g.id || ' ' || v.id
		join ledger_entry e on e.transaction_id = t.id and e.entry_type = 'CR' where v.student_id = g.student_id), 0)::bigint as given,
	case when g.invoice_id is not null then 'ONCE' when g.ends_on <= ?::date then 'ENDED' else 'ACTIVE' end as status
	from fee_concession g left join student s on s.id = g.student_id left join fee_head h on h.id = g.fee_head_id left
	join fee_invoice i on i.id = g.invoice_id`

func concessions(c api.Ctx) *gorm.DB {
	return c.DB.Table("(?) as fee_concession", c.DB.Raw(concessionQuery, c.Today()))
}

var concessionListing = api.Listing{
	Sorts:   map[string]string{"createdAt": "created_at", "studentName": "student_name"},
	Default: "-createdAt",
	Filters: map[string]api.Filter{
		"search": api.Search("student_name", "admission_number", "reason"), "studentId": api.ByID("student_id"),
		"academicYearId": api.ByID("academic_year_id"), "feeHeadId": api.ByID("fee_head_id"),
		"category": api.ByEnum("category", "SIBLING", "STAFF", "MERIT", "OTHER"), "status": api.ByEnum("status", "ACTIVE", "ENDED", "ONCE"),
	},
}

func listConcessions(c api.Ctx, l api.ListRequest) (api.Page[ConcessionItem], error) {
	return api.Fetch[ConcessionItem](concessions(c), l)
}

func getConcession(c api.Ctx, r byID) (ConcessionItem, error) {
	return api.Find[ConcessionItem](c, "fee concession", concessions(c), r.ID)
}

type endIn struct {
	ID     uuid.UUID `path:"id"`
	EndsOn api.Date  `json:"endsOn" doc:"The first day it holds no more; today unless given"`
}

// endConcession lets a concession stop: what is due from that day on is charged whole.
// What was given is the student's and stays.
func endConcession(c api.Ctx, r endIn) (ConcessionItem, error) {
	if r.EndsOn.IsZero() {
		r.EndsOn = c.Today()
	}
	_, err := api.Update(c, "fee concession", r.ID, func(g *Concession) error {
		switch {
		case g.InvoiceID != nil:
			return api.Conflict("It was given once, on one invoice: there is nothing to end")
		case g.EndsOn != nil:
			return api.Conflict("This concession ends on %s already", g.EndsOn)
		case r.EndsOn.Before(c.Today()):
			return api.InvalidField("endsOn", "endsOn must not be in the past")
		}
		g.EndsOn = &r.EndsOn
		return nil
	})
	if err != nil {
		return ConcessionItem{}, err
	}
	return getConcession(c, byID{r.ID})
}
