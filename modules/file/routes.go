// Package file takes files from people and gives them back to those who may have
// them: who uploaded one, everybody who may read a record it is attached to, and the school's
// administrators, unless it belongs to other people's private threads. It trusts neither names nor declared types.
package file

import (
	"context"
	"io"

	"github.com/google/uuid"

	"homeroom/api"
)

// Store keeps bytes under keys.
type Store interface {
	Write(ctx context.Context, key, contentType string, from io.Reader) error
	Open(ctx context.Context, key string) (io.ReadSeekCloser, error)
	Delete(ctx context.Context, key string) error
}

// MayRead says whether the caller may read one of a kind of records.
type MayRead func(c api.Ctx, ids []uuid.UUID) (bool, error)

// MayReadNamed says whether a record the caller may see names the file itself: a student
// their photo, the school its logo.
type MayReadNamed func(c api.Ctx, file uuid.UUID) (bool, error)

// Module serves files.
type Module struct {
	Store Store // nil: none is configured
	// Readers knows, by kind, who may read the records files are attached to.
	Readers map[string]MayRead
	// Named are asked about photos and logos: they are not attached, a record names them.
	Named []MayReadNamed
	// Private are the kinds of records that concern those who may read them and nobody
	// else: what is attached to such records alone, the office does not read either.
	Private []string
}

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name:        "file",
		Permissions: []api.Permission{{Key: "file", Title: "Files", Teacher: "r"}},
		Rows:        m.routes(),
		Constraints: constraints(),
		Listen:      m.listen,
		Personal:    personal(),
		Examples:    examples(),
		Names:       map[string]string{"file": `select id, original_name from file`},
	}
}

// routes are the endpoints. Parents and teachers attach files to what they write, so
// that what lets them write messages lets them upload.
func (m *Module) routes() []api.Row {
	return api.Rows(
		api.UploadFile("/school-admin/file/upload", "file", "Upload an image or a PDF", m.upload, api.Says("File uploaded")),
		api.Get("/school-admin/file/:id/info", "file", "What a file is", m.info),
		api.Download("/school-admin/file/:id", "file", "Download a file, or ranges of it", m.download),
		api.Remove("/school-admin/file/:id", "file", "Delete a file that nothing refers to", m.remove),
		api.UploadFile("/teacher/file/upload", "message", "Upload an image or a PDF", m.upload, api.Says("File uploaded")),
		api.Download("/teacher/file/:id", "file", "Download a file, or ranges of it", m.download),
		api.UploadFile("/parent/file/upload", "message", "Upload an image or a PDF", m.upload, api.Says("File uploaded")),
		api.Download("/parent/file/:id", "message", "Download a file, or ranges of it", m.download),
		api.Download("/driver/file/:id", "student", "Download a rider's photo, on the day of a trip of mine", m.download),
	)
}

// constraints are the database's refusals in people's words.
func constraints() []api.Constraint {
	return []api.Constraint{{Name: "file_link_file_fkey", Field: "attachmentFileIds",
		Message: "attachmentFileIds has a file that is not yours"}}
}
