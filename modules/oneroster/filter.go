package oneroster

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"homeroom/api"
)

// maxTerms is how many conditions a filter may have.
const maxTerms = 20

// condition is one comparison of a filter. A quote within the value is doubled.
var condition = regexp.MustCompile(`^\s*([A-Za-z0-9.]+)\s*(!=|>=|<=|=|>|<|~)\s*'((?:[^']|'')*)'`)

// conjunction is between two of them.
var conjunction = regexp.MustCompile(`^\s+(?i:(and)|or)\s+`)

func badFilter(format string, args ...any) *api.Error {
	return api.Coded(400, invalidFilter, fmt.Sprintf(format, args...))
}

// filtered reads a filter as SQL. AND binds more closely than OR. Texts are compared without case, days and moments as what they are.
func (c collection) filtered(filter string, args []any) (string, []any, error) {
	var sql strings.Builder
	for n := 1; ; n++ {
		m := condition.FindStringSubmatch(filter)
		if m == nil {
			return "", nil, badFilter("filter must be like familyName='Rao' AND status='active'")
		}
		if n > maxTerms {
			return "", nil, badFilter("filter has more than %d conditions", maxTerms)
		}
		f := c.find(m[1])
		if f == nil {
			return "", nil, badFilter("filter: %s is no field here", m[1])
		}
		value, err := comparable(*f, m[2], strings.ReplaceAll(m[3], "''", "'"))
		if err != nil {
			return "", nil, err
		}
		args = append(args, value)
		sql.WriteString(f.compared(m[2], len(args)))
		filter = filter[len(m[0]):]
		if strings.TrimSpace(filter) == "" {
			return sql.String(), args, nil
		}
		join := conjunction.FindStringSubmatch(filter)
		if join == nil {
			return "", nil, badFilter("filter: conditions are joined by AND or OR")
		}
		sql.WriteString(map[bool]string{true: " and ", false: " or "}[join[1] != ""])
		filter = filter[len(join[0]):]
	}
}

// comparable is a value as the field's column has it.
func comparable(f field, operator, value string) (string, error) {
	if operator == "~" || !strings.Contains(f.name, "ate") {
		return value, nil
	}
	moment := f.name == "dateLastModified"
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02"} {
		at, err := time.Parse(form, value)
		switch {
		case err != nil:
		case moment:
			return at.UTC().Format("2006-01-02T15:04:05.000Z"), nil
		default:
			return at.Format(time.DateOnly), nil
		}
	}
	if strings.HasSuffix(f.name, "Date") || moment {
		return "", badFilter("filter: %s is compared with a day like 2026-11-18, or a moment like 2026-11-18T08:30:00Z", f.name)
	}
	return value, nil
}

// compared is the condition with the argument of this number.
func (f field) compared(operator string, argument int) string {
	column := fmt.Sprintf(`lower(coalesce("%s", '')) collate "C"`, f.column)
	value := fmt.Sprintf(`lower($%d::text)`, argument)
	several := f.kind == texts || f.kind == many
	switch {
	case operator == "~":
		return fmt.Sprintf(`strpos(%s, %s) > 0`, column, value)
	case several && (operator == "=" || operator == "!="):
		return fmt.Sprintf(`%s (%s = any(string_to_array(%s, ',')))`, map[string]string{"=": "", "!=": "not"}[operator], value, column)
	}
	return column + " " + strings.Replace(operator, "!=", "<>", 1) + " " + value
}
