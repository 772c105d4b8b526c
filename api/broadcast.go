package api

import "github.com/google/uuid"

// Broadcast is a notice to many at once. Who they are is said in SQL, so that five
// thousand lines of the log are one statement and never pass through the program.
type Broadcast struct {
	Type     NoticeType
	Key      string // the same key is told once to each
	RecordID uuid.UUID
	Title    string
	Body     string
	Teaser   string // what a locked screen may show

	// Recipients selects user_id, each once. Topics selects recipient: the push topics
	// that reach them. Both may use Args as $1, $2 …
	Recipients string
	Topics     string
	Args       []any
}
