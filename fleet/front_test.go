package fleet_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"homeroom/fleet"
	"homeroom/testkit"
)

// from is a client at an address of this machine.
func from(t *testing.T, address string) *http.Client {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true,
		DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}).DialContext}
	return &http.Client{Transport: transport}
}

// polls connects by polling as an app does, each request on a connection of its own: all of
// a session have to reach the instance that has it.
func (h *house) polls(t *testing.T) {
	ask := func(c *http.Client, method, query, body string) string {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, h.URL()+"/socket.io/?EIO=4&transport=polling"+query, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := c.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != 200 {
			t.Fatalf("%s %s: %d %s %v", method, query, answer.StatusCode, text, err)
		}
		return string(text)
	}
	for n := range 6 {
		c := from(t, fmt.Sprintf("127.0.%d.2", n))
		_, after, _ := strings.Cut(ask(c, "GET", "", ""), `"sid":"`)
		sid, _, _ := strings.Cut(after, `"`)
		if said := ask(c, "POST", "&sid="+sid, fmt.Sprintf(`40{"token":%q}`, h.school.Parents[0].Token)); said != "ok" {
			t.Fatalf("the post is answered %q", said)
		}
		if said := ask(c, "GET", "&sid="+sid, ""); !strings.HasPrefix(said, "40{") {
			t.Fatalf("the poll is answered %q", said)
		}
	}
}

func (h *house) fronts(t *testing.T) {
	// The caller's own address arrives, and what the caller says of it does not.
	login := h.App().Nobody().From(t, "127.0.0.77").With("X-Forwarded-For", "203.0.113.9").Call(t, "POST", "/auth/login", h.school.Login())
	if login.Status != 200 {
		t.Fatalf("signing in: %d %s", login.Status, login.Body)
	}
	type session struct{ IP string }
	sessions := testkit.Get[struct{ Sessions []session }](t, h.school.Office, "/auth/sessions").Sessions
	seen := map[string]int{}
	for _, s := range sessions {
		seen[s.IP]++
	}
	if seen["127.0.0.77"] != 1 || seen["203.0.113.9"] != 0 {
		t.Errorf("the sessions are from %v", seen)
	}
	// What is too large for a JSON body is the service's to say, and not nginx's.
	large := h.school.Office.Send(t, "POST", "/school-admin/class/create", "application/json", make([]byte, 2<<20))
	if large.Status != 413 || large.Header.Get("X-Request-Id") == "" || large.Failure(t).Error == "" {
		t.Errorf("2 MiB: %d %v %s", large.Status, large.Header, large.Body)
	}
	browser := h.Browser(t)
	for url, status := range map[string]int{h.SecureURL() + "/console/": 200, h.RedirectURL() + "/console/?a=b": 301} {
		answer, err := browser.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != status || status == 301 && answer.Header.Get("Location") != "https://127.0.0.1/console/?a=b" {
			t.Errorf("%s: %d to %q", url, answer.StatusCode, answer.Header.Get("Location"))
		}
	}
}

func TestFront_EveryAnswer_IsByHTTP2WithHSTS(t *testing.T) {
	t.Parallel()
	instance := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Strict-Transport-Security", "max-age=1") // the service says so too: once is enough
	}))
	t.Cleanup(instance.Close)
	front, browser := fleet.SecureFrontOf(t, instance.URL)
	asks := func(what, method, path string, size int64, status int) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, front+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if size > 0 {
			r.Body, r.ContentLength = io.NopCloser(io.LimitReader(zeros{}, size)), size
		}
		answer, err := browser.Do(r)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != status || answer.ProtoMajor != 2 {
			t.Errorf("%s is answered %d by %s, want %d by HTTP/2.0", what, answer.StatusCode, answer.Proto, status)
		}
		if got := answer.Header.Values("Strict-Transport-Security"); !slices.Equal(got, []string{"max-age=31536000"}) {
			t.Errorf("%s is answered with Strict-Transport-Security %q, want a year, once", what, got)
		}
	}
	asks("a page", "GET", "/console/", 0, 200)
	asks("a poll of the live channel", "GET", "/socket.io/?EIO=4&transport=polling", 0, 200)
	asks("what nginx refuses", "POST", "/school-admin/file/upload", 25<<20, 413)
	instance.Close()
	asks("what no instance answers", "GET", "/console/", 0, 503)
}

// zeros are without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
