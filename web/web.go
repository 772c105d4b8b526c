// Package web holds the console's built files, so that the one binary is the whole product.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
)

//go:embed dist
var files embed.FS

// nonceMark stands in index.html where every answer gets a nonce of its own; the other
// two where the page is told of the map's pictures.
const (
	nonceMark       = "__NONCE__"
	tilesMark       = "__MAP_TILES__"
	attributionMark = "__MAP_ATTRIBUTION__"
)

// Map is where the console's maps get pictures of streets from. The zero Map is nowhere.
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
	plain, packed []byte // packed is nil where it would save nothing
	kind, tag     string
	cache         string
}

// Console serves the console at a path it has been stripped of. What is no file is a
// page of the console's own, which its script shows.
func Console(m Map) http.Handler {
	assets := map[string]func() asset{}
	dist, err := fs.Sub(files, "dist")
	if err == nil {
		err = fs.WalkDir(dist, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			body, err := fs.ReadFile(dist, name)
			assets[name] = sync.OnceValue(func() asset { return newAsset(name, body) }) // packed for who asks first
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
			// The worker fetches the console's files; a policy of its own would keep it from that.
			w.Header().Set("Content-Security-Policy", "default-src 'none'; connect-src 'self'")
			a().send(w, r)
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

func newAsset(name string, body []byte) asset {
	sum := sha256.Sum256(body)
	a := asset{plain: body, kind: mime.TypeByExtension(path.Ext(name)), tag: `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`,
		cache: "no-cache"} // keep it, but ask each time
	if hashed.MatchString(name) {
		a.cache = "public, max-age=31536000, immutable"
	}
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is a constant
	_, _ = z.Write(body)                                  // into memory
	_ = z.Close()
	if b.Len() < len(body)*9/10 {
		a.packed = b.Bytes()
	}
	return a
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
	body := a.plain
	if a.packed != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = a.packed
	}
	_, _ = w.Write(body) // a browser that hung up has nobody to tell
}

// sendPage answers with the page that loads the console, and a policy that lets
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
