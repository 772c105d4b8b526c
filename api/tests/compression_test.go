package api_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/testkit"
)

const listClasses = "/school-admin/class/list"

func unzip(t *testing.T, body []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

func TestAnswer_ClientTakesGzip_IsCompressedFromOneKilobyte(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	read := func(accept, path string) testkit.Answer { // as it came: nothing is unpacked for who says what they take
		return admin.With("Accept-Encoding", accept).Call(t, "GET", path, nil)
	}
	const list = listClasses + "?limit=100"
	if read("gzip", list).Header.Get("Content-Encoding") != "" {
		t.Error("a short answer is compressed")
	}
	for i := range 20 {
		testkit.Post[any](t, admin, "/school-admin/class/create", map[string]any{"name": "Class " + strconv.Itoa(i)})
	}
	plain := read("identity", list).Body
	for accept, want := range map[string]string{"gzip": "gzip", "br, gzip;q=0.5": "gzip", "gzip;q=0": "", "br": ""} {
		answer := read(accept, list)
		body := answer.Body
		if got := answer.Header.Get("Content-Encoding"); got != want {
			t.Errorf("%q: encoded as %q, want %q", accept, got, want)
		}
		if got := answer.Header.Get("Vary"); !strings.Contains(got, "Accept-Encoding") {
			t.Errorf("%q: Vary is %q", accept, got)
		}
		if got := answer.Header.Get("Content-Length"); got != strconv.Itoa(len(body)) {
			t.Errorf("%q: Content-Length %s of %d bytes", accept, got, len(body))
		}
		if want == "gzip" {
			body = unzip(t, body)
		}
		if !bytes.Equal(body, plain) {
			t.Errorf("%q: another answer than the plain one", accept)
		}
	}
	file := read("gzip", listClasses+"?format=csv")
	if file.Header.Get("Content-Encoding") != "gzip" || !bytes.Contains(unzip(t, file.Body), []byte("Class 19")) {
		t.Errorf("CSV: %d %v", file.Status, file.Header)
	}
}

func TestSignIn_ClientTakesGzip_IsNotCompressed(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	answer := admin.With("Accept-Encoding", "gzip").Call(t, "GET", "/auth/me", nil)
	if answer.Header.Get("Content-Encoding") != "" || !json.Valid(answer.Body) {
		t.Errorf("%v: its length would say something of what it brings", answer.Header)
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
