package fee

import (
	"fmt"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
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
			ledger.Cell(c, s.Total), ledger.Cell(c, s.NotDue), ledger.Cell(c, s.Days0To30), ledger.Cell(c, s.Days31To60),
			ledger.Cell(c, s.Days61To90), ledger.Cell(c, s.DaysOver90),
			ledger.Cell(c, s.InClearing)})
	}
	body, err := sheet.Bytes(rows)
	if err != nil {
		return nil, fmt.Errorf("writing the dues: %w", err)
	}
	return &api.File{Name: "dues-" + c.Today().String() + ".csv", ContentType: "text/csv; charset=utf-8", Body: body}, nil
}
