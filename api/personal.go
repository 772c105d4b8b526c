package api

import "time"

// PersonalTable says what one table keeps of people. A module declares all its tables
// beside its routes; the export of somebody's data and its erasure are built from these
// declarations alone, and a test compares them with the database's catalog: a column that
// points to a person, or that may hold text, is in one of the fields below.
//
// Columns are separated by spaces. Conditions and values are SQL about the row x, with
// @ids (of the person and their account), @records (as texts: the ids of the rows that are
// theirs, and of the files these name), @addresses (phone and e-mail), @now, @by (who erases), @first, @last
// and @name (what the person is called from then on), @number, @search; in the platform's
// schema only @ids, @addresses and @school.
type PersonalTable struct {
	Table    string
	Platform bool   // in the platform's schema; else in every school's
	School   string // of a platform's table: the column with the school's id; only its rows are looked at
	Section  string // the part of an export that has the rows; empty for a table that holds nobody's

	// Whose a row is. Their rows are exported and erased.
	Of    string // columns with the id of the person or their account
	To    string // columns with the phone or e-mail a row was sent to
	Where string // a condition, for rows that are found through another table
	NoID  bool   // the table has no column id

	Part string // columns with the id of somebody who has a part in the row: exported, and it stays
	By   string // columns with the account of who wrote it: it stays, since the account has no name any more

	// What becomes of it.
	Gone    bool              // their rows are deleted
	Mention string            // columns which name somebody: those rows are deleted too
	Unless  string            // a condition that keeps a row which would be deleted
	Set     map[string]string // what columns of their rows become
	Free    string            // text that people write: emptied in their rows, and their name taken out of all others
	About   map[string]string // jsonb about several people: emptied of them but for these keys; "*": only their name is taken out
	Contact string            // own addresses, which may be those of others too
	Phone   string            // columns with the phone of somebody else: emptied where it is theirs
	Files   string            // columns that name a file which goes with the row
	Bytes   string            // columns that name stored bytes which go with the row
	Sealed  bool              // nobody can change its rows: erase_sealed_rows does it, in the database

	Own    string // other columns of theirs, which go or stay with the row
	Hidden string // columns that an export leaves out: secrets, and what follows from others

	Nothing Reasons // columns that hold nothing personal
}

// Reasons say why columns hold nothing personal: reason → columns.
type Reasons map[string]string

// Common reasons.
const (
	FixedText = "one of a fixed list, or made by the program"
	NameOf    = "the name or number of a thing of the school"
	OwnText   = "what the school says of itself"
	Operator  = "of the platform's operators, who are nobody's students or employees"
)

// Own is what the kernel itself keeps at a school: facts to be told, and answers for callers
// who ask again.
func Own() Module {
	return Module{
		Name: "api", Folder: "api",
		Personal:  ownTables(),
		Scheduled: []Scheduled{{Name: "clear-schools", Every: 24 * time.Hour, School: clearKept}},
	}
}

func ownTables() []PersonalTable {
	return []PersonalTable{
		{Table: "outbox", About: map[string]string{"payload": "*"}, Free: "last_error", Nothing: Reasons{FixedText: "kind"}},
		{Table: "idempotency", Of: "actor_id", NoID: true, Gone: true, Mention: "answer key",
			Nothing: Reasons{FixedText: "row_name", "a hash": "body_hash"}},
		{Table: "list_copy", Of: "user_id", Gone: true, Hidden: "records", Nothing: Reasons{"a hash": "list"}},
	}
}
