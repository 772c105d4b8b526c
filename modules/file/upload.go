package file

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/gabriel-vasile/mimetype"
	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
	"homeroom/tenancy"
)

// allowed are the types people may give, as their content shows them.
var allowed = map[string]bool{"image/jpeg": true, "image/png": true, "image/gif": true, "image/webp": true, "application/pdf": true}

// sniffed is how much of a file tells what it is.
const sniffed = 3072

// abandoned is when bytes whose file was never written down are cleared away.
const abandoned = time.Hour

var (
	errNoStore = api.Unavailable("Files cannot be kept at the moment").Because(errors.New("no place for files is configured"))
	errKind    = api.InvalidField("file", "the file must be an image (JPEG, PNG, GIF, WebP) or a PDF")
)

type uploadRequest struct {
	Purpose string `json:"purpose" validate:"omitempty,oneof=ATTACHMENT PHOTO LOGO" doc:"ATTACHMENT unless given; photos and logos are images and get a thumbnail"`
}

// upload streams a file into the store while its type, size and hash are found. Before
// the first byte is kept, a fact says that it must go unless it becomes a file: a
// process that dies in between leaves nothing for good.
func (m *Module) upload(c api.Ctx, r uploadRequest, in *api.Incoming) (View, error) {
	if m.Store == nil {
		return View{}, errNoStore
	}
	if r.Purpose == "" {
		r.Purpose = "ATTACHMENT"
	}
	head := make([]byte, sniffed)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return View{}, err
	}
	if n == 0 {
		return View{}, api.InvalidField("file", "the file is empty")
	}
	kind := mimetype.Detect(head[:n]).String()
	picture := kind != "application/pdf"
	if !allowed[kind] || (r.Purpose != "ATTACHMENT" && !picture) {
		return View{}, errKind
	}
	f := File{ID: api.NewID(), Purpose: r.Purpose, OriginalName: nameOf(in.Name), ContentType: kind, UploadedBy: c.User.ID, CreatedAt: c.Now}
	f.StorageKey = tenancy.FileKey(c.School.ID, f.ID)
	if r.Purpose != "ATTACHMENT" {
		f.ThumbnailKey = tenancy.ThumbnailKey(c.School.ID, f.ID)
	}
	if err := m.promiseToClear(c, f); err != nil {
		return View{}, err
	}
	sum := &tally{hash: sha256.New()}
	if err := m.keep(c, &f, io.TeeReader(io.MultiReader(bytes.NewReader(head[:n]), in), sum)); err != nil {
		return View{}, err
	}
	f.SizeBytes, f.SHA256 = sum.n, sum.hash.Sum(nil)
	err = c.Transact(func(c api.Ctx) error {
		if err := c.DB.Create(&f).Error; err != nil {
			return fmt.Errorf("writing a file down: %w", err)
		}
		c.Changed("create", "file", f.ID, nil, f.view())
		return nil
	})
	return f.view(), err
}

func nameOf(name string) string {
	if name == "" {
		return "file"
	}
	return name
}

func (m *Module) promiseToClear(c api.Ctx, f File) error {
	return c.Transact(func(c api.Ctx) error {
		c.Changed("upload", "file", f.ID, nil, map[string]any{"contentType": f.ContentType})
		c.Tell(events.Fact{Kind: Gone, Data: goneFile{ID: f.ID, Files: []uuid.UUID{f.ID}}, DueAt: c.Now.Add(abandoned)})
		return nil
	})
}

// keep writes the bytes, and the small picture of what has one.
func (m *Module) keep(c api.Ctx, f *File, from io.Reader) error {
	if f.ThumbnailKey == "" {
		return m.Store.Write(c, f.StorageKey, f.ContentType, from)
	}
	// A picture must be whole to be made small; it is no larger than an upload may be.
	whole, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	small, err := thumbnail(whole)
	if err != nil {
		return api.InvalidField("file", "%v", err)
	}
	if err := m.Store.Write(c, f.StorageKey, f.ContentType, bytes.NewReader(whole)); err != nil {
		return err
	}
	if small == nil {
		f.ThumbnailKey = ""
		return nil
	}
	return m.Store.Write(c, f.ThumbnailKey, thumbnailType, bytes.NewReader(small))
}

// CheckPhoto says what is wrong with the bytes of a photo, in words for people.
func (m *Module) CheckPhoto(whole []byte) error {
	if kind := mimetype.Detect(whole[:min(len(whole), sniffed)]).String(); !allowed[kind] || kind == "application/pdf" {
		return errors.New("is no picture (JPEG, PNG, GIF or WebP)")
	}
	if err := checkPicture(whole); err != nil {
		return err
	}
	if m.Store == nil {
		return errors.New("cannot be kept: no place for files is configured")
	}
	return nil
}

// KeepPhoto writes the bytes of a photo into the store. It becomes a file by write, in the caller's transaction; bytes that do not
// are cleared away.
func (m *Module) KeepPhoto(c api.Ctx, name string, whole []byte) (id uuid.UUID, write func(api.Ctx) error, err error) {
	f := File{ID: api.NewID(), Purpose: "PHOTO", OriginalName: nameOf(name), UploadedBy: c.User.ID, CreatedAt: c.Now,
		ContentType: mimetype.Detect(whole[:min(len(whole), sniffed)]).String(), SizeBytes: int64(len(whole))}
	sum := sha256.Sum256(whole)
	f.SHA256, f.StorageKey, f.ThumbnailKey = sum[:], tenancy.FileKey(c.School.ID, f.ID), tenancy.ThumbnailKey(c.School.ID, f.ID)
	if m.Store == nil {
		return f.ID, nil, errNoStore
	}
	if err := m.promiseToClear(c, f); err != nil {
		return f.ID, nil, err
	}
	if err := m.keep(c, &f, bytes.NewReader(whole)); err != nil {
		return f.ID, nil, err
	}
	return f.ID, func(c api.Ctx) error {
		if err := c.DB.Create(&f).Error; err != nil {
			return fmt.Errorf("writing a file down: %w", err)
		}
		return nil
	}, nil
}

// ClearPhotos has the bytes of photos go whose files are gone, once that is committed.
func (m *Module) ClearPhotos(c api.Ctx, ids []uuid.UUID) {
	c.Tell(events.Fact{Kind: Gone, Data: goneFile{Files: ids}})
}

// tally counts and hashes what passes.
type tally struct {
	hash hash.Hash
	n    int64
}

func (t *tally) Write(p []byte) (int, error) {
	t.n += int64(len(p))
	return t.hash.Write(p)
}
