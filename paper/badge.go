package paper

// Badge is a card to carry, such as a student's: several of them are on a page, to be cut.
type Badge struct {
	Title string // what the bearer is
	Name  string
	Photo []byte      // a PNG or JPEG file; none: a frame to glue one into
	Lines [][2]string // what has no value is left out
	Foot  string
}

const (
	badgeColumns = 2
	badgePad     = 2.5
)

// Badges draws n badges, 8 or 10 to a page. Each is read when it is drawn: the document takes the
// memory of one photo.
func (d *Document) Badges(perPage, n int, badge func(i int) (Badge, error)) error {
	rows := perPage / badgeColumns
	width, height := 92.0, 66.0
	if perPage > 8 {
		width, height = 86.0, 54.0 // as bank cards, which holders are made for
	}
	left := (d.width - badgeColumns*width) / (badgeColumns + 1)
	top := (d.height - float64(rows)*height) / float64(rows+1)
	for i := range n {
		b, err := badge(i)
		if err != nil {
			return err
		}
		at := i % perPage
		if at == 0 {
			d.endPage()
			d.page = 1
		}
		column, row := float64(at%badgeColumns), float64(at/badgeColumns)
		d.badge(b, left+column*(width+left), top+row*(height+top), width, height)
	}
	return nil
}

func (d *Document) badge(b Badge, x, y, width, height float64) {
	const headHigh, foot = 12.0, 5.0
	d.box(x, y, width, height, false)
	inner, bottom := width-2*badgePad, y+height-badgePad
	x, y = x+badgePad, y+1.5
	textX, textWide := x, inner
	if d.logo != nil {
		d.drawPicture(d.logo, x, y, headHigh-2, headHigh-2)
		textX, textWide = x+headHigh, inner-headHigh
	}
	used := d.fit(textX, y, textWide, d.head.Name, 9.5, true, centre, 2)
	if len(d.head.Lines) > 0 && used < headHigh/2 {
		d.fit(textX, y+used, textWide, d.head.Lines[0], 6.5, false, centre, 1)
	}
	y += headHigh - 1.5
	d.rule(x, y, inner, 0.3)
	y += 1 + d.fit(x, y+0.5, inner, b.Title, 7, true, centre, 1)

	photoHigh := bottom - foot - y
	photoWide := photoHigh / 1.27
	if photo := d.addPicture(b.Photo); photo != nil {
		d.drawPicture(photo, x, y, photoWide, photoHigh)
	} else {
		d.fit(x, y+photoHigh/2-2, photoWide, "Photo", 7, false, centre, 1)
	}
	d.box(x, y, photoWide, photoHigh, false)
	x, inner = x+photoWide+2, inner-photoWide-2
	d.fit(x-photoWide-2, bottom-3, inner+photoWide+2, b.Foot, 7, false, left, 1)
	d.fit(x, bottom-3, inner, "Principal", 7, false, right, 1)
	y += 1.2 + d.fit(x, y+0.4, inner, b.Name, 10.5, true, left, 2)
	for _, l := range b.Lines {
		if l[1] == "" {
			continue
		}
		const name = 19.0
		if y+leading(7.5) > bottom-3.5 {
			break
		}
		d.fit(x, y, name-1, l[0], 7, false, left, 1)
		y += d.fit(x+name, y, inner-name, l[1], 7.5, true, left, 1+int((bottom-3.5-y)/leading(7.5)/float64(len(b.Lines))))
	}
}

// fit draws a text in no more than so many lines: smaller where it is too long, and cut where that
// does not do. It says how high the text became.
func (d *Document) fit(x, y, width float64, text string, size float64, heavy bool, align Align, most int) float64 {
	lines := d.set.lines(text, size, heavy, width/point)
	for ; len(lines) > most && size > 5.5; lines = d.set.lines(text, size, heavy, width/point) {
		size -= 0.5
	}
	lines = lines[:min(len(lines), most)]
	for i, l := range lines {
		d.putLine(l, x, y+float64(i)*leading(size), width, size, heavy, align)
	}
	return float64(len(lines)) * leading(size)
}

// Person says who a sheet is about beside their photo, or a frame to glue one into. What has no
// value is left out.
func (d *Document) Person(photo []byte, fields ...[2]string) {
	const wide, high, name = 26.0, 33.0, 34.0
	d.room(high)
	top, x := d.y, margin+d.bodyWidth()-wide
	if p := d.addPicture(photo); p != nil {
		d.drawPicture(p, x, top, wide, high)
	} else {
		d.fit(x, top+high/2-2, wide, "Photo", smallSize, false, centre, 1)
	}
	d.box(x, top, wide, high, false)
	for _, f := range fields {
		if f[1] == "" {
			continue
		}
		d.put(margin, d.y, name-2, f[0], bodySize, true, left)
		d.y += d.put(margin+name, d.y, d.bodyWidth()-wide-name-4, f[1], bodySize, false, left) + 0.8
	}
	d.y = max(d.y, top+high) + 3
}
