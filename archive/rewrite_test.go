package archive_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
	"testing"

	"homeroom/archive"
)

// ownID is what stands in the file for the school's own id.
const ownID = "00000000-5c00-8000-8000-5c0015c0015c"

// rewrite makes an archive anew of another's entries, each as change returns it, with all its
// checksums: as somebody could who has the file. A nil key leaves it without a seal.
func rewrite(t *testing.T, file, key []byte, change func(name string, content []byte) []byte) []byte {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(file))
	must(err)
	from := tar.NewReader(unzipped)
	var out, member bytes.Buffer
	to := tar.NewWriter(&member)
	flush := func() {
		t.Helper()
		z, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed)
		_, err := z.Write(member.Bytes())
		must(err)
		must(z.Close())
		member.Reset()
	}
	tables := map[string][]byte{}
	for {
		header, err := from.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(err)
		content, err := io.ReadAll(from)
		must(err)
		switch table, _, is := strings.Cut(strings.TrimPrefix(header.Name, "tables/"), ".ndjson."); {
		case header.Name == "closing.json":
			content = resummed(t, content, tables)
		case is:
			content = change(header.Name, content)
			tables[table] = append(tables[table], content...)
		}
		sum := sha256.Sum256(content)
		must(to.WriteHeader(&tar.Header{Format: tar.FormatPAX, Typeflag: tar.TypeReg, Name: header.Name, Mode: 0o600, Size: int64(len(content)),
			ModTime:    header.ModTime,
			PAXRecords: map[string]string{"HOMEROOM.sha256": hex.EncodeToString(sum[:])}}))
		_, err = to.Write(content)
		must(err)
		must(to.Flush())
		flush()
	}
	must(to.Close())
	flush()
	return append(out.Bytes(), endMark(out.Bytes(), key)...)
}

// resummed is the closing with the sums of these lines.
func resummed(t *testing.T, content []byte, tables map[string][]byte) []byte {
	t.Helper()
	var closing archive.Closing
	if err := json.Unmarshal(content, &closing); err != nil {
		t.Fatal(err)
	}
	for i, was := range closing.Tables {
		lines := tables[was.Name]
		sum := sha256.Sum256(lines)
		now := archive.TableSum{Name: was.Name, Bytes: int64(len(lines)), SHA256: hex.EncodeToString(sum[:])}
		set := new(big.Int)
		for line := range bytes.Lines(lines) {
			one := sha256.Sum256(line)
			set.Add(set, new(big.Int).SetBytes(one[:]))
			now.Rows++
		}
		now.Set = fmt.Sprintf("%064x", set.Mod(set, new(big.Int).Lsh(big.NewInt(1), 256)))
		closing.Tables[i] = now
	}
	out, err := json.Marshal(closing)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func endMark(before, key []byte) []byte {
	sum := sha256.Sum256(before)
	if key == nil {
		mark := append([]byte{0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 36, 0, 'H', 'R', 32, 0}, sum[:]...)
		return append(mark, 1, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0)
	}
	m := hmac.New(sha256.New, key)
	m.Write([]byte("homeroom archive\n"))
	m.Write(sum[:])
	mac := m.Sum(nil)
	whole := sha256.Sum256(append(sum[:], mac...))
	mark := append([]byte{0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 72, 0, 'H', 'R', 32, 0}, whole[:]...)
	mark = append(append(mark, 'H', 'S', 32, 0), mac...)
	return append(mark, 1, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0)
}
