package attendance

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/paper"
)

// printReport is a month's register on paper: a line for each student, a column for each day.
func (m *Module) printReport(c api.Ctx, r reportRequest) (api.File, error) {
	p, err := readReport(c, r)
	if err != nil {
		return api.File{}, err
	}
	head, err := m.Letterhead(c)
	if err != nil {
		return api.File{}, err
	}
	first := p.Days[0].Date
	doc := paper.NewWide(head, fmt.Sprintf("Register of %s %s, %s %d", p.ClassName, p.DivisionName, first.Month, first.Year))
	doc.Grid(p.grid())
	doc.Text("P present, A absent, L late, E leave, ½ leave for half a day; grey days are off. Percent is of the days marked, " +
		"late ones counted as present.")
	doc.Signatures("Class teacher", head.Head())
	return printed(doc, fmt.Sprintf("register-%s-%s-%s", p.ClassName, p.DivisionName, p.Month))
}

func (p MonthRegister) grid() paper.Grid {
	g := paper.Grid{Dense: true, Columns: []paper.Column{{Title: "Roll", Width: 9, Middle: true}, {Title: "Student", Width: 50}}}
	for _, d := range p.Days {
		weekday := d.Date.In(time.UTC).Weekday().String()
		g.Columns = append(g.Columns, paper.Column{Title: fmt.Sprintf("%d\n%s", d.Date.Day, weekday[:1]), Width: 5, Middle: true,
			Shaded: d.DayOff != ""})
	}
	for _, title := range []string{"P", "A", "L", "E"} {
		g.Columns = append(g.Columns, paper.Column{Title: title, Width: 7, Number: true})
	}
	g.Columns = append(g.Columns, paper.Column{Title: "%", Width: 9, Number: true})
	for _, s := range p.Students {
		line := []string{"", roster.FullName(s.FirstName, s.LastName)}
		if s.RollNumber != nil {
			line[0] = strconv.Itoa(*s.RollNumber)
		}
		for _, letter := range s.Statuses {
			line = append(line, printedLetters[letter])
		}
		g.Rows = append(g.Rows, append(line, s.Totals.printed()...))
	}
	total := make([]string, 2+len(p.Days))
	total[1] = "Total"
	g.Totals = [][]string{append(total, p.Totals.printed()...)}
	return g
}

// printedLetters stand for the statuses of days.
var printedLetters = map[byte]string{'P': "P", 'A': "A", 'L': "L", 'V': "E", 'W': "½"}

// printed are the counts and the percentage, as the columns of papers have them.
func (n AttendanceTotals) printed() []string {
	return []string{strconv.Itoa(n.Present), strconv.Itoa(n.Absent), strconv.Itoa(n.Late), strconv.Itoa(n.Leave), n.percentText()}
}

func (n AttendanceTotals) percentText() string {
	if n.Percent == nil {
		return "–"
	}
	return strconv.FormatFloat(*n.Percent, 'f', -1, 64)
}

// printSummary is the attendance summary on paper.
func (m *Module) printSummary(c api.Ctx, r summaryRequest) (api.File, error) {
	s, err := summary(c, r)
	if err != nil {
		return api.File{}, err
	}
	head, err := m.Letterhead(c)
	if err != nil {
		return api.File{}, err
	}
	f := paper.FiguresOf(c.School.Writes())
	days, basis := f.Day(s.From.Year, s.From.Month, s.From.Day), "Percent is of the students who are marked, late ones counted as present."
	if s.From != s.To {
		days += " – " + f.Day(s.To.Year, s.To.Month, s.To.Day)
		basis = "Marked, present, absent, late and leave are counted in days of students, percent of those marked, late ones counted as " +
			"present; enrolled is on the last of the days."
	}
	doc := paper.New(head, "Attendance summary, "+days)
	doc.Grid(s.grid())
	doc.Text(basis)
	return printed(doc, fmt.Sprintf("attendance-summary-%s-%s", s.From, s.To))
}

func (s AttendanceSummary) grid() paper.Grid {
	g := paper.Grid{Columns: []paper.Column{{Title: "Class", Width: 46}}}
	for _, title := range []string{"Came %", "Enrolled", "Present", "Absent", "Late", "Leave", "Marked", "Not marked"} {
		g.Columns = append(g.Columns, paper.Column{Title: title, Width: 18, Number: true})
	}
	for _, k := range s.Classes {
		for _, d := range k.Divisions {
			name := k.ClassName + " " + d.DivisionName
			if d.DayOff != "" {
				name += ": " + d.DayOff
			}
			g.Rows = append(g.Rows, d.printed(name))
		}
		if len(k.Divisions) > 1 {
			g.Rows = append(g.Rows, k.printed(k.ClassName+" in all"))
		}
	}
	g.Totals = [][]string{s.printed("School")}
	return g
}

func (g groupSummary) printed(name string) []string {
	n := g.Totals
	line := []string{name, n.percentText()}
	for _, v := range []int{g.Enrolled, n.Present, n.Absent, n.Late, n.Leave, n.Marked, n.Unmarked} {
		line = append(line, strconv.Itoa(v))
	}
	return line
}

func printed(doc *paper.Document, name string) (api.File, error) {
	body, err := doc.Bytes()
	return api.File{Name: strings.Map(plainName, name) + ".pdf", ContentType: "application/pdf", Body: body}, err
}
