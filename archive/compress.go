package archive

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"io"
	"runtime"
)

// Each piece is a gzip member of its own, so several can be compressed at a time. They
// are written in their order; memory is bounded by how many wait.

// memberHead is the header of every member but the last: fixed, where gzip allows variation.
var memberHead = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255}

const (
	markHead = 12 // bytes of the end mark before its fields
	markTail = 13 // and after them
	field    = 36 // of one of its fields: two letters, a length, 32 bytes
)

// endMark is the last member: empty, with the checksum of everything before it in its
// extra field, and the seal, if there is one, in another. The checksum then covers the seal too.
func endMark(sum, mac []byte) []byte {
	fields := field
	if mac != nil {
		whole := sha256.Sum256(append(bytes.Clone(sum), mac...))
		sum, fields = whole[:], 2*field
	}
	mark := []byte{0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, byte(fields), 0, 'H', 'R', 32, 0}
	mark = append(mark, sum...)
	if mac != nil {
		mark = append(append(mark, 'H', 'S', 32, 0), mac...)
	}
	return append(mark, 1, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0)
}

type piece struct {
	raw  []byte
	done chan []byte
}

// compressor compresses pieces and writes them out.
type compressor struct {
	queue  chan piece // in the order of the file
	work   chan piece
	failed chan struct{} // closed when writing has failed
	ended  chan error
	key    []byte // seals the end
}

func newCompressor(to io.Writer, key []byte) *compressor {
	workers := min(runtime.GOMAXPROCS(0), 4)
	c := &compressor{queue: make(chan piece, 2*workers), work: make(chan piece, 2*workers), failed: make(chan struct{}),
		ended: make(chan error, 1), key: key}
	for range workers {
		go c.compress()
	}
	go func() { c.ended <- c.write(to) }()
	return c
}

func (c *compressor) compress() {
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is one there is
	for p := range c.work {
		out := bytes.NewBuffer(make([]byte, 0, len(p.raw)/3+64))
		z.Reset(out)
		_, _ = z.Write(p.raw) // a buffer takes everything
		_ = z.Close()
		p.done <- out.Bytes()
	}
}

// put queues a piece, which must not be changed any more. It reports false when writing has
// failed: close returns the reason.
func (c *compressor) put(raw []byte) bool {
	p := piece{raw, make(chan []byte, 1)}
	select {
	case c.queue <- p:
		c.work <- p
		return true
	case <-c.failed:
		return false
	}
}

func (c *compressor) write(to io.Writer) error {
	sum := sha256.New()
	both := io.MultiWriter(to, sum)
	for p := range c.queue {
		if _, err := both.Write(<-p.done); err != nil {
			close(c.failed)
			for range c.queue { // so that put does not block
			}
			return err
		}
	}
	whole := sum.Sum(nil)
	var mac []byte
	if c.key != nil {
		mac = Seal{}.mac(c.key, whole)
	}
	_, err := to.Write(endMark(whole, mac))
	return err
}

// close writes the rest.
func (c *compressor) close() error {
	close(c.queue)
	close(c.work)
	return <-c.ended
}
