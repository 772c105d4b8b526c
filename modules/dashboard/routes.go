// Package dashboard is the school's day at a glance, in one request. It reports on what
// other modules keep: it reads their tables and writes none, so that a screen which shows
// a little of everything does not ask every module one after the other.
package dashboard

import (
	"homeroom/api"
	"homeroom/tenancy"
)

// Buses knows which are on the road. It gives the query that finds out, to be asked with
// the dashboard's own, and what it found afterwards.
type Buses interface {
	Out(c api.Ctx) (tenancy.Query, func() []BusOut)
}

// Lessons knows how many of the staff are away on a day, and how many lessons have no teacher.
type Lessons interface {
	Uncovered(c api.Ctx, day api.Date) (away, lessons int, err error)
}

// Module serves the dashboard, and caches each school's for some seconds.
type Module struct {
	Buses   Buses
	Lessons Lessons
	// Anew counts for every request and caches nothing.
	Anew   bool
	cached cache
}

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	m.cached = newCache()
	return api.Module{
		Name:        "dashboard",
		Permissions: []api.Permission{{Key: "report", Title: "Reports"}},
		Rows:        m.routes(),
		Personal:    api.NoTables,
	}
}

// routes are the endpoints.
func (m *Module) routes() []api.Row {
	return api.Rows(
		api.Get("/school-admin/dashboard/summary", "report", "The school's day at a glance, some seconds old at the most", m.summary,
			api.MayBeStale),
		api.Get("/school-admin/dashboard/today", "fee", "What waits for the caller today, by what they may read", m.today,
			api.OrReads("student", "timetable", "attendance", "leave")),
		api.Get("/school-admin/dashboard/setup", "academic-year", "How far the school is from its first year to its first payment", setup,
			api.OrReads("exam", "class", "subject", "employee", "student", "timetable", "fee")),
		api.Get("/school-admin/search", "student", "Find students, employees, receipts and books, of those that the caller may read", search,
			api.OrReads("employee", "fee", "library")),
	)
}
