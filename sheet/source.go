package sheet

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"homeroom/sheet/safe"
)

const (
	// headerWithin is how many rows from the top are searched for the header: offices put titles above it.
	headerWithin = 30
	// maxUnzipped is how large a workbook may be once it is unpacked.
	maxUnzipped = 256 << 20
	// mostCells and mostText are how much of a workbook is read, in bytes of text: a cell in the last column makes its row 16,384
	// cells long, and many cells may name one text, of which each has a copy. No text may be longer than maxText.
	mostCells = 50_000_000
	mostText  = 128 << 20
	maxText   = 16 << 10
	// lastRow is the last that a spreadsheet has.
	lastRow = 1 << 20
)

// source gives a file's rows one by one, numbered as a spreadsheet does; the end is io.EOF.
type source interface {
	next() (cells []string, row int, err error)
}

// openSource finds out what the file is. score says how much a row looks like a header.
func openSource(file io.Reader, score func(cells []string) int, is *Understood) (source, error) {
	in := bufio.NewReaderSize(file, 64<<10)
	start, err := in.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	is.Format, is.Encoding = "CSV", "UTF-8"
	utf16 := func(order unicode.Endianness) io.Reader {
		is.Encoding = "UTF-16"
		return unicode.UTF16(order, unicode.UseBOM).NewDecoder().Reader(in)
	}
	var text io.Reader
	switch {
	case bytes.HasPrefix(start, []byte("PK\x03\x04")):
		is.Format, is.Encoding = "XLSX", ""
		return openBook(in, score, is)
	case bytes.HasPrefix(start, []byte("\xD0\xCF\x11\xE0")):
		return nil, BadFile("is an .xls workbook or has a password: save it as .xlsx without one")
	case bytes.HasPrefix(start, []byte(safe.UTF8Mark)):
		_, _ = in.Discard(len(safe.UTF8Mark))
		text = &mixedText{in: in, is: is}
	case bytes.HasPrefix(start, []byte{0xFF, 0xFE}), len(start) > 3 && start[1] == 0 && start[3] == 0 && start[0] != 0:
		text = utf16(unicode.LittleEndian)
	case bytes.HasPrefix(start, []byte{0xFE, 0xFF}), len(start) > 3 && start[0] == 0 && start[2] == 0 && start[1] != 0:
		text = utf16(unicode.BigEndian)
	default:
		text = &mixedText{in: in, is: is}
	}
	return openDelimited(text, score, is)
}

// mixedText reads UTF-8; bytes that are none are Windows-1252, as spreadsheet programs save "CSV".
type mixedText struct {
	in   *bufio.Reader
	is   *Understood
	rune [utf8.UTFMax]byte
	left []byte // of rune: what there was no room for
}

func (t *mixedText) Read(p []byte) (n int, err error) {
	n = copy(p, t.left)
	t.left = t.left[n:]
	for n < len(p) {
		r, size, err := t.in.ReadRune()
		if err != nil {
			if n > 0 {
				return n, nil // the error comes again
			}
			return 0, err
		}
		if r == utf8.RuneError && size == 1 {
			_ = t.in.UnreadRune()
			b, _ := t.in.ReadByte()
			r, t.is.Encoding = charmap.Windows1252.DecodeByte(b), "WINDOWS-1252"
		}
		size = utf8.EncodeRune(t.rune[:], r)
		taken := copy(p[n:], t.rune[:size])
		n, t.left = n+taken, t.rune[taken:size]
	}
	return n, nil
}

// delimited is a text with a row on each line.
type delimited struct {
	csv  *csv.Reader
	row  int // the present one: the first line is row 1
	line int // the present row's last
}

