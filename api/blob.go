package api

import (
	"context"
	"io"
	"mime"
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

// laterAnswer is an answer that may be a stored file; data is what is said until it is there.
type laterAnswer interface {
	later() (b *Blob, data any)
}

func (l Later[V]) later() (*Blob, any) { return l.Blob, l.Data }

// LaterOf is the record that rows answering t give with a 202, if t is a Later.
func LaterOf(t reflect.Type) (record reflect.Type, later bool) {
	if _, later = reflect.Zero(t).Interface().(laterAnswer); !later {
		return nil, false
	}
	data, _ := t.FieldByName("Data")
	return data.Type, true
}

// PlatformDownload is a GET of a file that is made when it is first asked for.
func PlatformDownload[Req, V any](path, summary string, h func(PlatformCtx, Req) (Later[V], error), opts ...Option) Row {
	r := PlatformRow("GET", path, summary, Read, 200, h, opts...)
	r.Timeout = blobTimeout
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
