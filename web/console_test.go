package web_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/modules/roster"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
	"homeroom/web"
)

const password = "a long enough secret"

// superAdmin makes one who can sign in to the console.
func superAdmin(t *testing.T, app *testkit.App) string {
	t.Helper()
	email := "s" + uuid.NewString()[:13] + "@test.local"
	patiently(t, func() error {
		_, err := app.Service.Auth.AddSuperAdmin(context.Background(), email, "Test", password)
		return err
	})
	return email
}

// patiently does what hashes a password: a machine that is busy with other tests may
// say at first that many people are signing in.
func patiently(t *testing.T, do func() error) {
	t.Helper()
	err := do()
	for tries := 0; err != nil && tries < 10; tries++ {
		err = do()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// office makes a school whose administrator can sign in to the console, and what a
// story has to know of them. The client is another of the office.
func office(t *testing.T, app *testkit.App, n lifecycle.NewSchool) (*testkit.School, *testkit.Client, map[string]any) {
	t.Helper()
	email := "a" + uuid.NewString()[:13] + "@test.local"
	patiently(t, func() (err error) {
		n.Admin, err = app.Service.Auth.SealAdmin(context.Background(), "Asha", "Rao", email, "", password)
		return err
	})
	s := app.NewSchoolAs(t, n)
	clerk := s.As(t, api.SchoolAdmin)
	return s, clerk, map[string]any{"email": email, "password": password, "token": clerk.Token}
}

// imported brings students to a school by a file.
func imported(t *testing.T, clerk *testkit.Client, rows ...string) {
	t.Helper()
	if a := clerk.Send(t, "POST", "/school-admin/student/import", "text/csv", []byte(strings.Join(rows, "\n"))); a.Status != 200 {
		t.Fatalf("importing: %d %s", a.Status, a.Body)
	}
}

func TestASchoolIsOnboardedUpToItsFirstMarkedRegisterInABrowser(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	browse(t, app, "onboarding", map[string]any{"superEmail": superAdmin(t, app), "superPassword": password})
}

func TestTheOfficeLosesNothingThoughLinesBreakAnswersFailAndSessionsEnd(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	s, clerk, stage := office(t, app, lifecycle.NewSchool{})
	s.Seat(t, "Class 5")
	imported(t, clerk, "admissionNumber,firstName,lastName,class,division,guardian1Relation,guardian1FirstName,guardian1Phone",
		"H-2,Bala,Nair,Class 5,A,FATHER,Anil,"+testkit.NewPhone(), "H-3,Chitra,Das,Class 5,A,MOTHER,Rina,"+testkit.NewPhone())
	testkit.Post[roster.Subject](t, clerk, "/school-admin/subject/create", map[string]any{"name": "=1+1", "code": "ONE"})
	browse(t, app, "office", stage)
}

func TestAWeekIsFilledInByKeyboardAndAClashIsShownInItsCell(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	_, _, stage := office(t, app, lifecycle.NewSchool{})
	browse(t, app, "timetable", stage)
}

func TestOffice_SetsElectivesAndSubstitutesATeacher(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	s, clerk, stage := office(t, app, lifecycle.NewSchool{WeekendDays: []int16{}}) // today is a school day
	seat := s.Seat(t, "Class 9")
	testkit.Post[roster.Division](t, clerk, "/school-admin/division/create", map[string]any{"classId": seat.ClassID, "name": "B"})
	imported(t, clerk, "admissionNumber,firstName,lastName,class,division", "H-1,Asha,Rao,Class 9,A", "H-2,Bala,Nair,Class 9,A",
		"H-3,Chitra,Das,Class 9,B")
	browse(t, app, "cover", stage)
}

func TestTheSuperAdminLooksAfterSchoolsAndTheirPeopleInABrowser(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	s := app.NewSchool(t)
	browse(t, app, "platform", map[string]any{"email": superAdmin(t, app), "password": password, "school": s.Name})
}

// TestANodeIsAddedASchoolMovesThereAndTheOldOneIsEmptiedInABrowser has a platform of its own:
// a node that is added or emptied is everybody's.
func TestANodeIsAddedASchoolMovesThereAndTheOldOneIsEmptiedInABrowser(t *testing.T) {
	t.Parallel()
	stack := testkit.Stack(t)
	database := "console_" + uuid.NewString()[:8]
	app := testkit.StartOn(t, stack, database, func(c *config.Config, _ *service.Options) { c.Spares = 1 })
	first, second := app.NewSchool(t), app.NewSchool(t)
	// The first one's rows are not copied before the page was seen to wait for it.
	seen := make(chan struct{})
	goOn := sync.OnceFunc(func() { close(seen) })
	t.Cleanup(goOn)
	app.Service.Mover.Stepped = func(school uuid.UUID, step string, done bool) {
		if school == first.ID && step == "copy" && !done {
			<-seen
		}
	}
	gate := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { goOn() }))
	t.Cleanup(gate.Close)
	browse(t, app, "nodes", map[string]any{"email": superAdmin(t, app), "password": password, "first": first.Name, "second": second.Name,
		"address": testkit.Database(t, stack, "main", database+"_south"), "seen": gate.URL})
	for _, s := range []*testkit.School{first, second} {
		home, err := app.Service.Cluster.FindSchool(context.Background(), s.ID)
		if err != nil || home.Node != "south" {
			t.Errorf("%s is on %+v: %v", s.Name, home, err)
		}
	}
}

