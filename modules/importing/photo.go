package importing

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/modules/roster/lookup"
	"homeroom/sheet"
	"homeroom/tenancy"
)

// Photos keeps photos: see file.Module.
type Photos interface {
	// CheckPhoto says what is wrong with a photo.
	CheckPhoto(whole []byte) error
	// KeepPhoto stores a photo outside any transaction; write makes it a file in the caller's.
	KeepPhoto(c api.Ctx, name string, whole []byte) (id uuid.UUID, write func(api.Ctx) error, err error)
	// ClearPhotos has photos go whose files are gone.
	ClearPhotos(c api.Ctx, ids []uuid.UUID)
}

const (
	// maxPhoto is the largest photo, unpacked; a zip of more than maxPhotos files is refused unread.
	maxPhoto  = 5 << 20
	maxPhotos = 5_000
	// maxPhotoBytes is how much all photos of a zip come to, at most.
	maxPhotoBytes = 64 << 20
)

// The columns of the table that a zip is read as: each row is one of its files.
const (
	colPhotoFile = iota
	colPhotoOf
)

var photoSheet = []sheet.Column{
	colPhotoFile: {Name: "file", Check: sheet.Text(300)},
	colPhotoOf:   lookup.AdmissionNumber,
}

// photos are zip files of students' photos, each called by its student's admission number.
func (m *Module) photos() imports.Kind[imports.Request] {
	return imports.Kind[imports.Request]{
		Key: "PHOTO", Path: "/school-admin/student/photo/import", Permission: "student", Columns: photoSheet, Most: maxPhotos,
		Summary: "Import students' photos from a zip, each file called by an admission number", Tables: []string{"file", "student"},
		Begin: func(api.Ctx, imports.Request) (imports.Reading, error) {
			a := &album{photos: m.Photos, unpacked: map[string][]byte{}, kept: map[string]keptPhoto{}}
			reading := imports.ByLine(photoSheet, a.plan)
			reading.Convert, reading.Prepare = a.unpack, a.keep
			return reading, nil
		},
		Undo: func(c api.Ctx, made []byte) error {
			var ids []uuid.UUID
			if err := json.Unmarshal(made, &ids); err != nil {
				return fmt.Errorf("reading which photos an import made: %w", err)
			}
			m.Photos.ClearPhotos(c, ids)
			return nil
		},
	}
}

// album is one zip of photos.
type album struct {
	photos   Photos
	unpacked map[string][]byte // by the file's name in the zip
	wanted   []albumPhoto      // of the last plan
	kept     map[string]keptPhoto
}

type albumPhoto struct {
	name    string
	student uuid.UUID
	before  *uuid.UUID
}

type keptPhoto struct {
	id    uuid.UUID
	write func(api.Ctx) error
}

// unpack makes a table of the names of a zip's files. A file that is no zip is no table either, and is refused by its header. Sizes
// that the zip claims are not believed: what is unpacked is counted.
func (a *album) unpack(file io.Reader) (io.Reader, error) {
	whole, err := io.ReadAll(file) // an upload is bounded
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(whole, []byte("PK")) {
		return bytes.NewReader(whole), nil
	}
	in, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		return nil, sheet.BadFile("is a zip that cannot be read").Because(err)
	}
	if len(in.File) > 2*maxPhotos {
		return nil, sheet.BadFile("has more than %d files", maxPhotos)
	}
	rows := [][]string{{"file", "admissionNumber"}}
	var total int64
	for _, f := range in.File {
		base := path.Base(strings.ReplaceAll(f.Name, "\\", "/"))
		if f.FileInfo().IsDir() || strings.HasPrefix(base, ".") || strings.HasPrefix(f.Name, "__MACOSX/") ||
			strings.EqualFold(base, "Thumbs.db") {
			continue
		}
		name := sheet.Clean(strings.ToValidUTF8(strings.ReplaceAll(f.Name, "\\", "/"), "_"))
		content, err := unpackOne(f)
		if err != nil {
			return nil, err
		}
		if total += int64(len(content)); total > maxPhotoBytes {
			return nil, sheet.BadFile("has more than %d MB of photos: divide it", maxPhotoBytes>>20)
		}
		if len(content) > maxPhoto {
			content = nil
		}
		a.unpacked[name] = content
		rows = append(rows, []string{name, strings.TrimSuffix(base, path.Ext(base))})
	}
	if len(rows) == 1 {
		return nil, sheet.BadFile("has no photos")
	}
	var body bytes.Buffer
	out := csv.NewWriter(&body)
	if err := out.WriteAll(rows); err != nil {
		return nil, err
	}
	return &body, nil
}

// unpackOne reads one file of a zip, and of one that is too large only enough to see that.
func unpackOne(f *zip.File) ([]byte, error) {
	from, err := f.Open()
	if err != nil {
		return nil, sheet.BadFile("is a zip that cannot be read: %s", f.Name).Because(err)
	}
	defer func() { _ = from.Close() }()
	content, err := io.ReadAll(io.LimitReader(from, maxPhoto+1))
	if err != nil {
		return nil, sheet.BadFile("is a zip that cannot be read: %s", f.Name).Because(err)
	}
	return content, nil
}

