package file

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/events"
	"homeroom/tenancy"
)

// File is what is known of a file. StorageKey and ThumbnailKey are written for versions that read
// them; where the bytes are follows from the ids (see tenancy.FileKey), and of the second only
// whether it is empty is looked at: then there is no small picture.
type File struct {
	ID           uuid.UUID `gorm:"primaryKey"`
	Purpose      string
	OriginalName string
	ContentType  string
	SizeBytes    int64
	SHA256       []byte `gorm:"column:sha256"`
	StorageKey   string
	ThumbnailKey string
	UploadedBy   uuid.UUID
	CreatedAt    time.Time
}

// View is a file as people see it.
type View struct {
	ID           uuid.UUID `json:"id"`
	Purpose      string    `json:"purpose" enum:"ATTACHMENT,PHOTO,LOGO"`
	OriginalName string    `json:"originalName"`
	ContentType  string    `json:"contentType" enum:"image/jpeg,image/png,image/gif,image/webp,application/pdf" doc:"Found from the content; the name is not trusted" example:"application/pdf"`
	SizeBytes    int64     `json:"sizeBytes"`
	SHA256       string    `json:"sha256"`
	HasThumbnail bool      `json:"hasThumbnail"`
	UploadedBy   uuid.UUID `json:"uploadedBy"`
	CreatedAt    time.Time `json:"createdAt"`
}

func (f File) view() View {
	return View{ID: f.ID, Purpose: f.Purpose, OriginalName: f.OriginalName, ContentType: f.ContentType, SizeBytes: f.SizeBytes,
		SHA256:       hex.EncodeToString(f.SHA256),
		HasThumbnail: f.ThumbnailKey != "", UploadedBy: f.UploadedBy, CreatedAt: f.CreatedAt}
}

type byID struct {
	ID        uuid.UUID `path:"id"`
	Thumbnail bool      `json:"thumbnail" doc:"A small picture instead, where there is one"`
}

type onlyID struct {
	ID uuid.UUID `path:"id"`
}

// find reads a file the caller may have; any other is not there.
func (m *Module) find(c api.Ctx, id uuid.UUID) (File, error) {
	f, err := api.Find[File](c, "file", c.DB, id)
	if err != nil || f.UploadedBy == c.User.ID {
		return f, err
	}
	var links []struct {
		Kind     string
		RecordID uuid.UUID
	}
	if err := c.DB.Table("file_link").Select("kind, record_id").Where("file_id = ?", id).Find(&links).Error; err != nil {
		return f, fmt.Errorf("reading what a file is attached to: %w", err)
	}
	records, public := map[string][]uuid.UUID{}, len(links) == 0
	for _, l := range links {
		records[l.Kind] = append(records[l.Kind], l.RecordID)
		public = public || !slices.Contains(m.Private, l.Kind)
	}
	if public && c.User.Role == api.SchoolAdmin {
		return f, nil
	}
	for kind, ids := range records {
		if may := m.Readers[kind]; may != nil {
			if ok, err := may(c, ids); err != nil || ok {
				return f, err
			}
		}
	}
	for _, may := range m.Named {
		if ok, err := may(c, id); err != nil || ok {
			return f, err
		}
	}
	return File{}, api.NotFound("file")
}

// ContentType is what a file of the school is; nothing if there is no such file.
func (m *Module) ContentType(c api.Ctx, id uuid.UUID) (string, error) {
	var kind string
	if err := c.DB.Model(&File{}).Select("content_type").Where("id = ?", id).Scan(&kind).Error; err != nil {
		return "", fmt.Errorf("looking for a file: %w", err)
	}
	return kind, nil
}

// Bytes returns a file's content without a check of rights; nil if there is none, or no file storage.
func (m *Module) Bytes(c api.Ctx, id uuid.UUID) ([]byte, error) {
	if m.Store == nil {
		return nil, nil
	}
	var n int64
	if err := c.DB.Model(&File{}).Where("id = ?", id).Count(&n).Error; err != nil {
		return nil, fmt.Errorf("looking for a file: %w", err)
	}
	if n == 0 {
		return nil, nil
	}
	return m.read(c, tenancy.FileKey(c.School.ID, id))
}

// Thumbnail returns a photo's small picture without a check of rights; nil if there is none. Many are read
// for one paper: nothing is asked of the database.
func (m *Module) Thumbnail(c api.Ctx, id uuid.UUID) ([]byte, error) {
	if m.Store == nil {
		return nil, nil
	}
	return m.read(c, tenancy.ThumbnailKey(c.School.ID, id))
}

// read gives what is stored under a key; nil when nothing is.
func (m *Module) read(c api.Ctx, key string) ([]byte, error) {
	from, err := m.Store.Open(c, key)
	var refused *api.Error
	if errors.As(err, &refused) && refused.Status == 404 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = from.Close() }()
	return io.ReadAll(io.LimitReader(from, api.MaxFile))
}

func (m *Module) info(c api.Ctx, r onlyID) (View, error) {
	f, err := m.find(c, r.ID)
	return f.view(), err
}

