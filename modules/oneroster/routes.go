// Package oneroster hands a school's roster to other programs in the form of the standard OneRoster 1.2 (1EdTech): a bundle of CSV
// files. It reads the tables of the roster and keeps nothing.
package oneroster

import "homeroom/api"

// Describe is everything about the module. Its row goes by the roster's permissions.
func Describe() api.Module {
	return api.Module{Name: "oneroster", Folder: "modules/oneroster", Rows: routes(), Personal: api.NoTables}
}

// routes are the endpoints.
func routes() []api.Row {
	return api.Rows(
		api.Get("/school-admin/oneroster/export", "student", "The school's roster as a bundle of CSV files by OneRoster 1.2", export,
			api.Gives("application/zip"), api.SometimesFresh("A person, not an API key,"), api.MayFail(errNoYear)),
	)
}
