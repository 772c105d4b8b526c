package api_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

func TestABodyThatCannotBeReadIsMalformed(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	for name, body := range map[string]string{
		"nothing":           ``,
		"only spaces":       "  \n ",
		"not JSON":          `data=name`,
		"cut off":           `{"data":{"name":"Class 5"}`,
		"two values":        `{"data":{"name":"Class 5"}} {"data":{"name":"Class 6"}}`,
		"a comma too many":  `{"data":{"name":"Class 5",}}`,
		"an array":          `[{"data":{"name":"Class 5"}}]`,
		"a string":          `"data"`,
		"null":              `null`,
		"no data":           `{"name":"Class 5"}`,
		"data is null":      `{"data":null}`,
		"data is an array":  `{"data":[{"name":"Class 5"}]}`,
		"data is a string":  `{"data":"{\"name\":\"Class 5\"}"}`,
		"data is a number":  `{"data":5}`,
		"invalid UTF-8":     "{\"data\":{\"name\":\"Class \xff\"}}",
		"a surrogate half":  "{\"data\":{\"name\":\"\xed\xa0\x80\"}}",
		"NUL in text":       `{"data":{"name":"Class\u00005"}}`,
		"NUL in a name":     `{"data":{"name":"Class 5","a\u0000":1}}`,
		"a raw NUL":         "{\"data\":{\"name\":\"Class\x005\"}}",
		"too deep":          `{"data":{"name":"Class 5","x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}}`,
		"too deep, cut off": `{"data":` + strings.Repeat(`{"a":`, 100_000),
	} {
		a := admin.Send(t, "POST", "/school-admin/class/create", "application/json", []byte(body))
		if f := a.Failure(t); a.Status != 400 || f.Error != "Bad Request" {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	if n := s.Count(t, "class", "true"); n != 0 {
		t.Errorf("%d classes were written", n)
	}
}

func TestOnlyJSONIsTaken(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	body := []byte(`{"data":{"name":"Class 5"}}`)
	for _, contentType := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
		"application/jsonp", ";;;"} {
		a := admin.Send(t, "POST", "/school-admin/class/create", contentType, body)
		if f := a.Failure(t); a.Status != 400 || f.Message != "Content-Type must be application/json" {
			t.Errorf("%q: %d %s", contentType, a.Status, a.Body)
		}
	}
	if a := admin.Send(t, "POST", "/school-admin/class/create", "Application/JSON; charset=UTF-8", body); a.Status != 201 {
		t.Errorf("with a charset: %d %s", a.Status, a.Body)
	}
}

func TestAWrittenBackslashZeroIsNoNUL(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	a := admin.Send(t, "POST", "/school-admin/class/create", "application/json", []byte(`{"data":{"name":"C:\\u0000 𝄞"}}`))
	var made roster.Class
	a.Read(t, &made)
	if a.Status != 201 || made.Name != `C:\u0000 𝄞` {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

func TestABodyOverAMebibyteIsA413(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	sized := func(n int) []byte {
		return fmt.Appendf(nil, `{"data":{"name":"Class 5","x":"%s"}}`, strings.Repeat("a", n-len(`{"data":{"name":"Class 5","x":""}}`)))
	}
	a := admin.Send(t, "POST", "/school-admin/class/create", "application/json", sized(api.MaxBody+1))
	if f := a.Failure(t); a.Status != 413 || f.Error != "Request Entity Too Large" {
		t.Errorf("one byte too many: %d %s", a.Status, a.Body)
	}
	if n := s.Count(t, "class", "true"); n != 0 {
		t.Errorf("%d classes were written", n)
	}
	if a := admin.Send(t, "POST", "/school-admin/class/create", "application/json", sized(api.MaxBody)); a.Status != 201 {
		t.Errorf("exactly as much as is allowed: %d %s", a.Status, a.Body)
	}
}

func TestABodyOfUnsaidLengthIsCutAtAMebibyteToo(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	// The reader's type hides its length, so that it is sent in chunks; it never ends.
	endless := struct{ io.Reader }{io.MultiReader(strings.NewReader(`{"data":{"x":"`), forever{})}
	conn, err := net.Dial("tcp", strings.TrimPrefix(app.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	req, err := http.NewRequest("POST", app.URL+"/school-admin/class/create", endless)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+admin.Token)
	req.Header.Set("Content-Type", "application/json")
	go func() { _ = req.Write(conn) }() // ends when the connection does
	resp, err := http.ReadResponse(bufio.NewReader(conn), req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != 413 || !bytes.Contains(text, []byte(`"statusCode":413`)) {
		t.Errorf("%d %s", resp.StatusCode, text)
	}
}

type forever struct{}

func (forever) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'a'
	}
	return len(b), nil
}

func TestUnknownFieldsAreIgnored(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	id := api.NewID()
	made := testkit.Post[roster.Class](t, admin, "/school-admin/class/create", map[string]any{
		"name": "Class 5", "id": id, "version": 9, "createdBy": id, "newer": map[string]any{"than": []int{1}}, "role": "SUPER_ADMIN",
	})
	if made.ID == id || made.Version != 1 || *made.CreatedBy != admin.UserID {
		t.Errorf("undeclared fields reached the record: %+v", made)
	}
}

func TestAPathIDThatIsNoUUIDIsMalformed(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	for _, id := range []string{"5", "%00", "..%2f..%2fetc", "'%20or%201=1", strings.Repeat("a", 36), api.NewID().String() + "x", "%ff%fe"} {
		for _, method := range []string{"GET", "DELETE"} {
			f := admin.Refuses(t, method, "/school-admin/class/"+id, nil, 400, "Bad Request")
			if f.Message != "id in the path is not a valid id" {
				t.Errorf("%s: %q", id, f.Message)
			}
		}
	}
}
