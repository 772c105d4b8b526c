package fee

import (
	"strings"

	"homeroom/api"
	"homeroom/notice"
	"homeroom/paper"
)

// pdf is the account as a statement on paper.
func (r Report) pdf(c api.Ctx, head paper.Letterhead) (*api.File, error) {
	doc := paper.New(head, "Statement of account")
	doc.Field("Student", strings.TrimSpace(r.Student.FirstName+" "+r.Student.LastName))
	doc.Field("Admission number", r.Student.AdmissionNumber)
	doc.Field("Class", strings.TrimSpace(r.Student.ClassName+" "+r.Student.DivisionName))
	doc.Field("Date", c.Today().String())
	balance, err := notice.Translate("en", standing(c, r.Balance)) // as the rest of the page
	if err != nil {
		return nil, err
	}
	doc.Field("Balance", balance)
	if r.Clearing > 0 {
		doc.Field("Cheques in clearing", money(c, r.Clearing))
	}
	var rows [][]string
	for _, e := range r.Entries {
		what := e.Narration
		if e.ReceiptNumber != nil {
			what += ", " + *e.ReceiptNumber
		}
		row := []string{e.Date.String(), what, "", "", plain(c, e.Balance)}
		if e.EntryType == debit {
			row[2] = plain(c, e.Amount)
		} else {
			row[3] = plain(c, e.Amount)
		}
		rows = append(rows, row)
	}
	doc.Table([]paper.Column{{Title: "Date", Width: 24}, {Title: "What", Width: 65}, {Title: "Debit", Width: 27, Number: true},
		{Title: "Credit", Width: 27, Number: true}, {Title: "Balance", Width: 27, Number: true}}, rows)
	rows = nil
	for _, i := range r.Invoices {
		rows = append(rows, []string{i.Number, i.Name, i.DueDate.String(), strings.ToLower(i.State), plain(c, i.Open)})
	}
	doc.Table([]paper.Column{{Title: "Invoice", Width: 40}, {Title: "For", Width: 50}, {Title: "Due on", Width: 27},
		{Title: "State", Width: 26}, {Title: "Open", Width: 27, Number: true}}, rows)
	return printed(doc, "statement-"+r.Student.AdmissionNumber)
}
