package ledger

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// SchoolYear is the year new numbers are counted in.
type SchoolYear struct {
	ID        uuid.UUID
	Name      string
	StartDate api.Date
	EndDate   api.Date
}

// SelectYear selects the years, first the one that the day $1 counts in.
const SelectYear = `select id, name, start_date, end_date from academic_year order by (active and end_date >= $1::date) desc,
	($1::date between start_date and end_date) desc, active desc, start_date desc limit 1`

// CurrentYear is the active year until its last day, else the one today belongs to, so that a receipt is of its day's year
// whenever the office turns to it; else the active or the last there is.
func CurrentYear(c api.Ctx) (SchoolYear, error) {
	var years []SchoolYear
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: SelectYear, Args: []any{c.Today()}, Scan: tenancy.Collect(&years)})
	if err != nil {
		return SchoolYear{}, fmt.Errorf("reading the academic year: %w", err)
	}
	return OnlyYear(years)
}

// NoYear is the refusal where there is no academic year.
var NoYear = api.Conflict("The school has no academic year yet: add one first")

// OnlyYear is the year that SelectYear found, or NoYear.
func OnlyYear(years []SchoolYear) (SchoolYear, error) {
	if len(years) == 0 {
		return SchoolYear{}, NoYear
	}
	return years[0], nil
}

// TakeNumbers takes n numbers of a series, which nobody else takes from until the
// transaction ends; if it fails, they are there again. $1 is the series, $2 is n.
const TakeNumbers = `insert into number_series as s (name, next) values ($1, 1 + $2::bigint) on conflict (name) do update
	set next = s.next + $2 returning s.next - $2`

// ReceiptSeries is the series that a year's receipts are numbered in.
func ReceiptSeries(year uuid.UUID) string { return "fee receipt " + year.String() }

// InvoiceNumbers numbers invoices of a year.
func InvoiceNumbers(c api.Ctx, year SchoolYear, n int) (func(i int) string, error) {
	var first int64
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: TakeNumbers, Args: []any{"fee invoice " + year.ID.String(), n},
		Scan: tenancy.One(&first)})
	if err != nil {
		return nil, fmt.Errorf("numbering invoices: %w", err)
	}
	return func(i int) string { return paperNumber(year.Name, "I", first+int64(i)) }, nil
}

// paperNumber is a number as papers carry it: 2026-27/R-000001.
func paperNumber(year, kind string, n int64) string {
	return fmt.Sprintf("%s/%s-%06d", strings.TrimSpace(year), kind, n)
}

// DaysBetween counts the days from one day to another.
func DaysBetween(from, to api.Date) int64 {
	return int64(math.Round(to.In(time.UTC).Sub(from.In(time.UTC)).Hours() / 24))
}
