package fee

import (
	"strings"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/paper"
)

// pdf is the account as a statement on paper.
func (r Report) pdf(c api.Ctx, head paper.Letterhead) (*api.File, error) {
	f := ledger.Figures(c)
	doc := paper.New(head, "Statement of account")
	doc.Pairs([2]string{"Student", strings.TrimSpace(r.Student.FirstName + " " + r.Student.LastName)},
		[2]string{"Date", ledger.Day(f, c.Today())}, [2]string{"Admission no.", r.Student.AdmissionNumber},
		[2]string{"Class", strings.TrimSpace(r.Student.ClassName + " " + r.Student.DivisionName)},
		[2]string{"Balance", balanceWords(f, r.Balance)})
	if r.Clearing > 0 {
		doc.Field("Cheques in clearing", f.Money(r.Clearing))
	}
	doc.Gap(2)
	doc.Gap(1)
	var rows [][]string
	for _, e := range r.Entries {
		what := e.Narration
		if e.ReceiptNumber != nil {
			what += ", " + *e.ReceiptNumber
		}
		row := []string{ledger.Day(f, e.Date), what, "", "", f.Plain(e.Balance)}
		if e.EntryType == ledger.Debit {
			row[2] = f.Plain(e.Amount)
		} else {
			row[3] = f.Plain(e.Amount)
		}
		rows = append(rows, row)
	}
	doc.Grid(paper.Grid{Columns: []paper.Column{{Title: "Date", Width: 24}, {Title: "What", Width: 65},
		{Title: "Charged", Width: 27, Number: true},
		{Title: "Paid or waived", Width: 27, Number: true}, {Title: "Balance (" + strings.TrimSpace(f.Sign()) + ")", Width: 27, Number: true}},
		Rows: rows, Totals: [][]string{{"", "Balance", "", "", f.Plain(r.Balance)}}})
	rows = nil
	for _, i := range r.Invoices {
		rows = append(rows, []string{i.Number, i.Name, ledger.Day(f, i.DueDate), strings.ToLower(i.State), f.Plain(i.Open)})
	}
	if len(rows) > 0 {
		doc.Heading("Invoices")
		doc.Table([]paper.Column{{Title: "Invoice", Width: 40}, {Title: "For", Width: 50}, {Title: "Due on", Width: 27},
			{Title: "State", Width: 26}, {Title: "Open", Width: 27, Number: true}}, rows)
	}
	return printed(doc, "statement-"+r.Student.AdmissionNumber)
}
