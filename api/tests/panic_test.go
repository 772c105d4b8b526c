package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/testkit"
)

func TestAPanicIsA500InTheSpecsBodyAndOneLineInTheLog(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	id := "panic-" + api.NewID().String()
	a := admin.With("X-Request-Id", id).Call(t, "GET", "/school-admin/report/panic", nil)
	f := a.Failure(t)
	if a.Status != 500 || f.Error != "Internal Server Error" || f.Message != "Something went wrong on our side" {
		t.Errorf("answer %d %s", a.Status, a.Body)
	}
	for _, secret := range []string{"sesame", "goroutine", ".go", "panic"} {
		if strings.Contains(string(a.Body), secret) {
			t.Errorf("the answer shows %q: %s", secret, a.Body)
		}
	}
	lines := errorLines(t, testkit.Shared(t), id)
	if len(lines) != 1 || !strings.Contains(lines[0], "sesame") || !strings.Contains(lines[0], "lab_test.go") {
		t.Errorf("%d error lines, want one with the cause and the place:\n%s", len(lines), strings.Join(lines, "\n"))
	}
}

// errorLines are the lines of a log at level error that carry the request's id.
func errorLines(t *testing.T, app *testkit.App, request string) []string {
	t.Helper()
	var out []string
	for line := range strings.Lines(app.Log.String()) {
		var entry struct{ Level, RequestID string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("a log line is no JSON: %q", line)
		}
		if entry.Level == "ERROR" && entry.RequestID == request {
			out = append(out, line)
		}
	}
	return out
}

func TestAPanicAfterAWriteWritesNothingAndLeavesThePoolWhole(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	for range 10 { // more than the school's pool has connections
		if a := admin.Call(t, "POST", "/school-admin/report/panic", nil); a.Status != 500 {
			t.Fatalf("answer %d %s", a.Status, a.Body)
		}
	}
	if n := s.Count(t, "class", "true"); n != 0 {
		t.Errorf("%d classes were written", n)
	}
	if n := s.Count(t, "audit_event", "true"); n != 0 {
		t.Errorf("%d audit rows were written", n)
	}
}

func TestAReadThatWritesIsRefusedByTheDatabase(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	id := "sneaky-" + api.NewID().String()
	a := admin.With("X-Request-Id", id).Call(t, "GET", "/school-admin/report/sneaky", nil)
	if a.Status != 500 || strings.Contains(string(a.Body), "transaction") {
		t.Errorf("answer %d %s", a.Status, a.Body)
	}
	if lines := errorLines(t, testkit.Shared(t), id); len(lines) != 1 || !strings.Contains(lines[0], "read-only transaction") {
		t.Errorf("log: %v", lines)
	}
	if n := s.Count(t, "class", "true"); n != 0 {
		t.Errorf("%d classes were written", n)
	}
}