// download gives the bytes, whole or in ranges.
func (m *Module) download(c api.Ctx, r byID) (api.Blob, error) {
	f, err := m.find(c, r.ID)
	if err != nil {
		return api.Blob{}, err
	}
	if m.Store == nil {
		return api.Blob{}, errNoStore
	}
	key, kind, tag := tenancy.FileKey(c.School.ID, f.ID), f.ContentType, hex.EncodeToString(f.SHA256)
	if r.Thumbnail {
		if f.ThumbnailKey == "" {
			return api.Blob{}, api.NotFound("thumbnail")
		}
		key, kind, tag = tenancy.ThumbnailKey(c.School.ID, f.ID), thumbnailType, "thumbnail-"+tag
	}
	return api.Blob{Name: f.OriginalName, ContentType: kind, Tag: tag, ModifiedAt: f.CreatedAt,
		Open: func(ctx context.Context) (io.ReadSeekCloser, error) {
			return m.Store.Open(ctx, key)
		}}, nil
}

// Gone is the fact that bytes are of no use any more.
const Gone = "file.gone"

type goneFile struct {
	// ID, where it is given, is the file that may still become one: then its bytes stay.
	ID uuid.UUID `json:"id"`
	// Files are those whose bytes go: the school's own, under any name.
	Files []uuid.UUID `json:"files"`
	// Keys are how facts of earlier versions name them.
	Keys []string `json:"keys,omitempty"`
}

// ids are the files of the school that told the fact. A key that is not of one of its own files
// names nothing.
func (g goneFile) ids(school uuid.UUID) []uuid.UUID {
	ids := g.Files
	for _, key := range g.Keys {
		name, own := strings.CutPrefix(key, school.String()+"/")
		if id, err := uuid.Parse(strings.TrimSuffix(name, "-thumbnail")); own && err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// remove deletes a file nothing refers to. Its bytes go once that is committed.
func (m *Module) remove(c api.Ctx, r onlyID) error {
	if _, err := api.Lock[File](c, "file", r.ID); err != nil {
		return err
	}
	if err := api.Erase[File](c, "file", r.ID); err != nil {
		return err
	}
	c.Tell(events.Fact{Kind: Gone, Data: goneFile{Files: []uuid.UUID{r.ID}}})
	return nil
}

// listen clears bytes away that no file has.
func (m *Module) listen(bus *events.Bus) {
	bus.On(Gone, "files", func(ctx context.Context, h events.Heard) error {
		var gone goneFile
		if err := h.Read(&gone); err != nil || m.Store == nil {
			return err
		}
		if gone.ID != uuid.Nil {
			db, err := events.DB(ctx)
			if err != nil {
				return err
			}
			var n int64
			if err := db.Model(&File{}).Where("id = ?", gone.ID).Count(&n).Error; err != nil || n > 0 {
				return err // it was kept after all, and has a fact of its own when it goes
			}
		}
		for _, id := range gone.ids(h.SchoolID) {
			for _, key := range []string{tenancy.FileKey(h.SchoolID, id), tenancy.ThumbnailKey(h.SchoolID, id)} {
				if err := m.Store.Delete(ctx, key); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Attach makes these the files of a record, in this order. New ones must be the
// caller's own; an administrator may also take what is in nobody's private thread.
func (m *Module) Attach(c api.Ctx, kind string, record uuid.UUID, field string, ids []uuid.UUID) error {
	if len(ids) > 0 {
		var n int64
		query := c.DB.Model(&File{}).Where("id in ?", ids)
		mine := "uploaded_by = @me or id in (select file_id from file_link where kind = @kind and record_id = @record)"
		if c.User.Role == api.SchoolAdmin {
			mine += " or id in (select file_id from file_link where kind not in @private) or id not in (select file_id from file_link)"
		}
		query = query.Where(mine, map[string]any{"me": c.User.ID, "kind": kind, "record": record, "private": append([]string{""}, m.Private...)})
		if err := query.Count(&n).Error; err != nil {
			return fmt.Errorf("looking for files: %w", err)
		}
		if int(n) != len(ids) {
			return api.InvalidField(field, "%s names a file that does not exist or is not yours", field)
		}
	}
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `delete from file_link where kind = $1 and record_id = $2 and not file_id = any($3::uuid[])`,
			Args: []any{kind, record, orEmpty(ids)}},
		tenancy.Query{SQL: `insert into file_link (file_id, kind, record_id, position) select id, $1, $2, n
			from unnest($3::uuid[]) with ordinality as f (id, n)
			on conflict (file_id, kind, record_id) do update set position = excluded.position`, Args: []any{kind, record, orEmpty(ids)}})
	if err != nil {
		return fmt.Errorf("attaching files: %w", err)
	}
	return nil
}

func orEmpty(ids []uuid.UUID) []uuid.UUID {
	if ids == nil {
		return []uuid.UUID{}
	}
	return ids
}

// Of are the files of records, in their order.
func (m *Module) Of(db *gorm.DB, kind string, records ...uuid.UUID) (map[uuid.UUID][]uuid.UUID, error) {
	out := map[uuid.UUID][]uuid.UUID{}
	var links []struct{ FileID, RecordID uuid.UUID }
	err := db.Table("file_link").Select("file_id, record_id").Where("kind = ? and record_id in ?", kind,
		records).Order("record_id, position").Find(&links).Error
	if err != nil {
		return nil, fmt.Errorf("reading attachments: %w", err)
	}
	for _, l := range links {
		out[l.RecordID] = append(out[l.RecordID], l.FileID)
	}
	return out, nil
}
