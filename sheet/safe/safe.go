// Package safe writes CSV files that spreadsheets open as text and figures, and never run: a
// cell that begins as a formula does is made text. It knows nothing of what is in the cells.
package safe

import (
	"encoding/csv"
	"io"
	"strings"
)

const (
	// UTF8Mark begins a file: spreadsheets take one without it for an old encoding.
	UTF8Mark = "\xEF\xBB\xBF"
	// FormulaMarks begin a formula.
	FormulaMarks = "=+-@\t\r"
)

// NewWriter begins a file that is written row by row. Text that people have entered goes
// through Guard.
func NewWriter(w io.Writer) (*csv.Writer, error) {
	_, err := io.WriteString(w, UTF8Mark)
	return csv.NewWriter(w), err
}

// Guard keeps a spreadsheet from running a cell as a formula: an apostrophe makes it text.
func Guard(text string) string {
	if text == "" {
		return text
	}
	if strings.IndexByte(FormulaMarks, text[0]) >= 0 || isGuarded(text) {
		return "'" + text
	}
	return text
}

// Unguard is the text that Guard was given.
func Unguard(text string) string {
	if isGuarded(text) {
		return text[1:]
	}
	return text
}

func isGuarded(text string) bool {
	return len(text) > 1 && text[0] == '\'' && strings.IndexByte(FormulaMarks+"'", text[1]) >= 0
}
