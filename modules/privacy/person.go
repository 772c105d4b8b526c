package privacy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/tenancy"
)

// person is the student, guardian or employee that a request is about.
type person struct {
	ID        uuid.UUID
	UserID    *uuid.UUID
	FirstName string
	LastName  string
	Number    string
	Phone     string
	Email     string
	Status    string
	ErasedAt  *time.Time
}

// read finds somebody, also one who was removed; lock keeps them as they are until the
// transaction ends.
func (k kind) read(c api.Ctx, id uuid.UUID, lock bool) (person, error) {
	sql := k.find
	if lock {
		sql += " for update"
	}
	var found []person
	if err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: sql, Args: []any{id}, Scan: tenancy.Collect(&found)}); err != nil {
		return person{}, fmt.Errorf("reading a %s: %w", k.table, err)
	}
	if len(found) == 0 {
		return person{}, k.missing()
	}
	return found[0], nil
}

func (k kind) missing() error {
	if k.table == student.table {
		return api.Coded(404, "STUDENT_NOT_FOUND", "Student not found")
	}
	return api.NotFound(k.table)
}

// traces are what a person is found by.
type traces struct {
	IDs       []uuid.UUID `json:"ids"` // of the record, and of the account
	FirstName string      `json:"firstName"`
	LastName  string      `json:"lastName"`
	Addresses []string    `json:"addresses"` // phone and e-mail, if nobody else has them
	records   []string    // ids of the rows that are theirs
}

// traces finds what the person's rows in the school are found by.
func (p person) traces(c api.Ctx, s plan) (traces, error) {
	t := traces{IDs: []uuid.UUID{p.ID}, FirstName: p.FirstName, LastName: p.LastName}
	if p.UserID != nil {
		t.IDs = append(t.IDs, *p.UserID)
	}
	all := []string{strings.ToLower(p.Phone), strings.ToLower(p.Email)}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: s.unshared, Args: []any{pgx.NamedArgs{"all": all, "ids": t.IDs}},
		Scan: tenancy.Values(&t.Addresses)})
	if err != nil {
		return t, fmt.Errorf("looking who shares an address: %w", err)
	}
	for _, sql := range []string{s.records, s.files} {
		var found []string
		if err := tenancy.Pipeline(c.DB, patiently, tenancy.Query{SQL: sql, Args: []any{t.args()}, Scan: tenancy.One(&found)}); err != nil {
			return t, fmt.Errorf("looking for a person's records: %w", err)
		}
		t.records = append(t.records, found...)
	}
	return t, nil
}

// args are the values that every statement of a plan may name.
func (t traces) args() pgx.NamedArgs {
	marks := slices.Clone(t.Addresses)
	for _, id := range t.IDs {
		marks = append(marks, id.String())
	}
	pattern := t.pattern()
	needle := []string{pattern}
	for _, id := range t.IDs {
		needle = append(needle, id.String())
	}
	return pgx.NamedArgs{"ids": t.IDs, "addresses": slices.Concat([]string{}, t.Addresses), "records": slices.Concat([]string{}, t.records),
		"marks":   marks,
		"pattern": pattern, "needle": strings.Join(needle, "|")}
}

const (
	apart   = `[^[:alnum:]]+` // between the parts of a name
	nothing = `\Z.`           // matches nothing
)

// pattern is a regular expression of Postgres that finds the person in what people
// write: their whole name, in either order, their phone and their e-mail. A single name
// is not looked for: it would be found in what is written of others.
func (t traces) pattern() string {
	var either []string
	first, last := nameParts(t.FirstName), nameParts(t.LastName)
	if parts := slices.Concat(first, last); len(parts) > 1 && len(strings.Join(parts, "")) >= 5 {
		either = append(either, strings.Join(parts, apart), strings.Join(slices.Concat(last, first), apart))
	}
	for _, a := range t.Addresses {
		if strings.Contains(a, "@") {
			either = append(either, regexp.QuoteMeta(a))
			continue
		}
		digits := strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, a)
		// As it is stored, and as people write it within the country.
		for _, number := range []string{digits, digits[max(0, len(digits)-10):]} {
			if len(number) >= 7 {
				either = append(either, `[+0]?`+strings.Join(strings.Split(number, ""), `[-. ()]*`))
			}
		}
	}
	if either == nil {
		return nothing
	}
	return `(?<![[:alnum:]])(?:` + strings.Join(either, "|") + `)(?![[:alnum:]])`
}

// nameParts are the words of a name: letters, with the marks that belong to them, and digits.
func nameParts(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) })
}
