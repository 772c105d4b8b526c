package imports

import (
	"encoding/json"
	"fmt"

	"homeroom/api"
	"homeroom/sheet"
	"homeroom/tenancy"
)

// maxMapping is how many columns one request can speak of: as many as a file can have.
const maxMapping = 200

// mapping is what the request says of the file's columns.
func (r Request) mapping() (map[string]string, error) {
	if r.Mapping == "" {
		return nil, nil
	}
	var out map[string]string
	if err := json.Unmarshal([]byte(r.Mapping), &out); err != nil || len(out) > maxMapping {
		return nil, api.InvalidField("mapping", `must be a JSON object like {"Father Mobile": "fatherPhone", "House": ""}`)
	}
	return out, nil
}

// readMapping is what was said of the columns of earlier files, by the reports of the runs that were kept: the newest word counts.
func readMapping(c api.Ctx, kind string) (map[string]string, error) {
	type row struct{ Header, ReadAs string }
	var rows []row
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select distinct on (k->>'header') k->>'header' as header, k->>'column' as read_as
		from import_run r, jsonb_array_elements(case jsonb_typeof(r.report->'columns') when 'array' then r.report->'columns' else '[]' end) k
		where r.kind = $1 and r.state = 'DONE' and not r.dry_run and k->>'matchedBy' = 'REQUEST' order by k->>'header', r.created_at desc`,
		Args: []any{kind}, Scan: tenancy.Collect(&rows)})
	if err != nil {
		return nil, fmt.Errorf("reading how columns are read: %w", err)
	}
	out := make(map[string]string, len(rows))
	for _, r := range rows {
		out[r.Header] = r.ReadAs
	}
	return out, nil
}

// ShownRow is a row of the file as it was written.
type ShownRow struct {
	Row          int      `json:"row"`
	Cells        []string `json:"cells" doc:"In the order of columns"`
	WhatToChange string   `json:"whatToChange" doc:"Empty: nothing"`
}

const (
	// maxShownBad is how many bad rows an answer has, to be mended and sent again; maxShownGood, how many others.
	maxShownBad  = 5_000
	maxShownGood = 20
)

// shownRows are the bad rows and a few of the others, in order.
func shownRows(t *sheet.Table, found *sheet.Problems) []ShownRow {
	why := found.ByRow()
	out := []ShownRow{}
	good, bad := 0, 0
	for _, row := range t.First(t.Len()) {
		s := ShownRow{Row: row, Cells: t.Raw(row)}
		if found.IsBad(row) {
			if bad++; bad > maxShownBad {
				continue
			}
			for i, w := range why[row] {
				if i > 0 {
					s.WhatToChange += "; "
				}
				s.WhatToChange += w
			}
		} else if good++; good > maxShownGood {
			continue
		}
		out = append(out, s)
	}
	return out
}
