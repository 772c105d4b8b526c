package library

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// examples are records for the contract tests.
func examples() []api.Example {
	book := api.Created("/school-admin/library/book/create", map[string]any{"title": "Malgudi Days"})
	bookCopy := func(m api.Maker) uuid.UUID {
		return m.Create("/school-admin/library/copy/create", map[string]any{"bookId": book(m), "accessionNumber": "L-1"})
	}
	return []api.Example{
		bookFiles().Example(),
		{Path: "/school-admin/library/book/:id", Table: "book", Make: book, Change: map[string]any{"title": "Mine"}},
		{Path: "/school-admin/library/copy/:id", Table: "book_copy", Make: bookCopy, Change: map[string]any{"accessionNumber": "Mine"}},
	}
}
