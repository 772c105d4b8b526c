package roster

import "fmt"

// maxProblems is how many problems an answer names; it always says how many there are.
const maxProblems = 200

// RowError is what is wrong with a cell of a file.
type RowError struct {
	Row     int    `json:"row" doc:"As a spreadsheet numbers it: the header is row 1"`
	Column  string `json:"column" doc:"As the file spells it; empty when it is the row as a whole"`
	Message string `json:"message"`
}

// problems gathers what is wrong with a file: all of it is counted, the first part named.
type problems struct {
	named []RowError
	total int
	rows  map[int]bool
}

func (p *problems) add(row int, column, message string) {
	p.total++
	if p.rows == nil {
		p.rows = map[int]bool{}
	}
	p.rows[row] = true
	if len(p.named) < maxProblems {
		p.named = append(p.named, RowError{row, column, message})
	}
}

func (p *problems) addf(row int, column, format string, args ...any) {
	p.add(row, column, fmt.Sprintf(format, args...))
}

// bad reports whether anything is wrong with the row.
func (p *problems) bad(row int) bool { return p.rows[row] }

// and is a copy to add to: checking against the database may be done again.
func (p *problems) and() *problems {
	out := &problems{named: append([]RowError(nil), p.named...), total: p.total, rows: map[int]bool{}}
	for r := range p.rows {
		out.rows[r] = true
	}
	return out
}
