// Package paper makes the documents a school prints: a letterhead, fields, lines to
// sign on. It draws PDFs, and knows nothing of what they say nor where it is read.
package paper

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
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

// Letterhead is what a school's papers begin with.
type Letterhead struct {
	Name  string
	Lines []string // address and the like, under the name
	Logo  []byte   // a PNG or JPEG file
	// Principal is who signs for the school; nothing prints the office alone.
	Principal string
}

// Head is the principal under a line to sign on.
func (h Letterhead) Head() string {
	if h.Principal == "" {
		return "Principal"
	}
	return h.Principal + ", Principal"
}

// AddressLines are the lines of an address that have anything in them.
func AddressLines(address string) []string {
	var lines []string
	for _, text := range strings.Split(address, "\n") {
		if text = strings.TrimSpace(text); text != "" {
			lines = append(lines, text)
		}
	}
	return lines
}

// New begins a document on A4 with the school's letterhead and what it is.
func New(head Letterhead, title string) *Document {
	pdf := fpdf.New("P", "mm", "A4", "")
	pdf.AddUTF8FontFromBytes(font, "", regular)
	pdf.AddUTF8FontFromBytes(font, "B", bold)
	pdf.SetMargins(margin, margin, margin)
	pdf.SetAutoPageBreak(true, margin)
	pdf.SetTitle(title, true)
	pdf.SetAuthor(head.Name, true)
	pdf.SetProducer("Homeroom", true)
	// The same record gives the same bytes, whenever it is printed.
	pdf.SetCreationDate(time.Unix(0, 0).UTC())
	pdf.SetModificationDate(time.Unix(0, 0).UTC())
	pdf.SetCatalogSort(true)
	pdf.AddPage()
	d := &Document{pdf}
	if len(head.Logo) > 0 {
		d.Logo(head.Logo)
	}
	// The mark has the corner: text beside it keeps clear of it on both sides.
	width, _ := pdf.GetPageSize()
	clear := width - 2*margin - 2*logoMax
	centred := func(height float64, text string) {
		pdf.SetX(margin + logoMax)
		pdf.MultiCell(clear, height, text, "", "C", false)
	}
	pdf.SetFont(font, "B", 18)
	centred(10, head.Name)
	pdf.SetFont(font, "", 10)
	for _, text := range head.Lines {
		centred(5, text)
	}
	pdf.SetFont(font, "", 14)
	pdf.MultiCell(0, 9, title, "B", "C", false)
	pdf.Ln(line)
	return d
}

// Field says one thing. Long text goes on in the next line.
func (d *Document) Field(name, value string) {
	d.pdf.SetFont(font, "B", 11)
	d.pdf.CellFormat(label, line, name, "", 0, "L", false, 0, "")
	d.pdf.SetFont(font, "", 11)
	d.pdf.MultiCell(0, line, value, "", "L", false)
}

// Text is prose, as long as it takes.
func (d *Document) Text(text string) {
	d.pdf.SetFont(font, "", 11)
	d.pdf.MultiCell(0, row, text, "", "L", false)
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
