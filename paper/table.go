package paper

import (
	"bytes"
	"image"
	"image/draw"
	_ "image/jpeg" // a school's logo may be one
	"image/png"

	"codeberg.org/go-pdf/fpdf"
)

// Column is one column of a table. Width is its share of the page against the others'.
type Column struct {
	Title  string
	Width  float64
	Number bool // to the right, so that digits stand under digits
}

const (
	row        = 6.0
	logoMax    = 22.0
	logoPixels = 4000
)

// Heading begins a part of the document.
func (d *Document) Heading(text string) {
	d.pdf.Ln(row / 2)
	d.pdf.SetFont(font, "B", 12)
	d.pdf.MultiCell(0, line, text, "", "L", false)
}

// Table draws rows under a header. Text that is too long for its cell goes on in the
// next line of the same row; a row is never cut by the end of a page, and the header
// stands again on every page the table goes on to.
func (d *Document) Table(columns []Column, rows [][]string) {
	width, height := d.pdf.GetPageSize()
	var shares float64
	for _, c := range columns {
		shares += c.Width
	}
	widths := make([]float64, len(columns))
	titles := make([]string, len(columns))
	for i, c := range columns {
		widths[i] = c.Width / shares * (width - 2*margin)
		titles[i] = c.Title
	}
	var put func(style string, cells []string)
	put = func(style string, cells []string) {
		d.pdf.SetFont(font, style, 10)
		lines, most := make([][]string, len(columns)), 1
		for i := range columns {
			if i < len(cells) && cells[i] != "" {
				lines[i] = d.pdf.SplitText(cells[i], widths[i]-2)
			}
			most = max(most, len(lines[i]))
		}
		if d.pdf.GetY()+float64(most)*row > height-margin {
			d.pdf.AddPage()
			if style == "" {
				put("B", titles)
				d.pdf.SetFont(font, style, 10)
			}
		}
		x, y := margin, d.pdf.GetY()
		for i, c := range columns {
			align := "L"
			if c.Number {
				align = "R"
			}
			d.pdf.Rect(x, y, widths[i], float64(most)*row, "D")
			for n, text := range lines[i] {
				d.pdf.SetXY(x, y+float64(n)*row)
				d.pdf.CellFormat(widths[i], row, text, "", 0, align, false, 0, "")
			}
			x += widths[i]
		}
		d.pdf.SetXY(margin, y+float64(most)*row)
	}
	put("B", titles)
	for _, cells := range rows {
		put("", cells)
	}
	d.pdf.Ln(row / 3)
}

// Ruled leaves lines to write on by hand.
func (d *Document) Ruled(name string, lines int) {
	width, height := d.pdf.GetPageSize()
	if d.pdf.GetY()+float64(lines+1)*line > height-margin {
		d.pdf.AddPage()
	}
	d.pdf.SetFont(font, "B", 11)
	d.pdf.CellFormat(0, line, name, "", 1, "L", false, 0, "")
	for range lines {
		y := d.pdf.GetY() + line
		d.pdf.Line(margin, y, width-margin, y)
		d.pdf.SetY(y)
	}
}

// Logo puts the school's mark into the corner beside its name. What is no PNG or JPEG
// of a sane size is left out: a card without a logo is better than none.
func (d *Document) Logo(body []byte) {
	config, _, err := image.DecodeConfig(bytes.NewReader(body))
	if err != nil || config.Width < 1 || config.Height < 1 || config.Width > logoPixels || config.Height > logoPixels {
		return
	}
	mark, _, err := image.Decode(bytes.NewReader(body))
	if err != nil {
		return
	}
	// Drawn anew on white: the PDF library panics on files that are cut short, and knows
	// not every kind of PNG.
	clean := image.NewRGBA(image.Rect(0, 0, config.Width, config.Height))
	draw.Draw(clean, clean.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(clean, clean.Bounds(), mark, mark.Bounds().Min, draw.Over)
	var file bytes.Buffer
	if err := png.Encode(&file, clean); err != nil {
		return
	}
	width, height := logoMax, logoMax
	if config.Width > config.Height {
		height = logoMax * float64(config.Height) / float64(config.Width)
	} else {
		width = logoMax * float64(config.Width) / float64(config.Height)
	}
	options := fpdf.ImageOptions{ImageType: "png"}
	d.pdf.RegisterImageOptionsReader("logo", options, &file)
	d.pdf.ImageOptions("logo", margin, margin/2, width, height, false, options, 0, "")
}
