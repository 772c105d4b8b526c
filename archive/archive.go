// Package archive writes a whole school into one file, and makes a school of such a file
// again. The file is written and read in one pass with little memory, and every byte of it is
// covered by a checksum. A file that is damaged or cut is refused before anything is changed.
// It is as secret as the database: it has the hashes of passwords and PINs.
//
// The file is a tar in gzip:
//
//	manifest.json              what it is: format, schema version, school, tables with their columns
//	tables/<table>.ndjson.0001 rows, one a line, an array of their columns' texts as Postgres writes them; the parts of a table
//	                           follow each other
//	files/<name>               the school's files
//	closing.json               rows, bytes and SHA-256 of every table and every file
//
// Each entry is a gzip member of its own with its SHA-256 in its tar header, so that
// damage is found where it is; an empty member at the end, the end mark, has the SHA-256 of
// all that is before it, so that none is missed, and an HMAC of that under a key of the
// installation, so that nobody without the key can change the file and sum it anew.
package archive

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"homeroom/tenancy"
)

// Format is the version of the file's form.
const Format = 1

// ContentType is the file's content type, for downloads.
const ContentType = "application/gzip"

const (
	manifestName = "manifest.json"
	closingName  = "closing.json"
	tablesFolder = "tables/"
	filesFolder  = "files/"
	// maxEntry bounds an entry, which is read into memory.
	maxEntry = 64 << 20
	// partSize is the approximate size of a table's entries.
	partSize = 1 << 20
	// sumRecord is where an entry's tar header has its checksum.
	sumRecord = "HOMEROOM.sha256"
)

// ownID replaces the school's own id in its rows (in the names of its files, for one): the same
// school under another id has the same file.
const ownID = "00000000-5c00-8000-8000-5c0015c0015c"

// Manifest is the first entry of the file.
type Manifest struct {
	Format        int                  `json:"format"`
	SchemaVersion int                  `json:"schemaVersion"`
	MadeAt        time.Time            `json:"madeAt"`
	School        tenancy.SchoolRecord `json:"school"`
	Tables        []tenancy.Table      `json:"tables"`
}

// Closing is the last entry of the file.
type Closing struct {
	Tables []TableSum `json:"tables"`
	Files  []FileSum  `json:"files"`
}

// TableSum is a table's rows, counted and summed. SHA256 is of its lines in the order
// they are in the file. Set is the sum of each line's SHA-256, independent of their
// order: a table has no order, and two tables are equal when their sums are.
type TableSum struct {
	Name   string `json:"name"`
	Rows   int64  `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Set    string `json:"set"`
}

// Equal reports whether two tables have the same rows.
func (t TableSum) Equal(o TableSum) bool {
	return t.Name == o.Name && t.Rows == o.Rows && t.Bytes == o.Bytes && t.Set == o.Set
}

// FileSum is one of the school's files. One whose bytes were gone when the archive was
// made is Missing.
type FileSum struct {
	Name        string `json:"name"`
	ContentType string `json:"contentType"`
	Bytes       int64  `json:"bytes"`
	SHA256      string `json:"sha256"`
	Missing     bool   `json:"missing,omitempty"`
}

// Rows are all tables' rows together.
func (c Closing) Rows() (n int64) {
	for _, t := range c.Tables {
		n += t.Rows
	}
	return n
}

// Seal is the keys that prove where an archive was written.
type Seal struct {
	Keys [][]byte // the first seals what is written; any of them opens
	// Unsigned takes archives that none of the keys sealed: those of versions before there was
	// a seal, and those of installations whose key is not known. Anybody who had such a file may
	// have changed it.
	Unsigned bool
}

var (
	// ErrUnsigned is an archive without a keyed end mark.
	ErrUnsigned = errors.New("the archive has no seal: it was written by an earlier version, or somebody took the seal off. Its checksums " +
		"find damage, and anybody can write them anew")
	// ErrSeal is an archive that none of the keys sealed.
	ErrSeal = errors.New("the archive's seal is of another key: it was written by another installation, or changed since it was written")
)

func (s Seal) mac(key, sum []byte) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte("homeroom archive\n"))
	m.Write(sum)
	return m.Sum(nil)
}

// check refuses an archive whose seal none of the keys made.
func (s Seal) check(sum, mac []byte) error {
	if s.Unsigned {
		return nil
	}
	if mac == nil {
		return ErrUnsigned
	}
	for _, key := range s.Keys {
		if hmac.Equal(s.mac(key, sum), mac) {
			return nil
		}
	}
	return ErrSeal
}

// DamagedError is the place where an archive is damaged.
type DamagedError struct {
	Offset int64  // in the file
	Entry  string // the entry, if it was read that far
	Line   int64  // the line of the table, if it is a table's
	Why    string
}

func (e *DamagedError) Error() string {
	where := fmt.Sprintf("at byte %d", e.Offset)
	if e.Entry != "" {
		where += ", in " + e.Entry
	}
	if e.Line > 0 {
		where += fmt.Sprintf(", line %d", e.Line)
	}
	return fmt.Sprintf("the archive is damaged %s: %s", where, e.Why)
}
