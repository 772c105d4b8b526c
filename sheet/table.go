package sheet

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
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
	// samples is how many values of a column are shown.
	samples = 3
)

// WhatToChange is the column of a file of bad rows that says what is wrong with them. It is never read.
const WhatToChange = "What to change"

// Reading says how a file is to be read. The zero value reads it by the columns' own names.
type Reading struct {
	Region     string            // whose people write phones without the country's code
	School     Order             // how the school writes dates; empty: not known
	Order      Order             // how the file does, if somebody said so
	Mapping    map[string]string // header to column, as somebody said; an empty column leaves the header's out
	Remembered map[string]string // the same, of an earlier file
	Most       int               // rows; maxRows unless given
	OnRow      func()
}

// In reads phones and dates as the people of a region write them.
func In(region string) Reading {
	r := Reading{Region: region}
	if region != "" {
		r.School = OrderOf(region)
	}
	return r
}

// AtMost reads no file of more rows.
func (r Reading) AtMost(rows int) Reading {
	r.Most = rows
	return r
}

// Understood is what was found out about a file.
type Understood struct {
	Format         string `json:"format" enum:"CSV,XLSX," doc:"Empty before the file was read"`
	Encoding       string `json:"encoding" enum:"UTF-8,UTF-16,WINDOWS-1252," doc:"Of a CSV file"`
	Separator      string `json:"separator" doc:"Of a CSV file's cells"`
	Sheet          string `json:"sheet" doc:"Of a workbook"`
	HeaderRow      int    `json:"headerRow"`
	DateOrder      string `json:"dateOrder" enum:"DMY,MDY," doc:"How dates of three numbers are read; empty: there are none, or it must be said"`
	DateOrderBy    string `json:"dateOrderBy" enum:"REQUEST,FILE,SCHOOL," doc:"Who says so: the request, dates of the file that can only be read one way, or the school's country"`
	AmbiguousDates int    `json:"ambiguousDates" doc:"How many dates could be read the other way"`

	days int
}

// FileColumn is a column of the file and where its cells go.
type FileColumn struct {
	Header  string   `json:"header" doc:"As the file spells it; (column 7) for one without a name"`
	Column  string   `json:"column" doc:"The column its cells are read as; empty: they are left out"`
	By      string   `json:"matchedBy" enum:"NAME,SYNONYM,REMEMBERED,REQUEST,NONE" doc:"Why: it has the column's name or another one for it, an earlier file had it, the request says so; NONE: nobody knows it"`
	Samples []string `json:"samples" doc:"The first values"`
	Filled  int      `json:"filled" doc:"Rows that have a value"`
}

// Table is a whole file: its rows as they were written, by columns that are known.
type Table struct {
	Understood Understood
	Columns    []FileColumn
	columns    []Column
	at         []int // the column each cell of the file belongs to; -1 is none
	rows       []rawRow
	checksum   string
}

type rawRow struct {
	row   int
	cells []string
}

// Load reads a file to its end: CSV of any usual encoding and separator, or a workbook. The header is the row near the top
// that has most names it knows.
func Load(file io.Reader, columns []Column, how Reading) (*Table, error) {
	t := &Table{columns: columns}
	sum := sha256.New()
	all := io.TeeReader(file, sum)
	names := newNames(columns, how)
	in, err := openSource(all, names.score, &t.Understood)
	if err != nil {
		return nil, err
	}
	if b, is := in.(*book); is {
		defer b.close()
	}
	if err := t.read(in, names, how); err != nil {
		return nil, err
	}
	if _, err := io.Copy(io.Discard, all); err != nil {
		return nil, err
	}
	t.checksum = hex.EncodeToString(sum.Sum(nil))
	t.writeDates()
	t.describe()
	t.orderDates(how)
	t.columns = slices.Clone(columns)
	for i := range t.columns {
		if c := &t.columns[i]; c.Phone {
			c.Check = func(cell string) (string, error) {
				p, err := api.ParsePhoneIn(how.Region, asciiDigits(cell))
				return string(p), err
			}
		} else if c.Date {
			c.Check = t.checkDate
		}
	}
	return t, nil
}

