package api

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/gin-gonic/gin"
	"github.com/klauspost/compress/gzip"
)

// compressFrom is the length from which an answer is compressed: below it, it is one packet either way.
const compressFrom = 1 << 10

var zippers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed) // the level is a constant
	return z
}}

// zipper compresses into w. It is closed when all is written, and released in any case.
func zipper(w io.Writer) *gzip.Writer {
	z := zippers.Get().(*gzip.Writer)
	z.Reset(w)
	return z
}

func release(z *gzip.Writer) {
	z.Reset(io.Discard)
	zippers.Put(z)
}

// packer compresses whole answers into memory of its own, which the next answer uses again.
type packer struct {
	out bytes.Buffer
	z   *gzip.Writer
}

var packers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed) // the level is a constant
	return &packer{z: z}
}}

// maxPacked is the longest answer whose memory is kept.
const maxPacked = 1 << 20

// pack returns the body compressed, which is good until release.
func (p *packer) pack(body []byte) []byte {
	p.out.Reset()
	p.z.Reset(&p.out)
	_, _ = p.z.Write(body) // into memory
	_ = p.z.Close()
	return p.out.Bytes()
}

func (p *packer) release() {
	if p.out.Cap() <= maxPacked {
		packers.Put(p)
	}
}

// writeJSON writes a whole answer, compressed if that pays and the client takes it.
func writeJSON(g *gin.Context, status int, body []byte) {
	if len(body) >= compressFrom {
		g.Writer.Header().Add("Vary", "Accept-Encoding")
		if TakesGzip(g.GetHeader("Accept-Encoding")) {
			p := packers.Get().(*packer)
			defer p.release() // what is written is copied on the way out
			g.Header("Content-Encoding", "gzip")
			body = p.pack(body)
		}
	}
	writeBody(g, status, "application/json; charset=utf-8", body)
}

// isKnown answers a read whose answer the client has already with 304, and has every other carry a tag. It saves the line, not
// the work: what the answer is, only the database knows.
func isKnown(g *gin.Context, body []byte) bool {
	// Weak: the same answer may be compressed or not.
	tag := `W/"` + strconv.FormatUint(xxhash.Sum64(body), 36) + `"`
	g.Header("ETag", tag)
	if !MatchesTag(g.GetHeader("If-None-Match"), tag) {
		return false
	}
	writeHead(g, http.StatusNotModified)
	return true
}

// MatchesTag reports whether an If-None-Match names the tag.
func MatchesTag(sent, tag string) bool {
	if sent == "" {
		return false
	}
	for one := range strings.SplitSeq(sent, ",") {
		if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}

// TakesGzip reads Accept-Encoding; a weight of zero is a refusal.
func TakesGzip(accept string) bool {
	for part := range strings.SplitSeq(accept, ",") {
		name, weight, _ := strings.Cut(part, ";")
		if name = strings.ToLower(strings.TrimSpace(name)); name != "gzip" && name != "*" {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(weight), "q="), 64)
		return err != nil || q > 0
	}
	return false
}
