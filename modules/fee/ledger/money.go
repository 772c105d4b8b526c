package ledger

import (
	"fmt"

	"homeroom/api"
	"homeroom/notice"
	"homeroom/paper"
	"homeroom/tenancy"
)

// Spoken is how a payment came, in words.
var Spoken = map[string]string{"CASH": "cash", "CHEQUE": "cheque", "CARD": "card", "UPI": "UPI", "BANK_TRANSFER": "bank transfer",
	"ONLINE": "online payment"}

// Money writes minor units as the school does: ₹1,500.00.
func Money(c api.Ctx, amount int64) string { return Figures(c).Money(amount) }

// Cell is money as a spreadsheet reads it.
func Cell(c api.Ctx, amount int64) string {
	places := tenancy.CurrencyDigits(c.School.Currency)
	sign := ""
	if amount < 0 {
		sign, amount = "-", -amount
	}
	digits := fmt.Sprintf("%0*d", places+1, amount)
	units, rest := digits[:len(digits)-places], digits[len(digits)-places:]
	if places > 0 {
		rest = "." + rest
	}
	return sign + units + rest
}

// Standing says how an account stands.
func Standing(c api.Ctx, balance int64) notice.Text {
	switch {
	case balance > 0:
		return notice.Text{Name: "fee.outstanding", Values: notice.Values{"amount": Money(c, balance)}}
	case balance < 0:
		return notice.Text{Name: "fee.ahead", Values: notice.Values{"amount": Money(c, -balance)}}
	}
	return notice.Text{Name: "fee.even"}
}

// Figures are money and dates as the school writes them.
func Figures(c api.Ctx) paper.Figures { return paper.FiguresOf(c.School.Writes()) }

// Day writes a day as the school does.
func Day(f paper.Figures, d api.Date) string { return f.Day(d.Year, d.Month, d.Day) }
