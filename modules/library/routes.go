// Package library keeps a school's books: which copies there are, who has which until
// when, who waits for one, and what a late or lost copy costs. Whether a copy is on the
// shelf follows from its loans and holds; everything that changes them holds the lock of
// the book, so that of two clerks one is first.
package library

import (
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

// Posting is what a student is asked to pay. It has no name of its own: what keeps the
// ledger says the same fields.
type Posting = struct {
	StudentID uuid.UUID
	Income    string
	Amount    int64
	DueDate   api.Date
	Name      string
	Narration string
	Key       string
}

// Ledger is where fines and lost copies are charged, in the caller's transaction, once
// for a key.
type Ledger interface {
	Post(api.Ctx, Posting) (uuid.UUID, error)
}

// Module serves the library.
type Module struct{ Ledger Ledger }

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name:        "library",
		Permissions: []api.Permission{{Key: "library", Title: "Library", Teacher: "r", Parent: "r"}},
		Rows:        m.routes(),
		Constraints: constraints(),
		Personal:    personal(),
		Examples:    examples(),
		Names: map[string]string{
			"bookId": `select id, title from book`,
			"copy":   `select c.id, b.title || ', ' || c.accession_number from book_copy c join book b on b.id = c.book_id`,
			"loan": `select l.id, b.title || ', ' || c.accession_number from library_loan l join book_copy c on c.id = l.copy_id
				join book b on b.id = c.book_id`,
		},
		Scheduled: []api.Scheduled{{Name: "library-holds", Every: time.Hour, AtNight: true, School: endHoldsAt}},
	}
}

// routes are the endpoints of the library.
func (m *Module) routes() []api.Row {
	return api.Rows(
		api.Create("/school-admin/library/book/create", "library", "Add a book", createBook, api.Says("Book created")),
		api.List("/school-admin/library/book/list", "library", "List the books, or search title, author and ISBN", bookListing, listBooks,
			api.MayBeStale),
		bookFiles().Rows(),
		api.Get("/school-admin/library/book/:id", "library", "Read a book", getBook),
		api.Put("/school-admin/library/book/:id", "library", "Change a book", updateBook, api.Versioned),
		api.Remove("/school-admin/library/book/:id", "library", "Delete a book that has no copies", deleteBook),

		api.Create("/school-admin/library/copy/create", "library", "Add a copy of a book", createCopy, api.Says("Copy created")),
		api.List("/school-admin/library/copy/list", "library", "List the copies", copyListing, listCopies, api.MayBeStale),
		api.Get("/school-admin/library/copy/lookup", "library", "The copy with a barcode or accession number, and who has it", lookUp),
		api.Get("/school-admin/library/copy/:id", "library", "Read a copy", getCopy),
		api.Put("/school-admin/library/copy/:id", "library", "Change a copy; lost ones that are found become GOOD", updateCopy, api.Versioned),
		api.Remove("/school-admin/library/copy/:id", "library", "Delete a copy that was never lent", deleteCopy),

		api.Create("/school-admin/library/loan/issue", "library", "Lend a copy to a student or an employee", issue,
			api.Says("Issued")),
		api.Post("/school-admin/library/loan/return", "library", "Take a copy back; a late one is fined", m.takeBack,
			api.Says("Returned")),
		api.Post("/school-admin/library/loan/renew", "library", "Lend for another term, unless somebody waits", renew,
			api.Says("Renewed")),
		api.Post("/school-admin/library/loan/lost", "library", "Write off a copy its borrower lost, and charge it", m.lose,
			api.Says("Marked as lost")),
		api.List("/school-admin/library/loan/list", "library", "List the loans", loanListing, listLoans, api.MayBeStale),

		api.Create("/school-admin/library/reservation/create", "library", "Queue a borrower for a book", reserve,
			api.Says("Reserved")),
		api.List("/school-admin/library/reservation/list", "library", "List the reservations", reservationListing, listReservations),
		api.Post("/school-admin/library/reservation/cancel", "library", "Take a borrower off the queue", cancelReservation,
			api.Says("Reservation cancelled")),

		api.List("/school-admin/library/overdue", "library", "List what should be back", overdueListing, listOverdue, api.MayBeStale),
		api.Post("/school-admin/library/overdue/notice", "library", "Tell those who are late, at most once a day; a dry run says how many",
			remind, api.NoBodyNeeded, api.Says("Notices sent")),

		api.List("/teacher/library/search", "library", "Search the books", bookListing, listBooks, api.MayBeStale),
		api.List("/parent/library/loan/list", "library", "What my children have borrowed, now and before", childLoanListing, childLoans,
			api.MayBeStale),
	)
}

// constraints are the database's refusals in people's words.
func constraints() []api.Constraint {
	return []api.Constraint{
		{Name: "book_isbn_key", Field: "isbn", Message: "A book has this ISBN"},
		{Name: "book_copy_book_fkey", Field: "bookId", Message: "bookId does not exist"},
		{Name: "book_copy_accession_key", Field: "accessionNumber", Message: "A copy has this accession number"},
		{Name: "book_copy_barcode_key", Field: "barcode", Message: "A copy has this barcode"},
		{Name: "library_loan_open_key", Message: "This copy is issued already"},
		{Name: "library_reservation_once_key", Message: "The borrower waits for this book already"},
		{Name: "library_reservation_hold_key", Message: "This copy is held for another borrower"},
	}
}
