package leave_test

import (
	"bytes"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/leave"
	"homeroom/testkit"
)

// uploaded is a doctor's note of somebody's.
func uploaded(t *testing.T, c *testkit.Client, role string) uuid.UUID {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("file", "note.pdf")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write([]byte("%PDF-1.7\n" + strings.Repeat("0123456789", 10)))
	_ = w.Close()
	a := c.Send(t, "POST", "/"+role+"/file/upload", w.FormDataContentType(), b.Bytes())
	if a.Status != 201 {
		t.Fatalf("uploading: %d %s", a.Status, a.Body)
	}
	var f struct{ ID uuid.UUID }
	a.Read(t, &f)
	return f.ID
}

func TestANoteGoesWithALeaveToWhoAskedAndWhoDecides(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	gets := func(who string, c *testkit.Client, role string, id uuid.UUID, status int) {
		t.Helper()
		if a := c.Call(t, "GET", "/"+role+"/file/"+id.String(), nil); a.Status != status {
			t.Errorf("%s: %d, want %d", who, a.Status, status)
		}
	}
	stranger, second := r.parentOf(t, r.other), r.parentOf(t, r.child)
	note, foreign := uploaded(t, r.parent, "parent"), uploaded(t, stranger, "parent")
	with := func(ids ...uuid.UUID) map[string]any {
		return r.days(1, 2, map[string]any{"studentId": r.child.ID, "attachmentFileIds": ids})
	}
	for _, id := range []uuid.UUID{foreign, api.NewID(), uploaded(t, testkit.NewSchool(t).As(t, api.SchoolAdmin), "school-admin")} {
		r.parent.Refuses(t, "POST", "/parent/leave/apply", with(note, id), 422, "")
	}
	if n := r.Count(t, "leave", "true"); n != 0 {
		t.Errorf("%d were asked for", n)
	}
	gets("the class teacher, before", r.classTeacher, "teacher", note, 404)
	l := testkit.Post[leave.LeaveView](t, r.parent, "/parent/leave/apply", with(note))
	if len(l.AttachmentFileIDs) != 1 || l.AttachmentFileIDs[0] != note {
		t.Errorf("asked for %+v", l)
	}
	gets("the class teacher", r.classTeacher, "teacher", note, 200)
	gets("the office", r.admin, "school-admin", note, 200)
	gets("who asked", r.parent, "parent", note, 200)
	gets("the child's other parent", second, "parent", note, 200)
	gets("a colleague", r.colleague, "teacher", note, 404)
	gets("another parent", stranger, "parent", note, 404)
	r.admin.Refuses(t, "DELETE", "/school-admin/file/"+note.String(), nil, 409, "")
	for path, c := range map[string]*testkit.Client{"/school-admin/leave/list": r.admin, "/teacher/leave/requests": r.classTeacher,
		"/parent/leave/list": r.parent} {
		page := testkit.Get[api.Page[leave.LeaveView]](t, c, path)
		if len(page.Items) != 1 || len(page.Items[0].AttachmentFileIDs) != 1 {
			t.Errorf("%s: %+v", path, page.Items)
		}
	}

	// A teacher's own is theirs and the office's.
	own := uploaded(t, r.colleague, "teacher")
	mine := testkit.Post[leave.LeaveView](t, r.colleague, "/teacher/leave/apply",
		r.days(1, 1, map[string]any{"attachmentFileIds": []any{own}}))
	gets("the class teacher", r.classTeacher, "teacher", own, 404)
	if decided := testkit.Post[leave.LeaveView](t, r.admin, "/school-admin/leave/decide", decision(mine, "APPROVED")); len(decided.AttachmentFileIDs) != 1 {
		t.Errorf("decided %+v", decided)
	}
}
