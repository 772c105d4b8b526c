package fee

import (
	"fmt"
	"strconv"
	"strings"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/paper"
)

// printClosing is what came in on paper, with room to sign for the drawer that was counted.
func (m *Module) printClosing(c api.Ctx, r closingDays) (api.File, error) {
	of, err := closing(c, r)
	if err != nil {
		return api.File{}, err
	}
	head, err := m.Letterhead(c)
	if err != nil {
		return api.File{}, err
	}
	f := ledger.Figures(c)
	title := "Day closing, " + ledger.Day(f, of.From)
	if of.From != of.To {
		title = fmt.Sprintf("Collections, %s – %s", ledger.Day(f, of.From), ledger.Day(f, of.To))
	}
	doc := paper.New(head, title)
	var byMode [][2]string
	for _, mode := range paymentModes {
		var net int64
		for _, l := range of.Days {
			if l.PaymentMode == mode {
				net += l.Net
			}
		}
		if net != 0 {
			byMode = append(byMode, [2]string{modeTitle(mode), f.Money(net)})
		}
	}
	doc.Pairs(byMode...)
	doc.Grid(of.grid(f))
	of.printDrawer(doc, f)
	doc.Signatures("Cashier", "Accountant", head.Head())
	return printedFile(doc, "closing-"+of.From.String())
}

func (of Closing) grid(f paper.Figures) paper.Grid {
	g := paper.Grid{Columns: []paper.Column{{Title: "Date", Width: 24}, {Title: "Method", Width: 30},
		{Title: "Receipts", Width: 18, Number: true},
		{Title: "Received", Width: 26, Number: true}, {Title: "Reversed", Width: 26, Number: true}, {Title: "Refunded", Width: 26, Number: true},
		{Title: "Net (" + strings.TrimSpace(f.Sign()) + ")", Width: 26, Number: true}}}
	counted := func(amount, n int64) string {
		if n == 0 {
			return "–"
		}
		return fmt.Sprintf("%s (%d)", f.Plain(amount), n)
	}
	for _, l := range of.Days {
		g.Rows = append(g.Rows, []string{ledger.Day(f, l.Date), modeTitle(l.PaymentMode), strconv.FormatInt(l.Receipts, 10), f.Plain(l.Amount),
			counted(l.ReversedTotal, l.Reversals), counted(l.RefundedTotal, l.Refunds), f.Plain(l.Net)})
	}
	g.Totals = [][]string{{"Total", "", "", f.Plain(of.Amount), "", "", f.Plain(of.Total)}}
	return g
}

// printDrawer says what the drawer should have, or of closed days what was counted.
func (of Closing) printDrawer(doc *paper.Document, f paper.Figures) {
	if len(of.Closed) == 0 {
		doc.Field("Cash of these days", f.Money(of.Cash))
		doc.Blank("Cash counted")
		return
	}
	var rows [][]string
	for _, d := range of.Closed {
		rows = append(rows, []string{ledger.Day(f, d.Date), f.Plain(d.Expected), f.Plain(d.Counted), f.Plain(d.Difference), d.Reason,
			d.ClosedByName})
	}
	doc.Heading("Cash counted")
	doc.Table([]paper.Column{{Title: "Date", Width: 24}, {Title: "Expected", Width: 24, Number: true},
		{Title: "Counted", Width: 24, Number: true},
		{Title: "Difference", Width: 24, Number: true}, {Title: "Reason", Width: 50}, {Title: "Closed by", Width: 34}}, rows)
}

// printTrialBalance is every account's balance on paper.
func (m *Module) printTrialBalance(c api.Ctx, _ api.Nothing) (api.File, error) {
	of, err := trialBalance(c, api.Nothing{})
	if err != nil {
		return api.File{}, err
	}
	head, err := m.Letterhead(c)
	if err != nil {
		return api.File{}, err
	}
	f := ledger.Figures(c)
	orNothing := func(amount int64) string {
		if amount == 0 {
			return ""
		}
		return f.Plain(amount)
	}
	sign := " (" + strings.TrimSpace(f.Sign()) + ")"
	g := paper.Grid{Columns: []paper.Column{{Title: "Account", Width: 70}, {Title: "Kind", Width: 30},
		{Title: "Debit" + sign, Width: 36, Number: true}, {Title: "Credit" + sign, Width: 36, Number: true}},
		Totals: [][]string{{"Total", "", f.Plain(of.TotalDebit), f.Plain(of.TotalCredit)}}}
	for _, a := range of.Accounts {
		g.Rows = append(g.Rows, []string{a.Name, sentence(a.Type), orNothing(a.Debit), orNothing(a.Credit)})
	}
	doc := paper.New(head, "Trial balance, "+ledger.Day(f, c.Today()))
	doc.Grid(g)
	doc.Signatures("Accountant", head.Head())
	return printedFile(doc, "trial-balance-"+c.Today().String())
}

// paymentModes are the ways money comes, in the order papers name them.
var paymentModes = []string{"CASH", "CHEQUE", "CARD", "UPI", "BANK_TRANSFER", "ONLINE"}

// modeTitle is a way money comes at the beginning of a line: Bank transfer.
func modeTitle(mode string) string { return capital(ledger.Spoken[mode]) }

// sentence is a fixed word as it is printed: STUDENT is Student.
func sentence(word string) string {
	return capital(strings.ReplaceAll(strings.ToLower(word), "_", " "))
}

func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

func printedFile(doc *paper.Document, name string) (api.File, error) {
	file, err := printed(doc, name)
	if err != nil {
		return api.File{}, err
	}
	return *file, nil
}
