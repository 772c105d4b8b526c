package s3_test

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/cmd/service/s3"
	"homeroom/modules/file"
)

// server answers the calls that files are kept with as S3 does, in path style.
type server struct {
	sync.Mutex
	objects map[string][]byte
	types   map[string]string
	parts   map[string][]byte
	unsaid  []string // calls without a signature for the region
	aborted int
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Lock()
	defer s.Unlock()
	q := r.URL.Query()
	if !strings.Contains(r.Header.Get("Authorization"), "Credential=AKIATEST/") || !strings.Contains(r.Header.Get("Authorization"), "/ap-south-1/s3/") {
		s.unsaid = append(s.unsaid, r.Method+" "+r.URL.String())
	}
	body, _ := io.ReadAll(r.Body)
	if r.Header.Get("X-Amz-Decoded-Content-Length") != "" {
		body = unchunked(body)
	}
	sum := md5.Sum(body)
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:])+`"`)
	_, kept := s.objects[r.URL.Path]
	switch {
	case r.Method == "POST" && q.Has("uploads"):
		s.types[r.URL.Path] = r.Header.Get("Content-Type")
		fmt.Fprint(w, `<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>`)
	case r.Method == "PUT" && q.Has("partNumber"):
		s.parts[r.URL.Path] = append(s.parts[r.URL.Path], body...)
	case r.Method == "POST":
		s.objects[r.URL.Path] = s.parts[r.URL.Path]
		fmt.Fprint(w, `<CompleteMultipartUploadResult><Bucket>uploads</Bucket><ETag>"x"</ETag></CompleteMultipartUploadResult>`)
	case r.Method == "PUT":
		s.objects[r.URL.Path], s.types[r.URL.Path] = body, r.Header.Get("Content-Type")
	case r.Method == "DELETE" && q.Has("uploadId"):
		s.aborted++
		w.WriteHeader(204)
	case r.Method == "DELETE":
		delete(s.objects, r.URL.Path)
		w.WriteHeader(204)
	case !kept:
		w.WriteHeader(404)
		_ = xml.NewEncoder(w).Encode(struct {
			XMLName xml.Name `xml:"Error"`
			Code    string
		}{Code: "NoSuchKey"})
	default:
		http.ServeContent(w, r, "", time.Unix(1, 0), bytes.NewReader(s.objects[r.URL.Path]))
	}
}

// unchunked is a body without the signatures between its chunks.
func unchunked(body []byte) (out []byte) {
	for {
		head, rest, ok := bytes.Cut(body, []byte("\r\n"))
		var n int
		if _, err := fmt.Sscanf(string(head), "%x", &n); !ok || err != nil || n == 0 {
			return out
		}
		out, body = append(out, rest[:n]...), rest[n+2:]
	}
}

func open(t *testing.T, address string) file.Store {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	store, err := s3.Open(u)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func TestBucket_FilesLargeAndSmall_ComeBackAsTheyWere(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIATEST")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	fake := &server{objects: map[string][]byte{}, types: map[string]string{}, parts: map[string][]byte{}}
	at := httptest.NewServer(fake)
	defer at.Close()
	store := open(t, "s3://uploads?region=ap-south-1&use_path_style=true&prefix=hr/&endpoint="+url.QueryEscape(at.URL))
	for key, body := range map[string][]byte{
		"school/small": []byte("hello"),
		"school/empty": {},
		"school/large": bytes.Repeat([]byte("0123456789abcdef"), 1<<20+7), // three parts
	} {
		if err := store.Write(t.Context(), key, "text/plain", bytes.NewReader(body)); err != nil {
			t.Fatalf("writing %s: %v", key, err)
		}
		if got := fake.types["/uploads/hr/"+key]; got != "text/plain" {
			t.Errorf("%s is kept as %q", key, got)
		}
		in, err := store.Open(t.Context(), key)
		if err != nil {
			t.Fatalf("opening %s: %v", key, err)
		}
		if got, err := io.ReadAll(in); err != nil || !bytes.Equal(got, body) {
			t.Errorf("%s came back with %d bytes of %d: %v", key, len(got), len(body), err)
		}
		if _, err := in.Seek(0, io.SeekStart); err != nil {
			t.Errorf("seeking in %s: %v", key, err)
		}
		_ = in.Close()
		for range 2 {
			if err := store.Delete(t.Context(), key); err != nil {
				t.Errorf("deleting %s: %v", key, err)
			}
		}
	}
	var refusal *api.Error
	if _, err := store.Open(t.Context(), "school/small"); !errors.As(err, &refusal) || refusal.Status != 404 {
		t.Errorf("a file that is gone: %v", err)
	}
	if len(fake.unsaid) > 0 {
		t.Errorf("calls that are not signed for the region: %v", fake.unsaid)
	}
}

func TestBucket_ReaderFails_KeepsNothing(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIATEST")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	fake := &server{objects: map[string][]byte{}, types: map[string]string{}, parts: map[string][]byte{}}
	at := httptest.NewServer(fake)
	defer at.Close()
	t.Setenv("AWS_ENDPOINT_URL_S3", at.URL)
	t.Setenv("AWS_REGION", "ap-south-1")
	store := open(t, "s3://uploads?s3ForcePathStyle=true")
	tooLarge := api.Coded(413, "", "too large")
	for _, good := range []int{5, 9 << 20} {
		err := store.Write(t.Context(), "x", "text/plain", io.MultiReader(strings.NewReader(strings.Repeat("x", good)), failing{tooLarge}))
		var refusal *api.Error
		if !errors.As(err, &refusal) || refusal.Status != 413 {
			t.Errorf("after %d bytes: %v", good, err)
		}
	}
	if len(fake.objects) != 0 || fake.aborted != 1 {
		t.Errorf("%d objects, %d uploads taken back", len(fake.objects), fake.aborted)
	}
}

func TestBucket_Address_SaysWhatItDoesNotKnow(t *testing.T) {
	for address, says := range map[string]string{
		"s3://uploads?regoin=x":            "regoin",
		"s3://uploads/folder?region=x":     "prefix",
		"s3://?region=x":                   "s3://name",
		"s3://uploads?use_path_style=maby": "true or false",
	} {
		u, _ := url.Parse(address)
		if _, err := s3.Open(u); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
