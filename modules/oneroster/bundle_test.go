package oneroster_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"homeroom/api"
	"homeroom/testkit"
)

// bundle is one as it is read: rows by column, of each file.
type bundle map[string][]map[string]string

// heads are the columns of the standard's files, in its order.
var heads = map[string]string{
	"manifest":         "propertyName,value",
	"academicSessions": "sourcedId,status,dateLastModified,title,type,startDate,endDate,parentSourcedId,schoolYear",
	"orgs":             "sourcedId,status,dateLastModified,name,type,identifier,parentSourcedId",
	"courses": "sourcedId,status,dateLastModified,schoolYearSourcedId,title,courseCode,grades,orgSourcedId,subjects," +
		"subjectCodes",
	"classes": "sourcedId,status,dateLastModified,title,grades,courseSourcedId,classCode,classType,location,schoolSourcedId," +
		"termSourcedIds,subjects,subjectCodes,periods",
	"users": "sourcedId,status,dateLastModified,enabledUser,username,userIds,givenName,familyName,middleName,identifier,email,sms," +
		"phone,agentSourcedIds,grades,password,userMasterIdentifier,preferredGivenName,preferredMiddleName,preferredFamilyName," +
		"primaryOrgSourcedId,pronouns",
	"roles": "sourcedId,status,dateLastModified,userSourcedId,roleType,role,beginDate,endDate,orgSourcedId,userProfileSourcedId",
	"enrollments": "sourcedId,status,dateLastModified,classSourcedId,schoolSourcedId,userSourcedId,role,primary,beginDate," +
		"endDate",
	"demographics": "sourcedId,status,dateLastModified,birthDate,sex,americanIndianOrAlaskaNative,asian,blackOrAfricanAmerican," +
		"nativeHawaiianOrOtherPacificIslander,white,demographicRaceTwoOrMoreRaces,hispanicOrLatinoEthnicity,countryOfBirthCode," +
		"stateOfBirthAbbreviation,cityOfBirth,publicSchoolResidenceStatus",
}

// required are the cells that may not be empty.
var required = map[string]string{
	"academicSessions": "sourcedId title type startDate endDate schoolYear", "orgs": "sourcedId name type",
	"courses": "sourcedId title orgSourcedId", "classes": "sourcedId title courseSourcedId classType schoolSourcedId termSourcedIds",
	"users": "sourcedId enabledUser username givenName familyName", "roles": "sourcedId userSourcedId roleType role orgSourcedId",
	"enrollments": "sourcedId classSourcedId schoolSourcedId userSourcedId role", "demographics": "sourcedId",
}

// refers are the files that a cell names records of, one or several.
var refers = map[string]map[string]string{
	"academicSessions": {"parentSourcedId": "academicSessions"},
	"orgs":             {"parentSourcedId": "orgs"},
	"courses":          {"schoolYearSourcedId": "academicSessions", "orgSourcedId": "orgs"},
	"classes":          {"courseSourcedId": "courses", "schoolSourcedId": "orgs", "termSourcedIds": "academicSessions"},
	"users":            {"agentSourcedIds": "users", "primaryOrgSourcedId": "orgs"},
	"roles":            {"userSourcedId": "users", "orgSourcedId": "orgs", "userProfileSourcedId": "userProfiles"},
	"enrollments":      {"classSourcedId": "classes", "schoolSourcedId": "orgs", "userSourcedId": "users"},
	"demographics":     {"sourcedId": "users"},
}

// words are what a cell may hold.
var words = map[string]string{
	"academicSessions.type": "gradingPeriod semester schoolYear term", "orgs.type": "department school district local state national",
	"classes.classType": "homeroom scheduled", "roles.roleType": "primary secondary",
	"roles.role":       "aide counselor districtAdministrator guardian parent principal proctor relative siteAdministrator student systemAdministrator teacher",
	"enrollments.role": "administrator proctor student teacher", "enrollments.primary": "true false", "users.enabledUser": "true false",
	"demographics.sex": "male female unspecified other",
}

var (
	guid = regexp.MustCompile(`^[0-9A-Za-z.\-_/@]{1,255}$`)
	day  = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
)

// read reads a bundle and holds it against the standard's rules.
func read(t *testing.T, body []byte) bundle {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	out := bundle{}
	for _, f := range archive.File {
		name, isCSV := strings.CutSuffix(f.Name, ".csv")
		if !isCSV || heads[name] == "" {
			t.Errorf("%s is no file of a bundle", f.Name)
		}
		open, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(open)
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(text) || bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
			t.Errorf("%s is not UTF-8 without a mark", f.Name)
		}
		rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if got := strings.Join(rows[0], ","); got != heads[name] {
			t.Errorf("head of %s: got %s, want %s", name, got, heads[name])
		}
		out[name] = []map[string]string{}
		for _, row := range rows[1:] {
			record := map[string]string{}
			for i, cell := range row {
				record[rows[0][i]] = cell
			}
			out[name] = append(out[name], record)
		}
	}
	out.check(t)
	return out
}

