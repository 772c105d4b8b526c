// Package sheet reads tables from CSV files and workbooks, as spreadsheet programs of every kind save them and offices fill
// them, and writes CSV files. It finds the header and its columns, checks cells one by one and says what is wrong with
// each; it knows nothing of schools, and what rows mean together is the caller's. Of the
// kernel it uses refusals, dates, phones and folded text.
package sheet

import (
	"fmt"
	"io"

	"homeroom/api"
)

// Column is a column that a file may have.
type Column struct {
	Name  string
	Label string   // what people call it, if that is not its name
	Also  []string // other names people give it
	// Check returns a cell that is not empty in the form it is kept in, or what is wrong with it.
	Check func(cell string) (string, error)
	Phone bool // it holds phone numbers, which are read as a country's people write them
	Date  bool // it holds days, which are read as the file writes them
}

// Read reads a file of at most so many rows. take gets each row that has anything in it,
// numbered as a spreadsheet does, its cells in the order of columns. What is wrong with
// cells is one refusal that names all of them, up to maxProblems.
func Read(file io.Reader, how Reading, columns []Column, take func(row int, cells []string)) error {
	t, err := Load(file, columns, how)
	if err != nil {
		return err
	}
	var found Problems
	t.Each(&found, func(row int, cells []string, _ map[int]bool) { take(row, cells) })
	if found.Total == 0 {
		return nil
	}
	return api.Invalid(Details(found.Sorted())...)
}

// Details are problems as a refusal's details.
func Details(problems []RowError) []api.Detail {
	var details []api.Detail
	for _, p := range problems {
		details = append(details, api.Detail{Field: Field(p.Row, p.Column), Message: p.Message})
	}
	return details
}

// Field names a cell in a refusal: rows[5].firstName.
func Field(row int, column string) string {
	if column == "" {
		return fmt.Sprintf("rows[%d]", row)
	}
	return fmt.Sprintf("rows[%d].%s", row, column)
}

func tooManyRows(most int) error {
	return api.Coded(413, "", fmt.Sprintf("The file has more than %d rows", most))
}

// BadFile refuses a file as a whole.
func BadFile(format string, args ...any) *api.Error {
	return api.InvalidField("file", "The file "+format, args...)
}
