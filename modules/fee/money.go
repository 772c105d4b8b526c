package fee

import (
	"fmt"
	"strings"

	"homeroom/api"
	"homeroom/notice"
	"homeroom/tenancy"
)

// spoken is how a payment came, in words.
var spoken = map[string]string{"CASH": "cash", "CHEQUE": "cheque", "CARD": "card", "UPI": "UPI", "BANK_TRANSFER": "bank transfer",
	"ONLINE": "online payment"}

// money writes minor units as the school does: ₹1,500.00.
func money(c api.Ctx, amount int64) string { return figures(c).Money(amount) }

// cell is money as a spreadsheet reads it.
func cell(c api.Ctx, amount int64) string {
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

// standing says how an account stands.
func standing(c api.Ctx, balance int64) notice.Text {
	switch {
	case balance > 0:
		return notice.Text{Name: "fee.outstanding", Values: notice.Values{"amount": money(c, balance)}}
	case balance < 0:
		return notice.Text{Name: "fee.ahead", Values: notice.Values{"amount": money(c, -balance)}}
	}
	return notice.Text{Name: "fee.even"}
}

func (p payer) name() string { return strings.TrimSpace(p.FirstName + " " + p.LastName) }
