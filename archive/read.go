package archive

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"homeroom/tenancy"
)

// reader reads an archive, entry after entry. Its errors have the offset.
type reader struct {
	Manifest Manifest

	members *members
	seal    Seal
	tar     *tar.Reader
	name    string // of the present entry
	content []byte
}

// open reads the beginning of the archive.
func open(from io.Reader, seal Seal) (*reader, error) {
	m := &members{source: newSource(from)}
	r := &reader{members: m, seal: seal, tar: tar.NewReader(m)}
	if err := r.next(); err != nil {
		return nil, err
	}
	if r.name != manifestName {
		return nil, r.damaged("it does not begin with " + manifestName)
	}
	if err := json.Unmarshal(r.content, &r.Manifest); err != nil {
		return nil, r.damaged(err.Error())
	}
	if r.Manifest.Format != Format {
		return nil, fmt.Errorf("the archive's form is %d and this binary knows %d: use the binary that wrote it, or a newer one",
			r.Manifest.Format, Format)
	}
	return r, nil
}

func (r *reader) damaged(why string) error {
	return &DamagedError{Offset: r.members.offset, Entry: r.name, Why: why}
}

// next reads the next entry whole and checks it.
func (r *reader) next() error {
	last := r.name
	header, err := r.tar.Next()
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errCut
		}
		return &DamagedError{Offset: r.members.offset, Entry: after(last), Why: err.Error()}
	}
	r.name = header.Name
	if header.Typeflag != tar.TypeReg || header.Size > maxEntry {
		return r.damaged("it is no entry of an archive")
	}
	r.content = make([]byte, header.Size)
	if _, err := io.ReadFull(r.tar, r.content); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errCut
		}
		return r.damaged(err.Error())
	}
	if sum := sha256.Sum256(r.content); hex.EncodeToString(sum[:]) != header.PAXRecords[sumRecord] {
		return r.damaged("its checksum is another")
	}
	return nil
}

func after(entry string) string {
	if entry == "" {
		return ""
	}
	return "what follows " + entry
}

// part is the present entry's name in a folder, without the number of its part.
func (r *reader) part() (table string, is bool) {
	rest, is := strings.CutPrefix(r.name, tablesFolder)
	dot := strings.LastIndex(rest, ".ndjson.")
	if !is || dot < 0 {
		return "", false
	}
	return rest[:dot], true
}

// tableReader is a table's rows in COPY's text form. It reads the archive on until the
// table's parts are over, and leaves the reader at what follows them.
type tableReader struct {
	r      *reader
	table  tenancy.Table
	school []byte
	sum    hash.Hash
	rows   int64
	bytes  int64
	ready  []byte
	err    error
	kept   *bytes.Buffer // if set, gets the lines as they are in the archive
}

// rowsOf reads the parts of a table; school is the id its own rows are to have.
func (r *reader) rowsOf(table tenancy.Table, school string) *tableReader {
	return &tableReader{r: r, table: table, school: []byte(school), sum: sha256.New()}
}

func (t *tableReader) Read(p []byte) (int, error) {
	for len(t.ready) == 0 {
		if t.err == nil {
			t.err = t.part()
		}
		if t.err != nil {
			return 0, t.err
		}
	}
	n := copy(p, t.ready)
	t.ready = t.ready[n:]
	return n, nil
}

// part turns the present entry into rows and goes on to the next.
func (t *tableReader) part() error {
	if name, is := t.r.part(); !is || name != t.table.Name {
		return io.EOF
	}
	lines := t.r.content
	t.sum.Write(lines)
	t.bytes += int64(len(lines))
	if t.kept != nil {
		t.kept.Write(lines)
	}
	lines = bytes.ReplaceAll(lines, []byte(ownID), t.school)
	out := make([]byte, 0, len(lines))
	for len(lines) > 0 {
		line, rest, whole := bytes.Cut(lines, []byte{'\n'})
		lines = rest
		t.rows++
		var err error
		if !whole {
			err = errors.New("it has no end")
		} else {
			out, err = appendCopy(out, line, len(t.table.Columns))
		}
		if err != nil {
			return &DamagedError{Offset: t.r.members.offset, Entry: t.r.name, Line: t.rows, Why: err.Error()}
		}
	}
	t.ready = out
	return t.r.next()
}

func (t *tableReader) total() TableSum {
	return TableSum{Name: t.table.Name, Rows: t.rows, Bytes: t.bytes, SHA256: hex.EncodeToString(t.sum.Sum(nil))}
}

// close reads the end of the archive, and checks that nothing follows.
func (r *reader) close() (Closing, error) {
	var c Closing
	if r.name != closingName {
		return c, r.damaged("this is not what the manifest says comes here")
	}
	if err := json.Unmarshal(r.content, &c); err != nil {
		return c, r.damaged(err.Error())
	}
	if _, err := r.tar.Next(); !errors.Is(err, io.EOF) {
		return c, r.damaged("something follows its end")
	}
	if _, err := io.Copy(io.Discard, r.members); err != nil {
		return c, r.damaged(err.Error())
	}
	return c, r.seal.check(r.members.checksum, r.members.mac)
}
