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
	"homeroom/sheet"
)

type resultsFile struct {
	ID         uuid.UUID `path:"id"`
	ClassID    uuid.UUID `json:"classId" doc:"Must be given: each class has its own papers"`
	DivisionID uuid.UUID `json:"divisionId" doc:"All divisions unless given"`
	ByRank     bool      `json:"byRank" doc:"The best first, instead of by roll number"`
}

// resultsCSV is the results of a class in an exam as a CSV file: a line for each student, a column for each paper.
func resultsCSV(c api.Ctx, r resultsFile) (api.File, error) {
	all, err := getResults(c, resultsRequest{ID: r.ID, ClassID: r.ClassID, DivisionID: r.DivisionID, Limit: math.MaxInt32})
	switch {
	case err != nil:
		return api.File{}, err
	case r.ClassID == uuid.Nil:
		return api.File{}, api.InvalidField("classId", "Class is required")
	}
	if r.ByRank {
		slices.SortStableFunc(all.Students, func(a, b StudentResult) int { return cmp.Compare(a.place(), b.place()) })
	}
	papers := slices.DeleteFunc(all.Papers, func(p Paper) bool { return p.ClassID != r.ClassID })
	head := []string{"Rank", "Roll no.", "Admission no.", "Student", "Class", "Division"}
	for _, p := range papers {
		head = append(head, sheet.Guard(p.SubjectName))
	}
	rows := [][]string{append(head, "Total", "Full marks", "Percent", "Grade", "Outcome")}
	for _, s := range all.Students {
		line := []string{"", "", sheet.Guard(s.AdmissionNumber), sheet.Guard(roster.FullName(s.FirstName, s.LastName)),
			sheet.Guard(s.ClassName), sheet.Guard(s.DivisionName)}
		if s.Rank > 0 {
			line[0] = fmt.Sprint(s.Rank)
		}
		if s.RollNumber != nil {
			line[1] = fmt.Sprint(*s.RollNumber)
		}
		for _, p := range papers {
			line = append(line, s.written(p.ID))
		}
		share := ""
		if s.Percent != nil {
			share = number(*s.Percent)
		}
		rows = append(rows, append(line, s.Obtained.String(), s.MaxMarks.String(), share, sheet.Guard(s.Grade), outcomes[s.Outcome]))
	}
	body, err := sheet.Bytes(rows)
	name := strings.NewReplacer("/", "-", " ", "-").Replace("results-" + all.Exam.Name + ".csv")
	return api.File{Name: name, ContentType: "text/csv; charset=utf-8", Body: body}, err
}

// written is what a student got in a paper, a number where it is one.
func (s StudentResult) written(id uuid.UUID) string {
	i := slices.IndexFunc(s.Results, func(r PaperResult) bool { return r.PaperID == id })
	switch {
	case i < 0:
		return ""
	case s.Results[i].IsAbsent:
		return "AB"
	case s.Results[i].IsExempt:
		return "EX"
	case s.Results[i].MarksObtained != nil:
		return s.Results[i].MarksObtained.String()
	}
	return ""
}
