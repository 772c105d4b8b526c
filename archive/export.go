package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"homeroom/tenancy"
)

// Files is where schools' files are kept.
type Files interface {
	Write(ctx context.Context, key, contentType string, from io.Reader) error
	Open(ctx context.Context, key string) (io.ReadSeekCloser, error)
	Delete(ctx context.Context, key string) error
}

// Export is a school that is to be written into a file.
type Export struct {
	Cluster    *tenancy.Cluster
	Files      Files                // nil: none are kept; a school that has some cannot be exported then
	IsNotFound func(err error) bool // whether an error of Files means that a file does not exist
	Seal       Seal
	Now        time.Time
	// Progress, if set, is called after every table.
	Progress func(done, tables int, rows int64)
}

// Write writes a snapshot of a school and returns its totals.
func (e Export) Write(ctx context.Context, s *tenancy.School, to io.Writer) (Closing, error) {
	if len(e.Seal.Keys) == 0 {
		return Closing{}, errors.New("there is no key to seal the archive with")
	}
	record, err := e.Cluster.Record(ctx, s.ID)
	if err != nil {
		return Closing{}, err
	}
	var closing Closing
	err = e.Cluster.Snapshot(ctx, s, func(moment *tenancy.Snapshot) error {
		w := newWriter(to, e.Now.UTC(), e.Seal.Keys[0])
		err := e.write(ctx, w, moment, record)
		err = w.close(err)
		closing = w.closing
		return err
	})
	if err != nil {
		return closing, fmt.Errorf("exporting school %s: %w", s.ID, err)
	}
	return closing, nil
}

func (e Export) write(ctx context.Context, w *writer, moment *tenancy.Snapshot, record tenancy.SchoolRecord) error {
	err := w.json(manifestName, Manifest{Format: Format, SchemaVersion: moment.Version, MadeAt: w.madeAt, School: record,
		Tables: moment.Tables})
	if err != nil {
		return err
	}
	var rows int64
	var kept []byte // the rows of table file: where the bytes are
	w.closing = Closing{Tables: []TableSum{}, Files: []FileSum{}}
	for i, t := range moment.Tables {
		part := 0
		rowsOf := newTableWriter(record.ID.String(), func(lines []byte) error {
			part++
			if t.Name == fileTable {
				kept = append(kept, lines...)
			}
			return w.entry(fmt.Sprintf("%s%s.ndjson.%04d", tablesFolder, t.Name, part), lines)
		})
		n, err := moment.CopyTo(ctx, t, rowsOf)
		if err == nil {
			err = rowsOf.flush()
		}
		if err != nil {
			return err
		}
		if n != rowsOf.rows {
			return fmt.Errorf("table %s has %d rows, and %d were written", t.Name, n, rowsOf.rows)
		}
		w.closing.Tables = append(w.closing.Tables, rowsOf.total(t.Name))
		rows += n
		if e.Progress != nil {
			e.Progress(i+1, len(moment.Tables), rows)
		}
	}
	return e.writeFiles(ctx, w, moment.Tables, kept, record.ID)
}

// writeFiles writes the bytes of the school's files. The snapshot's transaction is still
// open, though it has read everything: an error here fails the export.
func (e Export) writeFiles(ctx context.Context, w *writer, tables []tenancy.Table, kept []byte, school uuid.UUID) error {
	files, err := filesOf(tables, kept)
	if err != nil {
		return err
	}
	for _, f := range files {
		if e.Files == nil {
			return errors.New("the school has files, and where they are kept is not configured (HOMEROOM_FILES)")
		}
		content, err := readFile(ctx, e.Files, f.key(school))
		switch {
		case err != nil && e.IsNotFound != nil && e.IsNotFound(err):
			f.Missing = true
		case err != nil:
			return fmt.Errorf("reading file %s: %w", f.Name, err)
		default:
			sum := sha256.Sum256(content)
			f.Bytes, f.SHA256 = int64(len(content)), hex.EncodeToString(sum[:])
			if err := w.entry(filesFolder+f.Name, content); err != nil {
				return err
			}
		}
		w.closing.Files = append(w.closing.Files, f.FileSum)
	}
	return nil
}

func readFile(ctx context.Context, files Files, key string) ([]byte, error) {
	r, err := files.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(r, maxEntry+1))
	if closeErr := r.Close(); err == nil {
		err = closeErr
	}
	if len(content) > maxEntry {
		return nil, errors.New("it is larger than an archive holds")
	}
	return content, err
}

// fileTable is the table of the school's files.
const fileTable = "file"

// storedFile is a file of a row, or the small picture of one.
type storedFile struct {
	FileSum
	id    uuid.UUID
	small bool
}

// key is where the bytes are kept for a school. It follows from the two ids: the key in a row
// could be another school's.
func (f storedFile) key(school uuid.UUID) string {
	if f.small {
		return tenancy.ThumbnailKey(school, f.id)
	}
	return tenancy.FileKey(school, f.id)
}

// filesOf finds the files in the lines of table file: each has its bytes, and a picture
// its small one. A row with another key is refused.
func filesOf(tables []tenancy.Table, lines []byte) ([]storedFile, error) {
	at := map[string]int{}
	for _, t := range tables {
		if t.Name == fileTable {
			for i, c := range t.Columns {
				at[c] = i
			}
		}
	}
	var out []storedFile
	own := uuid.MustParse(ownID)
	for line := range bytes.Lines(lines) {
		row, err := parseRow(line)
		if err != nil {
			return nil, err
		}
		if len(row) < len(at) {
			return nil, errors.New("a row has too few columns")
		}
		id, err := uuid.Parse(row[at["id"]])
		if err != nil {
			return nil, fmt.Errorf("a row has no id: %w", err)
		}
		whole := storedFile{FileSum{Name: id.String(), ContentType: row[at["content_type"]]}, id, false}
		small := storedFile{FileSum{Name: id.String() + "-thumbnail", ContentType: "image/jpeg"}, id, true}
		for column, f := range map[string]storedFile{"storage_key": whole, "thumbnail_key": small} {
			if key := row[at[column]]; key != "" && key != f.key(own) {
				return nil, fmt.Errorf("file %s is said to be kept in another place than its own", id)
			}
		}
		out = append(out, whole)
		if row[at["thumbnail_key"]] != "" {
			out = append(out, small)
		}
	}
	return out, nil
}
