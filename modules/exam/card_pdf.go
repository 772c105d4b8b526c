package exam

import (
	"fmt"
	"strconv"
	"strings"

	"homeroom/api"
	"homeroom/paper"
)

// print is the card as it is handed out and signed.
func (m *Module) print(c api.Ctx, card ReportCard) (*api.File, error) {
	head, err := m.Letterhead(c)
	if err != nil {
		return nil, err
	}
	doc := paper.New(head, "Report card "+card.AcademicYearName)
	s := card.Student
	doc.Field("Name of the student", strings.TrimSpace(s.FirstName+" "+s.LastName))
	doc.Field("Admission number", s.AdmissionNumber)
	doc.Field("Class", strings.TrimSpace(s.ClassName+" "+s.DivisionName))
	if s.RollNumber != nil {
		doc.Field("Roll number", strconv.Itoa(*s.RollNumber))
	}
	if len(s.Guardians) > 0 {
		doc.Field("Parents or guardians", strings.Join(s.Guardians, ", "))
	}
	for _, e := range card.Exams {
		doc.Heading(e.Name)
		doc.Table([]paper.Column{{Title: "Subject", Width: 5}, {Title: "Max.", Width: 2, Number: true},
			{Title: "To pass", Width: 2, Number: true}, {Title: "Marks", Width: 2, Number: true}, {Title: "Grade", Width: 2},
			{Title: "Remark", Width: 5}}, e.lines())
		doc.Field("Result", e.sentence())
	}
	if len(card.Terms) > 1 {
		doc.Heading("Terms")
		var lines [][]string
		for _, t := range card.Terms {
			lines = append(lines, []string{orDash(t.Name), number(t.Weight), percent(t.Percent), orDash(t.Grade)})
		}
		doc.Table([]paper.Column{{Title: "Term", Width: 6}, {Title: "Weight", Width: 2, Number: true},
			{Title: "Percent", Width: 3, Number: true}, {Title: "Grade", Width: 2}}, lines)
	}
	doc.Heading("The year")
	doc.Field("Overall", fmt.Sprintf("%s, grade %s", percent(card.Overall.Percent), orDash(card.Overall.Grade)))
	outcome := outcomes[card.Overall.Outcome]
	if len(card.Overall.FailedSubjects) > 0 {
		outcome += ": " + strings.Join(card.Overall.FailedSubjects, ", ")
	}
	doc.Field("Result", outcome)
	if card.Overall.Rank > 0 {
		doc.Field("Rank in class", fmt.Sprintf("%d of %d", card.Overall.Rank, card.Overall.OutOf))
		doc.Field("Rank in division", fmt.Sprintf("%d of %d", card.Overall.DivisionRank, card.Overall.DivisionOutOf))
	}
	if a := card.Attendance; a != nil {
		doc.Field("Attendance", fmt.Sprintf("%s of %d days (%s)", number(a.Present), a.Total, percent(a.Percent)))
	}
	if card.Remark != nil {
		doc.Heading("Remarks of the class teacher")
		doc.Text(card.Remark.Remark)
	} else {
		doc.Ruled("Remarks of the class teacher", 2)
	}
	doc.Signatures("Class teacher", head.Head(), "Parent or guardian")
	body, err := doc.Bytes()
	if err != nil {
		return nil, err
	}
	return &api.File{Name: fmt.Sprintf("report-card-%s.pdf", s.AdmissionNumber), ContentType: "application/pdf", Body: body}, nil
}

func (e CardExam) lines() [][]string {
	var lines [][]string
	for _, r := range e.Results {
		got := ""
		switch {
		case r.IsAbsent:
			got = "AB"
		case r.IsExempt:
			got = "EX"
		case r.MarksObtained != nil:
			got = r.MarksObtained.String()
		}
		lines = append(lines, []string{r.SubjectName, r.MaxMarks.String(), r.PassMarks.String(), got, r.Grade, r.Remark})
	}
	return append(lines, []string{"Total", e.MaxMarks.String(), "", e.Obtained.String(), e.Grade, ""})
}

func (e CardExam) sentence() string {
	if e.Outcome == incomplete {
		return "incomplete: " + fmt.Sprint(e.Missing) + " of the results missing"
	}
	text := percent(e.Percent) + ", " + outcomes[e.Outcome]
	if e.Rank > 0 {
		text += fmt.Sprintf(", rank %d of %d", e.Rank, e.OutOf)
	}
	return text
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

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}