func (t *Table) read(in source, names *names, how Reading) error {
	var top []rawRow
	var err error
	for len(top) < headerWithin && err == nil {
		var r rawRow
		if r.cells, r.row, err = in.next(); err == nil {
			top = append(top, r)
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if len(top) == 0 {
		return BadFile("is empty")
	}
	head, best := 0, 0
	for i, r := range top {
		if n := names.score(r.cells); n > best {
			head, best = i, n
		}
	}
	t.Understood.HeaderRow = top[head].row
	if err := t.name(top[head].cells, names, how); err != nil {
		return err
	}
	most := how.Most
	if most == 0 {
		most = maxRows
	}
	for i := head + 1; ; i++ {
		var r rawRow
		if i < len(top) {
			r = top[i]
		} else if r.cells, r.row, err = in.next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		r.cells = cut(r.cells, len(t.at))
		blank := true
		for n, cell := range r.cells {
			r.cells[n] = Clean(cell)
			blank = blank && r.cells[n] == ""
		}
		if blank {
			continue
		}
		if len(t.rows) == most {
			return tooManyRows(most)
		}
		t.rows = append(t.rows, r)
		if how.OnRow != nil {
			how.OnRow()
		}
	}
}

// cut is a row without the cells behind the header, but for the first that has anything: it is a fault of the row, and said of it. A
// row that was much longer is not kept as a part of itself.
func cut(cells []string, width int) []string {
	if len(cells) <= width {
		return cells
	}
	kept := slices.Clone(cells[:width])
	if i := slices.IndexFunc(cells[width:], func(cell string) bool { return Clean(cell) != "" }); i >= 0 {
		kept = append(kept, cells[width+i])
	}
	return kept
}

// writeDates shows a workbook's dates, which are numbers of days, as days.
func (t *Table) writeDates() {
	if t.Understood.Format != "XLSX" {
		return
	}
	for _, r := range t.rows {
		for n, cell := range r.cells {
			if n >= len(t.at) || t.at[n] < 0 || !t.columns[t.at[n]].Date || !allDigits(strings.Replace(cell, ".", "", 1)) {
				continue
			}
			if d, err := readDate(cell, t.Understood.days); err == nil && !d.either {
				if day, err := d.in(""); err == nil {
					r.cells[n] = day.String()
				}
			}
		}
	}
}

// describe counts and samples what the columns hold.
func (t *Table) describe() {
	for _, r := range t.rows {
		for n, cell := range r.cells {
			if n < len(t.Columns) && cell != "" {
				c := &t.Columns[n]
				if c.Filled++; len(c.Samples) < samples && !slices.Contains(c.Samples, cell) {
					c.Samples = append(c.Samples, clip(cell))
				}
			}
		}
	}
}

// clip is the beginning of a long text, and text without what cannot be shown.
func clip(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
	if utf8.RuneCountInString(text) > 80 {
		return string([]rune(text)[:80]) + "…"
	}
	return text
}

// orderDates decides whether the day or the month comes first: as somebody said, as the file's own dates show, or as the
// school writes them. A file that has both kinds must be asked about.
func (t *Table) orderDates(how Reading) {
	day, month, either := 0, 0, 0
	for _, r := range t.rows {
		for n, cell := range r.cells {
			if n >= len(t.at) || t.at[n] < 0 || !t.columns[t.at[n]].Date || cell == "" {
				continue
			}
			switch d, err := readDate(safe.Unguard(cell), t.Understood.days); {
			case err != nil || !d.either || d.a == d.b:
			case d.a > 12:
				day++
			case d.b > 12:
				month++
			default:
				either++
			}
		}
	}
	u := &t.Understood
	u.AmbiguousDates = either
	switch {
	case how.Order != "":
		u.DateOrder, u.DateOrderBy = string(how.Order), "REQUEST"
	case day+month+either == 0:
	case day > 0 && month == 0:
		u.DateOrder, u.DateOrderBy = string(DayFirst), "FILE"
	case month > 0 && day == 0:
		u.DateOrder, u.DateOrderBy = string(MonthFirst), "FILE"
	case day == 0 && how.School != "":
		u.DateOrder, u.DateOrderBy = string(how.School), "SCHOOL"
	}
}

func (t *Table) checkDate(cell string) (string, error) {
	d, err := readDate(cell, t.Understood.days)
	if err != nil {
		return "", err
	}
	if d.either && d.a <= 12 && d.b <= 12 && d.a != d.b && t.Understood.DateOrder == "" {
		a, _ := d.in(DayFirst)
		b, _ := d.in(MonthFirst)
		return "", fmt.Errorf("may be %s or %s: say which order the file's dates have", a, b)
	}
	day, err := d.in(Order(t.Understood.DateOrder))
	if err != nil {
		return "", err
	}
	return day.String(), nil
}

// Len counts the rows that have anything in them.
func (t *Table) Len() int { return len(t.rows) }

// Checksum is of the file.
func (t *Table) Checksum() string { return t.checksum }

// Unknown are the file's columns with values that nobody said anything of, as it spells them.
func (t *Table) Unknown() []string {
	var out []string
	for n, c := range t.Columns {
		if t.at[n] < 0 && c.By == "NONE" && c.Filled > 0 {
			out = append(out, c.Header)
		}
	}
	return out
}

// Has reports whether the file has the column.
func (t *Table) Has(column int) bool { return slices.Contains(t.at, column) }

// Header is how the file spells a column; what people call it if the file has none.
func (t *Table) Header(column string) string {
	for _, c := range t.Columns {
		if c.Column == column {
			return c.Header
		}
	}
	if i := slices.IndexFunc(t.columns, func(c Column) bool { return c.Name == column }); i >= 0 && t.columns[i].Label != "" {
		return t.columns[i].Label
	}
	return column
}

// Heads are what a file's header calls columns so that it can be read again: by their labels, where no other column has that name.
func Heads(columns []Column) []string {
	names := newNames(columns, Reading{})
	out := make([]string, len(columns))
	for i, c := range columns {
		if out[i] = c.Name; c.Label != "" && names.known[squeeze(c.Label)] == i {
			out[i] = c.Label
		}
	}
	return out
}

// Raw is the cells of a row as the file has them. Dates whose order other rows or the request have shown are as YYYY-MM-DD: the
// row may be sent again in a file without them.
func (t *Table) Raw(row int) []string {
	i, found := slices.BinarySearchFunc(t.rows, row, func(r rawRow, row int) int { return r.row - row })
	if !found {
		return nil
	}
	cells := t.rows[i].cells
	if by := t.Understood.DateOrderBy; by != "FILE" && by != "REQUEST" {
		return cells
	}
	cells = slices.Clone(cells)
	for n, cell := range cells {
		if n >= len(t.at) || t.at[n] < 0 || !t.columns[t.at[n]].Date || cell == "" {
			continue
		}
		if day, err := t.checkDate(safe.Unguard(cell)); err == nil {
			cells[n] = day
		}
	}
	return cells
}

// First is the numbers of the first rows.
func (t *Table) First(n int) []int {
	var out []int
	for _, r := range t.rows[:min(n, len(t.rows))] {
		out = append(out, r.row)
	}
	return out
}

// Each checks every row and gives it to take, its cells in the order of columns. What is wrong with a cell is noted in found;
// the cell is empty then, and in bad.
func (t *Table) Each(found *Problems, take func(row int, cells []string, bad map[int]bool)) {
	for _, r := range t.rows {
		cells := make([]string, len(t.columns))
		var bad map[int]bool
		for n, text := range r.cells {
			if text == "" {
				continue
			}
			if n >= len(t.at) {
				found.Add(r.row, "", "the row has more cells than the header")
				break
			}
			if t.at[n] < 0 {
				continue
			}
			kept, err := t.columns[t.at[n]].read(text)
			if err != nil {
				found.Add(r.row, t.Columns[n].Header, err.Error())
				if bad == nil {
					bad = map[int]bool{}
				}
				bad[t.at[n]] = true
			}
			cells[t.at[n]] = kept
		}
		take(r.row, cells, bad)
	}
}

// nothing is what people write into a cell to say that there is nothing.
var nothing = map[string]bool{"-": true, "--": true, "---": true, "n/a": true, "na": true, "nil": true, "none": true, ".": true, "0": true}

func (c *Column) read(text string) (string, error) {
	switch {
	case !utf8.ValidString(text), strings.ContainsRune(text, utf8.RuneError):
		return "", errors.New("is not UTF-8: save the file as CSV UTF-8")
	case strings.ContainsRune(text, 0):
		return "", errors.New("must not contain the NUL character")
	case (c.Phone || c.Date) && nothing[strings.ToLower(text)]:
		return "", nil
	case text[0] == '=' || text[0] == '@':
		return "", errors.New("is a formula: put its value there, or an apostrophe before it if it is meant as text")
	}
	return c.Check(safe.Unguard(text))
}

func columnNames(columns []Column) string {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}
