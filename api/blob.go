package api

import (
	"context"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
)

// blobTimeout is how long a stored file may take to go out.
const blobTimeout = 5 * time.Minute

// Blob is an answer that is a stored file: of any length, read as it goes out, whole
// or the ranges that were asked for. It is saved, never shown in place.
type Blob struct {
	Name        string
	ContentType string
	Tag         string // changes with the content; the client's copy is still good while it is the same
	ModifiedAt  time.Time
	Open        func(context.Context) (io.ReadSeekCloser, error)
}

// Download is a GET of a stored file. It may take minutes to go out.
func Download[Req any](path, module, summary string, h func(Ctx, Req) (Blob, error), opts ...Option) Row {
	r := schoolRow("GET", path, module, summary, Read, 200, h, opts)
	r.Timeout, r.Produces = blobTimeout, "application/octet-stream"
	return r
}

// blobHeaders are what is said before the first byte.
var blobHeaders = []string{"Content-Disposition", "X-Content-Type-Options", "Content-Type", "ETag", "Cache-Control"}

// send writes the file. The standard library reads the ranges and the conditions.
func (b *Blob) send(ctx context.Context, g *gin.Context) error {
	body, err := b.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	header := g.Writer.Header()
	for i, value := range []string{
		mime.FormatMediaType("attachment", map[string]string{"filename": b.Name}), "nosniff", b.ContentType, `"` + b.Tag + `"`, "private, no-cache",
	} {
		header.Set(blobHeaders[i], value)
	}
	http.ServeContent(g.Writer, g.Request, "", b.ModifiedAt, body)
	return nil
}
