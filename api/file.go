package api

import (
	"context"
	"reflect"

	"github.com/gin-gonic/gin"
)

// File is an answer that is a file instead of the envelope. It is saved, never shown in place.
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

// Gives says which type a row's file is of, for the document.
func Gives(contentType string) Option { return func(r *Row) { r.Produces = contentType } }

func (f File) send(_ context.Context, g *gin.Context, rq *request) error {
	setAttachment(g, f.Name)
	writeBody(g, rq.row.Status, f.ContentType, f.Body)
	return nil
}

func (m MaybeFile[V]) choose(status int) (any, int) {
	if m.File != nil {
		return *m.File, status
	}
	return m.Data, status
}

func (File) answers() Answers         { return Answers{File: true} }
func (MaybeFile[V]) answers() Answers { return Answers{File: true, Record: reflect.TypeFor[V]()} }
