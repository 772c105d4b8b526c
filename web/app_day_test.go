package web_test

import (
	"fmt"
	"testing"

	"homeroom/testkit"
)

// TestApp_ADay_IsPlayedOnFourPhonesAndTheConsole is a school's day by the hands of its people: nobody calls the API.
func TestApp_ADay_IsPlayedOnFourPhonesAndTheConsole(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	s, stage := greenValley(t, app)
	browse(t, app, "app-day", stage)
	trip := stage["trips"].(map[string]any)["morning"]
	// 30 children got on and off; one was not at the stop.
	if n := s.Count(t, "boarding_tap", "trip_id = ? and undone_at is null", trip); n != 61 {
		t.Errorf("%d taps arrived, want 61", n)
	}
	if n := s.Count(t, "(select at, lag(at) over (order by received_at) as before from boarding_tap where trip_id = '"+
		fmt.Sprint(trip)+"') x", "before > at"); n != 0 {
		t.Errorf("%d taps came before an earlier one", n)
	}
}
