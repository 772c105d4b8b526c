package sheet

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	// maxProblems is how many problems are named; all of them are counted.
	maxProblems = 200
	// maxKept is how many are kept until they are put in order.
	maxKept = 20_000
)

// RowError is what is wrong with a cell of a file.
type RowError struct {
	Row     int    `json:"row" doc:"As a spreadsheet numbers it: the header is row 1"`
	Column  string `json:"column" doc:"As the file spells it; empty when it is the row as a whole"`
	Message string `json:"message"`
}

// Problems are what is wrong with a file: Total counts all of it, Named has the first maxKept.
type Problems struct {
	Named []RowError
	Total int
	rows  map[int]bool
}

// Add notes a problem.
func (p *Problems) Add(row int, column, message string) {
	p.Total++
	if p.rows == nil {
		p.rows = map[int]bool{}
	}
	p.rows[row] = true
	if len(p.Named) < maxKept {
		p.Named = append(p.Named, RowError{row, column, message})
	}
}

// Addf notes a problem in formatted words.
func (p *Problems) Addf(row int, column, format string, args ...any) {
	p.Add(row, column, fmt.Sprintf(format, args...))
}

// IsBad reports whether anything is wrong with the row.
func (p *Problems) IsBad(row int) bool { return p.rows[row] }

// BadRows counts the rows that anything is wrong with.
func (p *Problems) BadRows() int { return len(p.rows) }

// Sorted are the first problems in the order of the rows, at most maxProblems.
func (p *Problems) Sorted() []RowError {
	slices.SortStableFunc(p.Named, func(a, b RowError) int { return a.Row - b.Row })
	return slices.Clone(p.Named[:min(len(p.Named), maxProblems)])
}

// ByRow is what is wrong with each row, one sentence a problem.
func (p *Problems) ByRow() map[int][]string {
	out := map[int][]string{}
	for _, e := range p.Named {
		out[e.Row] = append(out[e.Row], strings.TrimSpace(e.Column+" "+e.Message))
	}
	return out
}

// Clone is a copy to add to: checking against the database may be done again.
func (p *Problems) Clone() *Problems {
	return &Problems{Named: slices.Clone(p.Named), Total: p.Total, rows: maps.Clone(p.rows)}
}
