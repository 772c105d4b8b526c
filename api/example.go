package api

import (
	"strings"

	"github.com/google/uuid"
)

// Example is a record of a module. The contract tests make it at one school and ask for it
// from another, with every row whose path names such a record.
type Example struct {
	Path   string // of its rows, up to the id: /school-admin/class/:id
	Table  string // that the record is in
	Make   func(Maker) uuid.UUID
	Change map[string]any // a body that its rows accept
}

// Maker makes example records as an administrator of a school.
type Maker interface {
	// Create makes a record with a POST and returns its id.
	Create(path string, data map[string]any) uuid.UUID
	// Call calls a row and reads the data of its answer.
	Call(method, path string, data map[string]any, into any)
	// Exec runs SQL at the school, for a record that no call makes by itself.
	Exec(sql string, args ...any)
	// Example makes the example record of a path, of any module.
	Example(path string) uuid.UUID
	Phone() string // that nobody has
	UserID() uuid.UUID
	Teacher() uuid.UUID // the account of a teacher
	Today() Date
}

// Created makes a record by one call.
func Created(path string, data map[string]any) func(Maker) uuid.UUID {
	return func(m Maker) uuid.UUID { return m.Create(path, data) }
}

// recordPath is the part of a row's path up to the first id, which an Example has; empty: it
// names no record of a school.
func (r *Row) recordPath() string {
	at := strings.Index(r.Path, ":")
	if r.Kind() != KindSchool || r.Module == "" || at < 0 || r.Form != nil {
		return ""
	}
	return r.Path[:at] + ":id"
}
