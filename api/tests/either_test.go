package api_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
)

func init() {
	testkit.ShareWith(func(_ *config.Config, o *service.Options) {
		o.ExtraRows = append(o.ExtraRows, api.Rows(
			api.Post("/school-admin/report/parcel", "report", "Takes JSON or a file", unpack, api.OrCSV(readParcel), api.Columns(api.FileColumn{Name: "weight"})),
			api.Post("/school-admin/report/maybe", "report", "Needs no body", unpack, api.NoBodyNeeded),
			api.Post("/teacher/attendance/several", "attendance", "Is about several divisions", several, api.AboutEach(severalTargets)),
		)...)
	})
}

// parcel is a request that may come as a file: its lines are the words.
type parcel struct {
	Label string   `json:"label" validate:"max=5"`
	Words []string `json:"words" validate:"max=3,dive,max=5"`
}

func unpack(_ api.Ctx, r parcel) (parcel, error) { return r, nil }

func readParcel(r *parcel, file *api.Incoming) error {
	text, err := io.ReadAll(file)
	r.Words = strings.Fields(string(text))
	return err
}

type severalDivisions struct {
	DivisionIDs []uuid.UUID `json:"divisionIds"`
}

func several(c api.Ctx, r severalDivisions) (severalDivisions, error) { return r, nil }

func severalTargets(_ api.Ctx, r severalDivisions) (targets []api.Target, err error) {
	for _, id := range r.DivisionIDs {
		targets = append(targets, api.Target{DivisionID: id})
	}
	return targets, nil
}

func TestARowMayTakeAFileWhereItTakesJSON(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	path := "/school-admin/report/parcel"
	if got := testkit.Post[parcel](t, admin, path, map[string]any{"label": "a", "words": []string{"one"}}); got.Label != "a" ||
		got.Words[0] != "one" {
		t.Errorf("JSON %+v", got)
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	_ = w.WriteField("label", "b")
	part, _ := w.CreateFormFile("file", "words.csv")
	_, _ = part.Write([]byte("two\nthree\n"))
	_ = w.Close()
	for name, a := range map[string]testkit.Answer{
		"body": admin.Send(t, "POST", path+"?label=b", "text/csv; charset=utf-8", []byte("two\nthree\n")),
		"form": admin.Send(t, "POST", path, w.FormDataContentType(), form.Bytes()),
	} {
		var got parcel
		a.Read(t, &got)
		if a.Status != 200 || got.Label != "b" || strings.Join(got.Words, " ") != "two three" {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	for _, bad := range []struct {
		kind, body string
		status     int
	}{
		{"text/csv", "one two three four", 422}, {"text/csv", "longword", 422}, {"application/xml", "<a/>", 400},
		{"multipart/form-data; boundary=x", "no form", 400}, {"application/json", "one", 400},
	} {
		if a := admin.Send(t, "POST", path, bad.kind, []byte(bad.body)); a.Status != bad.status {
			t.Errorf("%s %q: %d %s", bad.kind, bad.body, a.Status, a.Body)
		}
	}
}

func TestARowThatNeedsNoBodyTakesOne(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	path := "/school-admin/report/maybe"
	for _, data := range []any{nil, map[string]any{}, map[string]any{"label": "a"}} {
		if a := admin.Call(t, "POST", path, data); a.Status != 200 {
			t.Errorf("%v: %d %s", data, a.Status, a.Body)
		}
	}
	if a := admin.Call(t, "POST", path, map[string]any{"label": "too long"}); a.Status != 422 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if a := admin.Send(t, "POST", path, "application/json", []byte(`{"label":"a"}`)); a.Status != 400 {
		t.Errorf("a body without data: %d %s", a.Status, a.Body)
	}
}

func TestARequestAboutSeveralDivisionsNeedsAnAssignmentToEach(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	teacher := s.As(t, api.Teacher)
	class, mine, other := api.NewID(), api.NewID(), api.NewID()
	for _, sql := range []string{
		`insert into class (id, name) values (@class, 'Class 5')`,
		`insert into division (id, class_id, name) values (@mine, @class, 'A'), (@other, @class, 'B')`,
		`insert into teacher_assignment (id, user_id, class_id, division_id) values (gen_random_uuid(), @user, @class, @mine)`,
	} {
		if err := s.DB(t).Exec(sql, map[string]any{"class": class, "mine": mine, "other": other, "user": teacher.UserID}).Error; err != nil {
			t.Fatal(err)
		}
	}
	about := func(ids ...uuid.UUID) map[string]any { return map[string]any{"divisionIds": ids} }
	path := "/teacher/attendance/several"
	for _, ids := range [][]uuid.UUID{{}, {mine}, {mine, mine}} {
		if a := teacher.Call(t, "POST", path, about(ids...)); a.Status != 200 {
			t.Errorf("%v: %d %s", ids, a.Status, a.Body)
		}
	}
	teacher.Refuses(t, "POST", path, about(mine, other), 403, "PERMISSION_DENIED")
	teacher.Refuses(t, "POST", path, about(other, mine), 403, "PERMISSION_DENIED")
	teacher.Refuses(t, "POST", path, about(mine, api.NewID()), 404, "")
}
