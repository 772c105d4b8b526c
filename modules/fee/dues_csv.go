package fee

import (
	"bytes"
	"encoding/csv"
	"fmt"

	"homeroom/api"
	"homeroom/modules/roster"
)

// duesFile is the dues of all students as a file for a spreadsheet, amounts in whole
// units of the currency.
func duesFile(c api.Ctx, r duesOf) (*api.File, error) {
	list, err := owing(c, r.ClassID, `order by level nulls last, class_name, student_name, student_id`)
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	body.WriteString("\xEF\xBB\xBF") // spreadsheets take a file without it for an old encoding
	out := csv.NewWriter(&body)
	rows := [][]string{{"admissionNumber", "student", "class", "total", "notDue", "0-30", "31-60", "61-90", "90+"}}
	for _, s := range list {
		rows = append(rows, []string{roster.Guard(s.AdmissionNumber), roster.Guard(s.StudentName), roster.Guard(s.ClassName),
			cell(c, s.Total), cell(c, s.NotDue), cell(c, s.Days0To30), cell(c, s.Days31To60), cell(c, s.Days61To90), cell(c, s.DaysOver90)})
	}
	if err := out.WriteAll(rows); err != nil {
		return nil, fmt.Errorf("writing the dues: %w", err)
	}
	return &api.File{Name: "dues-" + c.Today().String() + ".csv", ContentType: "text/csv; charset=utf-8", Body: body.Bytes()}, nil
}
