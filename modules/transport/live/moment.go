package live

import (
	"encoding/json"
	"errors"
	"strconv"
	"time"
)

// Moment is a time as phones write it: ISO 8601, or seconds or milliseconds since 1970.
// It is kept in microseconds; zero is none.
type Moment int64

const (
	// ClockAhead is how far a phone's clock may be ahead of ours.
	ClockAhead = time.Minute
	// BeforeStart is how long before its start a trip's first positions may be.
	BeforeStart = 5 * time.Minute
)

// maxMoment is how many characters the longest of them has, and some to spare.
const maxMoment = 40

// latestSeconds tells seconds from milliseconds: as seconds it is the year 5138.
const latestSeconds = 1e11

// UnmarshalJSON reads any of the three.
func (m *Moment) UnmarshalJSON(b []byte) error {
	if len(b) > maxMoment+len(`""`) {
		return errMoment
	}
	if len(b) > 0 && b[0] == '"' {
		var text string
		if err := json.Unmarshal(b, &text); err != nil {
			return err
		}
		if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
			*m = Moment(t.UnixMicro())
			return nil
		}
		b = []byte(text)
	}
	if string(b) == "null" {
		return nil
	}
	n, err := strconv.ParseFloat(string(b), 64)
	switch {
	case err != nil, n < 0 || n > latestSeconds*1e4:
		return errMoment
	case n < latestSeconds:
		*m = Moment(n * 1e6)
	default:
		*m = Moment(n * 1e3)
	}
	return nil
}

var errMoment = errors.New("must be a time like 2026-11-30T07:05:00Z, or seconds or milliseconds since 1970")

// JSONSchema is a text: generated clients cannot have two types. A number is taken all the same.
func (Moment) JSONSchema() map[string]any {
	return map[string]any{
		"type":        "string",
		"maxLength":   maxMoment,
		"example":     "2026-11-30T07:05:00Z",
		"description": "ISO 8601 with its zone, or seconds or milliseconds since 1970, as text or as a number",
	}
}

// Time is the moment itself.
func (m Moment) Time() time.Time { return time.UnixMicro(int64(m)).UTC() }
