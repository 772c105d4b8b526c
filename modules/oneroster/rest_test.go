package oneroster_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/testkit"
)

const (
	service   = "/ims/oneroster/rostering/v1p2/"
	scopeBase = "https://purl.imsglobal.org/spec/or/v1p2/scope/"
	scopeAll  = scopeBase + "roster.readonly " + scopeBase + "roster-demographics.readonly"
)

// program is another one, with an API key as its client of OAuth 2.
type program struct {
	*testkit.Client
	school *testkit.School
	id     string
	key    string
}

func newProgram(t *testing.T, s *testkit.School, modules ...string) program {
	t.Helper()
	var rights []any
	for _, m := range modules {
		rights = append(rights, map[string]any{"module": m, "canRead": true})
	}
	made := testkit.Post[struct{ ID, Key string }](t, s.As(t, api.SchoolAdmin), "/school-admin/integration/key/create",
		map[string]any{"name": strings.Join(modules, " "), "permissions": rights, "perMinute": 600})
	return program{s.App.Nobody(), s, made.ID, made.Key}
}

func (p program) ask(t *testing.T, values url.Values) (a testkit.Answer, said struct {
	Token   string `json:"access_token"`
	Type    string `json:"token_type"`
	Seconds int    `json:"expires_in"`
	Scope   string
	Error   string
}) {
	t.Helper()
	a = p.Send(t, "POST", "/ims/oneroster/token", "application/x-www-form-urlencoded", []byte(values.Encode()))
	if err := json.Unmarshal(a.Body, &said); err != nil {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	return a, said
}

// with is the program with a token of these scopes.
func (p program) with(t *testing.T, scopes string) *testkit.Client {
	t.Helper()
	a, said := p.ask(t, url.Values{"grant_type": {"client_credentials"}, "client_id": {p.id}, "client_secret": {p.key}, "scope": {scopes}})
	if a.Status != 200 || said.Type != "Bearer" || said.Seconds != 3600 || said.Scope != scopes ||
		a.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %s %v", a.Status, a.Body, a.Header)
	}
	c := p.school.App.Nobody()
	c.Token = said.Token
	return c
}

var everything = []string{"student", "employee", "class", "division", "subject", "academic-year"}

// wrappers are the names of each collection's records, one and many.
var wrappers = map[string][2]string{"academicSessions": {"academicSession", "academicSessions"}, "terms": {"academicSession", "academicSessions"},
	"gradingPeriods": {"academicSession", "academicSessions"}, "orgs": {"org", "orgs"}, "schools": {"org", "orgs"},
	"courses": {"course", "courses"}, "classes": {"class", "classes"}, "users": {"user", "users"}, "students": {"user", "users"},
	"teachers": {"user", "users"}, "enrollments": {"enrollment", "enrollments"}, "demographics": {"demographics", "demographics"}}

// mandatory are the fields that the standard has in each record.
var mandatory = map[string]string{"academicSessions": "title startDate endDate type schoolYear", "orgs": "name type", "courses": "title org",
	"classes": "title classType course school terms", "users": "enabledUser username givenName familyName roles",
	"enrollments": "user class school role", "demographics": ""}

// typesOf are what references of a field name.
var typesOf = map[string]string{"parent": "academicSessions academicSession", "schoolYear": "academicSessions academicSession",
	"org": "orgs org", "school": "orgs org", "course": "courses course", "terms": "academicSessions academicSession",
	"agents": "users user", "primaryOrg": "orgs org", "user": "users user", "class": "classes class"}

var moment = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

