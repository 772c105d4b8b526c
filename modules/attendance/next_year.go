package attendance

import (
	"encoding/json"
	"fmt"

	"homeroom/api"
	"homeroom/tenancy"
)

// nextYear is attendance's part in the turn of the year: a mark of the new year says that it is in use.
func nextYear() []api.NextYear {
	return []api.NextYear{{Part: api.AttendancePart, InUse: hasMarks}}
}

func hasMarks(c api.Ctx, t api.YearTurn, _ json.RawMessage) (string, error) {
	var first []api.Date
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select date from attendance where date between $1 and $2 order by date limit 1`,
		Args: []any{t.To.StartDate, t.To.EndDate}, Scan: tenancy.Values(&first)})
	if err != nil || len(first) == 0 {
		return "", err
	}
	return fmt.Sprintf("Attendance of %s is marked", first[0]), nil
}
