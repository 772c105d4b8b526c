package exam

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Marks are an exact number with two decimals, kept in hundredths: sums of them are
// right to the last place, as a parent with a pencil will find.
type Marks int64

// maxMarks is the most a paper can give.
const maxMarks Marks = 10_000_00

var errMarks = errors.New("must be a number from 0 to 10000 with at most two decimals")

// ParseMarks reads a number of at most two decimals.
func ParseMarks(text string) (Marks, error) {
	whole, part, _ := strings.Cut(text, ".")
	for len(part) > 2 && strings.HasSuffix(part, "0") {
		part = part[:len(part)-1]
	}
	if whole == "" || len(whole) > 6 || len(part) > 2 || strings.Trim(whole+part, "0123456789") != "" {
		return 0, errMarks
	}
	n, err := strconv.ParseInt(whole+(part + "00")[:2], 10, 64)
	if err != nil || Marks(n) > maxMarks {
		return 0, errMarks
	}
	return Marks(n), nil
}

// String is the number without needless decimals.
func (m Marks) String() string {
	text := fmt.Sprintf("%d.%02d", m/100, m%100)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// MarshalJSON writes a number.
func (m Marks) MarshalJSON() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalJSON reads a number.
func (m *Marks) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	var n json.Number
	if b[0] == '"' || json.Unmarshal(b, &n) != nil {
		return errMarks
	}
	parsed, err := ParseMarks(n.String())
	*m = parsed
	return err
}

// JSONSchema is a number of marks.
func (Marks) JSONSchema() map[string]any {
	return map[string]any{"type": "number", "minimum": 0, "maximum": 10000, "multipleOf": 0.01}
}

// Value stores marks.
func (m Marks) Value() (driver.Value, error) { return m.String(), nil }

// Scan reads a numeric column.
func (m *Marks) Scan(v any) error {
	var text string
	switch v := v.(type) {
	case string:
		text = v
	case []byte:
		text = string(v)
	case float64:
		text = strconv.FormatFloat(v, 'f', 2, 64)
	case int64:
		text = strconv.FormatInt(v, 10)
	default:
		return fmt.Errorf("exam.Marks: cannot read %T", v)
	}
	n, err := strconv.ParseFloat(text, 64)
	*m = Marks(math.Round(n * 100))
	return err
}

// percentOf is a share of most in percent, to two decimals; of nothing there is none.
func percentOf(got, most Marks) *float64 {
	if most == 0 {
		return nil
	}
	p := rounded(float64(got) * 100 / float64(most))
	return &p
}

func rounded(p float64) float64 { return math.Round(p*100) / 100 }
