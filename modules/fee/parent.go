package fee

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// childsReport is a linked child's account.
func (m *Module) childsReport(c api.Ctx, r reportOf) (api.MaybeFile[Report], error) {
	return m.reportBy(c, r, selectStudent+` and s.id in (`+roster.LinkedIDs("$3")+`)`, c.Today(), r.StudentID, c.User.ID)
}

// childsReceipt is a receipt of a linked child's.
func (m *Module) childsReceipt(c api.Ctx, r printable) (api.MaybeFile[Receipt], error) {
	return m.receiptBy(c, r, `r.id = $1 and r.student_id in (`+roster.LinkedIDs("$2")+`)`, r.ID, c.User.ID)
}

// ChildDues is what a child's family owes.
type ChildDues struct {
	Student  StudentRef       `json:"student"`
	Balance  int64            `json:"balance"`
	Advance  int64            `json:"advance"`
	Invoices []ledger.Invoice `json:"invoices" doc:"What is open, by due date"`
}

// FamilyDues is what a parent's children owe together.
type FamilyDues struct {
	Items    []ChildDues `json:"items"`
	Total    int64       `json:"total" doc:"What is owed for all of them"`
	Currency string      `json:"currency"`
}

// familyDues is what is open for the calling parent's children.
func familyDues(c api.Ctx, _ api.Nothing) (FamilyDues, error) {
	return duesOfFamily(c, roster.LinkedIDs, c.User.ID)
}

// duesOfFamily is what is open for the students that a query selects, which has the id of
// somebody of the family in an argument.
func duesOfFamily(c api.Ctx, students func(argument string) string, of uuid.UUID) (FamilyDues, error) {
	type child struct {
		StudentRef
		Balance int64
	}
	var children []child
	var invoices []ledger.StudentInvoice
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select s.*, coalesce((select sum(case x.entry_type when 'DR' then x.amount else -x.amount end) from ledger_entry x
			where x.account_id = s.id), 0)::bigint as balance
			from (` + selectStudents + ` where s.id in (` + students("$2") + `)) s order by s.first_name, s.id`,
			Args: []any{c.Today(), of}, Scan: tenancy.Collect(&children)},
		tenancy.Query{SQL: ledger.AllocateSQL(`in (` + students("$1") + `)`), Args: []any{of, c.Today()}, Scan: tenancy.Collect(&invoices)})
	if err != nil {
		return FamilyDues{}, fmt.Errorf("reading a family's dues: %w", err)
	}
	out := FamilyDues{Items: []ChildDues{}, Currency: c.School.Currency}
	for _, s := range children {
		due := ChildDues{Student: s.StudentRef, Balance: s.Balance, Advance: max(0, -s.Balance), Invoices: []ledger.Invoice{}}
		for _, i := range invoices {
			if i.StudentID == s.ID && i.Open > 0 {
				due.Invoices = append(due.Invoices, i.Invoice)
			}
		}
		out.Items, out.Total = append(out.Items, due), out.Total+max(0, s.Balance)
	}
	return out, nil
}
