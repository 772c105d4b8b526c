package testkit

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"
)

var (
	mediaBox = regexp.MustCompile(`/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]`)
	drawn    = regexp.MustCompile(`(?s)/ActualText <FEFF([0-9A-F]*)> >> BDC\nBT\n(.*?)ET\n`)
	compress = regexp.MustCompile(`(?s)/FlateDecode /Length \d+ >>\nstream\n(.*?)\nendstream`)
)

// Printed is what a PDF of ours shows.
type Printed struct {
	Pages [][]string // their lines
	// Missing are the lines with a character that no font has.
	Missing []string
	Sizes   [][2]float64 // of the pages, width and height in points
}

// Says reports whether a line of the paper has this text.
func (p Printed) Says(text string) bool {
	for _, page := range p.Pages {
		if strings.Contains(strings.Join(page, " "), text) { // a cell may be broken into lines
			return true
		}
	}
	return false
}

// kept counts the papers of each test that are kept to look at.
var (
	keepPaper sync.Mutex
	kept      = map[string]int{}
)

// ReadPaper reads a PDF that the service made. In the folder PAPERS it is also kept to look at,
// under the test's name and which of its papers it is.
func ReadPaper(t *testing.T, body []byte) Printed {
	t.Helper()
	if !bytes.HasPrefix(body, []byte("%PDF-")) {
		t.Fatalf("no PDF: %.200s", body)
	}
	if folder := os.Getenv("PAPERS"); folder != "" {
		keepPaper.Lock()
		kept[t.Name()]++
		name := strings.ReplaceAll(t.Name(), "/", "-") + "-" + strconv.Itoa(kept[t.Name()]) + ".pdf"
		keepPaper.Unlock()
		if err := os.WriteFile(folder+"/"+name, body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out Printed
	for _, size := range mediaBox.FindAllSubmatch(body, -1) {
		width, wrong := strconv.ParseFloat(string(size[1]), 64)
		height, err := strconv.ParseFloat(string(size[2]), 64)
		if err != nil || wrong != nil {
			t.Fatalf("a page is %s", size[0])
		}
		out.Sizes = append(out.Sizes, [2]float64{width, height})
	}
	for _, stream := range compress.FindAllSubmatch(body, -1) {
		z, err := zlib.NewReader(bytes.NewReader(stream[1]))
		if err != nil {
			continue // a picture may have the word in it
		}
		content, err := io.ReadAll(z)
		if err != nil || !bytes.Contains(content, []byte(" Tf\n")) {
			continue
		}
		var page []string
		for _, d := range drawn.FindAllSubmatch(content, -1) {
			page = append(page, fromUTF16(t, string(d[1])))
			if bytes.Contains(d[2], []byte("<0000>")) {
				out.Missing = append(out.Missing, page[len(page)-1])
			}
		}
		out.Pages = append(out.Pages, page)
	}
	return out
}

func fromUTF16(t *testing.T, text string) string {
	t.Helper()
	raw, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = uint16(raw[2*i])<<8 | uint16(raw[2*i+1])
	}
	return string(utf16.Decode(units))
}
