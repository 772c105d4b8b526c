package library

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Table: "book", By: "created_by updated_by",
			Nothing: api.Reasons{"what is printed in a book": "title author isbn publisher category search_text match_key"}},
		{Table: "book_copy", By: "created_by updated_by",
			Nothing: api.Reasons{api.NameOf: "accession_number barcode shelf", api.FixedText: "state"}},
		{Table: "library_loan", Section: "libraryLoans", Of: "student_id employee_id", By: "created_by updated_by",
			Nothing: api.Reasons{api.FixedText: "outcome"}},
		{Table: "library_reservation", Section: "libraryReservations", Of: "student_id employee_id", By: "created_by updated_by",
			Nothing: api.Reasons{api.FixedText: "status"}},
	}
}
