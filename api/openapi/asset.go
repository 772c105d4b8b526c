package openapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/gin-gonic/gin"

	"homeroom/api"
)

// asset is a file held compressed: in the repository, in the binary and in memory.
// Nearly every client takes it as it is.
type asset struct {
	media   string
	zipped  []byte
	br      func() []byte // made when the first client asks that takes br and no gzip
	version string        // its ETag
}

// newAsset compresses what is plain.
func newAsset(media string, plain []byte) *asset {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is a valid constant
	_, _ = w.Write(plain)                                   // a buffer takes everything
	_ = w.Close()
	return zippedAsset(media, out.Bytes())
}

func zippedAsset(media string, zipped []byte) *asset {
	sum := sha256.Sum256(zipped)
	// Weak: the two encodings of one file are the same to a cache's owner, not byte for byte.
	a := &asset{media: media, zipped: zipped, version: `W/"` + hex.EncodeToString(sum[:12]) + `"`}
	a.br = sync.OnceValue(func() []byte {
		var plain bytes.Buffer
		a.writePlain(&plain)
		return api.Compress(api.Brotli, plain.Bytes())
	})
	return a
}

func (a *asset) serve(g *gin.Context) {
	h := g.Writer.Header()
	h.Set("Content-Type", a.media)
	h.Set("ETag", a.version)
	h.Set("Cache-Control", "no-cache") // keep it, but ask: a new binary has new files
	h.Add("Vary", "Accept-Encoding")
	if api.MatchesTag(g.GetHeader("If-None-Match"), a.version) {
		g.Status(http.StatusNotModified)
		return
	}
	g.Status(http.StatusOK)
	encoding := api.ChooseEncoding(g.GetHeader("Accept-Encoding"))
	body := a.zipped
	switch encoding {
	case "":
		a.writePlain(g.Writer)
		return
	case api.Brotli:
		body = a.br()
	}
	h.Set("Content-Encoding", encoding)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = g.Writer.Write(body) // a client that hung up needs no answer
}

func (a *asset) writePlain(w io.Writer) {
	plain, err := gzip.NewReader(bytes.NewReader(a.zipped))
	if err != nil {
		panic(fmt.Sprintf("an asset that was compressed at start is not: %v", err))
	}
	_, _ = io.Copy(w, plain) // as above
}
