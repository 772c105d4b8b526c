package api

import (
	"cmp"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// Date is a calendar day, in the school's time zone and without one of its own:
// it cannot slip by a day on its way through a server elsewhere.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// DateOf is the day t falls on in t's own location.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{y, m, d}
}

// ParseDate reads YYYY-MM-DD and refuses days that do not exist. There was no year 0.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil || t.Year() == 0 {
		return Date{}, fmt.Errorf("%q is not a date like 2026-11-30", s[:min(len(s), 20)])
	}
	return DateOf(t), nil
}

func (d Date) String() string { return string(d.append(nil)) }

// append writes YYYY-MM-DD. Lists are full of dates, and fmt takes its time.
func (d Date) append(b []byte) []byte {
	if d.Year < 0 || d.Year > 9999 {
		return fmt.Appendf(b, "%04d-%02d-%02d", d.Year, d.Month, d.Day)
	}
	digits := func(n int) { b = append(b, byte('0'+n/10), byte('0'+n%10)) }
	digits(d.Year / 100)
	digits(d.Year % 100)
	b = append(b, '-')
	digits(int(d.Month))
	b = append(b, '-')
	digits(d.Day)
	return b
}

// In is midnight at the beginning of the day in a place.
func (d Date) In(loc *time.Location) time.Time {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, loc)
}

// IsZero reports whether no day was given.
func (d Date) IsZero() bool { return d == Date{} }

// Before reports whether d is an earlier day than o.
func (d Date) Before(o Date) bool {
	return cmp.Or(cmp.Compare(d.Year, o.Year), cmp.Compare(d.Month, o.Month), cmp.Compare(d.Day, o.Day)) < 0
}

// AddDays moves by days.
func (d Date) AddDays(n int) Date { return DateOf(d.In(time.UTC).AddDate(0, 0, n)) }

// JSONSchema is a calendar day.
func (Date) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "format": "date"}
}

func (d Date) MarshalJSON() ([]byte, error) {
	if d.IsZero() {
		return []byte("null"), nil
	}
	return append(d.append([]byte{'"'}), '"'), nil
}

func (d *Date) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	return d.UnmarshalText([]byte(s))
}

// UnmarshalText reads a query parameter. An empty one is no day.
func (d *Date) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*d = Date{}
		return nil
	}
	parsed, err := ParseDate(string(b))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}

// Value stores a date; no day is NULL.
func (d Date) Value() (driver.Value, error) {
	if d.IsZero() {
		return nil, nil
	}
	return d.String(), nil
}

// DateValue stores a date through pgx, which would else write and parse its text.
func (d Date) DateValue() (pgtype.Date, error) {
	return pgtype.Date{Time: d.In(time.UTC), Valid: !d.IsZero()}, nil
}

// Scan reads a date column through database/sql.
func (d *Date) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*d = Date{}
	case time.Time:
		*d = DateOf(v)
	case string:
		return d.UnmarshalText([]byte(v))
	default:
		return fmt.Errorf("api.Date: cannot read %T", v)
	}
	return nil
}

// ScanDate reads a date column through pgx.
func (d *Date) ScanDate(v pgtype.Date) error {
	if !v.Valid {
		*d = Date{}
		return nil
	}
	*d = DateOf(v.Time)
	return nil
}

// GormDataType tells GORM the column's type.
func (Date) GormDataType() string { return "date" }
