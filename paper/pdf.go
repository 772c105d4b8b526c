package paper

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
)

// The objects that every file has. Pages and pictures get the numbers after them as they are
// written; fonts come last, when it is known which glyphs of them the pages use.
const (
	catalogObject = iota + 1
	pagesObject
	resourcesObject
	infoObject
	firstFreeObject
)

// pdf writes a PDF file, page after page, and keeps of it the places of its objects only: a
// file of any length takes little memory. The first failure stays, and nothing is written
// after it.
type pdf struct {
	out     io.Writer
	at      int64
	err     error
	places  []int64 // of the objects, by number
	pages   []int
	page    bytes.Buffer // what the open page shows
	fonts   []*fontUse
	uses    map[*typeface]*fontUse
	images  []int
	missing int // characters that no font has
}

func newPDF(out io.Writer) *pdf {
	p := &pdf{out: out, places: make([]int64, firstFreeObject), uses: map[*typeface]*fontUse{}}
	p.writeBytes([]byte("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"))
	return p
}

func (p *pdf) write(format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	p.writeBytes([]byte(text))
}

func (p *pdf) writeBytes(b []byte) {
	if p.err != nil {
		return
	}
	n, err := p.out.Write(b)
	p.at, p.err = p.at+int64(n), err
}

// object writes an object of a known number.
func (p *pdf) object(number int, format string, args ...any) {
	p.places[number] = p.at
	p.write("%d 0 obj\n", number)
	p.write(format, args...)
	p.write("\nendobj\n")
}

// stream writes data, compressed, as an object with these entries.
func (p *pdf) stream(data []byte, entries string) int {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(data) // to memory
	_ = z.Close()
	number := p.reserve()
	p.places[number] = p.at
	p.write("%d 0 obj\n<< %s /Filter /FlateDecode /Length %d >>\nstream\n", number, entries, packed.Len())
	p.writeBytes(packed.Bytes())
	p.write("\nendstream\nendobj\n")
	return number
}

func (p *pdf) reserve() int {
	p.places = append(p.places, 0)
	return len(p.places) - 1
}

// endPage writes the open page, of this size in points.
func (p *pdf) endPage(width, height float64) {
	content := p.stream(p.page.Bytes(), "")
	p.page.Reset()
	number := p.reserve()
	p.object(number, "<< /Type /Page\n/Parent %d 0 R /MediaBox [0 0 %s %s] /Resources %d 0 R /Contents %d 0 R >>", pagesObject,
		num(width), num(height), resourcesObject, content)
	p.pages = append(p.pages, number)
}

// text draws a line with its origin at x and y, in points from the page's lower left corner. What
// it says stands beside it as it was written, for those who copy, search or listen to it.
func (p *pdf) text(l line, x, y, size float64, heavy bool) {
	if len(l.runs) == 0 {
		return
	}
	fmt.Fprintf(&p.page, "/Span << /ActualText <%s> >> BDC\nBT\n", utf16Hex(l.text))
	for _, r := range l.runs {
		use := p.use(r.font)
		fmt.Fprintf(&p.page, "/F%d %s Tf\n", use.index, num(size))
		if thick := heavy && r.font != bold; thick {
			fmt.Fprintf(&p.page, "2 Tr %s w\n", num(size*0.03))
		} else {
			p.page.WriteString("0 Tr\n")
		}
		p.glyphs(r, use, x, y, size)
	}
	p.page.WriteString("ET\nEMC\n")
}

// glyphs draws those of a run. Where one is not just behind the one before it, the distance
// is said, and where it is higher or lower, its place.
func (p *pdf) glyphs(r run, use *fontUse, x, y, size float64) {
	open := false
	var pen, height float64
	for _, g := range r.glyphs {
		if g.id == 0 && strings.TrimSpace(g.text) != "" {
			p.missing++
		}
		if !open || g.y != height {
			if open {
				p.page.WriteString("] TJ\n")
			}
			pen, height, open = g.x, g.y, true
			fmt.Fprintf(&p.page, "1 0 0 1 %s %s Tm\n[", num(x+g.x/em*size), num(y+g.y/em*size))
		}
		if back := pen - g.x; back > 0.5 || back < -0.5 {
			fmt.Fprintf(&p.page, " %s ", num(back))
			pen = g.x
		}
		fmt.Fprintf(&p.page, "<%04X>", g.id)
		pen += use.take(g)
	}
	if open {
		p.page.WriteString("] TJ\n")
	}
}

// picture draws an image into a box, in points from the lower left corner.
func (p *pdf) picture(number int, x, y, width, height float64) {
	fmt.Fprintf(&p.page, "q %s 0 0 %s %s %s cm /I%d Do Q\n", num(width), num(height), num(x), num(y), number)
}

// image adds a picture, which any page may then draw.
func (p *pdf) image(picture *image.RGBA) int {
	bounds := picture.Bounds()
	colours := make([]byte, 0, bounds.Dx()*bounds.Dy()*3)
	for i := 0; i+3 < len(picture.Pix); i += 4 {
		colours = append(colours, picture.Pix[i:i+3]...)
	}
	number := p.stream(colours, fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceRGB /BitsPerComponent 8",
		bounds.Dx(), bounds.Dy()))
	p.images = append(p.images, number)
	return number
}

// end writes what the pages share, and the table of the file's contents.
func (p *pdf) end(title, author string) error {
	var fonts, images, pages strings.Builder
	for _, use := range p.fonts {
		fmt.Fprintf(&fonts, "/F%d %d 0 R ", use.index, use.writeTo(p))
	}
	for _, number := range p.images {
		fmt.Fprintf(&images, "/I%d %d 0 R ", number, number)
	}
	for _, number := range p.pages {
		fmt.Fprintf(&pages, "%d 0 R ", number)
	}
	p.object(resourcesObject, "<< /Font << %s>> /XObject << %s>> >>", fonts.String(), images.String())
	p.object(pagesObject, "<< /Type /Pages /Kids [%s] /Count %d >>", pages.String(), len(p.pages))
	p.object(catalogObject, "<< /Type /Catalog /Pages %d 0 R /Lang (en) /ViewerPreferences << /DisplayDocTitle true >> >>", pagesObject)
	// No time is in the file: the same record gives the same bytes, whenever it is printed.
	p.object(infoObject, "<< /Title <%s> /Author <%s> /Producer (Homeroom) >>", utf16Hex(title), utf16Hex(author))
	table := p.at
	p.write("xref\n0 %d\n0000000000 65535 f \n", len(p.places))
	for _, place := range p.places[1:] {
		p.write("%010d 00000 n \n", place)
	}
	p.write("trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(p.places), catalogObject, infoObject, table)
	if p.err != nil {
		return fmt.Errorf("writing a PDF: %w", p.err)
	}
	return nil
}

func (p *pdf) use(t *typeface) *fontUse {
	use, known := p.uses[t]
	if !known {
		use = newFontUse(t, len(p.fonts)+1)
		p.uses[t] = use
		p.fonts = append(p.fonts, use)
	}
	return use
}

// num is a number as PDF has them, of a precision that paper does not show.
func num(f float64) string {
	text := fmt.Sprintf("%.2f", f)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	if text == "-0" || text == "" {
		return "0"
	}
	return text
}

// utf16Hex is a text as PDF keeps texts, with its mark.
func utf16Hex(text string) string {
	units := slices.Insert(utf16.Encode([]rune(text)), 0, 0xFEFF)
	var out strings.Builder
	for _, u := range units {
		fmt.Fprintf(&out, "%04X", u)
	}
	return out.String()
}
