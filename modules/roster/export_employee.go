package roster

import (
	"database/sql"
	"io"

	"homeroom/api"
)

// exportEmployees gives the employees a list would show, as a file that can be imported.
func exportEmployees(c api.Ctx, l api.ListRequest) (api.Stream, error) {
	query := l.All(c.DB.Model(&Employee{}).Select(`employee_code, first_name, last_name, employee_type, phone, email, designation, department, qualification,
		coalesce(joining_date::text, ''), licence_number, coalesce(licence_expiry_date::text, '')`))
	return api.Stream{Name: "employees-" + c.Today().String() + ".csv", ContentType: "text/csv; charset=utf-8", Write: func(w io.Writer) error {
		return exportRows(w, employeeSheet, query, func(rows *sql.Rows, cells []string) error {
			into := make([]any, len(cells))
			for i := range cells {
				into[i] = &cells[i]
			}
			return rows.Scan(into...)
		})
	}}, nil
}
