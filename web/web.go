// Package web holds the built files of the console and of the people's app, so that the one binary is the whole product.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"html"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

//go:embed dist
var files embed.FS

// nonceMark stands in index.html where every answer gets a nonce of its own; the other
// two where the page gets the address of the map's pictures.
const (
	nonceMark       = "__NONCE__"
	tilesMark       = "__MAP_TILES__"
	attributionMark = "__MAP_ATTRIBUTION__"
)

// Map is where maps get pictures of streets from. The zero Map is nowhere.
type Map struct {
	Tiles       string // https://host/{z}/{x}/{y}.png
	Attribution string
}

// host is the one origin that pictures may come from besides our own.
func (m Map) host() string {
	u, err := url.Parse(m.Tiles)
	if err != nil || u.Host == "" {
		return ""
	}
	return " " + u.Scheme + "://" + u.Host
}

// hashed is a name that carries the hash of its file.
var hashed = regexp.MustCompile(`-[\w-]{8}\.\w+$`)

// asset is a built file as it is sent.
type asset struct {
	body      []byte
	kind, tag string
	cache     string

	// Of scripts and styles only, whose body is br: the same as gzip, which is what browsers take over plain HTTP.
	gzip func() []byte
}

// appFolder is where the app's files are, inside of the console's.
const appFolder = "app"

// Console serves the console at a path it has been stripped of.
func Console(m Map) http.Handler { return serve("dist", m) }

// App serves the people's app in the same way.
func App(m Map) http.Handler { return serve("dist/"+appFolder, m) }

// serve answers with the files of a folder. What is no file is a page of the folder's
// script, which shows it.
func serve(folder string, m Map) http.Handler {
	assets := map[string]asset{}
	dist, err := fs.Sub(files, folder)
	if err == nil {
		err = fs.WalkDir(dist, ".", func(name string, d fs.DirEntry, err error) error {
			if d != nil && d.IsDir() && name == appFolder {
				return fs.SkipDir
			}
			if err != nil || d.IsDir() {
				return err
			}
			body, err := fs.ReadFile(dist, name)
			plain, packed := strings.CutSuffix(name, ".br")
			assets[plain] = newAsset(plain, body, packed)
			return err
		})
	}
	if err != nil {
		panic(err) // the folder is compiled in
	}
	page, err := fs.ReadFile(dist, "index.html")
	if err != nil {
		panic(err)
	}
	page = bytes.ReplaceAll(page, []byte(tilesMark), []byte(html.EscapeString(m.Tiles)))
	page = bytes.ReplaceAll(page, []byte(attributionMark), []byte(html.EscapeString(m.Attribution)))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if a, ok := assets[name]; ok && name != "index.html" {
			// The worker fetches the folder's files; a policy of its own would keep it from that.
			w.Header().Set("Content-Security-Policy", "default-src 'none'; connect-src 'self'")
			a.send(w, r)
			return
		}
		if path.Ext(name) != "" { // a file of another build, which an instance of that build may still have
			w.Header().Set("Cache-Control", "no-store")
			http.NotFound(w, r)
			return
		}
		sendPage(w, page, m.host())
	})
}

func newAsset(name string, body []byte, packed bool) asset {
	sum := sha256.Sum256(body)
	a := asset{body: body, kind: mime.TypeByExtension(path.Ext(name)), cache: "no-cache", // keep it, but ask each time
		tag: `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`}
	if hashed.MatchString(name) {
		a.cache = "public, max-age=31536000, immutable"
	}
	if packed {
		a.gzip = sync.OnceValue(func() []byte { return gzipped(body) })
	}
	return a
}

// gzipped is what a br file holds, for browsers that do not take br.
func gzipped(br []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, err := io.Copy(z, brotli.NewReader(bytes.NewReader(br)))
	if err := errors.Join(err, z.Close()); err != nil {
		panic(err) // the file is compiled in
	}
	return out.Bytes()
}

// send answers with a file.
func (a asset) send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", a.cache)
	h.Set("Vary", "Accept-Encoding")
	h.Set("ETag", a.tag)
	if r.Header.Get("If-None-Match") == a.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", a.kind)
	takes := r.Header.Get("Accept-Encoding")
	switch {
	case a.gzip == nil:
		_, _ = w.Write(a.body) // a browser that hung up has nobody to tell
	case acceptsBr.MatchString(takes):
		h.Set("Content-Encoding", "br")
		_, _ = w.Write(a.body)
	case strings.Contains(takes, "gzip"):
		h.Set("Content-Encoding", "gzip")
		_, _ = w.Write(a.gzip())
	default:
		_, _ = io.Copy(w, brotli.NewReader(bytes.NewReader(a.body)))
	}
}

// acceptsBr is an Accept-Encoding that has br, with any weight but zero.
var acceptsBr = regexp.MustCompile(`(?:^|[ ,])br *(?:$|,|; *q=(?:1|0\.0*[1-9]))`)

// sendPage answers with the page that loads the script, and a policy that lets
// nothing in from elsewhere: scripts are our files, and a style that is made in the
// page carries this answer's nonce. Pictures of streets come from the one host, if any,
// that the operator named.
func sendPage(w http.ResponseWriter, page []byte, pictures string) {
	var raw [18]byte
	_, _ = rand.Read(raw[:]) // never fails: the runtime ends the program instead
	nonce := base64.StdEncoding.EncodeToString(raw[:])
	h := w.Header()
	h.Set("Content-Security-Policy",
		"default-src 'none'; script-src 'self'; style-src 'self' 'nonce-"+nonce+"'; img-src 'self' data: blob:"+pictures+"; "+
			"font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(bytes.ReplaceAll(page, []byte(nonceMark), []byte(nonce)))
}
