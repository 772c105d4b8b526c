package web_test

import (
	"context"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/tenancy"
	"homeroom/testkit"
	"homeroom/web"
)

const password = "a long enough secret"

// superAdmin makes one who can sign in to the console.
func superAdmin(t *testing.T, app *testkit.App) string {
	t.Helper()
	email := "s" + uuid.NewString()[:13] + "@test.local"
	if _, err := app.Service.Auth.AddSuperAdmin(context.Background(), email, "Test", password); err != nil {
		t.Fatal(err)
	}
	return email
}

// patience is how long a script may take.
var patience = 5 * time.Minute

// browse runs a script of web/test in a real browser against the instance. What the
// script leans on is installed first, by the project's own set-up.
func browse(t *testing.T, script string, env ...string) {
	t.Helper()
	setUp := exec.Command("sh", "-c", "scripts/need node chromium && scripts/web deps")
	setUp.Dir = ".."
	if out, err := setUp.CombinedOutput(); err != nil {
		t.Fatalf("setting the browser up: %v\n%s", err, out)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	node := exec.CommandContext(ctx, "node", filepath.Join("test", script))
	node.Env = append(os.Environ(), env...)
	out, err := node.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
}

func TestASchoolIsOnboardedAndItsStudentsImportedInABrowser(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	browse(t, "console.mjs", "HOMEROOM_URL="+app.URL, "SUPER_EMAIL="+superAdmin(t, app), "SUPER_PASSWORD="+password)
}

func TestAWeekIsFilledInByKeyboardAndAClashIsShownInItsCell(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	email := "a" + uuid.NewString()[:13] + "@test.local"
	sealed, err := app.Service.Auth.SealAdmin(context.Background(), "Asha", "Rao", email, "", password)
	if err != nil {
		t.Fatal(err)
	}
	app.NewSchoolAs(t, tenancy.NewSchool{Admin: sealed})
	browse(t, "timetable.mjs", "HOMEROOM_URL="+app.URL, "ADMIN_EMAIL="+email, "ADMIN_PASSWORD="+password)
}

func TestThePagesPolicyLetsNoInlineScriptInAndEveryAnswerHasItsOwnNonce(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	seen := map[string]bool{}
	for _, path := range []string{"/console/", "/console/students", "/console/password?token=x"} {
		a := app.Nobody().Call(t, "GET", path, nil)
		policy := a.Header.Get("Content-Security-Policy")
		if a.Status != 200 || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "script-src 'self';") || !strings.Contains(policy, "default-src 'none'") {
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
	a := app.Nobody().Call(t, "GET", "/console/console.js", nil)
	tag := a.Header.Get("ETag")
	if a.Status != 200 || tag == "" || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/javascript") || a.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Fatalf("%d %v", a.Status, a.Header)
	}
	again := app.Nobody().With("If-None-Match", tag).Call(t, "GET", "/console/console.js", nil)
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
		{web.Map{Tiles: `https://tiles.example.org:8443/{z}/{x}/{y}.png?a=1&b="2"`, Attribution: `© <b>Maps</b>`}, "img-src 'self' data: blob: https://tiles.example.org:8443;"},
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
