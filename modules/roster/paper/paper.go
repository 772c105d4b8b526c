// Package paper makes the documents a school prints: a letterhead, fields, lines to
// sign on. It knows how things look and nothing of what they say.
package paper

import (
	"bytes"
	_ "embed"
	"fmt"
	"time"

	"codeberg.org/go-pdf/fpdf"
)

// The fonts are embedded because those that PDF readers bring know Western Europe only.
//
//go:embed fonts/DejaVuSansCondensed.ttf
var regular []byte

//go:embed fonts/DejaVuSansCondensed-Bold.ttf
var bold []byte

const (
	font   = "body"
	margin = 20.0 // mm
	label  = 60.0
	line   = 8.0
)

// Document is one document in the making.
type Document struct{ pdf *fpdf.Fpdf }

// New begins a document on A4 with the school's name and what it is.
func New(school, title string) *Document {
	pdf := fpdf.New("P", "mm", "A4", "")
	pdf.AddUTF8FontFromBytes(font, "", regular)
	pdf.AddUTF8FontFromBytes(font, "B", bold)
	pdf.SetMargins(margin, margin, margin)
	pdf.SetAutoPageBreak(true, margin)
	pdf.SetTitle(title, true)
	pdf.SetAuthor(school, true)
	pdf.SetProducer("Homeroom", true)
	// The same record gives the same bytes, whenever it is printed.
	pdf.SetCreationDate(time.Unix(0, 0).UTC())
	pdf.SetModificationDate(time.Unix(0, 0).UTC())
	pdf.SetCatalogSort(true)
	pdf.AddPage()
	pdf.SetFont(font, "B", 18)
	pdf.MultiCell(0, 10, school, "", "C", false)
	pdf.SetFont(font, "", 14)
	pdf.MultiCell(0, 9, title, "B", "C", false)
	pdf.Ln(line)
	return &Document{pdf}
}

// Field says one thing. Long text goes on in the next line.
func (d *Document) Field(name, value string) {
	d.pdf.SetFont(font, "B", 11)
	d.pdf.CellFormat(label, line, name, "", 0, "L", false, 0, "")
	d.pdf.SetFont(font, "", 11)
	d.pdf.MultiCell(0, line, value, "", "L", false)
}

// Column is a column of a table.
type Column struct {
	Title string
	Width float64 // mm; the page has 170
	Right bool    // numbers stand to the right
}

const row = 6.0

// Table lists things. The titles stand again on every page it goes on to; a cell too
// long for its column goes on in the next line.
func (d *Document) Table(columns []Column, rows [][]string) {
	d.pdf.Ln(line / 2)
	d.titles(columns)
	_, height := d.pdf.GetPageSize()
	for _, cells := range rows {
		lines := 1
		for i, c := range columns {
			lines = max(lines, len(d.pdf.SplitText(cells[i], c.Width-2)))
		}
		if d.pdf.GetY()+float64(lines)*row > height-margin {
			d.pdf.AddPage()
			d.titles(columns)
		}
		x, y := d.pdf.GetXY()
		for i, c := range columns {
			d.pdf.SetXY(x, y)
			d.pdf.MultiCell(c.Width, row, cells[i], "", c.align(), false)
			x += c.Width
		}
		d.pdf.SetXY(margin, y+float64(lines)*row)
	}
	d.pdf.Ln(line / 2)
}

func (d *Document) titles(columns []Column) {
	d.pdf.SetFont(font, "B", 9)
	for _, c := range columns {
		d.pdf.CellFormat(c.Width, row, c.Title, "B", 0, c.align(), false, 0, "")
	}
	d.pdf.Ln(row)
	d.pdf.SetFont(font, "", 9)
}

func (c Column) align() string {
	if c.Right {
		return "R"
	}
	return "L"
}

// Signatures leaves room for people to sign, side by side.
func (d *Document) Signatures(names ...string) {
	width, _ := d.pdf.GetPageSize()
	each := (width - 2*margin) / float64(len(names))
	d.pdf.Ln(4 * line)
	d.pdf.SetFont(font, "", 10)
	for _, name := range names {
		d.pdf.CellFormat(each, line, name, "", 0, "C", false, 0, "")
	}
	d.pdf.Ln(line)
}

// Bytes is the finished document.
func (d *Document) Bytes() ([]byte, error) {
	var out bytes.Buffer
	if err := d.pdf.Output(&out); err != nil {
		return nil, fmt.Errorf("making a PDF: %w", err)
	}
	return out.Bytes(), nil
}
