package roster

import (
	"errors"
	"fmt"
	"io"

	"homeroom/api"
)

// Column is one column another module's CSV file may have. Check brings a cell that is
// not empty to the form it is kept in, or says what is wrong with it.
type Column struct {
	Name  string
	Also  []string // other names people give it
	Check func(cell string) (string, error)
}

// TextCell takes text of at most so many characters.
func TextCell(most int) func(string) (string, error) { return anyText(most) }

// ReadSheet reads a CSV file as an import does, of at most so many rows. take gets each
// row that has anything in it, numbered as a spreadsheet does, its cells in the order
// of columns. What is wrong with cells is one refusal, all of it at once.
func ReadSheet(file io.Reader, most int, columns []Column, take func(row int, cells []string)) error {
	own := make([]column, len(columns))
	for i, c := range columns {
		own[i] = column{name: c.Name, also: c.Also, check: c.Check}
	}
	s, err := openSheet(file, own)
	if err != nil {
		return err
	}
	var found problems
	for {
		cells, err := s.next(&found)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if s.rows > most {
			return api.Coded(413, "", fmt.Sprintf("The file has more than %d rows", most))
		}
		take(s.row, cells)
	}
	if found.total == 0 {
		return nil
	}
	var details []api.Detail
	for _, e := range found.named {
		details = append(details, api.Detail{Field: SheetField(e.Row, e.Column), Message: e.Message})
	}
	return api.Invalid(details...)
}

// SheetField names a cell as refusals of files do: rows[5].firstName.
func SheetField(row int, column string) string {
	if column == "" {
		return fmt.Sprintf("rows[%d]", row)
	}
	return fmt.Sprintf("rows[%d].%s", row, column)
}
