package paper

// Column is one column of a table. Width is its share of the page against the others'.
type Column struct {
	Title  string
	Width  float64
	Number bool // to the right, so that digits stand under digits
	Middle bool
	Shaded bool // grey, such as a day off
}

// Group is a title over several columns.
type Group struct {
	Title string
	Span  int
}

// Grid is a table: titles, rows, and totals in bold under them.
type Grid struct {
	Groups  []Group // over the columns' titles; none: no such line
	Columns []Column
	Rows    [][]string
	Totals  [][]string
	Small   bool // for many columns
	Dense   bool // for a column a day
}

// Table draws rows under a header.
func (d *Document) Table(columns []Column, rows [][]string) {
	d.Grid(Grid{Columns: columns, Rows: rows})
}

// Grid draws a table. Text that is too long for its cell goes on in the next line of the same
// row; a row is never cut by the end of a page, and the titles stand again on every page the
// table goes on to.
func (d *Document) Grid(g Grid) {
	var shares float64
	for _, c := range g.Columns {
		shares += c.Width
	}
	t := table{Document: d, grid: g, widths: make([]float64, len(g.Columns)), size: 9.5, pad: 1.2}
	if g.Small {
		t.size = 8
	}
	if g.Dense {
		t.size, t.pad = 7, 0.5
	}
	for i, c := range g.Columns {
		t.widths[i] = c.Width / shares * d.bodyWidth()
	}
	t.titles()
	for _, cells := range g.Rows {
		t.row(cells, false, false)
	}
	for _, cells := range g.Totals {
		t.row(cells, true, false)
	}
	d.y += 2.5
}

// table is a grid while it is drawn.
type table struct {
	*Document
	grid   Grid
	widths []float64
	size   float64
	pad    float64 // beside the text of a cell
}

func (t *table) titles() {
	if t.grid.Groups != nil {
		t.room(6 * leading(t.size)) // with the titles and a first row
		x, at, high := margin, 0, 0.0
		widths := make([]float64, len(t.grid.Groups))
		for i, g := range t.grid.Groups {
			for range g.Span {
				widths[i] += t.widths[at]
				at++
			}
			high = max(high, float64(len(t.set.lines(g.Title, t.size, true, (widths[i]-2*t.pad)/point)))*leading(t.size)+1)
		}
		for i, g := range t.grid.Groups {
			t.box(x, t.y, widths[i], high, true)
			t.put(x+t.pad, t.y+0.5, widths[i]-2*t.pad, g.Title, t.size, true, centre)
			x += widths[i]
		}
		t.y += high
	}
	titles := make([]string, len(t.grid.Columns))
	for i, c := range t.grid.Columns {
		titles[i] = c.Title
	}
	t.row(titles, true, true)
}

func (t *table) row(cells []string, heavy, title bool) {
	lines, most := make([][]line, len(t.widths)), 1
	for i, width := range t.widths {
		if i < len(cells) && cells[i] != "" {
			lines[i] = t.set.lines(cells[i], t.size, heavy, (width-2*t.pad)/point)
		}
		most = max(most, len(lines[i]))
	}
	high := float64(most)*leading(t.size) + 1
	if title {
		t.room(high + 2*leading(t.size))
	} else if t.room(high) {
		t.titles()
	}
	x := margin
	for i, width := range t.widths {
		t.box(x, t.y, width, high, title || t.grid.Columns[i].Shaded)
		align := left
		switch c := t.grid.Columns[i]; {
		case c.Number:
			align = right
		case c.Middle:
			align = centre
		}
		for n, l := range lines[i] {
			t.putLine(l, x+t.pad, t.y+0.5+float64(n)*leading(t.size), width-2*t.pad, t.size, heavy, align)
		}
		x += width
	}
	t.y += high
}

// Ruled leaves lines to write on by hand.
func (d *Document) Ruled(name string, lines int) {
	const between = 8.0
	d.room(leading(bodySize) + float64(lines)*between)
	d.y += d.put(margin, d.y, d.bodyWidth(), name, bodySize, true, left)
	for range lines {
		d.y += between
		d.rule(margin, d.y, d.bodyWidth(), 0.15)
	}
}
