// Package oneroster exchanges a school's roster with other programs in the forms of the standard OneRoster 1.2 (1EdTech): a bundle of
// CSV files, out and in, and the rostering service by REST, which only reads. It reads the tables of the roster and keeps nothing.
package oneroster

import (
	"context"
	"time"

	"homeroom/api"
)

// Tokens gives API keys tokens of OAuth 2.
type Tokens interface {
	KeyToken(ctx context.Context, client, key string, scopes []string) (string, error)
}

// Module serves the rosters of schools.
type Module struct {
	Tokens    Tokens
	TokenLife time.Duration
}

// Describe is everything about the module. Its rows go by the roster's permissions.
func (m *Module) Describe() api.Module {
	return api.Module{Name: "oneroster", Folder: "modules/oneroster", Rows: m.routes(), Personal: api.NoTables}
}

// routes are the endpoints. The standard's paths are few forms: the names of its collections are in the path.
func (m *Module) routes() []api.Row {
	anyOf := api.OrReads("employee", "class", "division", "subject", "academic-year")
	standard := func(r *api.Row) {
		api.InForm(rosterForm)(r)
		api.Scoped(scopes...)(r)
		anyOf(r)
		api.MayFail(api.Coded(400, invalidSelection, "fields: x is no field here"))(r)
	}
	filter := api.MayFail(api.Coded(400, invalidFilter, "filter: x is no field here"))
	return api.Rows(
		api.Get("/school-admin/oneroster/export", "student", "The school's roster as a bundle of CSV files by OneRoster 1.2", export,
			api.Gives("application/zip"), api.SometimesFresh("A person, not an API key,"), api.MayFail(errNoYear)),

		api.Open("POST", "/ims/oneroster/token", "A token of OneRoster's scopes for an API key, by OAuth 2 client credentials", api.Write,
			m.makeToken, api.InForm(tokenForm), api.MayFail(errGrant, errScope, errClient)),
		api.Get(base+"/:collection", "student",
			"OneRoster 1.2: a list of academicSessions, terms, gradingPeriods, orgs, schools, courses, classes, users, students, "+
				"teachers, enrollments or demographics", list, standard, filter),
		api.Get(base+"/:collection/:sourcedId", "student", "OneRoster 1.2: one record of such a list", get, standard),
		api.Get(base+"/:collection/:sourcedId/:part", "student",
			"OneRoster 1.2: what belongs to a record: classes of a course, term, user, student or teacher; students and teachers of a "+
				"class; gradingPeriods of a term; classes, courses, enrollments, students, teachers and terms of a school",
			listPart, standard, filter),
		api.Get(base+"/:collection/:sourcedId/:part/:classSourcedId/:of", "student",
			"OneRoster 1.2: enrollments, students or teachers of one of the classes of one of the schools", listOfClass, standard, filter),
	)
}
