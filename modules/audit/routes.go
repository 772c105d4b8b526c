// Package audit lets a school's administrators read its audit log: who changed
// what, and what it was before. The log is written by the kernel with every change, and
// nobody can change it, this package included.
package audit

import "homeroom/api"

// Module serves the audit log. Its entries name what they are about as modules do: see api.Module.Names.
type Module struct {
	names string // a query of an id and a name
}

// New is the module, with a query of the ids and names of everything.
func New(names string) *Module { return &Module{names} }

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name:     "audit",
		Rows:     m.routes(),
		Personal: personal(),
	}
}

// routes are the endpoints. They ask for the right to read permissions: the log shows
// every part of the school's data, as somebody who gives out rights could see.
func (m *Module) routes() []api.Row {
	return api.Rows(
		api.List("/school-admin/audit/list", "permission", "Who changed what, newest first, with what it was before and after",
			m.listing(), m.list),
		api.List("/school-admin/audit/actor/list", "permission", "Who has an entry in the audit log", actorListing, listActors),
		api.List("/school-admin/audit/kind/list", "permission", "What kinds of records the audit log has entries of", kindListing, listKinds),
	)
}
