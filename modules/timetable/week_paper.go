package timetable

import (
	"fmt"
	"strings"

	"homeroom/api"
	"homeroom/paper"
)

func (m *Module) printDivisionWeek(c api.Ctx, r ofDivision) (api.File, error) {
	w, err := getDivisionWeek(c, r)
	if err != nil {
		return api.File{}, err
	}
	return m.printWeek(c, w.ClassName+" "+w.DivisionName, w.Days, append(w.Slots, w.GroupSlots...), func(s Slot) []string {
		if s.GroupID != nil {
			return []string{s.GroupName, s.TeacherName, s.Room}
		}
		return []string{s.SubjectName, s.TeacherName, s.Room}
	})
}

func (m *Module) printGroupWeek(c api.Ctx, r ofGroup) (api.File, error) {
	w, err := getGroupWeek(c, r)
	if err != nil {
		return api.File{}, err
	}
	return m.printWeek(c, w.GroupName, w.Days, w.Slots, func(s Slot) []string { return []string{s.SubjectName, s.TeacherName, s.Room} })
}

func (m *Module) printTeacherWeek(c api.Ctx, r ofEmployee) (api.File, error) {
	w, err := getTeacherWeek(c, r)
	if err != nil {
		return api.File{}, err
	}
	return m.printWeek(c, w.TeacherName, w.Days, w.Slots, func(s Slot) []string { return []string{s.whose(), s.SubjectName, s.Room} })
}

// printWeek is a week on paper: a line for each period, a column for each day. Of a lesson it
// says what lines gives, each on a line of its own.
func (m *Module) printWeek(c api.Ctx, whose string, days []int, lessons []Slot, lines func(Slot) []string) (api.File, error) {
	var periods []Period
	if err := c.DB.Order("start_time, end_time, id").Find(&periods).Error; err != nil {
		return api.File{}, fmt.Errorf("reading the periods of a week: %w", err)
	}
	head, err := m.Letterhead(c)
	if err != nil {
		return api.File{}, err
	}
	grid := paper.Grid{Columns: []paper.Column{{Title: "Period", Width: 28}}}
	for _, day := range days {
		grid.Columns = append(grid.Columns, paper.Column{Title: dayNames[day], Width: 40})
	}
	for _, p := range periods {
		row := []string{fmt.Sprintf("%s\n%s–%s", p.Name, p.StartTime, p.EndTime)}
		for _, day := range days {
			var cell []string
			for _, s := range lessons {
				if s.DayOfWeek == day && s.PeriodID == p.ID {
					cell = append(cell, linesWithText(lines(s))...)
				}
			}
			row = append(row, strings.Join(cell, "\n"))
		}
		grid.Rows = append(grid.Rows, row)
	}
	doc := paper.NewWide(head, "Timetable of "+whose)
	doc.Grid(grid)
	body, err := doc.Bytes()
	name := strings.NewReplacer("/", "-", " ", "-").Replace("timetable-" + whose + ".pdf")
	return api.File{Name: name, ContentType: "application/pdf", Body: body}, err
}

func linesWithText(lines []string) []string {
	var out []string
	for _, text := range lines {
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}
