package sheet

import (
	"bytes"
	"encoding/csv"
	"io"

	"homeroom/sheet/safe"
)

// NewWriter begins a file that is written row by row. Text that people have entered goes
// through Guard.
func NewWriter(w io.Writer) (*csv.Writer, error) { return safe.NewWriter(w) }

// Guard keeps a spreadsheet from running a cell as a formula. A Reader takes it off again, so
// that what was exported can be imported.
func Guard(text string) string { return safe.Guard(text) }

// Bytes is a whole file.
func Bytes(rows [][]string) ([]byte, error) {
	var body bytes.Buffer
	out, err := NewWriter(&body)
	if err != nil {
		return nil, err
	}
	err = out.WriteAll(rows)
	return body.Bytes(), err
}
