package sheet

import (
	"fmt"
	"maps"
	"slices"
)

// maxProblems is how many problems are named; all of them are counted.
const maxProblems = 200

// RowError is what is wrong with a cell of a file.
type RowError struct {
	Row     int    `json:"row" doc:"As a spreadsheet numbers it: the header is row 1"`
	Column  string `json:"column" doc:"As the file spells it; empty when it is the row as a whole"`
	Message string `json:"message"`
}

// Problems are what is wrong with a file: Total counts all of it, Named has the first part.
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
	if len(p.Named) < maxProblems {
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

// Clone is a copy to add to: checking against the database may be done again.
func (p *Problems) Clone() *Problems {
	return &Problems{Named: slices.Clone(p.Named), Total: p.Total, rows: maps.Clone(p.rows)}
}
