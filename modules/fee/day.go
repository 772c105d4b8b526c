package fee

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/tenancy"
)

type dayToClose struct {
	Date    api.Date       `json:"date" doc:"Today unless given"`
	Counted *ledger.Amount `json:"counted" validate:"required,min=0,max=1000000000000" doc:"The cash of that day in the drawer, in minor units"`
	Reason  string         `json:"reason" validate:"max=500" doc:"Why it differs from what was expected; needed where it does"`
}

// DayClosing is a closed day: what the drawer should have had, and had. It takes no more
// payments, refunds and reversals.
type DayClosing struct {
	Date         api.Date   `json:"date"`
	Expected     int64      `json:"expected" doc:"Cash received less paid out that day"`
	Counted      int64      `json:"counted"`
	Difference   int64      `json:"difference" doc:"Counted less expected: below zero, cash is missing"`
	Reason       string     `json:"reason"`
	ClosedBy     *uuid.UUID `json:"closedBy"`
	ClosedByName string     `json:"closedByName"`
	ClosedAt     time.Time  `json:"closedAt"`
}

const selectClosings = `select d.day as date, d.expected, d.counted, d.difference, d.reason, d.closed_by,
	coalesce(trim(u.first_name || ' ' || u.last_name), '') as closed_by_name, d.closed_at
	from fee_day_closing d left join app_user u on u.id = d.closed_by where d.day between $1 and $2 order by d.day`

// closeDay closes a day after its cash was counted. A difference is posted, so that the
// ledger's cash is what was counted.
func closeDay(c api.Ctx, r dayToClose) (DayClosing, error) {
	if r.Date.IsZero() {
		r.Date = c.Today()
	}
	if c.Today().Before(r.Date) {
		return DayClosing{}, api.InvalidField("date", "Date: a day to come cannot be closed")
	}
	out := DayClosing{Date: r.Date, Counted: int64(*r.Counted), Reason: strings.TrimSpace(r.Reason), ClosedBy: &c.User.ID, ClosedAt: c.Now}
	var names []struct{ Name string }
	var there []DayClosing
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select pg_advisory_xact_lock(` + ledger.DayLock + `)`},
		tenancy.Query{SQL: selectClosings, Args: []any{r.Date, r.Date}, Scan: tenancy.Collect(&there)},
		tenancy.Query{SQL: cashOf, Args: []any{ledger.CashAccount, r.Date}, Scan: tenancy.One(&out.Expected)},
		tenancy.Query{SQL: `select trim(first_name || ' ' || last_name) as name from app_user where id = $1`, Args: []any{c.User.ID},
			Scan: tenancy.Collect(&names)})
	if err != nil {
		return out, fmt.Errorf("reading a day's cash: %w", err)
	}
	if len(there) > 0 {
		return out, dayClosed(r.Date)
	}
	if len(names) > 0 {
		out.ClosedByName = names[0].Name
	}
	out.Difference = out.Counted - out.Expected
	if out.Difference != 0 && out.Reason == "" {
		return out, api.InvalidField("reason", "Reason: %s was expected, say why %s was counted", ledger.Money(c, out.Expected),
			ledger.Money(c, out.Counted))
	}
	var queries []tenancy.Query
	var transaction *uuid.UUID
	if out.Difference != 0 {
		id := api.NewID()
		transaction = &id
		if queries, err = ledger.Write(c, difference(id, r.Date, out)); err != nil {
			return out, err
		}
	}
	queries = append(queries, tenancy.Query{SQL: `insert into fee_day_closing (day, expected, counted, difference, reason, transaction_id,
		closed_by, closed_at) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
		Args: []any{r.Date, out.Expected, out.Counted, out.Difference, out.Reason, transaction, c.User.ID, c.Now}})
	if err := tenancy.Pipeline(c.DB, queries...); err != nil {
		return out, fmt.Errorf("closing a day: %w", err)
	}
	c.Changed("close", "fee day", c.School.ID, nil, out)
	return out, nil
}

// cashOf is what came into the account $1 on the day $2, less what went out.
const cashOf = `select coalesce(sum(case e.entry_type when 'DR' then e.amount else -e.amount end), 0)::bigint
	from ledger_transaction t join ledger_entry e on e.transaction_id = t.id where e.account_id = $1 and t.value_date = $2`

// difference is the posting that makes the ledger's cash what was counted.
func difference(id uuid.UUID, day api.Date, of DayClosing) ledger.Transaction {
	p := ledger.Transaction{ID: id, Kind: "CASH_DIFFERENCE", On: day, Narration: "Cash difference of " + day.String() + ": " + of.Reason,
		Key: "cash difference " + day.String()}
	if of.Difference > 0 {
		p.Entries = []ledger.Entry{{Account: ledger.CashAccount, Side: ledger.Debit, Amount: of.Difference},
			{Account: ledger.DifferenceAccount, Side: ledger.Credit, Amount: of.Difference}}
	} else {
		p.Entries = []ledger.Entry{{Account: ledger.DifferenceAccount, Side: ledger.Debit, Amount: -of.Difference},
			{Account: ledger.CashAccount, Side: ledger.Credit, Amount: -of.Difference}}
	}
	return p
}

func dayClosed(day api.Date) *api.Error {
	return api.Coded(409, "DAY_CLOSED", fmt.Sprintf("%s is closed: it takes no more payments, refunds and reversals", day))
}

// onAnOpenDay is the option of rows that move money: a day whose cash was counted takes none.
var onAnOpenDay = api.MayFail(dayClosed(api.Date{Year: 2026, Month: 7, Day: 31}))

// valueDate is the day an entry counts for: today, or an earlier one of the year that is not
// closed. field is the request's.
func valueDate(c api.Ctx, field, label string, day api.Date, year ledger.SchoolYear) error {
	switch {
	case c.Today().Before(day):
		return api.InvalidField(field, "%s: not a day to come", label)
	case day.Before(year.StartDate) && day != c.Today():
		return api.InvalidField(field, "%s: not before the academic year %s began, on %s", label, year.Name, year.StartDate)
	}
	return nil
}
