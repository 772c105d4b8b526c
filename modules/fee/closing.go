package fee

import (
	"fmt"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/tenancy"
)

// Closing is what came in, by day and mode: what a clerk counts the drawer against.
type Closing struct {
	From   api.Date      `json:"from"`
	To     api.Date      `json:"to"`
	Days   []ClosingLine `json:"days"`
	Total  int64         `json:"total" doc:"Received less reversed and refunded"`
	Amount int64         `json:"amount" doc:"Received"`
	Closed []DayClosing  `json:"closed" doc:"The days among them that are closed"`
	Cash   int64         `json:"cash" doc:"What the drawer should have of these days: cash received less paid out"`
}

// ClosingLine is one day and mode. A reversal counts on the day it was made.
type ClosingLine struct {
	Date          api.Date `json:"date"`
	PaymentMode   string   `json:"paymentMode" enum:"CASH,CHEQUE,CARD,UPI,BANK_TRANSFER,ONLINE"`
	Receipts      int64    `json:"receipts"`
	Amount        int64    `json:"amount"`
	Reversals     int64    `json:"reversals"`
	ReversedTotal int64    `json:"reversedTotal"`
	Refunds       int64    `json:"refunds"`
	RefundedTotal int64    `json:"refundedTotal"`
	Net           int64    `json:"net"`
}

type closingDays struct {
	From api.Date `json:"from" doc:"Today unless given"`
	To   api.Date `json:"to" doc:"from unless given"`
}

// days are the first and the last, a year at the most.
func (p closingDays) days(c api.Ctx) (from, to api.Date, err error) {
	from, to = p.From, p.To
	if from.IsZero() {
		from = c.Today()
	}
	if to.IsZero() {
		to = from
	}
	if to.Before(from) {
		return from, to, api.InvalidField("to", "to must not be before from")
	}
	if ledger.DaysBetween(from, to) > 366 {
		return from, to, api.InvalidField("to", "A year at the most")
	}
	return from, to, nil
}

func closing(c api.Ctx, r closingDays) (Closing, error) {
	from, to, err := r.days(c)
	if err != nil {
		return Closing{}, err
	}
	out := Closing{From: from, To: to, Closed: []DayClosing{}}
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select date, payment_mode, sum(receipts)::bigint as receipts,
		sum(amount)::bigint as amount,
			sum(reversals)::bigint as reversals, sum(reversed)::bigint as reversed_total, sum(refunds)::bigint as refunds,
			sum(refunded)::bigint as refunded_total, sum(amount - reversed - refunded)::bigint as net
		from (
			select received_on as date, payment_mode, 1 as receipts, amount, 0 as reversals, 0 as reversed, 0 as refunds, 0 as refunded
			from fee_receipt where received_on between $1 and $2
			union all
			select t.value_date, r.payment_mode, 0, 0, 1, r.amount, 0, 0 from ledger_transaction t
			join fee_receipt r on r.transaction_id = t.reverses_id where t.value_date between $1 and $2
			union all
			select paid_on, payment_mode, 0, 0, 0, 0, 1, amount from fee_refund where paid_on between $1 and $2) m
		group by date, payment_mode order by date, payment_mode`, Args: []any{from, to}, Scan: tenancy.Collect(&out.Days)},
		tenancy.Query{SQL: selectClosings, Args: []any{from, to}, Scan: tenancy.Collect(&out.Closed)})
	if err != nil {
		return out, fmt.Errorf("closing: %w", err)
	}
	for _, d := range out.Days {
		if d.PaymentMode == "CASH" {
			out.Cash += d.Net
		}
		out.Amount, out.Total = out.Amount+d.Amount, out.Total+d.Net
	}
	return out, nil
}
