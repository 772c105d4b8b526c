package web_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"homeroom/api"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// family is a school with a parent of two children, who has not signed in yet: Asha is present today, Ravi is absent and
// owes a fee of which a part is paid. The phone is also that of a parent of another school.
func family(t *testing.T, app *testkit.App) map[string]any {
	t.Helper()
	_, _, stage := familySchool(t, app)
	return stage
}

// familySchool is the same, with its school and its office.
func familySchool(t *testing.T, app *testkit.App) (*testkit.School, *testkit.Client, map[string]any) {
	t.Helper()
	s, clerk, _ := office(t, app, lifecycle.NewSchool{WeekendDays: []int16{}}) // today is a school day
	post := func(path string, data map[string]any) made {
		return testkit.Post[made](t, clerk, "/school-admin/"+path, data)
	}
	today := api.DateOf(app.Service.Kernel.Clock().In(s.Location()))
	year := post("academic-year/create", map[string]any{"name": "Year", "startDate": today.AddDays(-99), "endDate": today.AddDays(200)})
	testkit.Post[made](t, clerk, "/school-admin/academic-year/"+year.ID.String()+"/activate", nil)
	class := post("class/create", map[string]any{"name": "Class 5"})
	division := post("division/create", map[string]any{"classId": class.ID, "name": "A"})
	phone := testkit.NewPhone()
	var children []made
	for _, name := range []string{"Asha", "Ravi"} {
		child := post("student/create", map[string]any{"firstName": name, "lastName": "Rao", "divisionId": division.ID,
			"admissionDate": today.AddDays(-99)})
		post("student/"+child.ID.String()+"/guardians", map[string]any{"relation": "MOTHER", "firstName": "Meera", "phone": phone})
		children = append(children, child)
	}
	mark := func(id any, status string) map[string]any { return map[string]any{"studentId": id, "status": status} }
	post("attendance/mark", map[string]any{"divisionId": division.ID, "date": today,
		"records": []any{mark(children[0].ID, "PRESENT"), mark(children[1].ID, "ABSENT")}})
	maths := post("subject/create", map[string]any{"name": "Mathematics", "code": "M"})
	period := post("timetable/period/create", map[string]any{"name": "Period 1", "startTime": "09:00", "endTime": "09:45"})
	var week []any
	for day := 1; day <= 7; day++ {
		week = append(week, map[string]any{"dayOfWeek": day, "periodId": period.ID, "subjectId": maths.ID, "room": "12"})
	}
	testkit.Put[struct{}](t, clerk, "/school-admin/timetable/division/"+division.ID.String(), map[string]any{"slots": week})
	head := post("fee/head/create", map[string]any{"name": "Tuition", "code": "TUI", "type": "TUITION"})
	post("fee/charge/ad-hoc", map[string]any{"feeHeadId": head.ID, "amount": 500_000, "dueDate": today, "text": "Term 1",
		"studentIds": []any{children[1].ID}})
	post("fee/collection/record", map[string]any{"studentId": children[1].ID, "amount": 200_000, "paymentMode": "CASH"})
	other := app.NewSchool(t)
	other.Add(t, testkit.Person{Role: api.Parent, Phone: phone})
	return s, clerk, map[string]any{"phone": phone, "token": clerk.Token, "school": s.Name, "other": other.Name, "division": division.ID,
		"ashaId": children[0].ID, "ravi": children[1].ID, "today": today, "year": year.ID, "class": class.ID, "subject": maths.ID}
}

func TestApp_ParentSeesTheDayOfTheChildren(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	browse(t, app, "app-parent", family(t, app))
}

func TestApp_LeaveRequest_SurvivesADeadSpot(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	browse(t, app, "app-leave", family(t, app))
}

