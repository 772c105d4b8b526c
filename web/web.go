// Package web holds the console's built files, so that the one binary is the whole product.
package web

import (
	"embed"
	"io/fs"
	"net/http"
)

//go:embed dist
var files embed.FS

// Console serves the console, with a policy that lets nothing in from elsewhere.
func Console() http.Handler {
	dist, err := fs.Sub(files, "dist")
	if err != nil {
		panic(err) // the folder is compiled in
	}
	serve := http.FileServerFS(dist)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("Cache-Control", "no-cache")
		serve.ServeHTTP(w, r)
	})
}
