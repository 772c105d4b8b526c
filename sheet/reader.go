package sheet

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"strings"
	"unicode/utf8"

	"homeroom/api"
	"homeroom/sheet/safe"
)

const (
	// maxRows is how many rows one file may have.
	maxRows = 100_000
	// maxColumns is how many columns, those that are not read included.
	maxColumns = 200
	// maxHeader is how many bytes the name of one may have.
	maxHeader = 200
)

// Reader reads a CSV file row by row, each in the order of its own columns, not the file's.
// Spreadsheet programs differ: a byte order mark, CRLF, semicolons or tabs, and headers in
// any case, with spaces or underscores, are all read.
type Reader struct {
	csv     *csv.Reader
	sum     hash.Hash
	columns []Column
	at      []int    // the column each cell of the file belongs to; -1 is unknown
	header  []string // as the file spells it
	unknown []string
	row     int // the present one, as a spreadsheet numbers it: the header is row 1
	rows    int // that were read after the header
	line    int // the present row's last
}

// Open reads the header.
func Open(file io.Reader, columns []Column) (*Reader, error) {
	r := &Reader{columns: columns, sum: sha256.New()}
	in := bufio.NewReaderSize(io.TeeReader(file, r.sum), 64<<10)
	start, err := in.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(start, []byte{0xFF, 0xFE}), bytes.HasPrefix(start, []byte{0xFE, 0xFF}):
		return nil, BadFile("is UTF-16: save it as CSV UTF-8")
	case bytes.HasPrefix(start, []byte("PK\x03\x04")):
		return nil, BadFile("is a workbook: save it as CSV UTF-8")
	case bytes.HasPrefix(start, []byte(safe.UTF8Mark)):
		_, _ = in.Discard(len(safe.UTF8Mark))
		start = start[len(safe.UTF8Mark):]
	}
	r.csv = csv.NewReader(in)
	r.csv.FieldsPerRecord = -1
	r.csv.ReuseRecord = true
	r.csv.Comma = separator(start)
	header, err := r.read()
	if errors.Is(err, io.EOF) {
		return nil, BadFile("is empty")
	}
	if err != nil {
		return nil, err
	}
	return r, r.name(header)
}

// separator is the mark the header uses most.
func separator(start []byte) rune {
	line, _, _ := bytes.Cut(start, []byte("\n"))
	best := ','
	for _, mark := range ";\t" {
		if bytes.Count(line, []byte(string(mark))) > bytes.Count(line, []byte(string(best))) {
			best = mark
		}
	}
	return best
}

// name finds the column of each cell. The same column twice is refused: which of the two is
// meant could only be guessed.
func (r *Reader) name(header []string) error {
	known := map[string]int{}
	for i, c := range r.columns {
		for _, n := range append([]string{c.Name}, c.Also...) {
			known[squeeze(n)] = i
		}
	}
	if len(header) > maxColumns {
		return BadFile("has more than %d columns", maxColumns)
	}
	seen := map[int]string{}
	for n, spelt := range header {
		if spelt = strings.Clone(strings.TrimSpace(spelt)); len(spelt) > maxHeader {
			return BadFile("has a name of more than %d bytes for column %d", maxHeader, n+1)
		}
		if !utf8.ValidString(spelt) {
			return BadFile("is not UTF-8: save it as CSV UTF-8")
		}
		i, ok := known[squeeze(spelt)]
		if !ok {
			i = -1
			if spelt != "" {
				r.unknown = append(r.unknown, spelt)
			}
		} else if other, twice := seen[i]; twice {
			return BadFile("has the column %s twice: %q and %q", r.columns[i].Name, other, spelt)
		} else {
			seen[i] = spelt
		}
		r.at, r.header = append(r.at, i), append(r.header, spelt)
	}
	if len(seen) == 0 {
		return BadFile("has no column that is known: its first row must be a header like %s", columnNames(r.columns))
	}
	return nil
}

// Row is the number of the row that was read last.
func (r *Reader) Row() int { return r.row }

// Unknown are the file's columns that are not read, as it spells them.
func (r *Reader) Unknown() []string { return r.unknown }

// Checksum is of all that was read.
func (r *Reader) Checksum() string { return hex.EncodeToString(r.sum.Sum(nil)) }

func columnNames(columns []Column) string {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

// squeeze is a header without what people write differently.
func squeeze(header string) string {
	return strings.NewReplacer(" ", "", "_", "", "-", "", ".", "", "*", "", "/", "").Replace(api.Fold(header))
}

// Next reads the next row that has anything in it, by the reader's columns. What is
// wrong with its cells is noted in found, and the cell is left empty. The end is io.EOF.
func (r *Reader) Next(found *Problems) (cells []string, err error) {
	for {
		raw, err := r.read()
		if err != nil {
			return nil, err
		}
		if r.rows++; r.rows > maxRows {
			return nil, tooManyRows(maxRows)
		}
		if cells := r.check(raw, found); cells != nil {
			return cells, nil
		}
	}
}

func (r *Reader) check(raw []string, found *Problems) []string {
	var cells []string
	for n, text := range raw {
		text = Clean(text)
		if text == "" {
			continue
		}
		if cells == nil {
			cells = make([]string, len(r.columns))
		}
		if n >= len(r.at) {
			found.Add(r.row, "", "the row has more cells than the header")
			break
		}
		if r.at[n] < 0 {
			continue
		}
		kept, err := r.columns[r.at[n]].read(text)
		if err != nil {
			found.Add(r.row, r.header[n], err.Error())
		}
		cells[r.at[n]] = kept
	}
	return cells
}

func (c *Column) read(text string) (string, error) {
	switch {
	case !utf8.ValidString(text):
		return "", errors.New("is not UTF-8: save the file as CSV UTF-8")
	case strings.ContainsRune(text, 0):
		return "", errors.New("must not contain the NUL character")
	case text[0] == '=' || text[0] == '@':
		return "", errors.New("is a formula: put its value there, or an apostrophe before it if it is meant as text")
	}
	return c.Check(safe.Unguard(text))
}

// read reads a row of the file and explains one that cannot be read: nothing after it
// can be trusted.
func (r *Reader) read() ([]string, error) {
	raw, err := r.csv.Read()
	if err == nil {
		r.count(raw)
		return raw, nil
	}
	var broken *csv.ParseError
	if !errors.As(err, &broken) {
		return nil, err
	}
	what := "has a quote in the middle of a cell"
	if errors.Is(broken.Err, csv.ErrQuote) {
		what = "opens a quote that is never closed, or goes on after one"
	}
	return nil, BadFile("cannot be read: row %d, on line %d, %s", r.row+broken.StartLine-r.line, broken.StartLine, what)
}

// count numbers the row that was read. Empty lines are rows of a spreadsheet, and a
// cell may be several lines long.
func (r *Reader) count(raw []string) {
	first, _ := r.csv.FieldPos(0)
	r.row += first - r.line
	r.line = first
	for _, cell := range raw {
		r.line += strings.Count(cell, "\n")
	}
}
