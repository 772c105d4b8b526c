package oneroster

import (
	"slices"
	"strings"
)

// kind is how a column is written in JSON.
type kind int

const (
	text  kind = iota
	texts      // separated by commas: an array
	one        // a reference to a record
	many       // references, separated by commas: an array
	roles      // the one role that a user has
)

// field is one of a record's: its name in JSON, and the column of its file.
type field struct {
	name   string
	column string
	kind   kind
	to     string // of a reference: the type of what it names
}

// path is the name that a filter, a sort or a selection has for the field.
func (f field) path() string {
	switch f.kind {
	case one, many:
		return f.name + ".sourcedId"
	case roles:
		return "roles.role"
	}
	return f.name
}

// collection is one of the service's: what it is made of, and who may read it.
type collection struct {
	record  string   // what a record is called where it is alone
	records string   // and where there are many
	file    string   // of files
	where   string   // the rows of the file that belong to it
	modules []string // whose read permission it takes
	parts   []string // collections that a record of it has
}

// people are what reading users of a kind takes.
var collections = map[string]collection{
	"academicSessions": {"academicSession", "academicSessions", "academicSessions", "", []string{"academic-year"}, nil},
	"terms": {"academicSession", "academicSessions", "academicSessions", `type = 'term'`, []string{"academic-year"},
		[]string{"classes", "gradingPeriods"}},
	"gradingPeriods": {"academicSession", "academicSessions", "academicSessions", `type = 'gradingPeriod'`, []string{"academic-year"}, nil},
	"orgs":           {"org", "orgs", "orgs", "", nil, nil},
	"schools": {"org", "orgs", "orgs", "", nil,
		[]string{"classes", "courses", "enrollments", "students", "teachers", "terms"}},
	"courses": {"course", "courses", "courses", "", []string{"class", "subject"}, []string{"classes"}},
	"classes": {"class", "classes", "classes", "", []string{"class", "division", "subject"}, []string{"students", "teachers"}},
	"users":   {"user", "users", "users", "", []string{"student", "employee"}, []string{"classes"}},
	"students": {"user", "users", "users", `role = 'student'`, []string{"student"},
		[]string{"classes"}},
	"teachers":     {"user", "users", "users", `role = 'teacher'`, []string{"employee"}, []string{"classes"}},
	"enrollments":  {"enrollment", "enrollments", "enrollments", "", []string{"student", "employee", "class"}, nil},
	"demographics": {"demographics", "demographics", "demographics", "", []string{"student"}, nil},
}

// fields are those of each file's records, in the standard's order.
var fields = map[string][]field{
	"academicSessions": {{"title", "title", text, ""}, {"startDate", "startDate", text, ""}, {"endDate", "endDate", text, ""},
		{"type", "type", text, ""}, {"parent", "parentSourcedId", one, "academicSession"}, {"schoolYear", "schoolYear", text, ""}},
	"orgs": {{"name", "name", text, ""}, {"type", "type", text, ""}, {"identifier", "identifier", text, ""}},
	"courses": {{"title", "title", text, ""}, {"schoolYear", "schoolYearSourcedId", one, "academicSession"},
		{"courseCode", "courseCode", text, ""}, {"subjects", "subjects", texts, ""}, {"org", "orgSourcedId", one, "org"},
		{"subjectCodes", "subjectCodes", texts, ""}},
	"classes": {{"title", "title", text, ""}, {"classCode", "classCode", text, ""}, {"classType", "classType", text, ""},
		{"location", "location", text, ""}, {"subjects", "subjects", texts, ""}, {"course", "courseSourcedId", one, "course"},
		{"school", "schoolSourcedId", one, "org"}, {"terms", "termSourcedIds", many, "academicSession"}},
	"users": {{"username", "username", text, ""}, {"enabledUser", "enabledUser", text, ""}, {"givenName", "givenName", text, ""},
		{"familyName", "familyName", text, ""}, {"roles", "role", roles, ""}, {"identifier", "identifier", text, ""},
		{"email", "email", text, ""}, {"agents", "agentSourcedIds", many, "user"}, {"primaryOrg", "primaryOrgSourcedId", one, "org"}},
	"enrollments": {{"user", "userSourcedId", one, "user"}, {"class", "classSourcedId", one, "class"},
		{"school", "schoolSourcedId", one, "org"}, {"role", "role", text, ""}, {"primary", "primary", text, ""},
		{"beginDate", "beginDate", text, ""}, {"endDate", "endDate", text, ""}},
	"demographics": {{"birthDate", "birthDate", text, ""}, {"sex", "sex", text, ""}},
}

// places are the collections where the records of a type are found one by one.
var places = map[string]string{"academicSession": "academicSessions", "org": "orgs", "course": "courses", "class": "classes",
	"user": "users"}

// all are the fields of a collection's records, those that every record has first.
func (c collection) all() []field {
	common := []field{{"sourcedId", "sourcedId", text, ""}, {"status", "status", text, ""},
		{"dateLastModified", "dateLastModified", text, ""}}
	return append(common, fields[c.file]...)
}

// find is the field of a path in any case; nil: there is none.
func (c collection) find(path string) *field {
	all := c.all()
	i := slices.IndexFunc(all, func(f field) bool { return strings.EqualFold(f.path(), path) || strings.EqualFold(f.name, path) })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// source is the file that a collection's records are rows of.
func (c collection) source() file {
	return files[slices.IndexFunc(files, func(f file) bool { return f.name == c.file })]
}

// belongs says which records of a collection belong to a record of another, in SQL; $5 is that one's id.
func belongs(to, part string) string {
	enrolled := func(of, by, where string) string {
		return `"sourcedId" in (select "` + of + `" from ` + collections["enrollments"].source().table() +
			` where status = 'active' and "` + by + `" = $5` + where + `)`
	}
	switch to + " " + part {
	case "courses classes":
		return `"courseSourcedId" = $5`
	case "terms classes":
		return `$5 = any(string_to_array("termSourcedIds", ','))`
	case "terms gradingPeriods":
		return `"parentSourcedId" = $5`
	case "users classes":
		return enrolled("classSourcedId", "userSourcedId", "")
	case "students classes":
		return enrolled("classSourcedId", "userSourcedId", ` and role = 'student'`)
	case "teachers classes":
		return enrolled("classSourcedId", "userSourcedId", ` and role = 'teacher'`)
	case "classes students":
		return enrolled("userSourcedId", "classSourcedId", ` and role = 'student'`)
	case "classes teachers":
		return enrolled("userSourcedId", "classSourcedId", ` and role = 'teacher'`)
	case "classes enrollments":
		return `"classSourcedId" = $5`
	}
	return `$5::text is not null` // of the school: all are its own
}