// page reads a list.
func page(t *testing.T, c *testkit.Client, path string) (items []map[string]any, a testkit.Answer) {
	t.Helper()
	a = c.Call(t, "GET", service+path, nil)
	var body map[string][]map[string]any
	if err := json.Unmarshal(a.Body, &body); err != nil || a.Status != 200 || len(body) != 1 {
		t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
	for _, items = range body {
	}
	if a.Header.Get("X-Total-Count") == "" || !strings.Contains(a.Header.Get("Link"), `rel="first"`) {
		t.Errorf("%s: headers %v", path, a.Header)
	}
	return items, a
}

// checkRecord holds a record against the standard's rules.
func checkRecord(t *testing.T, kind string, record map[string]any) {
	t.Helper()
	id, _ := record["sourcedId"].(string)
	at, _ := record["dateLastModified"].(string)
	if !guid.MatchString(id) || !moment.MatchString(at) || record["status"] != "active" && record["status"] != "tobedeleted" {
		t.Errorf("%s: %v", kind, record)
	}
	for _, name := range strings.Fields(mandatory[kind]) {
		if record[name] == nil {
			t.Errorf("%s has no %s: %v", kind, name, record)
		}
	}
	for name, value := range record {
		if value == nil || value == "" {
			t.Errorf("%s: %s is empty, where it is to be left out", kind, name)
		}
		if said, isText := value.(string); isText {
			if allowed := words[kind+"."+name]; allowed != "" && !slices.Contains(strings.Fields(allowed), said) {
				t.Errorf("%s: %s is %q", kind, name, said)
			}
			continue
		}
		refs, isList := value.([]any)
		if !isList {
			refs = []any{value}
		}
		for _, ref := range refs {
			if ref, ok := ref.(map[string]any); ok && name != "roles" {
				to := strings.Fields(typesOf[name])
				if ref["type"] != to[1] || ref["href"] != fmt.Sprintf("%s%s/%v", service, to[0], ref["sourcedId"]) {
					t.Errorf("%s: %s refers to %v", kind, name, ref)
				}
			}
		}
	}
}

func TestREST_EveryCollection_IsByTheStandard(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	office := s.As(t, api.SchoolAdmin)
	seat, other := s.Seat(t, "Class 5"), s.Seat(t, "Class 6")
	child, left := s.Child(t, seat, 2), s.Child(t, other, 1)
	teacher := s.Teacher(t, seat)
	subject := testkit.Post[struct{ ID string }](t, office, "/school-admin/subject/create", map[string]any{"name": "Mathematics", "code": "MAT"})
	for _, sql := range []string{
		`update student set last_name = 'O''Neil', first_name = 'Asha' where id = @child`,
		`update student set status = 'TRANSFERRED' where id = @left`,
		`insert into class_subject (id, class_id, subject_id) values (gen_random_uuid(), @class, @subject)`,
		`insert into teacher_assignment (id, user_id, class_id, subject_id) values (gen_random_uuid(), @teacher, @class, @subject)`,
	} {
		if err := s.DB(t).Exec(sql, map[string]any{"class": seat.ClassID, "child": child.ID, "left": left.ID, "teacher": teacher.UserID,
			"subject": subject.ID}).Error; err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	if err := s.DB(t).Exec(`insert into term (id, academic_year_id, name, start_date, end_date) select gen_random_uuid(), id, 'First',
		start_date, start_date + 90 from academic_year where active`).Error; err != nil {
		t.Fatal(err)
	}
	c := newProgram(t, s, everything...).with(t, scopeAll)
	ids := map[string]string{}
	for name, wrapper := range wrappers {
		items, a := page(t, c, name)
		if !strings.HasPrefix(string(a.Body), `{"`+wrapper[1]+`":[`) || len(items) == 0 && name != "gradingPeriods" {
			t.Errorf("%s: %s", name, a.Body)
		}
		for _, record := range items {
			checkRecord(t, wrapper[1], record)
		}
		if len(items) == 0 {
			continue
		}
		ids[name] = items[0]["sourcedId"].(string)
		single := c.Call(t, "GET", service+name+"/"+ids[name], nil)
		var body map[string]map[string]any
		if err := json.Unmarshal(single.Body, &body); err != nil || body[wrapper[0]]["sourcedId"] != ids[name] {
			t.Errorf("one of %s: %d %s", name, single.Status, single.Body)
		}
		refused(t, c, name+"/nobody", 404, "unknownobject")
	}
	division, pupil := seat.DivisionID.String(), child.ID.String()
	school := s.ID.String()
	for path, want := range map[string]int{
		"classes/" + division + "/students": 1, "classes/" + division + "/teachers": 1, "students/" + pupil + "/classes": 2,
		"users/" + pupil + "/classes": 2, "courses/" + seat.ClassID.String() + "/classes": 1, "schools/" + school + "/students": 2,
		"schools/" + school + "/terms": 1, "schools/" + school + "/classes/" + division + "/enrollments": 2,
		"schools/" + school + "/classes/" + division + "/students": 1, "terms/" + ids["terms"] + "/classes": 3,
		"terms/" + ids["terms"] + "/gradingPeriods": 0, "teachers/" + ids["teachers"] + "/classes": 2,
		"classes/" + other.DivisionID.String() + "/students":                                                      0, // who left is in none
		"users?filter=" + url.QueryEscape(`familyName='o''neil'`):                                                 1,
		"users?filter=" + url.QueryEscape(`familyName ~ 'NEI' AND role='x'`):                                      -1,
		"users?filter=" + url.QueryEscape(`roles.role='student' AND status='active'`):                             1,
		"students?filter=" + url.QueryEscape(`status='tobedeleted'`):                                              1,
		"students?filter=" + url.QueryEscape(`dateLastModified>'2001-01-01'`):                                     2,
		"students?filter=" + url.QueryEscape(`dateLastModified>'2999-01-01T00:00:00+05:30'`):                      0,
		"enrollments?filter=" + url.QueryEscape(`class.sourcedId='`+division+`' AND role!='teacher' OR role='x'`): 1,
		"classes?filter=" + url.QueryEscape(`subjects='mathematics'`):                                             1,
	} {
		if want < 0 {
			refused(t, c, path, 400, "invalid_filter_field")
			continue
		}
		if items, a := page(t, c, path); len(items) != want || a.Header.Get("X-Total-Count") != fmt.Sprint(want) {
			t.Errorf("%s: %d records, want %d: %s", path, len(items), want, a.Body)
		}
	}
	if head := c.Call(t, "HEAD", service+"users", nil); head.Status != 200 || head.Header.Get("X-Total-Count") == "" {
		t.Errorf("HEAD: %d %v", head.Status, head.Header)
	}

	// Pages, in an order and with the fields that were asked for.
	var seen []string
	next := "users?limit=2&sort=familyName&orderBy=desc&fields=sourcedId,familyName"
	for next != "" {
		items, a := page(t, c, next)
		for _, record := range items {
			if len(record) != 2 {
				t.Errorf("fields: %v", record)
			}
			seen = append(seen, strings.ToLower(record["familyName"].(string)))
		}
		link := regexp.MustCompile(`<[^>]*` + service + `([^>]*)>; rel="next"`).FindStringSubmatch(a.Header.Get("Link"))
		if next = ""; link != nil {
			next = link[1]
		}
	}
	if users, _ := page(t, c, "users"); len(seen) != len(users) || !slices.IsSortedFunc(seen, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Errorf("%d users page by page: %v", len(seen), seen)
	}
	page(t, c, "users?sort=nothing") // the standard has it in the usual order
	for path, code := range map[string]string{"users?fields=nothing": "400 invalid_selection_field", "users?filter=x": "400 invalid_filter_field",
		"users?filter=" + url.QueryEscape(`nothing='1'`): "400 invalid_filter_field", "users?limit=0": "422 invaliddata",
		"users?filter=" + url.QueryEscape(`status='a' and`): "400 invalid_filter_field", "users?offset=-1": "422 invaliddata",
		"users?filter=" + url.QueryEscape(`dateLastModified>'x'`): "400 invalid_filter_field", "nothing": "404 unknownobject",
		"users/" + pupil + "/teachers": "404 unknownobject", "students/" + teacher.UserID.String(): "404 unknownobject"} {
		status, minor, _ := strings.Cut(code, " ")
		refused(t, c, path, map[string]int{"400": 400, "404": 404, "422": 422}[status], minor)
	}
}

// refused expects the standard's payload.
func refused(t *testing.T, c *testkit.Client, path string, status int, minor string) {
	t.Helper()
	a := c.Call(t, "GET", service+path, nil)
	var body struct {
		Major string `json:"imsx_codeMajor"`
		Level string `json:"imsx_severity"`
		Minor struct {
			Fields []struct {
				Name  string `json:"imsx_codeMinorFieldName"`
				Value string `json:"imsx_codeMinorFieldValue"`
			} `json:"imsx_codeMinorField"`
		} `json:"imsx_CodeMinor"`
	}
	if err := json.Unmarshal(a.Body, &body); err != nil || a.Status != status || body.Major != "failure" || body.Level != "error" ||
		len(body.Minor.Fields) != 1 || body.Minor.Fields[0].Value != minor || body.Minor.Fields[0].Name != "TargetEndSystem" {
		t.Errorf("%s: %d %s, want %d %s", path, a.Status, a.Body, status, minor)
	}
}

func TestREST_Token_IsNoMoreThanItsKeyAndScope(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	s.Child(t, s.Seat(t, "Class 5"), 1)
	office := s.As(t, api.SchoolAdmin)
	p := newProgram(t, s, everything...)
	core := p.with(t, scopeBase+"roster-core.readonly")
	page(t, core, "students")
	refused(t, core, "demographics", 403, "forbidden")
	refused(t, p.with(t, scopeBase+"roster-demographics.readonly"), "students", 403, "forbidden")
	core.Refuses(t, "GET", "/school-admin/student/list", nil, 403, "PERMISSION_DENIED")
	refused(t, office, "students", 403, "forbidden")
	refused(t, s.App.Nobody(), "students", 401, "unauthorisedrequest")
	classes := newProgram(t, s, "class", "division", "subject").with(t, scopeAll)
	page(t, classes, "classes")
	refused(t, classes, "students", 403, "forbidden")
	other := testkit.NewSchool(t)
	stranger := newProgram(t, other, everything...)
	if items, _ := page(t, stranger.with(t, scopeAll), "students"); len(items) != 0 {
		t.Errorf("another school's students: %v", items)
	}

	basic := func(id, key string) url.Values {
		p.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(id)+":"+url.QueryEscape(key))))
		return url.Values{"grant_type": {"client_credentials"}, "scope": {scopeAll}}
	}
	p.Client = s.App.Nobody().With("Authorization", "")
	if a, said := p.ask(t, basic(p.id, p.key)); a.Status != 200 || !strings.HasPrefix(said.Token, "hrt_") {
		t.Errorf("by HTTP Basic: %d %s", a.Status, a.Body)
	}
	if a, said := p.ask(t, basic(stranger.id, p.key)); a.Status != 401 || said.Error != "invalid_client" ||
		a.Header.Get("WWW-Authenticate") != "Basic" {
		t.Errorf("another's id: %d %s", a.Status, a.Body)
	}
	for what, values := range map[string]url.Values{"unsupported_grant_type": {"grant_type": {"password"}},
		"invalid_scope":   {"grant_type": {"client_credentials"}, "scope": {"everything"}},
		"invalid_request": {"grant_type": {"client_credentials", "client_credentials"}}} {
		if a, said := p.ask(t, values); a.Status != 400 || said.Error != what {
			t.Errorf("%s: %d %s", what, a.Status, a.Body)
		}
	}

	testkit.Post[any](t, office, "/school-admin/integration/key/"+p.id+"/revoke", nil)
	testkit.Eventually(t, "the token to end with its key", func() bool {
		return core.Call(t, "GET", service+"students", nil).Status == 401
	})
}
