package archive

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
)

// source is the file as it is read: its offset, and the checksum so far.
type source struct {
	in       *bufio.Reader
	offset   int64
	sum      hash.Hash
	unsummed []byte // read, and not yet in the checksum
}

func newSource(r io.Reader) *source {
	return &source{in: bufio.NewReaderSize(r, 256<<10), sum: sha256.New(), unsummed: make([]byte, 0, 16<<10)}
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	s.offset += int64(n)
	s.flushSum()
	s.sum.Write(p[:n])
	return n, err
}

// ReadByte lets the decompressor take no more than it needs.
func (s *source) ReadByte() (byte, error) {
	b, err := s.in.ReadByte()
	if err == nil {
		s.offset++
		if s.unsummed = append(s.unsummed, b); len(s.unsummed) == cap(s.unsummed) {
			s.flushSum()
		}
	}
	return b, err
}

func (s *source) flushSum() {
	s.sum.Write(s.unsummed)
	s.unsummed = s.unsummed[:0]
}

// members is what the members of the file hold, one after the other, up to the mark at
// its end.
type members struct {
	*source
	z        *gzip.Reader
	ended    bool
	checksum []byte // checksum of all before the end mark
	mac      []byte // its seal; nil: it has none
}

var (
	errCut      = errors.New("it ends before its end mark: a part is missing")
	errMember   = errors.New("the next piece does not begin as one does")
	errEndMark  = errors.New("the checksum of the whole file is another")
	errTrailing = errors.New("something follows its end")
)

// Read reads on, through the members. The end of the last is the end of the archive.
func (m *members) Read(p []byte) (int, error) {
	for {
		if m.ended {
			return 0, io.EOF
		}
		if m.z != nil {
			n, err := m.z.Read(p)
			if n > 0 || (err != nil && err != io.EOF) {
				if err == io.EOF {
					err = nil // the next call returns it again
				}
				if errors.Is(err, io.ErrUnexpectedEOF) {
					err = errCut
				}
				return n, err
			}
			if err == nil {
				continue
			}
		}
		if err := m.next(); err != nil {
			return 0, err
		}
	}
}

// next begins the next member, or finds the end mark.
func (m *members) next() error {
	head, err := m.in.Peek(len(memberHead))
	if err != nil {
		if errors.Is(err, io.EOF) {
			return errCut
		}
		return err
	}
	if head[3] == 4 {
		return m.finish()
	}
	if !bytes.Equal(head, memberHead) {
		return errMember
	}
	if m.z == nil {
		m.z, err = gzip.NewReader(m.source)
	} else {
		err = m.z.Reset(m.source)
	}
	if err == nil {
		m.z.Multistream(false)
	}
	return err
}

func (m *members) finish() error {
	m.flushSum()
	head, err := m.in.Peek(markHead)
	if err != nil {
		return errCut
	}
	fields := int(head[markHead-2])
	if fields != field && fields != 2*field {
		return errEndMark
	}
	got := make([]byte, markHead+fields+markTail)
	if n, err := io.ReadFull(m.in, got); err != nil {
		m.offset += int64(n)
		return errCut
	}
	m.checksum = m.sum.Sum(nil)
	if fields == 2*field {
		m.mac = got[markHead+field+4 : markHead+2*field]
	}
	if !bytes.Equal(got, endMark(m.checksum, m.mac)) {
		return errEndMark
	}
	if _, err := m.in.Peek(1); err == nil {
		return errTrailing
	}
	m.ended = true
	return nil
}
