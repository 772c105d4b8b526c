// Package paper makes the documents a school prints: a letterhead, fields, tables, lines to
// sign on. It draws PDFs, in whichever script names are written, and knows nothing of what they
// say nor where it is read.
package paper

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Lengths are millimetres from the upper left corner of an A4 page, sizes of letters points.
const (
	shortSide = 210.0
	longSide  = 297.0
	margin    = 18.0
	label     = 55.0
	point     = 25.4 / 72
	bodySize  = 10.5
	smallSize = 9.0
)

// Align is where a text stands in its box.
type Align int

const (
	left Align = iota
	centre
	right
)

// Letterhead is what a school's papers begin with.
type Letterhead struct {
	Name  string
	Lines []string // address and the like, under the name
	Reach []string // the last of them: how to reach the school
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

// Document is one document in the making: a sheet, or one after another.
type Document struct {
	pdf    *pdf
	set    *typesetter
	head   Letterhead
	name   string
	title  string // of the sheet
	page   int    // of the sheet; 0 before the first one
	y      float64
	logo   *picture
	buffer *bytes.Buffer

	width, height float64 // of its pages
}

// bodyWidth is what the margins leave of a page's width.
func (d *Document) bodyWidth() float64 { return d.width - 2*margin }

// New begins a document on A4 with the school's letterhead and what it is.
func New(head Letterhead, title string) *Document {
	buffer := &bytes.Buffer{}
	d := Start(buffer, head, title)
	d.buffer = buffer
	d.Sheet(title)
	return d
}

// NewWide is New on pages that lie on their long side, for tables of many columns.
func NewWide(head Letterhead, title string) *Document {
	buffer := &bytes.Buffer{}
	d := Start(buffer, head, title)
	d.buffer, d.width, d.height = buffer, longSide, shortSide
	d.Sheet(title)
	return d
}

// Start begins a document of many sheets that is written to out as it is drawn.
func Start(out io.Writer, head Letterhead, name string) *Document {
	d := &Document{pdf: newPDF(out), set: newTypesetter(), head: head, name: name, width: shortSide, height: longSide}
	d.logo = d.addPicture(head.Logo)
	return d
}

// Sheet begins a sheet of its own on a new page, with letterhead and title.
func (d *Document) Sheet(title string) {
	d.endPage()
	d.title, d.page, d.y = title, 1, margin-4
	inner := d.bodyWidth()
	x := margin
	if d.logo != nil {
		d.drawPicture(d.logo, margin, margin-6, logoMax, logoMax)
		// The mark has the corner: text beside it keeps clear of it on both sides.
		x, inner = margin+logoMax+2, d.bodyWidth()-2*(logoMax+2)
	}
	d.y += d.put(x, d.y, inner, d.head.Name, 17, true, centre)
	for _, text := range d.head.Lines {
		d.y += d.put(x, d.y, inner, text, smallSize, false, centre)
	}
	if d.logo != nil {
		d.y = max(d.y, margin-6+logoMax)
	}
	d.y += 2
	d.rule(margin, d.y, d.bodyWidth(), 0.3)
	d.y += 2.5
	d.y += d.put(margin, d.y, d.bodyWidth(), title, 13, true, centre) + 3
}

func (d *Document) endPage() {
	if d.page > 0 {
		d.pdf.endPage(d.width/point, d.height/point)
	}
}

// room makes sure that so much fits on the page, or goes on on the next one, which says what
// it belongs to.
func (d *Document) room(height float64) (broke bool) {
	if d.y+height <= d.height-margin {
		return false
	}
	d.endPage()
	d.page, d.y = d.page+1, margin-4
	d.y += d.put(margin, d.y, d.bodyWidth(), fmt.Sprintf("%s, page %d", d.title, d.page), smallSize, false, right) + 2
	return true
}

// put draws a text into a column of the page and says how high it became.
func (d *Document) put(x, y, width float64, text string, size float64, heavy bool, align Align) float64 {
	lines := d.set.lines(text, size, heavy, width/point)
	for i, l := range lines {
		d.putLine(l, x, y+float64(i)*leading(size), width, size, heavy, align)
	}
	return float64(len(lines)) * leading(size)
}

// putLine draws one line, its upper edge at y.
func (d *Document) putLine(l line, x, y, width, size float64, heavy bool, align Align) {
	switch align {
	case centre:
		x += (width - l.width*point) / 2
	case right:
		x += width - l.width*point
	}
	base := y + leading(size)/2 + 0.35*size*point
	d.pdf.text(l, x/point, (d.height-base)/point, size, heavy)
}

// leading is the height of a line: marks above and below letters need it.
func leading(size float64) float64 { return size * point * 1.45 }

// rule draws a line to the right.
func (d *Document) rule(x, y, width, thick float64) {
	fmt.Fprintf(&d.pdf.page, "%s w %s %s m %s %s l S\n", num(thick/point), num(x/point), num((d.height-y)/point),
		num((x+width)/point), num((d.height-y)/point))
}

// box draws a frame; a shaded one is grey inside.
func (d *Document) box(x, y, width, height float64, shaded bool) {
	paint := "S"
	if shaded {
		d.pdf.page.WriteString("0.93 g ")
		paint = "B"
	}
	fmt.Fprintf(&d.pdf.page, "%s w %s %s %s %s re %s 0 g\n", num(0.2/point), num(x/point), num((d.height-y-height)/point),
		num(width/point), num(height/point), paint)
}

// Field says one thing. Long text goes on in the next line.
func (d *Document) Field(name, value string) {
	names := d.set.lines(name, bodySize, true, (label-2)/point)
	values := d.set.lines(value, bodySize, false, (d.bodyWidth()-label)/point)
	high := leading(bodySize)
	d.room(float64(min(max(len(names), len(values)), 30)) * high)
	for i := range max(len(names), len(values)) {
		d.room(high)
		if i < len(names) {
			d.putLine(names[i], margin, d.y, label, bodySize, true, left)
		}
		if i < len(values) {
			d.putLine(values[i], margin+label, d.y, d.bodyWidth()-label, bodySize, false, left)
		}
		d.y += high
	}
	d.y += 0.8
}

// Blank leaves a line to write a thing on by hand.
func (d *Document) Blank(name string) {
	d.Field(name, "")
	d.rule(margin+label, d.y-1.5, d.bodyWidth()-label, 0.15)
}

// Pairs say two things side by side, and the next two under them. What has no value is left out.
func (d *Document) Pairs(pairs ...[2]string) {
	kept := pairs[:0:0]
	for _, p := range pairs {
		if p[1] != "" {
			kept = append(kept, p)
		}
	}
	const name = 34.0
	half := d.bodyWidth() / 2
	for i := 0; i < len(kept); i += 2 {
		row := kept[i:min(i+2, len(kept))]
		most := 1
		for _, p := range row {
			most = max(most, len(d.set.lines(p[0], bodySize, true, (name-2)/point)), len(d.set.lines(p[1], bodySize, false, (half-name-2)/point)))
		}
		d.room(float64(most) * leading(bodySize))
		for n, p := range row {
			x := margin + float64(n)*half
			d.put(x, d.y, name-2, p[0], bodySize, true, left)
			d.put(x+name, d.y, half-name-2, p[1], bodySize, false, left)
		}
		d.y += float64(most)*leading(bodySize) + 0.8
	}
}

// Text is prose, as long as it takes.
func (d *Document) Text(text string) {
	for _, l := range d.set.lines(text, bodySize, false, d.bodyWidth()/point) {
		d.room(leading(bodySize))
		d.putLine(l, margin, d.y, d.bodyWidth(), bodySize, false, left)
		d.y += leading(bodySize)
	}
	d.y++
}

// Heading begins a part of the document.
func (d *Document) Heading(text string) {
	d.room(25) // not alone at the end of a page
	d.y += 2.5
	d.y += d.put(margin, d.y, d.bodyWidth(), text, 11.5, true, left) + 0.8
}

// Gap leaves some room.
func (d *Document) Gap(height float64) { d.y += height }

// Signatures leaves room for people to sign, side by side.
func (d *Document) Signatures(names ...string) {
	d.room(26)
	d.y += 18
	each := d.bodyWidth() / float64(len(names))
	high := 0.0
	for i, name := range names {
		x := margin + float64(i)*each
		d.rule(x+each*0.12, d.y, each*0.76, 0.2)
		high = max(high, d.put(x, d.y+0.5, each, name, smallSize, false, centre))
	}
	d.y += high + 1
}

// Missing is how many characters no font of the program has: they are printed as empty boxes.
func (d *Document) Missing() int { return d.pdf.missing }

// Close finishes the document.
func (d *Document) Close() error {
	d.endPage()
	d.page = 0
	return d.pdf.end(d.name, d.head.Name)
}

// Bytes is the finished document.
func (d *Document) Bytes() ([]byte, error) {
	if err := d.Close(); err != nil {
		return nil, err
	}
	return d.buffer.Bytes(), nil
}
