package attendance

import (
	"fmt"
	"strconv"

	"homeroom/api"
	"homeroom/sheet"
)

// summaryFile is the summary for a spreadsheet: a line for each division, after those of a
// class one for the class, and last one for the school.
func summaryFile(c api.Ctx, r summaryRequest) (api.File, error) {
	s, err := summary(c, r)
	if err != nil {
		return api.File{}, err
	}
	lines := [][]string{{"class", "division", "enrolled", "schoolDays", "marked", "notMarked", "present", "absent", "late", "leave",
		"percent"}}
	for _, k := range s.Classes {
		for _, d := range k.Divisions {
			lines = append(lines, d.cells(k.ClassName, d.DivisionName))
		}
		lines = append(lines, k.cells(k.ClassName, ""))
	}
	body, err := sheet.Bytes(append(lines, s.cells("", "")))
	if err != nil {
		return api.File{}, fmt.Errorf("writing an attendance summary: %w", err)
	}
	return api.File{Name: fmt.Sprintf("attendance-summary-%s-%s.csv", s.From, s.To), ContentType: "text/csv; charset=utf-8", Body: body}, nil
}

func (g groupSummary) cells(class, division string) []string {
	n := g.Totals
	line := []string{sheet.Guard(class), sheet.Guard(division)}
	for _, v := range []int{g.Enrolled, n.SchoolDays, n.Marked, n.Unmarked, n.Present, n.Absent, n.Late, n.Leave} {
		line = append(line, strconv.Itoa(v))
	}
	if n.Percent == nil {
		return append(line, "")
	}
	return append(line, strconv.FormatFloat(*n.Percent, 'f', 1, 64))
}
