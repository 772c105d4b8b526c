package fleet_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"homeroom/fleet"
	"homeroom/testkit/wait"
)

// Whoever reads a log must not become whoever called.
func TestFrontLogs_HaveNoTokens(t *testing.T) {
	t.Parallel()
	instance := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Dies") != "" {
			panic(http.ErrAbortHandler)
		}
	}))
	t.Cleanup(instance.Close)
	front, logs := fleet.FrontOf(t, instance.URL)
	paths := []string{"/socket.io/", "/console/password"}
	for _, path := range paths {
		for _, dies := range []string{"", "yes"} {
			r, err := http.NewRequestWithContext(t.Context(), "GET", front+path+"?token=SECRET", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("X-Dies", dies)
			r.Header.Set("Referer", front+path+"?token=SECRET")
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
		}
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(logs, name))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, path := range paths {
		wait.Eventually(t, path+" is in the log twice", func() bool { return strings.Count(read("access.log"), `"GET `+path+` `) == 2 })
	}
	for _, log := range []string{"access.log", "error.log"} {
		if text := read(log); strings.Contains(text, "SECRET") {
			t.Errorf("%s has a token: %s", log, text)
		}
	}
}
