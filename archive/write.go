package archive

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/bits"
	"time"
)

// writer writes an archive, entry after entry.
type writer struct {
	out     *compressor
	buf     bytes.Buffer
	tar     *tar.Writer
	madeAt  time.Time
	closing Closing
}

func newWriter(to io.Writer, madeAt time.Time, key []byte) *writer {
	w := &writer{out: newCompressor(to, key), madeAt: madeAt}
	w.tar = tar.NewWriter(&w.buf)
	return w
}

var errStopped = errors.New("the archive could not be written on")

// entry writes one entry whole.
func (w *writer) entry(name string, content []byte) error {
	sum := sha256.Sum256(content)
	err := w.tar.WriteHeader(&tar.Header{
		Format: tar.FormatPAX, Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: int64(len(content)),
		ModTime:    w.madeAt.Truncate(time.Second),
		PAXRecords: map[string]string{sumRecord: hex.EncodeToString(sum[:])},
	})
	if err == nil {
		_, err = w.tar.Write(content)
	}
	if err == nil {
		err = w.tar.Flush()
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return w.flush()
}

// flush makes a member of everything written since the last flush.
func (w *writer) flush() error {
	raw := bytes.Clone(w.buf.Bytes())
	w.buf.Reset()
	if !w.out.put(raw) {
		return errStopped
	}
	return nil
}

func (w *writer) json(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return w.entry(name, append(text, '\n'))
}

// close ends the archive and returns the first error; errStopped gives way to its cause.
func (w *writer) close(err error) error {
	if err == nil {
		err = w.json(closingName, w.closing)
	}
	if err == nil {
		if err = w.tar.Close(); err == nil {
			err = w.flush()
		}
	}
	if written := w.out.close(); written != nil && (err == nil || errors.Is(err, errStopped)) {
		return fmt.Errorf("writing the archive: %w", written)
	}
	return err
}

// tableWriter gets a table's rows from COPY, in blocks of any size, and passes their lines on. The school's own id is written as ownID.
type tableWriter struct {
	school []byte
	give   func(part []byte) error // part is valid only until give returns
	sum    hash.Hash
	set    lineSum
	lines  []byte
	left   []byte // an incomplete row
	rows   int64
	bytes  int64
}

func newTableWriter(school string, give func([]byte) error) *tableWriter {
	return &tableWriter{school: []byte(school), give: give, sum: sha256.New(), lines: make([]byte, 0, partSize+partSize/4)}
}

// Write takes whole rows or pieces of them.
func (t *tableWriter) Write(p []byte) (int, error) {
	n := len(p)
	for {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			t.left = append(t.left, p...)
			return n, nil
		}
		row := p[:end]
		if len(t.left) > 0 {
			row = append(t.left, row...)
			t.left = row[:0]
		}
		t.lines = appendJSON(t.lines, row)
		t.rows++
		p = p[end+1:]
		if len(t.lines) >= partSize {
			if err := t.flush(); err != nil {
				return 0, err
			}
		}
	}
}

func (t *tableWriter) flush() error {
	if len(t.lines) == 0 {
		return nil
	}
	if bytes.Contains(t.lines, []byte(ownID)) {
		return errors.New("a row has the id that stands for the school's own")
	}
	part := t.lines
	if bytes.Contains(part, t.school) {
		part = bytes.ReplaceAll(part, t.school, []byte(ownID))
	}
	if len(part) > maxEntry {
		return fmt.Errorf("a row of %d bytes is more than an archive holds", len(part))
	}
	t.sum.Write(part)
	for line := range bytes.Lines(part) {
		t.set.add(line)
	}
	t.bytes += int64(len(part))
	t.lines = t.lines[:0]
	return t.give(part)
}

// total is the sum of all rows.
func (t *tableWriter) total(name string) TableSum {
	return TableSum{Name: name, Rows: t.rows, Bytes: t.bytes, SHA256: hex.EncodeToString(t.sum.Sum(nil)), Set: t.set.String()}
}

// lineSum is a sum of checksums, modulo 2 to the 256th: the order does not matter.
type lineSum [4]uint64

func (s *lineSum) add(line []byte) {
	sum := sha256.Sum256(line)
	var carry uint64
	for i := 3; i >= 0; i-- {
		s[i], carry = bits.Add64(s[i], binary.BigEndian.Uint64(sum[8*i:]), carry)
	}
}

// String is the sum in hexadecimal digits.
func (s lineSum) String() string { return fmt.Sprintf("%016x%016x%016x%016x", s[0], s[1], s[2], s[3]) }
