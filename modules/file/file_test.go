package file_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io/fs"
	"mime/multipart"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/modules/announcement"
	"homeroom/modules/file"
	"homeroom/modules/message"
	"homeroom/testkit"
)

var pdf = []byte("%PDF-1.7\n" + strings.Repeat("0123456789", 100))

func picture(t *testing.T, w, h int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		img.Set(i%w, i/w, color.RGBA{200, 30, 30, 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func form(t testing.TB, name string, content []byte, fields ...string) (string, []byte) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(fields); i += 2 {
		_ = w.WriteField(fields[i], fields[i+1])
	}
	part, err := w.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write(content)
	_ = w.Close()
	return w.FormDataContentType(), b.Bytes()
}

func upload(t *testing.T, c *testkit.Client, role, name string, content []byte, fields ...string) testkit.Answer {
	t.Helper()
	kind, body := form(t, name, content, fields...)
	return c.Send(t, "POST", "/"+role+"/file/upload", kind, body)
}

func uploaded(t *testing.T, c *testkit.Client, role string, content []byte, fields ...string) file.View {
	t.Helper()
	a := upload(t, c, role, "../../etc/passwd\r\n.pdf", content, fields...)
	if a.Status != 201 {
		t.Fatalf("uploading: %d %s", a.Status, a.Body)
	}
	var v file.View
	a.Read(t, &v)
	return v
}

func TestAFileComesBackAsItWentInWholeAndInRanges(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	f := uploaded(t, admin, "school-admin", pdf)
	sum := sha256.Sum256(pdf)
	if f.ContentType != "application/pdf" || f.SizeBytes != int64(len(pdf)) || f.SHA256 != hex.EncodeToString(sum[:]) || f.HasThumbnail ||
		strings.ContainsAny(f.OriginalName, "/\\\r\n") {
		t.Errorf("uploaded %+v", f)
	}
	at := "/school-admin/file/" + f.ID.String()
	whole := admin.Call(t, "GET", at, nil)
	if whole.Status != 200 || !bytes.Equal(whole.Body, pdf) || whole.Header.Get("X-Content-Type-Options") != "nosniff" ||
		whole.Header.Get("Content-Type") != "application/pdf" ||
		!strings.HasPrefix(whole.Header.Get("Content-Disposition"), "attachment") || whole.Header.Get("Accept-Ranges") != "bytes" {
		t.Errorf("downloaded %d %v", whole.Status, whole.Header)
	}
	for header, want := range map[string]string{"bytes=0-4": "%PDF-", "bytes=-3": "789", "bytes=9-12": "0123"} {
		if part := admin.With("Range", header).Call(t, "GET", at, nil); part.Status != 206 || string(part.Body) != want {
			t.Errorf("%s: %d %q", header, part.Status, part.Body)
		}
	}
	if a := admin.With("Range", "bytes=99999-").Call(t, "GET", at, nil); a.Status != 416 {
		t.Errorf("a range past the end: %d", a.Status)
	}
	if a := admin.With("If-None-Match", whole.Header.Get("ETag")).Call(t, "GET", at, nil); a.Status != 304 || len(a.Body) != 0 {
		t.Errorf("a copy that is still good: %d", a.Status)
	}
	if a := admin.Call(t, "GET", at+"/info", nil); a.Status != 200 {
		t.Errorf("info: %d", a.Status)
	}
}

func TestAFileIsWhatItsContentSaysAndNoLargerThanItMayBe(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	for what, c := range map[string]struct {
		content []byte
		fields  []string
		status  int
	}{
		"a page that calls itself a picture": {[]byte("<html><script>alert(1)</script></html>"), nil, 422},
		"a program":                          {append([]byte("MZ"), make([]byte, 100)...), nil, 422},
		"a drawing that can hold scripts":    {[]byte(`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"></svg>`), nil, 422},
		"nothing":                            {nil, nil, 422},
		"a PDF as a photo":                   {pdf, []string{"purpose", "PHOTO"}, 422},
		"a broken photo":                     {picture(t, 10, 10)[:60], []string{"purpose", "PHOTO"}, 422},
		"an unknown purpose":                 {pdf, []string{"purpose", "FUN"}, 422},
		"too much":                           {append(bytes.Clone(pdf), make([]byte, api.MaxFile)...), nil, 413},
		"just enough":                        {append(bytes.Clone(pdf), make([]byte, api.MaxFile-len(pdf))...), nil, 201},
	} {
		if a := upload(t, admin, "school-admin", "picture.png", c.content, c.fields...); a.Status != c.status {
			t.Errorf("%s: %d %s", what, a.Status, a.Body)
		}
	}
	if n := s.Count(t, "file", "true"); n != 1 {
		t.Errorf("%d files were kept", n)
	}
	if a := admin.Send(t, "POST", "/school-admin/file/upload", "application/pdf", pdf); a.Status != 400 {
		t.Errorf("without a form: %d", a.Status)
	}
	if a := admin.Send(t, "POST", "/school-admin/file/upload", "multipart/form-data; boundary=x", []byte("--x\r\nbroken")); a.Status != 400 {
		t.Errorf("a broken form: %d %s", a.Status, a.Body)
	}
}

func TestPhotosAndLogosHaveThumbnails(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	f := uploaded(t, admin, "school-admin", picture(t, 800, 400), "purpose", "LOGO")
	if !f.HasThumbnail || f.ContentType != "image/png" {
		t.Fatalf("uploaded %+v", f)
	}
	a := admin.Call(t, "GET", "/school-admin/file/"+f.ID.String()+"?thumbnail=true", nil)
	small, err := jpeg.Decode(bytes.NewReader(a.Body))
	if err != nil || a.Header.Get("Content-Type") != "image/jpeg" || small.Bounds().Dx() != 256 || small.Bounds().Dy() != 128 {
		t.Fatalf("the thumbnail: %v %v", err, a.Header)
	}
	if r, g, _, _ := small.At(100, 50).RGBA(); r>>8 < 180 || g>>8 > 60 {
		t.Errorf("its colour is %d %d", r>>8, g>>8)
	}
	for what, text := range map[string]string{ // one pixel each
		"WebP":              "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA",
		"WebP without loss": "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==",
	} {
		dot, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		if f := uploaded(t, admin, "school-admin", dot, "purpose", "PHOTO"); !f.HasThumbnail || f.ContentType != "image/webp" {
			t.Errorf("%s: %+v", what, f)
		}
	}
	plain := uploaded(t, admin, "school-admin", picture(t, 8, 8))
	admin.Refuses(t, "GET", "/school-admin/file/"+plain.ID.String()+"?thumbnail=true", nil, 404, "")
}

func TestFile_IsReadBy_UploaderOfficeAndReadersOfItsRecord(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	seat := s.Seat(t, "Class 5")
	child, stranger := s.Child(t, seat, 2), s.Child(t, s.Seat(t, "Class 6"), 1)
	admin, teacher, parent := s.As(t, api.SchoolAdmin), s.Teacher(t, seat), child.Parents[0]
	gets := func(c *testkit.Client, role string, id uuid.UUID, status int) {
		t.Helper()
		if a := c.Call(t, "GET", "/"+role+"/file/"+id.String(), nil); a.Status != status {
			t.Errorf("%s: %d %s, want %d", role, a.Status, a.Body, status)
		}
	}
	note := uploaded(t, parent, "parent", pdf)
	gets(parent, "parent", note.ID, 200)
	gets(admin, "school-admin", note.ID, 200)
	gets(teacher, "teacher", note.ID, 404)
	// Somebody else's file cannot be attached to have it.
	teacher.Refuses(t, "POST", "/teacher/announcement/create",
		map[string]any{"title": "a", "body": "b", "divisionIds": []any{seat.DivisionID}, "attachmentFileIds": []any{note.ID}}, 422, "")
	testkit.Post[message.Message](t, parent, "/parent/message/send",
		map[string]any{"recipientIds": []any{teacher.UserID}, "studentId": child.ID, "body": "See the note",
			"attachmentFileIds": []any{note.ID}})
	gets(teacher, "teacher", note.ID, 200)
	gets(child.Parents[1], "parent", note.ID, 404)
	// What two people write to each other is not the office's, nor may it take it by attaching it.
	gets(admin, "school-admin", note.ID, 404)
	admin.Refuses(t, "GET", "/school-admin/file/"+note.ID.String()+"/info", nil, 404, "")
	admin.Refuses(t, "POST", "/school-admin/announcement/create",
		map[string]any{"title": "a", "body": "b", "classIds": []any{seat.ClassID}, "attachmentFileIds": []any{note.ID}}, 422, "")
	admin.Refuses(t, "DELETE", "/school-admin/file/"+note.ID.String(), nil, 409, "")

	plan := uploaded(t, admin, "school-admin", pdf)
	a := testkit.Post[announcement.View](t, admin, "/school-admin/announcement/create",
		map[string]any{"title": "Plan", "body": "Attached", "classIds": []any{seat.ClassID}, "attachmentFileIds": []any{plan.ID}})
	if len(a.AttachmentFileIDs) != 1 || a.AttachmentFileIDs[0] != plan.ID {
		t.Errorf("attached %+v", a)
	}
	gets(parent, "parent", plan.ID, 404) // a draft
	testkit.Post[announcement.View](t, admin, "/school-admin/announcement/"+a.ID.String()+"/publish", nil)
	gets(parent, "parent", plan.ID, 200)
	gets(teacher, "teacher", plan.ID, 200)
	gets(stranger.Parents[0], "parent", plan.ID, 404)
	gets(testkit.NewSchool(t).As(t, api.SchoolAdmin), "school-admin", plan.ID, 404)
}

func TestADeletedFileAndOneThatWasNeverFinishedLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	now := time.Now()
	folder := t.TempDir()
	app := testkit.StartOn(t, testkit.Stack(t), testkit.DatabaseName()+"_files", func(c *config.Config, o *service.Options) {
		c.Files, o.Namespace = "file://"+folder, o.Namespace+uuid.NewString()[:8]
		o.Clock = func() time.Time { return now }
	})
	s := app.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	f := uploaded(t, admin, "school-admin", picture(t, 300, 300), "purpose", "PHOTO")
	if n := kept(t, folder); n != 2 {
		t.Errorf("%d are kept", n)
	}
	if a := admin.Call(t, "DELETE", "/school-admin/file/"+f.ID.String(), nil); a.Status != 204 {
		t.Fatalf("deleting: %d %s", a.Status, a.Body)
	}
	testkit.Eventually(t, "its bytes are gone", func() bool { return kept(t, folder) == 0 })
	admin.Refuses(t, "GET", "/school-admin/file/"+f.ID.String(), nil, 404, "")

	// A process that died between the bytes and the record left the fact that they must go.
	left := uploaded(t, admin, "school-admin", pdf)
	if err := s.DB(t).Exec(`delete from file where id = ?`, left.ID).Error; err != nil {
		t.Fatal(err)
	}
	stays := uploaded(t, admin, "school-admin", pdf)
	if err := s.DB(t).Exec(`update outbox set next_at = ? where kind = ?`, now, file.Gone).Error; err != nil {
		t.Fatal(err)
	}
	app.Service.Relay.Lease(context.Background(), s.ID)
	app.Service.Relay.Wake(s.ID)
	testkit.Eventually(t, "what was never finished is gone",
		func() bool { return kept(t, folder) == 1 && s.Count(t, "outbox", "kind = ?", file.Gone) == 0 })
	if a := admin.Call(t, "GET", "/school-admin/file/"+stays.ID.String(), nil); a.Status != 200 {
		t.Errorf("the one that was finished: %d", a.Status)
	}
}

// kept counts the files under a folder.
func kept(t *testing.T, folder string) int {
	t.Helper()
	n := 0
	err := filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
