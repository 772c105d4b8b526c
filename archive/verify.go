package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// Verify reads a whole archive and returns its totals, or where it is damaged. It changes
// nothing, and does not check the seal: see Seal.
func Verify(from io.Reader) (Manifest, Closing, error) { return Seal{Unsigned: true}.Verify(from) }

// Verify is Verify of an archive that one of the keys sealed.
func (s Seal) Verify(from io.Reader) (Manifest, Closing, error) {
	r, err := open(from, s)
	if err != nil {
		return Manifest{}, Closing{}, err
	}
	found, err := r.walk(r.Manifest.School.ID.String(),
		func(rows *tableReader) error {
			_, err := io.Copy(io.Discard, rows)
			return err
		},
		func(FileSum, []byte) error { return nil })
	if err != nil {
		return r.Manifest, found, err
	}
	return r.Manifest, found, nil
}

// walk reads the whole archive, passes on every table and every file, and compares the totals
// with those at the archive's end.
func (r *reader) walk(school string, table func(*tableReader) error, file func(FileSum, []byte) error) (Closing, error) {
	var found Closing
	if err := r.next(); err != nil {
		return found, err
	}
	var lines bytes.Buffer // of table file
	for _, t := range r.Manifest.Tables {
		rows := r.rowsOf(t, school)
		if t.Name == fileTable {
			rows.kept = &lines
		}
		if err := table(rows); err != nil {
			return found, err
		}
		found.Tables = append(found.Tables, rows.total())
	}
	files, err := filesOf(r.Manifest.Tables, lines.Bytes())
	if err != nil {
		return found, &DamagedError{Offset: r.members.offset, Entry: tablesFolder + fileTable, Why: err.Error()}
	}
	kinds := map[string]string{}
	for _, f := range files {
		kinds[f.Name] = f.ContentType
	}
	for strings.HasPrefix(r.name, filesFolder) {
		sum := sha256.Sum256(r.content)
		f := FileSum{Name: strings.TrimPrefix(r.name, filesFolder), Bytes: int64(len(r.content)), SHA256: hex.EncodeToString(sum[:])}
		var known bool
		if f.ContentType, known = kinds[f.Name]; !known {
			return found, r.damaged("it belongs to no row of the archive")
		}
		if err := file(f, r.content); err != nil {
			return found, err
		}
		found.Files = append(found.Files, f)
		if err := r.next(); err != nil {
			return found, err
		}
	}
	closing, err := r.close()
	if err != nil {
		return found, err
	}
	if err := closing.differs(found, func(a, b TableSum) bool { return a.Rows == b.Rows && a.SHA256 == b.SHA256 }); err != nil {
		return found, r.damaged(err.Error())
	}
	return closing, nil
}

// differs compares the totals at an archive's end with those found.
func (c Closing) differs(found Closing, equal func(a, b TableSum) bool) error {
	if len(c.Tables) != len(found.Tables) {
		return fmt.Errorf("it says %d tables, and has %d", len(c.Tables), len(found.Tables))
	}
	for i, t := range c.Tables {
		if !equal(t, found.Tables[i]) {
			return fmt.Errorf("table %s was written with %d rows, and has %d rows with other sums", t.Name, t.Rows, found.Tables[i].Rows)
		}
	}
	i := 0
	for _, f := range c.Files {
		if f.Missing {
			continue
		}
		if i == len(found.Files) || f.Name != found.Files[i].Name || f.Bytes != found.Files[i].Bytes || f.SHA256 != found.Files[i].SHA256 {
			return fmt.Errorf("file %s is another or not there", f.Name)
		}
		i++
	}
	if i != len(found.Files) {
		return fmt.Errorf("it says %d files, and has %d", i, len(found.Files))
	}
	return nil
}
