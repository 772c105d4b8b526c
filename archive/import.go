package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/google/uuid"

	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

// Import is a school that is to be made of an archive, under another id and code.
type Import struct {
	Cluster *tenancy.Cluster
	Files   Files // nil: none can be kept; an archive with files is refused then
	Seal    Seal  // the keys it may be sealed with

	ID     uuid.UUID
	Code   string
	Name   string // the archive's unless given
	Node   string // the least loaded unless given
	Status tenancy.Status

	// Prepare runs before the school can be reached, InTx in the transaction that makes it known.
	Prepare func(context.Context, *tenancy.School) error
	InTx    []tenancy.InTx
}

// Proof are the totals that were read back of the new school: they equal the archive's, or
// there is no school.
type Proof struct {
	Manifest Manifest
	Closing
}

// Read makes the school. The archive is read through first, so that a damaged one changes
// nothing; a later failure leaves nothing behind.
func (i Import) Read(ctx context.Context, from io.ReadSeeker) (*tenancy.School, Proof, error) {
	manifest, closing, err := i.Seal.Verify(from)
	if err != nil {
		return nil, Proof{}, err
	}
	if latest := i.Cluster.SchoolVersion(); manifest.SchemaVersion > latest {
		return nil, Proof{}, fmt.Errorf("the archive is of schema version %d and this binary knows versions up to %d: use the newer binary",
			manifest.SchemaVersion, latest)
	}
	if i.Files == nil && slices.ContainsFunc(closing.Files, func(f FileSum) bool { return !f.Missing }) {
		return nil, Proof{}, errors.New("the archive has files, and where to keep them is not configured (HOMEROOM_FILES)")
	}
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return nil, Proof{}, fmt.Errorf("reading the archive again: %w", err)
	}
	record := manifest.School
	record.ID, record.Code, record.Status = i.ID, i.Code, i.Status
	if i.Name != "" {
		record.Name = i.Name
	}
	l := &importRun{Import: i, closing: closing}
	school, err := lifecycle.RestoreSchool(ctx, i.Cluster, lifecycle.Restore{
		SchoolRecord: record, Node: i.Node, Version: manifest.SchemaVersion, Prepare: i.Prepare,
		Load: func(ctx context.Context, to *tenancy.Loading) error { return l.load(ctx, from, to) },
	}, i.InTx...)
	if err != nil {
		l.deleteFiles(context.WithoutCancel(ctx))
		return nil, Proof{}, err
	}
	return school, Proof{manifest, l.proof}, nil
}

// importRun is one running import.
type importRun struct {
	Import
	closing Closing
	written []string // keys
	proof   Closing
}

func (l *importRun) load(ctx context.Context, from io.Reader, to *tenancy.Loading) error {
	r, err := open(from, l.Seal)
	if err != nil {
		return err
	}
	if err := sameTables(r.Manifest, to.Tables); err != nil {
		return err
	}
	_, err = r.walk(l.ID.String(),
		func(rows *tableReader) error { return copyRows(ctx, to, rows) },
		func(f FileSum, content []byte) error { return l.storeFile(ctx, f, content) })
	if err != nil {
		return err
	}
	if err := to.Check(ctx); err != nil {
		return err
	}
	return l.verify(ctx, r.Manifest, to)
}

func copyRows(ctx context.Context, to *tenancy.Loading, rows *tableReader) error {
	n, err := to.Fill(ctx, rows.table, rows)
	var damaged *DamagedError
	if errors.As(rows.err, &damaged) {
		return damaged // the database's own error only says that the input ended
	}
	if err != nil {
		return err
	}
	if n != rows.rows {
		return fmt.Errorf("table %s: of %d rows %d were taken", rows.table.Name, rows.rows, n)
	}
	return nil
}

// sameTables refuses an archive whose tables are not those of its schema version.
func sameTables(m Manifest, have []tenancy.Table) error {
	columns := map[string][]string{}
	for _, t := range have {
		columns[t.Name] = t.Columns
	}
	for _, t := range m.Tables {
		if !slices.Equal(slices.Sorted(slices.Values(t.Columns)), slices.Sorted(slices.Values(columns[t.Name]))) {
			return fmt.Errorf("table %s of the archive is not what it is in version %d", t.Name, m.SchemaVersion)
		}
	}
	if len(m.Tables) != len(have) {
		return fmt.Errorf("the archive has %d tables, and version %d has %d", len(m.Tables), m.SchemaVersion, len(have))
	}
	return nil
}

// storeFile writes a file's bytes where the new school's are. Its name is of a row: walk made sure.
func (l *importRun) storeFile(ctx context.Context, f FileSum, content []byte) error {
	key := l.key(f.Name)
	l.written = append(l.written, key)
	return l.Files.Write(ctx, key, f.ContentType, bytes.NewReader(content))
}

// key is where a file of the archive is kept for the new school.
func (l *importRun) key(name string) string { return l.ID.String() + "/" + name }

func (l *importRun) deleteFiles(ctx context.Context) {
	for _, key := range l.written {
		_ = l.Files.Delete(ctx, key) // they belong to no school, and the next attempt overwrites them
	}
}

// verify reads every table and every file back and compares them with the archive's.
func (l *importRun) verify(ctx context.Context, m Manifest, to *tenancy.Loading) error {
	for _, t := range m.Tables {
		rows := newTableWriter(l.ID.String(), func([]byte) error { return nil })
		if _, err := to.CopyTo(ctx, t, rows); err != nil {
			return err
		}
		if err := rows.flush(); err != nil {
			return err
		}
		l.proof.Tables = append(l.proof.Tables, rows.total(t.Name))
	}
	for _, f := range l.closing.Files {
		if f.Missing {
			continue
		}
		content, err := readFile(ctx, l.Files, l.key(f.Name))
		if err != nil {
			return fmt.Errorf("reading file %s back: %w", f.Name, err)
		}
		sum := sha256.Sum256(content)
		l.proof.Files = append(l.proof.Files, FileSum{Name: f.Name, ContentType: f.ContentType, Bytes: int64(len(content)),
			SHA256: hex.EncodeToString(sum[:])})
	}
	if err := l.closing.differs(l.proof, TableSum.Equal); err != nil {
		return fmt.Errorf("what was read back is not what was written: %w", err)
	}
	return nil
}
