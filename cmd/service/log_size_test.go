package service_test

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/testkit"
)

func TestLog_BytesOfARequest_AreWhatThePageSays(t *testing.T) {
	t.Parallel()
	app := testkit.Start(t)
	school := testkit.NewSchool(t)
	admin, teacher := school.As(t, api.SchoolAdmin).On(app), school.As(t, api.Teacher).On(app)
	parent, driver := school.As(t, api.Parent).On(app), school.As(t, api.Driver).On(app)
	calls := []struct {
		who          *testkit.Client
		method, path string
	}{
		{admin, "GET", "/school-admin/student/list"}, {admin, "GET", "/school-admin/class/list"}, {admin, "POST", "/school-admin/class/create"},
		{teacher, "GET", "/teacher/class/list"}, {parent, "GET", "/parent/transport/my-buses"}, {driver, "GET", "/driver/trip/list"},
		{parent, "GET", "/auth/me"}, {app.Nobody(), "POST", "/auth/login"},
	}
	for _, c := range calls {
		var body any
		if c.method == "POST" {
			body = map[string]any{}
		}
		c.who.Call(t, c.method, c.path, body)
	}
	lines, bytes := 0, 0
	testkit.Eventually(t, "every call has its line", func() bool {
		lines, bytes = 0, 0
		for line := range strings.Lines(app.Log.String()) {
			if strings.Contains(line, `"msg":"request"`) {
				lines, bytes = lines+1, bytes+len(line)
			}
		}
		return lines >= len(calls)
	})
	measured := float64(bytes) / float64(lines)
	t.Logf("%d lines of %.0f bytes", lines, measured)

	page, err := os.ReadFile("../../docs/operations/first-day.md")
	if err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`some (\d+) bytes: .* (\d+) calls a second .* about (\d+) MB a day`).FindStringSubmatch(string(page))
	if said == nil {
		t.Fatal("docs/operations/first-day.md does not say how many bytes a request's line has, and what a day's are")
	}
	number := func(text string) float64 {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	isNear := func(what string, got, want float64) {
		if math.Abs(got-want) > want/10 {
			t.Errorf("%s: the page says %.0f, want about %.0f", what, got, want)
		}
	}
	isNear("bytes of a request's line", number(said[1]), measured)
	isNear("megabytes of a day with one hour of rush", number(said[3]), measured*number(said[2])*3600/1e6)
}
