package sheet

import (
	"bytes"
	"encoding/csv"
	"io"
	"strings"
)

// utf8Mark begins a file: spreadsheets take one without it for an old encoding.
const utf8Mark = "\xEF\xBB\xBF"

// NewWriter begins a file that is written row by row. Text that people have entered goes
// through Guard.
func NewWriter(w io.Writer) (*csv.Writer, error) {
	_, err := io.WriteString(w, utf8Mark)
	return csv.NewWriter(w), err
}

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

const formulaMarks = "=+-@\t\r"

// Guard keeps a spreadsheet from running a cell as a formula: an apostrophe makes it
// text. A Reader takes it off again, so that what was exported can be imported.
func Guard(text string) string {
	if text == "" {
		return text
	}
	if strings.IndexByte(formulaMarks, text[0]) >= 0 || isGuarded(text) {
		return "'" + text
	}
	return text
}

func unguard(text string) string {
	if isGuarded(text) {
		return text[1:]
	}
	return text
}

func isGuarded(text string) bool {
	return len(text) > 1 && text[0] == '\'' && strings.IndexByte(formulaMarks+"'", text[1]) >= 0
}
