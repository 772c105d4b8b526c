package service_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/testkit"
)

// exampleMaker makes the modules' example records at a school, as one of its administrators.
type exampleMaker struct {
	t      testing.TB
	school *testkit.School
	admin  *testkit.Client
	last   stamped // what the last POST answered

	lastPath string // and which it was
}

// stamped is the part of an answer that says which record it is, and since when as it is.
type stamped struct {
	ID        uuid.UUID
	UpdatedAt string
}

func newMaker(t testing.TB, s *testkit.School) *exampleMaker {
	t.Helper()
	return &exampleMaker{t: t, school: s, admin: s.As(t, api.SchoolAdmin)}
}

// create makes a record with a POST of one of the school's administrators.
func create(t testing.TB, admin *testkit.Client, path string, data map[string]any) uuid.UUID {
	t.Helper()
	return testkit.Post[struct{ ID uuid.UUID }](t, admin, path, data).ID
}

func (m *exampleMaker) Create(path string, data map[string]any) uuid.UUID {
	m.t.Helper()
	m.last, m.lastPath = testkit.Post[stamped](m.t, m.admin, path, data), path
	return m.last.ID
}

func (m *exampleMaker) Call(method, path string, data map[string]any, into any) {
	m.t.Helper()
	var body any // nil sends none
	if data != nil {
		body = data
	}
	a := m.admin.Call(m.t, method, path, body)
	if a.Status >= 300 {
		m.t.Fatalf("%s %s: %d %s", method, path, a.Status, a.Body)
	}
	a.Read(m.t, into)
}

func (m *exampleMaker) Exec(sql string, args ...any) {
	m.t.Helper()
	if err := m.school.DB(m.t).Exec(sql, args...).Error; err != nil {
		m.t.Fatalf("%s: %v", sql, err)
	}
}

func (m *exampleMaker) Example(path string) uuid.UUID {
	m.t.Helper()
	e, ok := exampleOf(m.school.App, path)
	if !ok {
		m.t.Fatalf("no module has an example of %s", path)
	}
	return e.Make(m)
}

func (m *exampleMaker) Phone() string     { return testkit.NewPhone() }
func (m *exampleMaker) UserID() uuid.UUID { return m.admin.UserID }
func (m *exampleMaker) Teacher() uuid.UUID {
	m.t.Helper()
	return m.school.As(m.t, api.Teacher).UserID
}
func (m *exampleMaker) Today() api.Date { return today(m.school) }

// exampleOf finds the example of a path among the instance's modules.
func exampleOf(app *testkit.App, path string) (api.Example, bool) {
	for _, m := range app.Service.Kernel.Modules {
		for _, e := range m.Examples {
			if e.Path == path {
				return e, true
			}
		}
	}
	return api.Example{}, false
}

// today is the day it is at a school.
func today(s *testkit.School) api.Date { return api.DateOf(time.Now().In(s.Location())) }
