package api

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strconv"

	"github.com/gin-gonic/gin"
)

// answer is a success on its way out: a record or a page in the envelope, a File, a Blob, a Stream
// or a Feed.
type answer interface {
	// send writes head and body. An error means that nothing was written yet: the caller gets it
	// as any other.
	send(ctx context.Context, g *gin.Context, rq *request) error
}

// choice is the answer of a row that gives a file or a record.
type choice interface {
	// choose returns the file, or the record and its status where that is not the row's.
	choose(status int) (any, int)
}

// Answers is what a row can answer with, for the document.
type Answers struct {
	Record  reflect.Type // in the envelope; nil: none
	File    bool         // of the type that the row Produces
	Pending reflect.Type // in the envelope with a 202, until the file is made; nil: it is there
	Event   reflect.Type // of a feed; nil: it is none
}

// documented is an answer that is more, or other, than a record.
type documented interface{ answers() Answers }

// Answers follow from the type that the row's handler returns.
func (r *Row) Answers() Answers {
	if special, ok := reflect.Zero(r.Response).Interface().(documented); ok {
		return special.answers()
	}
	return Answers{Record: r.Response}
}

// answer is what a handler returned, ready to be sent.
func (r *Row) answer(resp any) (answer, error) {
	if r.Status == http.StatusNoContent {
		return noContent, nil
	}
	if r.Form != nil {
		return r.Form.answer(r, resp)
	}
	status := r.Status
	if c, ok := resp.(choice); ok {
		resp, status = c.choose(status)
	}
	if a, ok := resp.(answer); ok {
		return a, nil
	}
	e := &envelope{Data: resp, Message: r.Message, status: status, secret: r.Flat}
	var body any = e
	if flat, ok := resp.(interface{ Flatten() map[string]any }); ok && r.Flat {
		// The spec gives sign-in answers whole; the envelope repeats them under data.
		whole := map[string]any{"data": resp, "message": r.Message}
		maps.Copy(whole, flat.Flatten())
		body = whole
	}
	var err error
	if e.body, err = json.Marshal(body); err != nil {
		return nil, fmt.Errorf("writing the answer of %s: %w", r.Name(), err)
	}
	return e, nil
}

// envelope is a record or a page as JSON, and the answer that is kept for an Idempotency-Key.
type envelope struct {
	Data    any    `json:"data"`
	Message string `json:"message"`
	status  int
	body    []byte
	headers func(at *url.URL) []string
	secret  bool // it brings tokens: how far it can be compressed would say something of them
}

var noContent = &envelope{status: http.StatusNoContent}

func (e *envelope) send(_ context.Context, g *gin.Context, rq *request) error {
	if e.status == http.StatusNoContent {
		writeHead(g, e.status)
		return nil
	}
	if e.headers != nil {
		setHeaders(g, e.headers(addressOf(g, rq.kernel.HTTPS))...)
	}
	if e.status == http.StatusAccepted {
		g.Header("Retry-After", "2")
	}
	if e.status == http.StatusOK && (g.Request.Method == http.MethodGet || g.Request.Method == http.MethodHead) && isKnown(g, e.body) {
		return nil
	}
	if e.secret {
		writeBody(g, e.status, "application/json; charset=utf-8", e.body)
		return nil
	}
	writeJSON(g, e.status, e.body)
	return nil
}

// writeHead writes the status and the headers, which are pairs of name and value.
func writeHead(g *gin.Context, status int, headers ...string) {
	setHeaders(g, headers...)
	g.Status(status)
	g.Writer.WriteHeaderNow()
}

// writeBody writes a whole answer. Without its length a long one would go out in chunks.
func writeBody(g *gin.Context, status int, contentType string, body []byte) {
	writeHead(g, status, "Content-Type", contentType, "Content-Length", strconv.Itoa(len(body)))
	_, _ = g.Writer.Write(body) // a client that hung up misses nothing
}

func setHeaders(g *gin.Context, headers ...string) {
	for i := 0; i < len(headers); i += 2 {
		g.Writer.Header().Set(headers[i], headers[i+1])
	}
}

// setAttachment has the answer saved under a name, never shown in place: text that users
// typed must not run in the service's own pages.
func setAttachment(g *gin.Context, name string) {
	disposition := mime.FormatMediaType("attachment", map[string]string{"filename": name})
	setHeaders(g, "Content-Disposition", disposition, "X-Content-Type-Options", "nosniff")
}
