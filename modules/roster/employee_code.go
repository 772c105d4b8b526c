package roster

import (
	"fmt"

	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/tenancy"
)

// EmployeeCodes are the next n codes that no employee has; reserved ones, in lower case, are
// left out. The series stays locked until the transaction ends, so that two callers at once
// get different codes.
func EmployeeCodes(c api.Ctx, n int, reserved ...string) (codes []string, err error) {
	next, err := lockSeries(c, "employee")
	if err != nil {
		return nil, err
	}
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `with free as (
			select n, code from generate_series($1::bigint, $1 + $2 + cardinality($3::text[]) + (select count(*) from employee)) n,
				lateral (select 'E' || lpad(n::text, greatest(4, length(n::text)), '0') as code) as formed
			where not exists (select from employee e where lower(e.employee_code) = lower(formed.code)) and lower(code) <> all($3::text[])
			order by n limit $2),
		taken as (update number_series set next = (select max(n) + 1 from free) where name = 'employee')
		select code from free order by n`, Args: []any{next, int64(n), append([]string{}, reserved...)},
		Scan: func(rows pgx.Rows) (err error) {
			codes, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		}})
	if err != nil {
		return nil, fmt.Errorf("numbering employees: %w", err)
	}
	return codes, nil
}
