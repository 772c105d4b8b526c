package api

import (
	"context"
	"io"
	"net/http"
	"reflect"
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

// Later is the answer of a row whose file has to be made first: the file, or 202 and how
// far it is while it is being made.
type Later[V any] struct {
	Blob *Blob
	Data V
}

// PlatformDownload is a GET of a file that is made when it is first asked for.
func PlatformDownload[Req, V any](path, summary string, h func(PlatformCtx, Req) (Later[V], error), opts ...Option) Row {
	r := PlatformRow("GET", path, summary, Read, 200, h, opts...)
	r.Timeout = blobTimeout
	return r
}

// send writes the file. The standard library reads the ranges and the conditions, and writes the head.
func (b Blob) send(ctx context.Context, g *gin.Context, _ *request) error {
	body, err := b.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	setAttachment(g, b.Name)
	setHeaders(g, "Content-Type", b.ContentType, "ETag", `"`+b.Tag+`"`, "Cache-Control", "private, no-cache")
	http.ServeContent(g.Writer, g.Request, "", b.ModifiedAt, body)
	return nil
}

func (l Later[V]) choose(status int) (any, int) {
	if l.Blob != nil {
		return *l.Blob, status
	}
	return l.Data, http.StatusAccepted
}

func (Blob) answers() Answers     { return Answers{File: true} }
func (Later[V]) answers() Answers { return Answers{File: true, Pending: reflect.TypeFor[V]()} }