// TestApp_NewVersionWaitsForThePerson: the worker of another build is served from the middle of the story on.
func TestApp_NewVersionWaitsForThePerson(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	to, err := url.Parse(app.URL)
	if err != nil {
		t.Fatal(err)
	}
	var build atomic.Int32
	var without atomic.Value // the beginning of the name of a part that is of the old build only, and is gone
	without.Store("")
	front := httputil.NewSingleHostReverseProxy(to)
	front.ModifyResponse = func(r *http.Response) error {
		if r.Request.URL.Path != "/app/sw.js" || r.StatusCode != http.StatusOK {
			return nil
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		body = bytes.Replace(body, []byte("${prefix}"), []byte("${prefix}"+strconv.Itoa(int(build.Load()))), 1)
		if gone := without.Load().(string); gone != "" {
			body = regexp.MustCompile(`"`+gone+`[^"]*",`).ReplaceAll(body, nil)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
		r.Header.Del("ETag")
		return nil
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		gone := without.Load().(string)
		switch {
		case r.URL.Path == "/next-build" && r.URL.RawQuery == "whole":
			without.Store("")
			return
		case r.URL.Path == "/next-build":
			without.Store(r.URL.Query().Get("without"))
			build.Add(1)
			return
		case gone != "" && strings.HasPrefix(r.URL.Path, "/app/"+gone):
			http.NotFound(w, r)
			return
		case r.URL.Path == "/app/sw.js":
			r.Header.Del("Accept-Encoding")
			r.Header.Set("Accept-Encoding", "identity")
			r.Header.Del("If-None-Match")
		}
		front.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	stage := family(t, app)
	stage["front"] = server.URL
	browse(t, app, "app-update", stage)
}

func TestApp_PolicyAndFiles_AreAsTheConsoles(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	for _, path := range []string{"/app/", "/app/fees", "/app/school/x/attendance"} {
		a := app.Nobody().Call(t, "GET", path, nil)
		policy := a.Header.Get("Content-Security-Policy")
		if a.Status != 200 || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "script-src 'self';") ||
			!strings.Contains(policy, "default-src 'none'") {
			t.Errorf("%s: %d %s", path, a.Status, policy)
		}
		if !strings.Contains(string(a.Body), `href="/app/manifest.json"`) {
			t.Errorf("%s has no manifest: %s", path, a.Body)
		}
	}
	for path, kind := range map[string]string{"/app/sw.js": "text/javascript", "/app/manifest.json": "application/json",
		"/app/icon-192.png": "image/png"} {
		a := app.Nobody().Call(t, "GET", path, nil)
		if a.Status != 200 || !strings.HasPrefix(a.Header.Get("Content-Type"), kind) || a.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %d %v", path, a.Status, a.Header)
		}
	}
	page := string(app.Nobody().Call(t, "GET", "/app/", nil).Body)
	_, entry, _ := strings.Cut(page, `src="/app/app-`)
	entry, _, _ = strings.Cut(entry, `"`)
	a := app.Nobody().Call(t, "GET", "/app/app-"+entry, nil)
	if a.Status != 200 || !strings.Contains(a.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("the script: %d %v", a.Status, a.Header)
	}
	for _, path := range []string{"/console/app/sw.js", "/app/console.js"} {
		if a := app.Nobody().Call(t, "GET", path, nil); a.Status != 404 {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
}

// TestMessages_EveryLanguageIsWhole: no language lacks a text or a place in it, and no words stand in the app's sources.
func TestMessages_EveryLanguageIsWhole(t *testing.T) {
	t.Parallel()
	setUp := exec.Command("sh", "-c", "scripts/need node && scripts/web deps")
	setUp.Dir = ".."
	if out, err := setUp.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command("node", "scripts/messages.mjs").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestApp_FirstScreenIsLight: what a phone loads before the first screen stays within what scripts/size.mjs allows.
func TestApp_FirstScreenIsLight(t *testing.T) {
	t.Parallel()
	setUp := exec.Command("sh", "-c", "scripts/need node")
	setUp.Dir = ".."
	if out, err := setUp.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command("node", "scripts/size.mjs").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
