package roster

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"unicode/utf8"

	"homeroom/api"
)

const (
	// maxRows is how many rows one file may have.
	maxRows = 100_000
	// maxColumns is how many columns, those that are not read included.
	maxColumns = 200
	// maxHeader is how many bytes the name of one may have.
	maxHeader = 200
)

// column is one column a file may have. check brings a cell that is not empty to the
// form the database keeps, or says what is wrong with it.
type column struct {
	name  string
	also  []string // other names people give it
	check func(cell string) (string, error)
}

// sheet reads a CSV file row by row, in the order of its own columns whatever the
// file's is. Spreadsheet programs differ: a byte order mark, CRLF, semicolons or tabs,
// and headers in any case, with spaces or underscores, are all read.
type sheet struct {
	csv     *csv.Reader
	sum     hash.Hash
	columns []column
	at      []int    // the column each cell of the file belongs to; -1 is unknown
	header  []string // as the file spells it
	unknown []string
	row     int // the present one, as a spreadsheet numbers it: the header is row 1
	rows    int // that were read after the header
	line    int // the present row's last
}

// openSheet reads the header.
func openSheet(file io.Reader, columns []column) (*sheet, error) {
	s := &sheet{columns: columns, sum: sha256.New()}
	in := bufio.NewReaderSize(io.TeeReader(file, s.sum), 64<<10)
	start, err := in.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(start, []byte{0xFF, 0xFE}), bytes.HasPrefix(start, []byte{0xFE, 0xFF}):
		return nil, badFile("is UTF-16: save it as CSV UTF-8")
	case bytes.HasPrefix(start, []byte("PK\x03\x04")):
		return nil, badFile("is a workbook: save it as CSV UTF-8")
	case bytes.HasPrefix(start, []byte{0xEF, 0xBB, 0xBF}):
		_, _ = in.Discard(3)
		start = start[3:]
	}
	s.csv = csv.NewReader(in)
	s.csv.FieldsPerRecord = -1
	s.csv.ReuseRecord = true
	s.csv.Comma = separator(start)
	header, err := s.read()
	if errors.Is(err, io.EOF) {
		return nil, badFile("is empty")
	}
	if err != nil {
		return nil, err
	}
	return s, s.name(header)
}

func badFile(format string, args ...any) *api.Error {
	return api.InvalidField("file", "The file "+format, args...)
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

// name finds out which column each cell is. The same one twice could only be guessed at.
func (s *sheet) name(header []string) error {
	known := map[string]int{}
	for i, c := range s.columns {
		for _, n := range append([]string{c.name}, c.also...) {
			known[squeeze(n)] = i
		}
	}
	if len(header) > maxColumns {
		return badFile("has more than %d columns", maxColumns)
	}
	seen := map[int]string{}
	for n, spelt := range header {
		if spelt = strings.Clone(strings.TrimSpace(spelt)); len(spelt) > maxHeader {
			return badFile("has a name of more than %d bytes for column %d", maxHeader, n+1)
		}
		if !utf8.ValidString(spelt) {
			return badFile("is not UTF-8: save it as CSV UTF-8")
		}
		i, ok := known[squeeze(spelt)]
		if !ok {
			i = -1
			if spelt != "" {
				s.unknown = append(s.unknown, spelt)
			}
		} else if other, twice := seen[i]; twice {
			return badFile("has the column %s twice: %q and %q", s.columns[i].name, other, spelt)
		} else {
			seen[i] = spelt
		}
		s.at, s.header = append(s.at, i), append(s.header, spelt)
	}
	if len(seen) == 0 {
		return badFile("has no column that is known: its first row must be a header like %s", columnNames(s.columns))
	}
	return nil
}

func columnNames(columns []column) string {
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}

// squeeze is a header without what people write differently.
func squeeze(header string) string {
	return strings.NewReplacer(" ", "", "_", "", "-", "", ".", "", "*", "", "/", "").Replace(api.Fold(header))
}

// next reads the next row that has anything in it, by the sheet's columns. What is
// wrong with its cells is noted in found, and the cell is left empty.
func (s *sheet) next(found *problems) (cells []string, err error) {
	for {
		raw, err := s.read()
		if err != nil {
			return nil, err
		}
		if s.rows++; s.rows > maxRows {
			return nil, api.Coded(413, "", fmt.Sprintf("The file has more than %d rows", maxRows))
		}
		if cells := s.check(raw, found); cells != nil {
			return cells, nil
		}
	}
}

func (s *sheet) check(raw []string, found *problems) []string {
	var cells []string
	for n, text := range raw {
		text = clean(text)
		if text == "" {
			continue
		}
		if cells == nil {
			cells = make([]string, len(s.columns))
		}
		if n >= len(s.at) {
			found.add(s.row, "", "the row has more cells than the header")
			break
		}
		if s.at[n] < 0 {
			continue
		}
		kept, err := s.columns[s.at[n]].read(text)
		if err != nil {
			found.add(s.row, s.header[n], err.Error())
		}
		cells[s.at[n]] = kept
	}
	return cells
}

func (c *column) read(text string) (string, error) {
	switch {
	case !utf8.ValidString(text):
		return "", errors.New("is not UTF-8: save the file as CSV UTF-8")
	case strings.ContainsRune(text, 0):
		return "", errors.New("must not contain the NUL character")
	case text[0] == '=' || text[0] == '@':
		return "", errors.New("is a formula: put its value there, or an apostrophe before it if it is meant as text")
	}
	return c.check(unguard(text))
}

// read reads a row of the file and explains one that cannot be read: nothing after it
// can be trusted.
func (s *sheet) read() ([]string, error) {
	raw, err := s.csv.Read()
	if err == nil {
		s.count(raw)
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
	return nil, badFile("cannot be read: row %d, on line %d, %s", s.row+broken.StartLine-s.line, broken.StartLine, what)
}

// count numbers the row that was read. Empty lines are rows of a spreadsheet, and a
// cell may be several lines long.
func (s *sheet) count(raw []string) {
	first, _ := s.csv.FieldPos(0)
	s.row += first - s.line
	s.line = first
	for _, cell := range raw {
		s.line += strings.Count(cell, "\n")
	}
}
