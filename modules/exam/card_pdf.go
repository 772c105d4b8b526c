package exam

import (
	"fmt"
	"strconv"
	"strings"

	"homeroom/api"
	"homeroom/paper"
	"homeroom/tenancy"
)

// cardPrinter draws report cards as the school has chosen them.
type cardPrinter struct {
	head     paper.Letterhead
	template string // SIMPLE, CBSE or BRITISH
	figures  paper.Figures
}

func (m *Module) printer(c api.Ctx) (cardPrinter, error) {
	p := cardPrinter{figures: paper.FiguresOf(c.School.Writes())}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select report_card_template from school_setting`, Scan: tenancy.One(&p.template)})
	if err != nil {
		return p, fmt.Errorf("reading the template of report cards: %w", err)
	}
	p.head, err = m.Letterhead(c)
	return p, err
}

// print is the card as it is handed out and signed.
func (m *Module) print(c api.Ctx, card ReportCard) (*api.File, error) {
	p, err := m.printer(c)
	if err != nil {
		return nil, err
	}
	return p.file(card)
}

func (p cardPrinter) file(card ReportCard) (*api.File, error) {
	doc := paper.New(p.head, cardTitle(card))
	p.draw(doc, card)
	body, err := doc.Bytes()
	if err != nil {
		return nil, err
	}
	name := strings.NewReplacer("/", "-", " ", "-").Replace(card.Student.AdmissionNumber)
	return &api.File{Name: fmt.Sprintf("report-card-%s.pdf", name), ContentType: "application/pdf", Body: body}, nil
}

func cardTitle(card ReportCard) string { return "Report card " + card.AcademicYearName }

// draw fills a sheet.
func (p cardPrinter) draw(doc *paper.Document, card ReportCard) {
	p.student(doc, card.Student)
	switch p.template {
	case "CBSE":
		p.cbse(doc, card)
	case "BRITISH":
		p.british(doc, card)
	default:
		p.simple(doc, card)
	}
}

func (p cardPrinter) student(doc *paper.Document, s CardStudent) {
	pairs := [][2]string{{"Name", strings.TrimSpace(s.FirstName + " " + s.LastName)}, {"Admission no.", s.AdmissionNumber},
		{"Class", strings.TrimSpace(s.ClassName + " " + s.DivisionName)}}
	if s.RollNumber != nil {
		pairs = append(pairs, [2]string{"Roll number", strconv.Itoa(*s.RollNumber)})
	}
	if b := s.DateOfBirth; b != nil {
		pairs = append(pairs, [2]string{"Date of birth", p.figures.Day(b.Year, b.Month, b.Day)})
	}
	doc.Pairs(append(pairs, [2]string{"Parents", strings.Join(s.Guardians, ", ")})...)
	doc.Gap(1)
}

// simple has the marks of every exam, and the year's percentage and grade of each subject.
func (p cardPrinter) simple(doc *paper.Document, card ReportCard) {
	doc.Grid(card.grid(card.Subjects, false))
	p.year(doc, card, true)
	p.end(doc, card, "remarks", "Class teacher", "Parent or guardian")
}

// cbse has scholastic and co-scholastic areas apart, a percentage and grade for each term, and the scale.
func (p cardPrinter) cbse(doc *paper.Document, card ReportCard) {
	var main, other []CardSubject
	for _, s := range card.Subjects {
		if s.Type == "CO_SCHOLASTIC" {
			other = append(other, s)
		} else {
			main = append(main, s)
		}
	}
	doc.Heading("Scholastic areas")
	doc.Grid(card.grid(main, true))
	if len(other) > 0 {
		doc.Heading("Co-scholastic areas")
		columns := []paper.Column{{Title: "Area", Width: 5}}
		for _, t := range card.Terms {
			columns = append(columns, paper.Column{Title: t.title(), Width: 2, Middle: true})
		}
		var rows [][]string
		for _, s := range other {
			row := []string{s.Name}
			for _, t := range s.Terms {
				row = append(row, orDash(t.Grade))
			}
			rows = append(rows, row)
		}
		doc.Table(columns, rows)
	}
	p.year(doc, card, true)
	if len(card.scale) > 0 {
		var bands []string
		for _, b := range card.scale {
			bands = append(bands, fmt.Sprintf("%s from %s %%", b.Grade, number(b.MinPercent)))
		}
		doc.Field("Grades", strings.Join(bands, ", "))
	}
	p.end(doc, card, "remarks", "Class teacher", "Parent")
}

// british has a grade for each term and comments, and no marks, totals or ranks.
func (p cardPrinter) british(doc *paper.Document, card ReportCard) {
	columns := []paper.Column{{Title: "Subject", Width: 4}}
	for _, t := range card.Terms {
		columns = append(columns, paper.Column{Title: t.title(), Width: 2, Middle: true})
	}
	columns = append(columns, paper.Column{Title: "Year", Width: 2, Middle: true}, paper.Column{Title: "Comment", Width: 7})
	var rows [][]string
	for _, s := range card.Subjects {
		row := []string{s.Name}
		for _, t := range s.Terms {
			row = append(row, orDash(t.Grade))
		}
		var comment string
		for _, m := range s.Exams {
			if m.Remark != "" {
				comment = m.Remark // the latest
			}
		}
		rows = append(rows, append(row, orDash(s.Grade), comment))
	}
	doc.Table(columns, rows)
	doc.Field("Overall grade", orDash(card.Overall.Grade))
	p.attendance(doc, card)
	p.end(doc, card, "comment", "Form tutor", "Parent or guardian")
}

// grid is the table of subjects by terms and their exams, with weights. byTerm adds a
// percentage and a grade after each term.
func (card ReportCard) grid(subjects []CardSubject, byTerm bool) paper.Grid {
	g := paper.Grid{Groups: []paper.Group{{Title: "", Span: 1}}, Columns: []paper.Column{{Title: "Subject", Width: 4}}}
	totals := []string{"Total"}
	var order []func(CardSubject) string
	for i, t := range card.Terms {
		span := 0
		for n, e := range card.Exams {
			if !sameID(e.TermID, t.TermID) {
				continue
			}
			span++
			g.Columns = append(g.Columns, paper.Column{Title: e.Name + "\nweight " + number(e.Weight), Width: 2.4, Middle: true})
			order = append(order, func(s CardSubject) string { return s.Exams[n].text() })
			totals = append(totals, e.Obtained.String()+" / "+e.MaxMarks.String())
		}
		if byTerm {
			span += 2
			g.Columns = append(g.Columns, paper.Column{Title: "%", Width: 1.5, Middle: true},
				paper.Column{Title: "Grade", Width: 1.5, Middle: true})
			order = append(order, func(s CardSubject) string { return plainPercent(s.Terms[i].Percent) },
				func(s CardSubject) string { return orDash(s.Terms[i].Grade) })
			totals = append(totals, plainPercent(t.Percent), orDash(t.Grade))
		}
		g.Groups = append(g.Groups, paper.Group{Title: t.title() + ", weight " + number(t.Weight), Span: span})
	}
	g.Groups = append(g.Groups, paper.Group{Title: "Year", Span: 2})
	g.Columns = append(g.Columns, paper.Column{Title: "%", Width: 1.6, Middle: true}, paper.Column{Title: "Grade", Width: 1.6, Middle: true})
	totals = append(totals, plainPercent(card.Overall.Percent), orDash(card.Overall.Grade))
	for _, s := range subjects {
		row := []string{s.Name}
		for _, cell := range order {
			row = append(row, cell(s))
		}
		g.Rows = append(g.Rows, append(row, plainPercent(s.Percent), orDash(s.Grade)))
	}
	g.Totals, g.Small = [][]string{totals}, len(g.Columns) > 7
	return g
}

func (t CardTerm) title() string {
	if t.Name == "" {
		return "Exams"
	}
	return t.Name
}

// text is what a cell of the grid says.
func (m CardMark) text() string {
	switch m.State {
	case "ABSENT":
		return "AB / " + m.MaxMarks.String()
	case "EXEMPT":
		return "EX"
	case "MARKED":
		return m.Obtained.String() + " / " + m.MaxMarks.String()
	}
	return "–"
}

// year says what became of it, and how often the student was there.
func (p cardPrinter) year(doc *paper.Document, card ReportCard, ranked bool) {
	if card.Overall.Percent != nil { // a result with missing papers has none
		doc.Field("Overall", fmt.Sprintf("%s, grade %s", percent(card.Overall.Percent), orDash(card.Overall.Grade)))
	}
	outcome := outcomes[card.Overall.Outcome]
	if len(card.Overall.FailedSubjects) > 0 {
		outcome += ": " + strings.Join(card.Overall.FailedSubjects, ", ")
	}
	doc.Field("Result", outcome)
	if o := card.Overall; ranked && o.Rank > 0 {
		doc.Field("Rank", fmt.Sprintf("%d of %d in the class, %d of %d in the division", o.Rank, o.OutOf, o.DivisionRank, o.DivisionOutOf))
	}
	p.attendance(doc, card)
}

func (p cardPrinter) attendance(doc *paper.Document, card ReportCard) {
	if a := card.Attendance; a != nil && a.Marked > 0 {
		days := "school days"
		if a.Marked < a.SchoolDays {
			days = fmt.Sprintf("marked days, of %d school days", a.SchoolDays)
		}
		doc.Field("Attendance", fmt.Sprintf("%s of %d %s (%s)", number(a.Present), a.Marked, days, percent(a.Percent)))
	}
}

// end has the class teacher's remark, or lines to write one on, the principal's where there is one, and who signs.
// remarks is what the template calls them.
func (p cardPrinter) end(doc *paper.Document, card ReportCard, remarks, teacher, parent string) {
	if card.Remark != nil {
		doc.Heading(teacher + "'s " + remarks)
		doc.Text(card.Remark.Remark)
	} else {
		doc.Ruled(teacher+"'s "+remarks, 2)
	}
	if card.PrincipalRemark != nil {
		doc.Heading(p.head.Head() + "'s " + remarks)
		doc.Text(card.PrincipalRemark.Remark)
	}
	doc.Signatures(teacher, p.head.Head(), parent)
}

// outcomes are the words of the card.
var outcomes = map[string]string{
	passed: "passed", passedWithGrace: "passed with grace marks", compartment: "to sit again", failed: "not passed", incomplete: "incomplete",
}

func percent(p *float64) string {
	if p == nil {
		return "–"
	}
	return number(*p) + " %"
}

func plainPercent(p *float64) string {
	if p == nil {
		return "–"
	}
	return number(*p)
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}