func (b bundle) check(t *testing.T) {
	t.Helper()
	modes := map[string]string{}
	for _, row := range b["manifest"] {
		modes[row["propertyName"]] = row["value"]
	}
	if modes["manifest.version"] != "1.0" || modes["oneroster.version"] != "1.2" || len(modes) != 25 {
		t.Errorf("manifest: %v", modes)
	}
	ids := map[string]map[string]bool{}
	for name, rows := range b {
		if name == "manifest" {
			continue
		}
		if modes["file."+name] != "bulk" {
			t.Errorf("the manifest says that %s is %q", name, modes["file."+name])
		}
		ids[name] = map[string]bool{}
		for _, row := range rows {
			if ids[name][row["sourcedId"]] {
				t.Errorf("%s has %s twice", name, row["sourcedId"])
			}
			ids[name][row["sourcedId"]] = true
		}
	}
	for property, mode := range modes {
		if name, ok := strings.CutPrefix(property, "file."); ok && mode != "absent" && b[name] == nil {
			t.Errorf("the manifest says that %s is there", name)
		}
	}
	for name, rows := range b {
		for _, row := range rows {
			b.checkRow(t, name, row, ids)
		}
	}
}

func (b bundle) checkRow(t *testing.T, name string, row map[string]string, ids map[string]map[string]bool) {
	t.Helper()
	for _, field := range strings.Fields(required[name]) {
		if row[field] == "" {
			t.Errorf("%s: %s is empty: %v", name, field, row)
		}
	}
	if row["status"] != "" || row["dateLastModified"] != "" {
		t.Errorf("%s: a whole file says no status: %v", name, row)
	}
	for field, cell := range row {
		if cell == "" {
			continue
		}
		if strings.HasSuffix(field, "Date") && !day.MatchString(cell) {
			t.Errorf("%s: %s is no day: %q", name, field, cell)
		}
		if allowed := words[name+"."+field]; allowed != "" && !slices.Contains(strings.Fields(allowed), cell) {
			t.Errorf("%s: %s is %q", name, field, cell)
		}
		to := refers[name][field]
		for _, id := range strings.Split(cell, ",") {
			if (to != "" || field == "sourcedId") && !guid.MatchString(id) || to != "" && !ids[to][id] {
				t.Errorf("%s: %s names %q, which is none of %s", name, field, id, to)
			}
		}
	}
}

// find returns the records of a file whose cells are these pairs of name and value.
func (b bundle) find(name string, pairs ...string) (found []map[string]string) {
	for _, row := range b[name] {
		ok := true
		for i := 0; i < len(pairs); i += 2 {
			ok = ok && row[pairs[i]] == pairs[i+1]
		}
		if ok {
			found = append(found, row)
		}
	}
	return found
}

