package service_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/testkit"
)

var (
	wireName  = regexp.MustCompile(`\b[a-z]+(?:[A-Z][a-z0-9]*)+\b`)
	pathField = regexp.MustCompile(`:[A-Za-z]+`)
)

// TestRefusal_EveryFieldOfEveryForm_IsCalledByItsLabel sends every row of an office's forms nothing, and then a wrong value
// for each field: what is said of it is in words, never in names of the wire.
func TestRefusal_EveryFieldOfEveryForm_IsCalledByItsLabel(t *testing.T) {
	t.Parallel()
	app := testkit.Start(t)
	if said := checkLabels(t, app.NewSchool(t), rowsOf(app)); said < 200 {
		t.Errorf("%d fields were refused: the test asks for too little", said)
	}
}

// checkLabels sends the forms among rows wrong values. It returns how many fields were refused.
func checkLabels(t *testing.T, s *testkit.School, rows []api.Row) (said int) {
	t.Helper()
	clients := map[api.RoleType]*testkit.Client{api.SchoolAdmin: s.As(t, api.SchoolAdmin), api.SuperAdmin: s.App.SuperAdmin(t)}
	for _, row := range rows {
		if (row.Method != "POST" && row.Method != "PUT") || row.Listing != nil || row.Upload || row.Flat || row.Fresh ||
			row.Request.Kind() != reflect.Struct {
			continue
		}
		client := clients[row.Roles[0]]
		if client == nil {
			continue
		}
		wrong := map[string]any{}
		for _, f := range reflect.VisibleFields(row.Request) {
			if name := api.JSONName(f); name != "" && !f.Anonymous {
				wrong[name] = []any{map[string]any{}}
			}
		}
		path := pathField.ReplaceAllString(row.Path, uuid.NewString())
		for _, data := range []map[string]any{{}, wrong} {
			a := client.Call(t, row.Method, path, data)
			if a.Status < 400 || a.Status > 422 {
				continue
			}
			var failure api.ErrorBody
			if err := json.Unmarshal(a.Body, &failure); err != nil {
				t.Fatalf("%s: %v", row.Name(), err)
			}
			for _, d := range failure.Details {
				said++
				if name := wireName.FindString(d.Message); name != "" {
					t.Errorf("%s says %q of %s", row.Name(), d.Message, d.Field)
				}
				if strings.HasPrefix(d.Message, d.Field+" ") {
					t.Errorf("%s calls %s by its name of the wire: %q", row.Name(), d.Field, d.Message)
				}
			}
		}
	}
	return said
}