func TestThePagesPolicyLetsNoInlineScriptInAndEveryAnswerHasItsOwnNonce(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	seen := map[string]bool{}
	for _, path := range []string{"/console/", "/console/students", "/console/password?token=x"} {
		a := app.Nobody().Call(t, "GET", path, nil)
		policy := a.Header.Get("Content-Security-Policy")
		if a.Status != 200 || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "script-src 'self';") ||
			!strings.Contains(policy, "default-src 'none'") {
			t.Errorf("%s: %d %s", path, a.Status, policy)
		}
		_, nonce, _ := strings.Cut(policy, "'nonce-")
		nonce, _, _ = strings.Cut(nonce, "'")
		if nonce == "" || seen[nonce] || !strings.Contains(string(a.Body), nonce) || strings.Contains(string(a.Body), "__NONCE__") {
			t.Errorf("%s: nonce %q", path, nonce)
		}
		seen[nonce] = true
	}
}

func TestABrowserKeepsTheConsolesFilesAndAsksOnlyWhetherTheyChanged(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	a := app.Nobody().Call(t, "GET", "/console/sw.js", nil)
	tag := a.Header.Get("ETag")
	if a.Status != 200 || tag == "" || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/javascript") ||
		a.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Fatalf("%d %v", a.Status, a.Header)
	}
	again := app.Nobody().With("If-None-Match", tag).Call(t, "GET", "/console/sw.js", nil)
	if again.Status != http.StatusNotModified || len(again.Body) != 0 {
		t.Errorf("%d, %d bytes", again.Status, len(again.Body))
	}
	if gone := app.Nobody().Call(t, "GET", "/console/part-of-another-build.js", nil); gone.Status != 404 {
		t.Errorf("a file that is not there: %d", gone.Status)
	}
}

func TestTheMapsPicturesComeFromTheHostTheOperatorNamedAndFromNoOther(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pictures web.Map
		policy   string
	}{
		{web.Map{}, "img-src 'self' data: blob:;"},
		{web.Map{Tiles: `https://tiles.example.org:8443/{z}/{x}/{y}.png?a=1&b="2"`, Attribution: `© <b>Maps</b>`},
			"img-src 'self' data: blob: https://tiles.example.org:8443;"},
	} {
		w := httptest.NewRecorder()
		web.Console(c.pictures).ServeHTTP(w, httptest.NewRequest("GET", "/live", nil))
		page := w.Body.String()
		if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, c.policy) || strings.Contains(page, "__MAP") {
			t.Errorf("%+v: %s", c.pictures, policy)
		}
		if !strings.Contains(page, html.EscapeString(c.pictures.Tiles)) || strings.Contains(page, "<b>Maps</b>") {
			t.Errorf("%+v: %s", c.pictures, page)
		}
	}
}

func TestScript_IsSentPackedAndPlain(t *testing.T) {
	t.Parallel()
	read := func(name, accepts string) *http.Response {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", name, nil)
		r.Header.Set("Accept-Encoding", accepts)
		web.Console(web.Map{}).ServeHTTP(w, r)
		return w.Result()
	}
	page, err := io.ReadAll(read("/", "").Body)
	if err != nil {
		t.Fatal(err)
	}
	script := regexp.MustCompile(`/console(/console-[\w-]+\.js)`).FindSubmatch(page)
	if script == nil {
		t.Fatalf("the page has no script: %s", page)
	}
	plain := read(string(script[1]), "")
	want, err := io.ReadAll(plain.Body)
	if err != nil || len(want) == 0 {
		t.Fatalf("%d bytes: %v", len(want), err)
	}
	for accepts, encoding := range map[string]string{
		"": "", "deflate": "", "gzip, deflate": "gzip", "gzip, deflate, br, zstd": "br", "gzip;q=0.5, br;q=0.8": "br",
		"br;q=0, gzip": "gzip", "br; q=0.0, gzip": "gzip",
	} {
		packed := read(string(script[1]), accepts)
		if got := packed.Header.Get("Content-Encoding"); got != encoding {
			t.Errorf("to one who takes %q it is encoded as %q, want %q", accepts, got, encoding)
			continue
		}
		if got := unpacked(t, packed.Body, encoding); !bytes.Equal(got, want) {
			t.Errorf("to one who takes %q it has %d bytes, want the %d that it has plain", accepts, len(got), len(want))
		}
	}
	if got := plain.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/javascript") {
		t.Errorf("its type is %q", got)
	}
}

// unpacked reads what was encoded so.
func unpacked(t *testing.T, r io.Reader, encoding string) []byte {
	t.Helper()
	var err error
	switch encoding {
	case "gzip":
		if r, err = gzip.NewReader(r); err != nil {
			t.Fatal(err)
		}
	case "br":
		r = brotli.NewReader(r)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
