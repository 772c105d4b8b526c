package live

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"

	"homeroom/api"
)

// FuzzPoint has a phone send anything: what is taken is a place on earth at a moment a
// database can keep, and what is during a trip is of that trip's time.
func FuzzPoint(f *testing.F) {
	for _, seed := range []string{
		"", "null", "{}", "[]", `"x"`, `{"lat":12.97,"lng":77.59,"speed":8.5,"heading":12,"timestamp":1794729600000}`,
		`{"lat":12.97,"lng":77.59,"timestamp":1794729600}`,
		`{"lat":12.97,"lng":77.59,"timestamp":"2026-11-15T08:00:00.123456789+05:30"}`, `{"lat":0,"lng":0}`, `{"lat":90,"lng":-180}`,
		`{"lat":90.0000001,"lng":0}`, `{"lat":1e308,"lng":1e-308}`,
		`{"lat":null,"lng":1}`, `{"lat":"12","lng":"77"}`, `{"lat":1,"lng":1,"speed":-1,"heading":361}`, `{"lat":1,"lng":1,"timestamp":-1}`,
		`{"lat":1,"lng":1,"timestamp":1e300}`,
		`{"lat":1,"lng":1,"timestamp":"0000-01-01T00:00:00Z"}`, `{"lat":1,"lng":1,"timestamp":"9999-12-31T23:59:59-23:59"}`,
		`{"lat":1,"lng":1,"timestamp":1e-9}`, `{"lat":-0.0,"lng":1}`,
	} {
		f.Add([]byte(seed))
	}
	now := time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC)
	began := now.Add(-time.Hour)
	f.Fuzz(func(t *testing.T, data []byte) {
		var fields PointFields
		if json.Unmarshal(data, &fields) != nil {
			return
		}
		p, err := fields.Position(now)
		if err != nil {
			var refusal *api.Error
			if !errors.As(err, &refusal) || refusal.Status != 422 {
				t.Fatalf("not in words: %v", err)
			}
			return
		}
		switch {
		case !(math.Abs(p.Lat) <= 90 && math.Abs(p.Lng) <= 180) || p.Lat == 0 && p.Lng == 0:
			t.Fatalf("no place: %+v", p)
		case !(p.Speed >= 0 && p.Speed < 200 && p.Heading >= 0 && p.Heading <= 360):
			t.Fatalf("no bus does that: %+v", p)
		case p.At.Nanosecond()%1000 != 0:
			t.Fatalf("finer than the database keeps it, so that it is never the same again: %s", p.At)
		}
		if p.during(began, nil) != nil {
			return
		}
		if p.At.Before(began.Add(-BeforeStart)) || p.At.After(now.Add(ClockAhead)) {
			t.Fatalf("of another time: %s", p.At)
		}
		if _, err := json.Marshal(p); err != nil {
			t.Fatalf("cannot be told: %v", err)
		}
	})
}