// photoKey is a number as a file's name can have it: 2026/0001 is called 2026-0001.jpg.
func photoKey(number string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, number)
}

func (a *album) plan(c api.Ctx, lines []imports.Line, d *imports.Draft) error {
	var students []struct {
		ID              uuid.UUID
		AdmissionNumber string
		PhotoFileID     *uuid.UUID
		SHA256          []byte `db:"sha256"`
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select s.id, s.admission_number, s.photo_file_id, f.sha256
		from student s left join file f on f.id = s.photo_file_id where s.deleted_at is null and s.status = 'ACTIVE'`,
		Scan: tenancy.Collect(&students)})
	if err != nil {
		return fmt.Errorf("reading the students of photos: %w", err)
	}
	exact, byKey := map[string]int{}, map[string]int{}
	for i, s := range students {
		exact[strings.ToLower(s.AdmissionNumber)] = i
		if _, twice := byKey[photoKey(s.AdmissionNumber)]; twice {
			i = -1
		}
		byKey[photoKey(s.AdmissionNumber)] = i
	}
	a.wanted = nil
	rows := map[uuid.UUID]int{}
	for _, l := range lines {
		number := l.Cells[colPhotoOf]
		at, there := exact[strings.ToLower(number)]
		if !there {
			at, there = byKey[photoKey(number)]
		}
		content, inZip := a.unpacked[l.Cells[colPhotoFile]]
		switch {
		case !inZip:
			d.Bad(l.Row, "file", "is not in a zip")
		case len(content) == 0:
			d.Bad(l.Row, "file", "is empty, or larger than %d MB", maxPhoto>>20)
		default:
			if err := a.photos.CheckPhoto(content); err != nil {
				d.Bad(l.Row, "file", "%v", err)
			}
		}
		switch {
		case !there || number == "":
			d.Bad(l.Row, "admissionNumber", "no student has this number")
		case at < 0:
			d.Bad(l.Row, "admissionNumber", "more than one student's number is written like this")
		case rows[students[at].ID] > 0:
			d.Bad(l.Row, "admissionNumber", "is the student of row %d, too", rows[students[at].ID])
		}
		if d.Found.IsBad(l.Row) {
			d.Skip(l.Row)
			continue
		}
		rows[students[at].ID] = l.Row
		s, sum := students[at], sha256.Sum256(content)
		state := []any{s.ID, s.PhotoFileID, hex.EncodeToString(sum[:])}
		switch {
		case bytes.Equal(sum[:], s.SHA256):
			d.Same(l.Row, state...)
			continue
		case s.PhotoFileID == nil:
			d.Create(l.Row, state...)
		default:
			d.Update(l.Row, state...)
		}
		a.wanted = append(a.wanted, albumPhoto{l.Cells[colPhotoFile], s.ID, s.PhotoFileID})
	}
	d.Then(func(c api.Ctx) error { return a.write(c, d) })
	return nil
}

// keep stores the photos of a plan that is carried out.
func (a *album) keep(c api.Ctx, progress func(float64)) error {
	for i, p := range a.wanted {
		id, write, err := a.photos.KeepPhoto(c, path.Base(p.name), a.unpacked[p.name])
		var refused *api.Error
		if errors.As(err, &refused) && refused.Status == 422 {
			return sheet.BadFile("has a photo that cannot be read: %s", p.name).Because(err)
		}
		if err != nil {
			return err
		}
		a.kept[p.name] = keptPhoto{id, write}
		progress(float64(i+1) / float64(len(a.wanted)))
	}
	return nil
}

func (a *album) write(c api.Ctx, d *imports.Draft) error {
	var students, ids []uuid.UUID
	for _, p := range a.wanted {
		kept, stored := a.kept[p.name]
		if !stored { // a student came meanwhile
			return api.Conflict("The file or the data it touches is not what the dry run saw: look at a new dry run first")
		}
		if err := kept.write(c); err != nil {
			return err
		}
		students, ids = append(students, p.student), append(ids, kept.id)
	}
	if len(ids) > 0 {
		d.Remember(ids)
	}
	err := exec(c.DB, `update student s set photo_file_id = v.photo, version = s.version + 1, updated_at = $1, updated_by = $2
		from unnest($3::uuid[], $4::uuid[]) as v (id, photo) where s.id = v.id`, c.Now, c.User.ID, students, ids)
	if err != nil {
		return fmt.Errorf("giving students their photos: %w", err)
	}
	return c.ChangedMany("import", "student", len(students), func(i int) (uuid.UUID, any, any) {
		return students[i], map[string]any{"photoFileId": a.wanted[i].before}, map[string]any{"photoFileId": ids[i]}
	})
}
