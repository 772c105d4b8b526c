package api_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"homeroom/api"
	"homeroom/testkit"
)

const listClasses = "/school-admin/class/list"

// decoded undoes an answer's encoding.
func decoded(t *testing.T, answer testkit.Answer) []byte {
	t.Helper()
	plain := io.Reader(bytes.NewReader(answer.Body))
	switch encoding := answer.Header.Get("Content-Encoding"); encoding {
	case "gzip":
		var err error
		if plain, err = gzip.NewReader(plain); err != nil {
			t.Fatal(err)
		}
	case "br":
		plain = brotli.NewReader(plain)
	case "":
	default:
		t.Fatalf("encoded as %q", encoding)
	}
	out, err := io.ReadAll(plain)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAnswer_ClientTakesAnEncoding_IsCompressedFromOneKilobyte(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	read := func(accept, path string) testkit.Answer { // as it came: nothing is unpacked for who says what they take
		return admin.With("Accept-Encoding", accept).Call(t, "GET", path, nil)
	}
	const list = listClasses + "?limit=100"
	if short := read("gzip, br", list).Header; short.Get("Content-Encoding") != "" {
		t.Error("a short answer is compressed")
	}
	for i := range 20 {
		testkit.Post[any](t, admin, "/school-admin/class/create", map[string]any{"name": "Class " + strconv.Itoa(i)})
	}
	identity := read("identity", list)
	plain, tag := identity.Body, identity.Header.Get("ETag")
	for accept, want := range map[string]string{
		"identity": "", "gzip": "gzip", "br": "br", "GZIP": "gzip", "*": "gzip", "deflate": "",
		"gzip, deflate, br": "gzip", "br;q=0.9, gzip;q=0.9": "gzip", // as dear to the client: what costs us least
		"br, gzip;q=0.5": "br", "gzip;q=0.8,br;q=1.0": "br", "br;q=0.5, *;q=0.1": "br", "gzip;q=0, *": "br",
		"gzip;q=0": "", "br;q=0": "", "br;q=0, gzip;q=0": "", "*;q=0": "", "identity, gzip;q=0.5": "", "identity;q=0.5, gzip;q=0.5": "gzip",
	} {
		answer := read(accept, list)
		if got := answer.Header.Get("Content-Encoding"); got != want {
			t.Errorf("%q: encoded as %q, want %q", accept, got, want)
		}
		if got := answer.Header.Get("Vary"); !strings.Contains(got, "Accept-Encoding") {
			t.Errorf("%q: Vary is %q", accept, got)
		}
		if got := answer.Header.Get("Content-Length"); got != strconv.Itoa(len(answer.Body)) {
			t.Errorf("%q: Content-Length %s of %d bytes", accept, got, len(answer.Body))
		}
		if got := answer.Header.Get("ETag"); got != tag || !strings.HasPrefix(got, "W/") {
			t.Errorf("%q: the tag is %s, want the weak one of every encoding, %s", accept, got, tag)
		}
		if !bytes.Equal(decoded(t, answer), plain) {
			t.Errorf("%q: another answer than the plain one", accept)
		}
	}
	for _, encoding := range []string{"gzip", "br"} {
		head := admin.With("Accept-Encoding", encoding).Call(t, "HEAD", list, nil)
		if len(head.Body) != 0 || head.Header.Get("Content-Encoding") != encoding || head.Header.Get("ETag") != tag {
			t.Errorf("HEAD in %s: %d bytes, %v", encoding, len(head.Body), head.Header)
		}
		known := admin.With("Accept-Encoding", encoding).With("If-None-Match", tag).Call(t, "GET", list, nil)
		if known.Status != 304 || known.Header.Get("Content-Encoding") != "" {
			t.Errorf("known, in %s: %d %v", encoding, known.Status, known.Header)
		}
		file := read(encoding, listClasses+"?format=csv")
		if file.Header.Get("Content-Encoding") != encoding || !bytes.Contains(decoded(t, file), []byte("Class 19")) {
			t.Errorf("CSV in %s: %d %v", encoding, file.Status, file.Header)
		}
		document := read(encoding, "/openapi.json")
		if document.Header.Get("Content-Encoding") != encoding || !json.Valid(decoded(t, document)) {
			t.Errorf("the document in %s: %d %v", encoding, document.Status, document.Header)
		}
	}
}

func TestSignIn_ClientTakesEncodings_IsNotCompressed(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	for _, encoding := range []string{"gzip", "br"} {
		answer := admin.With("Accept-Encoding", encoding).Call(t, "GET", "/auth/me", nil)
		if answer.Header.Get("Content-Encoding") != "" || !json.Valid(answer.Body) {
			t.Errorf("%v: its length would say something of what it brings", answer.Header)
		}
	}
}

func TestRead_KnownTag_IsNotSentAgain(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin, other := s.As(t, api.SchoolAdmin), testkit.NewSchool(t).As(t, api.SchoolAdmin)
	testkit.Post[any](t, admin, "/school-admin/class/create", map[string]any{"name": "Five"})
	tag := admin.Call(t, "GET", listClasses, nil).Header.Get("ETag")
	again := admin.With("If-None-Match", `"x", `+tag).Call(t, "GET", listClasses, nil)
	if again.Status != 304 || len(again.Body) != 0 || again.Header.Get("ETag") != tag {
		t.Errorf("known: %d with %d bytes, tag %s, want 304, none, %s", again.Status, len(again.Body), again.Header.Get("ETag"), tag)
	}
	if head := admin.Call(t, "HEAD", listClasses, nil); head.Header.Get("ETag") != tag {
		t.Errorf("HEAD has the tag %s, want %s", head.Header.Get("ETag"), tag)
	}
	if theirs := other.With("If-None-Match", tag).Call(t, "GET", listClasses, nil); theirs.Status != 200 {
		t.Errorf("another school's list: %d, want 200", theirs.Status)
	}
	testkit.Post[any](t, admin, "/school-admin/class/create", map[string]any{"name": "Six"})
	changed := admin.With("If-None-Match", tag).Call(t, "GET", listClasses, nil)
	if changed.Status != 200 || changed.Header.Get("ETag") == tag {
		t.Errorf("changed: %d, want 200 with another tag", changed.Status)
	}
	if asked := admin.Call(t, "POST", listClasses, nil); asked.Header.Get("ETag") != "" {
		t.Error("a POST has a tag")
	}
}
