package api

import (
	"github.com/google/uuid"

	"homeroom/events"
)

// RecordsChanged is the fact that records were made, changed or removed, as the audit log has it. It is published at schools
// that have webhooks, to which it is sent; at others nothing listens.
const RecordsChanged = "records.changed"

// Changes is its data: of one transaction, in order.
type Changes struct {
	Changes []RecordChange `json:"changes"`
}

// RecordChange names a record and what was done to it; not what is in it.
type RecordChange struct {
	Entity string    `json:"entity"`
	ID     uuid.UUID `json:"id"`
	Action string    `json:"action"`
}

// maxChanges is how many changes one fact names.
const maxChanges = 200

// noteChange remembers a change for the fact.
func (rq *request) noteChange(a audit) {
	if !rq.tellsChanges {
		return
	}
	if id, err := uuid.Parse(a.entityID); err == nil && id != uuid.Nil {
		rq.changes = append(rq.changes, RecordChange{Entity: a.entity, ID: id, Action: a.action})
	}
}

// changeFacts are the facts of the changes that were noted.
func (rq *request) changeFacts() (out []events.Fact) {
	for rest := rq.changes; len(rest) > 0; {
		n := min(len(rest), maxChanges)
		out = append(out, events.Fact{Kind: RecordsChanged, Data: Changes{rest[:n]}})
		rest = rest[n:]
	}
	return out
}
