package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"gorm.io/gorm"
)

// streamTimeout is how long a row may go on writing its answer.
const streamTimeout = 5 * time.Minute

// Stream is an answer that is written as it is read from the database: a file of any
// length in a little memory.
type Stream struct {
	Name        string // what the file is called where it is saved
	ContentType string
	Write       func(io.Writer) error
}

// Export is a GET of everything a list would show, on all its pages, as a file.
func Export(path, module, summary string, listing Listing, h func(Ctx, ListRequest) (Stream, error), opts ...Option) Row {
	r := schoolRow("GET", path, module, summary, Read, 200, h, opts)
	r.Listing = &listing
	r.Timeout, r.Produces = streamTimeout, "text/csv"
	return r
}

// All narrows and orders a query as the list does, without its pages.
func (l ListRequest) All(db *gorm.DB) *gorm.DB { return l.ordered(l.narrow(db)) }

// send writes the stream. Until the first block is full a failure is answered as any other; after
// it the connection is cut, so that nobody takes a part for the whole.
func (s Stream) send(_ context.Context, g *gin.Context, _ *request) error {
	disposition := fmt.Sprintf("attachment; filename=%q", s.Name)
	out := &lateHead{g: g, headers: []string{"Content-Type", s.ContentType, "Content-Disposition", disposition, "Vary", "Accept-Encoding"}}
	into, finish := io.Writer(out), func() error { return nil }
	if encoding := ChooseEncoding(g.GetHeader("Accept-Encoding")); encoding != "" {
		out.headers = append(out.headers, "Content-Encoding", encoding)
		z := compress(encoding, out)
		defer release(encoding, z)
		into, finish = z, z.Close
	}
	buffered := bufio.NewWriterSize(into, 32<<10)
	err := s.Write(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		err = finish()
	}
	switch {
	case err == nil:
		out.write() // an empty file is a file
	case out.written:
		panic(http.ErrAbortHandler)
	}
	return err
}

func (Stream) answers() Answers { return Answers{File: true} }

// lateHead writes the head with the first bytes.
type lateHead struct {
	g       *gin.Context
	headers []string
	written bool
}

func (l *lateHead) write() {
	if !l.written {
		l.written = true
		writeHead(l.g, http.StatusOK, l.headers...)
	}
}

func (l *lateHead) Write(p []byte) (int, error) {
	l.write()
	return l.g.Writer.Write(p)
}
