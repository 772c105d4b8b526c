package api

import (
	"bufio"
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
	r.Timeout = streamTimeout
	return r
}

// All narrows and orders a query as the list does, without its pages.
func (l ListRequest) All(db *gorm.DB) *gorm.DB { return l.ordered(l.narrow(db)) }

// send writes the stream. Until the first block is full a failure is answered as any
// other; after it the connection is cut, so that nobody takes a part for the whole.
func (s *Stream) send(g *gin.Context) (answered bool, err error) {
	out := &lateHeader{g: g, s: s}
	buffered := bufio.NewWriterSize(out, 32<<10)
	err = s.Write(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if err == nil && !out.begun {
		out.begin() // an empty file is a file
	}
	if err != nil && out.begun {
		panic(http.ErrAbortHandler)
	}
	return out.begun, err
}

// lateHeader sends the headers with the first bytes.
type lateHeader struct {
	g     *gin.Context
	s     *Stream
	begun bool
}

func (l *lateHeader) begin() {
	l.begun = true
	l.g.Header("Content-Type", l.s.ContentType)
	l.g.Header("Content-Disposition", fmt.Sprintf("attachment; filename=%q", l.s.Name))
	l.g.Status(http.StatusOK)
	l.g.Writer.WriteHeaderNow()
}

func (l *lateHeader) Write(p []byte) (int, error) {
	if !l.begun {
		l.begin()
	}
	return l.g.Writer.Write(p)
}
