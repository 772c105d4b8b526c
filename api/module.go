package api

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"homeroom/events"
)

// Module is everything about one part of a school's life. It is made in the module's own
// folder (routes.go) and listed once, in cmd/service/modules.go: routes, the catalogue of
// permissions, the texts of constraints, listeners, scheduled work, the export and erasure
// of personal data, the document and the contract tests follow from it.
type Module struct {
	Name        string
	Folder      string       // its package, where that is not modules/<Name>
	Permissions []Permission // the keys by which rights to its rows are given
	Rows        []Row        // its endpoints
	Constraints []Constraint // messages for constraints of the database
	Listen      func(*events.Bus)
	Scheduled   []Scheduled
	Personal    []PersonalTable // all its tables; NoTables says that it has none
	Examples    []Example       // a record for every path with an id
	// Names are the queries, of an id and a name, that say in files and in the audit what a field is the id of, by the
	// field's name. A key without Id is of a record that files do not name.
	Names map[string]string
	// NextYear is what it carries over into the next academic year.
	NextYear []NextYear
}

// Permission is a key by which rights are given, its name on screen, and the rights of the
// roles of a new school: any of the letters r, w and d. Administrators have all of them.
type Permission struct {
	Key, Title              string
	Teacher, Parent, Driver string
	// OpenInEvaluationMode lets teachers write while their school is evaluated.
	OpenInEvaluationMode bool
}

// Catalogue is every permission there is, in the order in which modules are listed.
type Catalogue []Permission

// Find is the place of a permission in the catalogue; -1: there is none of this key.
func (c Catalogue) Find(key string) int {
	return slices.IndexFunc(c, func(p Permission) bool { return p.Key == key })
}

// Rights are the letters of what a role may do in a new school.
func (p Permission) Rights(role RoleType) string {
	switch role {
	case SchoolAdmin:
		return "rwd"
	case Teacher:
		return p.Teacher
	case Parent:
		return p.Parent
	case Driver:
		return p.Driver
	}
	return ""
}

// Granted reports whether a role may do something in a new school.
func (p Permission) Granted(role RoleType, action Action) bool {
	return action != "" && strings.Contains(p.Rights(role), string(action)[:1])
}

// NoTables is declared as Personal by a module without tables.
var NoTables = []PersonalTable{}

// file is the path of a file in the module's folder.
func (m Module) file(name string) string { return cmp.Or(m.Folder, "modules/"+m.Name) + "/" + name }

// check refuses a module that leaves something out.
func (m Module) check(known map[string]string) error {
	file := m.file("routes.go")
	if m.Name == "" {
		return errors.New("a module has no Name: see cmd/service/modules.go")
	}
	if m.Personal == nil {
		return fmt.Errorf("module %s does not say what its tables keep of people: declare Personal (or api.NoTables) in %s", m.Name, file)
	}
	for _, p := range m.Permissions {
		if p.Key == "" || p.Title == "" {
			return fmt.Errorf("module %s has a permission without a key or a title: see %s", m.Name, file)
		}
		if other := known[p.Key]; other != "" {
			return fmt.Errorf("modules %s and %s both define the permission %q: see %s", other, m.Name, p.Key, file)
		}
		known[p.Key] = m.Name
	}
	for _, w := range m.Scheduled {
		if w.Name == "" || w.Every <= 0 || w.School == nil {
			return fmt.Errorf("module %s has scheduled work without a name, an interval or a function: see %s", m.Name, file)
		}
	}
	return nil
}

// checkExamples refuses a row whose path names a record that no module has an example of.
func checkExamples(modules []Module) error {
	known := map[string]bool{}
	for _, m := range modules {
		for _, e := range m.Examples {
			known[e.Path] = true
		}
	}
	for _, m := range modules {
		for _, r := range m.Rows {
			if prefix := r.recordPath(); prefix != "" && !known[prefix] {
				return fmt.Errorf("row %s: no module has an example of %s: add one to %s", r.Name(), prefix, m.file("example.go"))
			}
		}
	}
	return nil
}
