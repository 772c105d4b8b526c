package fee

import (
	"fmt"

	"homeroom/api"
	"homeroom/sheet"
)

// duesFile is the dues of all students as a file for a spreadsheet, amounts in whole
// units of the currency.
func duesFile(c api.Ctx, r duesOf) (*api.File, error) {
	list, err := owing(c, r.ClassID, `order by level nulls last, class_name, student_name, student_id`)
	if err != nil {
		return nil, err
	}
	rows := [][]string{{"admissionNumber", "student", "class", "total", "notDue", "0-30", "31-60", "61-90", "90+", "inClearing"}}
	for _, s := range list {
		rows = append(rows, []string{sheet.Guard(s.AdmissionNumber), sheet.Guard(s.StudentName), sheet.Guard(s.ClassName),
			cell(c, s.Total), cell(c, s.NotDue), cell(c, s.Days0To30), cell(c, s.Days31To60), cell(c, s.Days61To90), cell(c, s.DaysOver90),
			cell(c, s.InClearing)})
	}
	body, err := sheet.Bytes(rows)
	if err != nil {
		return nil, fmt.Errorf("writing the dues: %w", err)
	}
	return &api.File{Name: "dues-" + c.Today().String() + ".csv", ContentType: "text/csv; charset=utf-8", Body: body}, nil
}
