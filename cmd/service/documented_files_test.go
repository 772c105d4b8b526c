package service_test

import (
	"encoding/json"
	"fmt"
	"html"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/delivery"
	"homeroom/modules/notification"
	"homeroom/notice"
	"homeroom/testkit"
)

// TestFilesPage_EveryImport_NamesTheColumnsThatAreRead sends each import a file without a known column: the refusal names
// those it reads, which are the ones on the page.
func TestFilesPage_EveryImport_NamesTheColumnsThatAreRead(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	page := string(app.Nobody().Call(t, "GET", "/api-docs/files", nil).Body)
	callers := map[api.RoleType]*testkit.Client{}
	school := app.NewSchool(t)
	for _, role := range []api.RoleType{api.SchoolAdmin, api.Teacher} {
		callers[role] = school.As(t, role)
	}
	callers[api.SuperAdmin] = app.SuperAdmin(t)
	n := 0
	for _, row := range app.Service.Kernel.Rows {
		if !row.TakesCSV() && (!row.Upload || row.AnyFile) {
			continue
		}
		n++
		_, part, found := strings.Cut(page, fmt.Sprintf("<code>%s %s</code></h2>", row.Method, row.Path))
		part, _, _ = strings.Cut(part, "</table>")
		if !found {
			t.Errorf("%s is not on the page", row.Name())
			continue
		}
		var shown []string
		for _, m := range regexp.MustCompile(`<tr><td><code>([^<]+)</code>`).FindAllStringSubmatch(part, -1) {
			shown = append(shown, html.UnescapeString(m[1]))
		}
		a := callers[row.Roles[0]].Send(t, "POST", row.Path, "text/csv", []byte("nobody's column\r\nx\r\n"))
		var f testkit.Failure
		if err := json.Unmarshal(a.Body, &f); err != nil || a.Status != 422 || len(f.Details) != 1 {
			t.Errorf("%s answers %d %s", row.Name(), a.Status, a.Body)
			continue
		}
		_, names, _ := strings.Cut(f.Details[0].Message, "must be a header like ")
		if read := strings.Split(names, ", "); !slices.Equal(shown, read) {
			t.Errorf("%s shows the columns %q and reads %q", row.Name(), shown, read)
		}
	}
	if n < 7 {
		t.Errorf("%d rows take a CSV file", n)
	}
}

// TestPushPage_TypesTopicsAndFields_AreThoseThatAreSent: every type has a text, a channel and a place in what is sent.
func TestPushPage_TypesTopicsAndFields_AreThoseThatAreSent(t *testing.T) {
	t.Parallel()
	page := html.UnescapeString(string(testkit.Shared(t).Nobody().Call(t, "GET", "/api-docs/push", nil).Body))
	has := func(what, word string) {
		if !strings.Contains(page, "<code>"+word+"</code>") {
			t.Errorf("the page has no %s %s", what, word)
		}
	}
	var types []string
	for _, n := range notice.Types {
		types = append(types, string(n.Type))
		has("type", string(n.Type))
		has("channel", n.Type.Channel())
	}
	for _, topic := range notification.Topics() {
		has("topic", topic.Name)
	}
	for _, sent := range []reflect.Type{reflect.TypeFor[delivery.PushData](), reflect.TypeFor[delivery.WebNotice]()} {
		for i := range sent.NumField() {
			has("field", api.JSONName(sent.Field(i)))
		}
		field, _ := sent.FieldByName("Type")
		if got := strings.Split(field.Tag.Get("enum"), ","); !slices.Equal(got, types) {
			t.Errorf("%s has the types %q, notices have %q", sent, got, types)
		}
	}
}