func TestExport_ASchool_IsABundleByTheStandard(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	office := s.As(t, api.SchoolAdmin)
	office.Refuses(t, "GET", "/school-admin/oneroster/export", nil, 409, "")
	seat, other := s.Seat(t, "Class 5, the green one"), s.Seat(t, "Class 6")
	child, second := s.Child(t, seat, 2), s.Child(t, other, 1)
	if err := s.DB(t).Exec(`update student set last_name = '', first_name = '=Asha "Ash", née O''Neil', gender = 'FEMALE' where id = ?`,
		child.ID).Error; err != nil {
		t.Fatal(err)
	}
	subject := testkit.Post[struct{ ID string }](t, office, "/school-admin/subject/create", map[string]any{"name": "Mathematics", "code": "MAT"})
	french := testkit.Post[struct{ ID string }](t, office, "/school-admin/subject/create",
		map[string]any{"name": "French", "code": "FRE", "type": "ELECTIVE"})
	teacher := s.Teacher(t, seat)
	for _, sql := range []string{
		`insert into class_subject (id, class_id, subject_id) select gen_random_uuid(), @class, id from subject`,
		`insert into student_group (id, name, subject_id) values (gen_random_uuid(), 'French 5', @french)`,
		`insert into student_group_division (group_id, division_id) select id, @division from student_group`,
		`insert into student_group_member (id, group_id, student_id, from_date) select gen_random_uuid(), id, @child, current_date - 1
			from student_group`,
		`insert into employee (id, employee_code, first_name, phone, employee_type)
			select gen_random_uuid(), 'D1', 'Driver', '+919900000002', 'DRIVER' from app_user where id = @teacher`,
		`insert into teacher_assignment (id, user_id, class_id, subject_id) values (gen_random_uuid(), @teacher, @class, @subject)`,
		`insert into teacher_assignment (id, user_id, class_id, subject_id) values (gen_random_uuid(), @teacher, @class, @french)`,
	} {
		if err := s.DB(t).Exec(sql, map[string]any{"class": seat.ClassID, "division": seat.DivisionID, "child": child.ID,
			"teacher": teacher.UserID, "subject": subject.ID, "french": french.ID}).Error; err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	a := office.Call(t, "GET", "/school-admin/oneroster/export", nil)
	if a.Status != 200 || a.Header.Get("Content-Type") != "application/zip" {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	b := read(t, a.Body)
	if b["demographics"] != nil {
		t.Error("dates of birth are there unasked")
	}
	if got := b.find("users", "sourcedId", child.ID.String()); len(got) != 1 || got[0]["givenName"] != `=Asha "Ash", née O'Neil` ||
		got[0]["familyName"] == "" || len(strings.Split(got[0]["agentSourcedIds"], ",")) != 2 || got[0]["phone"]+got[0]["sms"] != "" {
		t.Errorf("the child: %v", got)
	}
	if got := b.find("users", "identifier", "D1"); got != nil {
		t.Errorf("a driver: %v", got)
	}
	for role, want := range map[string]int{"student": 2, "teacher": 1} {
		if got := b.find("roles", "role", role, "roleType", "primary"); len(got) != want {
			t.Errorf("role %s: %d, want %d", role, len(got), want)
		}
	}
	maths := b.find("classes", "classCode", "MAT")
	electives := b.find("classes", "classCode", "FRE")
	if len(maths) != 1 || len(electives) != 1 || electives[0]["title"] != "French 5" || maths[0]["location"] != "" {
		t.Fatalf("classes %v, %v", maths, electives)
	}
	home := seat.DivisionID.String()
	for what, c := range map[string]struct {
		class string
		role  string
		who   []string
	}{
		"homeroom":           {home, "student", []string{child.ID.String()}},
		"homeroom's teacher": {home, "teacher", nil},
		"subject":            {maths[0]["sourcedId"], "student", []string{child.ID.String()}},
		"elective":           {electives[0]["sourcedId"], "student", []string{child.ID.String()}},
		"another division":   {other.DivisionID.String(), "student", []string{second.ID.String()}},
	} {
		got := b.find("enrollments", "classSourcedId", c.class, "role", c.role)
		if c.role == "teacher" && len(got) == 1 {
			continue
		}
		if len(got) != len(c.who) || got[0]["userSourcedId"] != c.who[0] {
			t.Errorf("%s: %v, want %v", what, got, c.who)
		}
	}
	for _, class := range []string{maths[0]["sourcedId"], electives[0]["sourcedId"]} {
		if got := b.find("enrollments", "classSourcedId", class, "role", "teacher"); len(got) != 1 {
			t.Errorf("teachers of %s: %v", class, got)
		}
	}

	again := read(t, office.Call(t, "GET", "/school-admin/oneroster/export?demographics=true", nil).Body)
	if got := again.find("demographics", "sourcedId", child.ID.String()); len(got) != 1 || got[0]["sex"] != "female" {
		t.Errorf("demographics %v", got)
	}
	for name, rows := range b { // a later bundle names the same things by the same ids
		for i, row := range rows {
			if name != "manifest" && again[name][i]["sourcedId"] != row["sourcedId"] {
				t.Errorf("%s: %s is %s the next time", name, row["sourcedId"], again[name][i]["sourcedId"])
			}
		}
	}
}

func TestExport_ByAKey_NeedsAllThatItReads(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	s.Seat(t, "Class 1")
	office := s.As(t, api.SchoolAdmin)
	key := func(modules ...string) *testkit.Client {
		var rights []any
		for _, m := range modules {
			rights = append(rights, map[string]any{"module": m, "canRead": true})
		}
		made := testkit.Post[struct{ Key string }](t, office, "/school-admin/integration/key/create",
			map[string]any{"name": strings.Join(modules, " "), "permissions": rights})
		return s.App.Nobody().With("Authorization", "Bearer "+made.Key)
	}
	key("student").Refuses(t, "GET", "/school-admin/oneroster/export", nil, 403, "PERMISSION_DENIED")
	a := key("student", "employee", "class", "division", "subject", "academic-year").Call(t, "GET", "/school-admin/oneroster/export", nil)
	if a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	read(t, a.Body)
}
