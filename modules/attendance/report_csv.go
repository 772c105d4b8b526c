package attendance

import (
	"fmt"
	"strconv"
	"strings"

	"homeroom/api"
	"homeroom/sheet"
)

// reportFile is a month's register for a spreadsheet: a line for each student, a
// column for each day.
func reportFile(c api.Ctx, r reportRequest) (api.File, error) {
	p, err := readReport(c, r)
	if err != nil {
		return api.File{}, err
	}
	head := []string{"rollNumber", "admissionNumber", "firstName", "lastName"}
	for _, d := range p.Days {
		head = append(head, d.Date.String())
	}
	lines := [][]string{append(head, "present", "absent", "late", "leave", "marked", "percent")}
	for _, s := range p.Students {
		lines = append(lines, s.cells())
	}
	body, err := sheet.Bytes(lines)
	if err != nil {
		return api.File{}, fmt.Errorf("writing a register: %w", err)
	}
	name := strings.Map(plainName, fmt.Sprintf("attendance-%s-%s-%s.csv", p.ClassName, p.DivisionName, p.Month))
	return api.File{Name: name, ContentType: "text/csv; charset=utf-8", Body: body}, nil
}

func (s MonthStudent) cells() []string {
	roll, percent := "", ""
	if s.RollNumber != nil {
		roll = strconv.Itoa(*s.RollNumber)
	}
	if s.Totals.Percent != nil {
		percent = strconv.FormatFloat(*s.Totals.Percent, 'f', 1, 64)
	}
	line := []string{roll, sheet.Guard(s.AdmissionNumber), sheet.Guard(s.FirstName), sheet.Guard(s.LastName)}
	for i := range s.Statuses {
		line = append(line, s.Statuses.At(i))
	}
	for _, n := range []int{s.Totals.Present, s.Totals.Absent, s.Totals.Late, s.Totals.Leave, s.Totals.Marked} {
		line = append(line, strconv.Itoa(n))
	}
	return append(line, percent)
}

// plainName keeps what a file's name can hold anywhere.
func plainName(r rune) rune {
	if r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
		return r
	}
	return '-'
}
