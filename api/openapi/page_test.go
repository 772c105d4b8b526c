package openapi

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
)

func docsServer(t *testing.T) http.Handler {
	t.Helper()
	k := kernelOf(t, sampleRows()...)
	if err := Mount(k); err != nil {
		t.Fatal(err)
	}
	return k.Handler()
}

func ask(h http.Handler, method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

var docsPaths = map[string]string{
	"/openapi.json":          "application/json",
	"/api-docs":              "text/html",
	"/api-docs/":             "text/html",
	"/api-docs/page.css":     "text/css",
	"/api-docs/reference.js": "text/javascript",
}

func TestEveryFileOfTheDocumentationIsServedCompressedAndPlain(t *testing.T) {
	t.Parallel()
	h := docsServer(t)
	for path, media := range docsPaths {
		plain := ask(h, "GET", path)
		if plain.Code != 200 || !strings.HasPrefix(plain.Header().Get("Content-Type"), media) || plain.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s: %d %v", path, plain.Code, plain.Header())
		}
		for encoding, accept := range map[string]string{"gzip": "gzip, deflate, br", "br": "br, gzip;q=0.8"} {
			packed := ask(h, "GET", path, "Accept-Encoding", accept)
			if packed.Header().Get("Content-Encoding") != encoding || packed.Body.Len() >= plain.Body.Len() && plain.Body.Len() > 1000 {
				t.Errorf("%s: not %s, %d of %d bytes", path, encoding, packed.Body.Len(), plain.Body.Len())
			}
			body := io.Reader(brotli.NewReader(packed.Body))
			if encoding == "gzip" {
				var err error
				if body, err = gzip.NewReader(packed.Body); err != nil {
					t.Fatal(err)
				}
			}
			if unpacked, err := io.ReadAll(body); err != nil || string(unpacked) != plain.Body.String() {
				t.Errorf("%s: %s and plain differ (%v)", path, encoding, err)
			}
		}
		if refused := ask(h, "GET", path, "Accept-Encoding", "gzip;q=0"); refused.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s: compressed for a client that refuses it", path)
		}
		again := ask(h, "GET", path, "If-None-Match", plain.Header().Get("ETag"))
		if again.Code != 304 || again.Body.Len() != 0 {
			t.Errorf("%s: asked again with its ETag: %d", path, again.Code)
		}
		if head := ask(h, "HEAD", path); head.Code != 200 {
			t.Errorf("HEAD %s: %d", path, head.Code)
		}
	}
}

func TestAPIDocs_LoadNothingFromElsewhere_RunNoInlineScript(t *testing.T) {
	t.Parallel()
	h := docsServer(t)
	outside := regexp.MustCompile(`(?i)https?://|["'(]//|@import`)
	for _, path := range []string{"/api-docs", "/api-docs/reference.js", "/api-docs/page.css"} {
		if found := outside.FindString(ask(h, "GET", path).Body.String()); found != "" {
			t.Errorf("%s refers to %q", path, found)
		}
	}
	page := ask(h, "GET", "/api-docs")
	body := page.Body.String()
	if inline := regexp.MustCompile(`(?is)<script[^>]*>\s*[^<\s]|\son[a-z]+=|javascript:`).FindString(body); inline != "" {
		t.Errorf("inline script %q", inline)
	}
	for _, m := range regexp.MustCompile(`(?:src|href)="(/[^"]+)"`).FindAllStringSubmatch(body, -1) {
		if m[1] == "/api-docs/live" || m[1] == "/api-docs/push" {
			continue // what they say, cmd knows
		}
		if got := ask(h, "GET", m[1]).Code; got != 200 {
			t.Errorf("%s: %d", m[1], got)
		}
	}
	policy := page.Header().Values("Content-Security-Policy")
	if len(policy) != 1 || !strings.Contains(policy[0], "default-src 'none'; script-src 'self';") {
		t.Errorf("policy %q", policy)
	}
}

func TestTheServedDocumentIsTheOneThatIsWritten(t *testing.T) {
	t.Parallel()
	k := kernelOf(t, sampleRows()...)
	if err := Mount(k); err != nil {
		t.Fatal(err)
	}
	written, err := Document(k)
	if err != nil {
		t.Fatal(err)
	}
	if served := ask(k.Handler(), "GET", "/openapi.json"); served.Body.String() != string(written) {
		t.Error("they differ")
	}
}
