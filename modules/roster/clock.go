package roster

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"homeroom/api"
)

// Clock is a time of day at the school, HH:MM. Two of them compare as text.
type Clock string

// UnmarshalJSON reads HH:MM and refuses times that no clock shows.
func (k *Clock) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	if text == "" {
		*k = ""
		return nil
	}
	t, err := time.Parse("15:04", text)
	if err != nil {
		return fmt.Errorf("must be a time like 09:30")
	}
	*k = Clock(t.Format("15:04"))
	return nil
}

// JSONSchema is a time of day, or nothing where none is needed.
func (Clock) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "pattern": "^$|^([01][0-9]|2[0-3]):[0-5][0-9]$", "maxLength": 5, "example": "09:30"}
}

// Value stores a time of day.
func (k Clock) Value() (driver.Value, error) {
	if k == "" {
		return nil, nil
	}
	return string(k), nil
}

// Scan reads a time column; a school's bells do not ring on the second.
func (k *Clock) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*k = ""
	case string:
		*k = Clock(v[:min(5, len(v))])
	default:
		return fmt.Errorf("roster.Clock: cannot read %T", v)
	}
	return nil
}

// On is the moment the clock shows this time on a day in a place.
func (k Clock) On(d api.Date, place *time.Location) time.Time {
	t, err := time.Parse("15:04", string(k))
	if err != nil {
		return d.In(place)
	}
	return time.Date(d.Year, d.Month, d.Day, t.Hour(), t.Minute(), 0, 0, place)
}
