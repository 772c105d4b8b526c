package exam

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/paper"
)

type printedResults struct {
	ID         uuid.UUID `path:"id"`
	ClassID    uuid.UUID `json:"classId" doc:"All classes of the exam unless given"`
	DivisionID uuid.UUID `json:"divisionId" doc:"All divisions unless given"`
	ByRank     bool      `json:"byRank" doc:"The best first, instead of by roll number"`
}

// maxPrinted is how many students results are printed for at once.
const maxPrinted = 3000

// printResults is an exam's results on paper, a sheet for each class: a line for each student, a
// column for each paper.
func (m *Module) printResults(c api.Ctx, r printedResults) (api.File, error) {
	all, err := getResults(c, resultsRequest{ID: r.ID, ClassID: r.ClassID, DivisionID: r.DivisionID, Limit: maxPrinted})
	if err != nil {
		return api.File{}, err
	}
	switch {
	case all.Total == 0:
		return api.File{}, api.Conflict("%s has no results to print", all.Exam.Name)
	case all.TotalPages > 1:
		return api.File{}, api.InvalidField("classId", "Class: more than %d students sat this exam: print it class by class", maxPrinted)
	}
	head, err := m.Letterhead(c)
	if err != nil {
		return api.File{}, err
	}
	var doc *paper.Document
	for _, class := range chunkByClass(all.Students) {
		title := fmt.Sprintf("Results of %s, %s", all.Exam.Name, class[0].ClassName)
		if r.DivisionID != uuid.Nil {
			title += " " + class[0].DivisionName
		}
		if doc == nil {
			doc = paper.NewWide(head, title)
		} else {
			doc.Sheet(title)
		}
		if r.ByRank {
			slices.SortStableFunc(class, func(a, b StudentResult) int { return cmp.Compare(a.place(), b.place()) })
		}
		doc.Grid(resultGrid(class, all.Papers))
		doc.Text("AB absent, EX exempt, – no result yet; a paper that a student does not take is left empty.")
		doc.Signatures("Class teacher", head.Head())
	}
	body, err := doc.Bytes()
	name := strings.NewReplacer("/", "-", " ", "-").Replace("results-" + all.Exam.Name + ".pdf")
	return api.File{Name: name, ContentType: "application/pdf", Body: body}, err
}

// chunkByClass parts students, who come class by class.
func chunkByClass(students []StudentResult) [][]StudentResult {
	var out [][]StudentResult
	for i, s := range students {
		if i == 0 || students[i-1].ClassID != s.ClassID {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], s)
	}
	return out
}

func resultGrid(class []StudentResult, papers []Paper) paper.Grid {
	g := paper.Grid{Columns: []paper.Column{{Title: "Rank", Width: 11, Number: true}, {Title: "Roll", Width: 11, Number: true},
		{Title: "Student", Width: 46}, {Title: "Division", Width: 17}}}
	var own []Paper
	for _, p := range papers {
		if p.ClassID == class[0].ClassID {
			own = append(own, p)
			g.Columns = append(g.Columns, paper.Column{Title: fmt.Sprintf("%s\nof %s", p.SubjectName, p.MaxMarks), Width: 20, Number: true})
		}
	}
	g.Small = len(own) > 6
	g.Columns = append(g.Columns, paper.Column{Title: "Total", Width: 20, Number: true},
		paper.Column{Title: "Percent", Width: 17, Number: true},
		paper.Column{Title: "Grade", Width: 14, Middle: true}, paper.Column{Title: "Outcome", Width: 24})
	for _, s := range class {
		line := []string{"–", "", roster.FullName(s.FirstName, s.LastName), s.DivisionName}
		if s.Rank > 0 {
			line[0] = fmt.Sprint(s.Rank)
		}
		if s.RollNumber != nil {
			line[1] = fmt.Sprint(*s.RollNumber)
		}
		for _, p := range own {
			line = append(line, s.printed(p.ID))
		}
		g.Rows = append(g.Rows, append(line, fmt.Sprintf("%s / %s", s.Obtained, s.MaxMarks), percent(s.Percent), orDash(s.Grade),
			outcomes[s.Outcome]))
	}
	return g
}

// place orders by rank: who has none comes last.
func (s StudentResult) place() int {
	if s.Rank == 0 {
		return math.MaxInt
	}
	return s.Rank
}

// printed is what a student got in a paper.
func (s StudentResult) printed(id uuid.UUID) string {
	for _, r := range s.Results {
		switch {
		case r.PaperID != id:
		case r.IsAbsent:
			return "AB"
		case r.IsExempt:
			return "EX"
		case r.MarksObtained != nil:
			return strings.TrimSpace(r.MarksObtained.String() + " " + r.Grade)
		}
	}
	if slices.Contains(s.NotTaken, id) {
		return ""
	}
	return "–"
}
