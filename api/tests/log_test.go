package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"homeroom/api"
)

func TestARequestLeavesOneLineWithIDsAndNothingPeopleTyped(t *testing.T) {
	t.Parallel()
	app := startLab(t)
	s := app.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	id := "line-" + api.NewID().String()
	private := "Zebra" + api.NewID().String()[:8]
	admin.With("X-Request-Id", id).Call(t, "POST", writePath, map[string]any{"name": private, "code": private})
	admin.Call(t, "GET", readPath+"?filters[search]="+private, nil)
	admin.Call(t, "GET", "/school-admin/class/"+private, nil)
	admin.Call(t, "POST", writePath, map[string]any{"name": private}) // a duplicate, whose database error names it
	app.Nobody().Call(t, "GET", "/"+private, nil)
	app.Nobody().Call(t, "POST", "/auth/login", map[string]any{"email": private + "@zoo.test", "password": private})
	app.Nobody().With("User-Agent", private).Call(t, "POST", "/auth/login", map[string]any{"email": private})

	log := app.Log.String()
	for _, secret := range []string{private, admin.Token, strings.Split(admin.Token, ".")[1]} {
		if strings.Contains(log, secret) {
			t.Errorf("%q is in the log:\n%s", secret, log)
		}
	}
	var lines []map[string]any
	for line := range strings.Lines(log) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("a line is no JSON: %q", line)
		}
		if entry["requestId"] == id {
			lines = append(lines, entry)
		}
	}
	if len(lines) != 1 {
		t.Fatalf("%d lines for one request: %v", len(lines), lines)
	}
	for name, want := range map[string]any{
		"msg": "request", "row": "POST " + writePath, "status": 201.0, "userId": admin.UserID.String(), "role": "SCHOOL_ADMIN",
		"schoolId": s.ID.String(),
	} {
		if lines[0][name] != want {
			t.Errorf("%s is %v, want %v", name, lines[0][name], want)
		}
	}
}

func TestRequestsAreCountedByRowAndStatus(t *testing.T) {
	t.Parallel()
	app := startLab(t)
	admin := app.NewSchool(t).As(t, api.SchoolAdmin)
	for range 3 {
		admin.Call(t, "GET", readPath, nil)
	}
	admin.Call(t, "GET", readPath+"?page=0", nil)
	admin.Call(t, "GET", "/school-admin/class/"+api.NewID().String(), nil)
	for i := range 5 {
		app.Nobody().Call(t, "GET", fmt.Sprint("/nothing/", i), nil)
	}
	for series, want := range map[string]string{
		`homeroom_http_requests_total{row="GET /school-admin/class/list",status="200"}`:    "3",
		`homeroom_http_requests_total{row="GET /school-admin/class/list",status="422"}`:    "1",
		`homeroom_http_requests_total{row="GET /school-admin/class/:id",status="404"}`:     "1",
		`homeroom_http_requests_total{row="unmatched",status="404"}`:                       "5",
		`homeroom_http_request_duration_seconds_count{row="GET /school-admin/class/list"}`: "4",
	} {
		if got := metric(t, app, series); got != want {
			t.Errorf("%s is %s, want %s", series, got, want)
		}
	}
}
