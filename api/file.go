package api

import (
	"fmt"
	"mime"
	"reflect"

	"github.com/gin-gonic/gin"
)

// File is an answer that is a file instead of the envelope. It is saved, never shown
// in place: what a school's people typed must not run in the service's own pages.
type File struct {
	Name        string
	ContentType string
	Body        []byte
}

// MaybeFile is the answer of a row that gives a record, or on request a file of it.
type MaybeFile[V any] struct {
	File *File
	Data V
}

// filed is an answer that may be a file; data is what it is otherwise.
type filed interface {
	file() (f *File, data any)
}

func (f File) file() (*File, any)         { return &f, nil }
func (m MaybeFile[V]) file() (*File, any) { return m.File, m.Data }

// Gives says which type a row's file is of, for the document.
func Gives(contentType string) Option { return func(r *Row) { r.Produces = contentType } }

// FileOf reports whether rows answering t may answer with a file, and which record
// they answer with otherwise; nil is none.
func FileOf(t reflect.Type) (record reflect.Type, file bool) {
	if _, ok := reflect.Zero(t).Interface().(filed); !ok {
		return nil, false
	}
	if data, ok := t.FieldByName("Data"); ok {
		return data.Type, true
	}
	return nil, true
}

// send writes a file.
func (f *File) send(g *gin.Context, status int) {
	g.Header("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
	g.Header("X-Content-Type-Options", "nosniff")
	g.Header("Content-Length", fmt.Sprint(len(f.Body)))
	g.Data(status, f.ContentType, f.Body)
}
