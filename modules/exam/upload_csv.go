package exam

import (
	"errors"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/sheet"
)

// The columns of a file of results, in the order sheet.Read gives their cells.
const (
	colStudentID = iota
	colAdmissionNumber
	colPaperID
	colSubject
	colMarks
	colAbsent
	colExempt
	colRemark
)

var resultSheet = []sheet.Column{
	colStudentID:       {Name: "studentId", Check: idCell},
	colAdmissionNumber: {Name: "admissionNumber", Also: []string{"admission no", "adm no"}, Check: sheet.Text(40)},
	colPaperID:         {Name: "paperId", Check: idCell},
	colSubject:         {Name: "subject", Also: []string{"subject code", "subject name"}, Check: sheet.Text(100)},
	colMarks:           {Name: "marksObtained", Also: []string{"marks"}, Check: marksCell},
	colAbsent:          {Name: "isAbsent", Also: []string{"absent"}, Check: yesCell},
	colExempt:          {Name: "isExempt", Also: []string{"exempt"}, Check: yesCell},
	colRemark:          {Name: "remark", Also: []string{"remarks"}, Check: sheet.Text(500)},
}

var fileColumns = api.Columns(sheet.Document(resultSheet)...)

// readCSV fills a batch from a file. A student is named by id or admission number, a
// paper by id, by its subject, or by paperId of the request for all rows.
func readCSV(r *batch, file *api.Incoming) error {
	return sheet.Read(file, sheet.Reading{Most: maxBatch}, resultSheet, func(row int, cells []string) {
		in := resultInput{row: row, subject: cells[colSubject], admission: cells[colAdmissionNumber]}
		in.StudentID, in.PaperID = idOr(cells[colStudentID]), idOr(cells[colPaperID])
		in.IsAbsent, in.IsExempt = cells[colAbsent] == "yes" || cells[colMarks] == absentCell, cells[colExempt] == "yes" ||
			cells[colMarks] == exemptCell
		if m, err := ParseMarks(cells[colMarks]); err == nil {
			in.MarksObtained = &m
		}
		in.Remark = cells[colRemark]
		r.Results = append(r.Results, in)
	})
}

func idOr(text string) uuid.UUID {
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil
	}
	return id
}

func idCell(cell string) (string, error) {
	id, err := uuid.Parse(cell)
	if err != nil {
		return "", errors.New("must be a UUID")
	}
	return id.String(), nil
}

// What teachers write in the place of marks.
const (
	absentCell = "AB"
	exemptCell = "EX"
)

func marksCell(cell string) (string, error) {
	switch up := strings.ToUpper(cell); up {
	case "AB", "ABS", "ABSENT", "A":
		return absentCell, nil
	case "EX", "EXEMPT", "E":
		return exemptCell, nil
	}
	m, err := ParseMarks(cell)
	if err != nil {
		return "", errors.New("must be a number with at most two decimals, AB or EX")
	}
	return m.String(), nil
}

func yesCell(cell string) (string, error) {
	switch strings.ToLower(cell) {
	case "yes", "y", "true", "1", "x":
		return "yes", nil
	case "no", "n", "false", "0", "-":
		return "", nil
	}
	return "", errors.New("must be yes or no")
}
