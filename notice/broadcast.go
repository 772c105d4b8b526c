package notice

import (
	"time"

	"github.com/google/uuid"
)

// Broadcast is a notice to many. The recipients are selected in SQL, so that five thousand
// entries of the log are one statement and never pass through the program.
type Broadcast struct {
	Type     Type
	Key      string // a second broadcast with the same key writes nothing anew
	RecordID uuid.UUID
	Title    string
	Body     string
	Teaser   Text // the phrase for a locked screen, in each recipient's language
	Urgent   bool // as of a Notice
	Until    *time.Time
	Silent   bool // as of a Notice

	// Recipients selects user_id, each once. Topics selects recipient: the push topics
	// that reach them. Both may name values of Args, as @today.
	Recipients string
	Topics     string
	Args       map[string]any
}