func openDelimited(text io.Reader, score func([]string) int, is *Understood) (source, error) {
	in := bufio.NewReaderSize(text, 64<<10)
	start, err := in.Peek(16 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	d := &delimited{}
	comma := rune(0)
	if line, _, _ := bytes.Cut(start, []byte("\n")); len(line) >= 5 && strings.EqualFold(string(line[:4]), "sep=") {
		// Excel's own line, which it does not show
		comma, _ = utf8.DecodeRune(line[4:])
		if len(bytes.TrimRight(line[4:], "\r")) == 0 || comma == '\r' || comma == '"' || comma == utf8.RuneError {
			comma = 0
		}
		n, _ := in.Discard(min(len(line)+1, len(start)))
		start = start[n:]
	}
	if comma == 0 {
		comma = separator(start, score)
	}
	is.Separator = string(comma)
	d.csv = csv.NewReader(in)
	d.csv.FieldsPerRecord = -1
	d.csv.Comma = comma
	return d, nil
}

// separator is the mark that makes the best header of a row near the top; without any, the one the first line has most of.
func separator(start []byte, score func([]string) int) rune {
	line, _, _ := bytes.Cut(start, []byte("\n"))
	best, most, cells := ',', 0, bytes.Count(line, []byte(","))
	for _, mark := range ",;\t|" {
		r := csv.NewReader(bytes.NewReader(start))
		r.Comma, r.FieldsPerRecord, r.LazyQuotes = mark, -1, true
		for range headerWithin {
			row, err := r.Read()
			if err != nil {
				break
			}
			if n := score(row); n > most {
				best, most = mark, n
			}
		}
		if n := bytes.Count(line, []byte(string(mark))); most == 0 && n > cells {
			best, cells = mark, n
		}
	}
	return best
}

// next explains a row that cannot be read: nothing after it can be trusted.
func (d *delimited) next() ([]string, int, error) {
	raw, err := d.csv.Read()
	if err == nil {
		// Empty lines are rows of a spreadsheet, and a cell may be several lines long.
		first, _ := d.csv.FieldPos(0)
		d.row += first - d.line
		d.line = first
		for _, cell := range raw {
			d.line += strings.Count(cell, "\n")
		}
		return raw, d.row, nil
	}
	var broken *csv.ParseError
	if !errors.As(err, &broken) {
		return nil, 0, err
	}
	what := "has a quote in the middle of a cell"
	if errors.Is(broken.Err, csv.ErrQuote) {
		what = "opens a quote that is never closed, or goes on after one"
	}
	return nil, 0, BadFile("cannot be read: row %d, on line %d, %s", d.row+broken.StartLine-d.line, broken.StartLine, what)
}

// book is a sheet of a workbook. Its cells are as they are kept, not as they are shown: a date is a number of days.
type book struct {
	file  *excelize.File
	rows  *excelize.Rows
	row   int
	days  int // to add to dates: some workbooks count from 1904
	cells int // read so far, of all sheets
	text  int // of them, in bytes
}

func openBook(in io.Reader, score func([]string) int, is *Understood) (source, error) {
	body, err := io.ReadAll(in) // an upload is bounded
	if err != nil {
		return nil, err
	}
	if err := checkTexts(body); err != nil {
		return nil, err
	}
	file, err := excelize.OpenReader(bytes.NewReader(body), excelize.Options{RawCellValue: true, UnzipSizeLimit: maxUnzipped,
		UnzipXMLSizeLimit: 16 << 20})
	if err != nil {
		return nil, unreadableBook(err)
	}
	b := &book{file: file}
	if props, err := file.GetWorkbookProps(); err == nil && props.Date1904 != nil && *props.Date1904 {
		b.days = 1462
	}
	best := -1
	for _, name := range file.GetSheetList() {
		if visible, err := file.GetSheetVisible(name); err != nil || !visible {
			continue
		}
		most := 0
		if err := b.open(name); err != nil {
			continue // a chart
		}
		for range headerWithin {
			cells, _, err := b.next()
			if err != nil {
				break
			}
			most = max(most, score(cells))
		}
		_ = b.rows.Close()
		if most > best {
			best, is.Sheet = most, name
		}
	}
	if best < 0 {
		_ = file.Close()
		return nil, BadFile("is a workbook without a sheet")
	}
	is.days = b.days
	if err := b.open(is.Sheet); err != nil {
		return nil, unreadableBook(err)
	}
	return b, nil
}

// checkTexts refuses a workbook whose cells share a text that is longer than maxText: a row with many of them would fill the memory
// before it could be counted.
func checkTexts(body []byte) error {
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return unreadableBook(err)
	}
	for _, f := range archive.File {
		if !strings.EqualFold(path.Base(strings.ReplaceAll(f.Name, `\`, "/")), "sharedStrings.xml") {
			continue
		}
		part, err := f.Open()
		if err != nil {
			return unreadableBook(err)
		}
		err = checkShared(io.LimitReader(part, maxUnzipped))
		_ = part.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// checkShared reads shared texts: each is a child of the root, its own words somewhere in it.
func checkShared(part io.Reader) error {
	in := xml.NewDecoder(part)
	for depth, length := 0, 0; ; {
		token, err := in.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return unreadableBook(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			if depth--; depth == 1 {
				length = 0
			}
		case xml.CharData:
			if length += len(token); depth > 1 && length > maxText {
				return BadFile("has a longer text than %d kB in a cell: shorten it", maxText>>10)
			}
		}
	}
}

func unreadableBook(err error) error {
	return BadFile("is a workbook that cannot be read: save it as .xlsx again, or as CSV UTF-8").Because(err)
}

func (b *book) open(name string) (err error) {
	b.row = 0
	b.rows, err = b.file.Rows(name)
	return err
}

// power is a large number as workbooks keep it.
var power = regexp.MustCompile(`^[0-9](\.[0-9]+)?E\+?[0-9]{1,2}$`)

func (b *book) next() ([]string, int, error) {
	for b.rows.Next() {
		if b.row++; b.row > lastRow {
			return nil, 0, BadFile("has more rows than a sheet can have")
		}
		cells, err := b.rows.Columns()
		if err != nil {
			return nil, 0, unreadableBook(err)
		}
		if err := b.count(cells); err != nil {
			return nil, 0, err
		}
		if len(cells) == 0 {
			continue
		}
		for i, cell := range cells {
			if power.MatchString(cell) {
				if f, err := strconv.ParseFloat(cell, 64); err == nil {
					cells[i] = strconv.FormatFloat(f, 'f', -1, 64)
				}
			}
		}
		return cells, b.row, nil
	}
	if err := b.rows.Error(); err != nil {
		return nil, 0, unreadableBook(err)
	}
	return nil, 0, io.EOF
}

// count refuses a workbook that becomes too much when it is read.
func (b *book) count(cells []string) error {
	b.cells += len(cells)
	for _, cell := range cells {
		b.text += len(cell)
	}
	switch {
	case b.cells > mostCells:
		return BadFile("has more cells than can be read: delete what is far to the right of its table")
	case b.text > mostText:
		return BadFile("has more text than can be read: divide it")
	}
	return nil
}

func (b *book) close() {
	_ = b.rows.Close()
	_ = b.file.Close()
}

// Charset reads the encodings that XML of timetable programs comes in.
func Charset(name string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(name) {
	case "utf-8", "":
		return in, nil
	case "windows-1252", "iso-8859-1":
		return charmap.Windows1252.NewDecoder().Reader(in), nil
	case "windows-1250":
		return charmap.Windows1250.NewDecoder().Reader(in), nil
	case "windows-1251":
		return charmap.Windows1251.NewDecoder().Reader(in), nil
	case "windows-1256":
		return charmap.Windows1256.NewDecoder().Reader(in), nil
	}
	return nil, BadFile("is XML in an encoding that is not known: save it as UTF-8")
}
