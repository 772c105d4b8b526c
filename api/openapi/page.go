package openapi

import (
	"embed"
	"fmt"
	"sync"

	"github.com/gin-gonic/gin"

	"homeroom/api"
)

//go:embed page/page.html page/page.css page/reference.js
var docsFiles embed.FS

// docsPolicy lets the page load its own files and call this service, nothing else.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; " +
	"form-action 'none'; frame-ancestors 'none'"

// Mount serves the document of the kernel's rows, and a page to read it and try it out
// whose files all come from this binary. Its error names every row that cannot be
// described: the service does not start with one.
func Mount(k *api.Kernel) error {
	if _, err := describe(k); err != nil {
		return err
	}
	// The JSON is written for the first caller who asks for it: most processes are never asked.
	files := map[string]func() *asset{"/openapi.json": sync.OnceValue(func() *asset {
		document, err := Document(k)
		if err != nil {
			panic(err)
		}
		return newAsset("application/json; charset=utf-8", document)
	}), "/api-docs/files": sync.OnceValue(func() *asset { return newAsset("text/html; charset=utf-8", filesPage(k)) })}
	for path, file := range map[string]struct{ name, media string }{
		"/api-docs":              {"page.html", "text/html; charset=utf-8"},
		"/api-docs/":             {"page.html", "text/html; charset=utf-8"},
		"/api-docs/page.css":     {"page.css", "text/css; charset=utf-8"},
		"/api-docs/reference.js": {"reference.js", "text/javascript; charset=utf-8"},
	} {
		raw, err := docsFiles.ReadFile("page/" + file.name)
		if err != nil {
			return fmt.Errorf("the documentation page's files: %w", err)
		}
		a := newAsset(file.media, raw)
		files[path] = func() *asset { return a }
	}
	serve(k, files)
	return nil
}

func serve(k *api.Kernel, files map[string]func() *asset) {
	for path, a := range files {
		k.MountPage(path, func(g *gin.Context) {
			g.Header("Content-Security-Policy", docsPolicy)
			a().serve(g)
		})
	}
}

// MountLive serves the document of the live channel, and a page to read it.
func MountLive(k *api.Kernel, c LiveChannel) error {
	document, err := c.document(k)
	if err != nil {
		return err
	}
	page, err := c.page(k)
	if err != nil {
		return err
	}
	serve(k, map[string]func() *asset{
		"/asyncapi.json": sync.OnceValue(func() *asset { return newAsset("application/json; charset=utf-8", document) }),
		"/api-docs/live": sync.OnceValue(func() *asset { return newAsset("text/html; charset=utf-8", page) }),
	})
	return nil
}
