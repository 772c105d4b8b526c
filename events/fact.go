package events

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Fact is something that happened, in the past tense: "attendance.marked".
type Fact struct {
	Kind string
	Data any
	// DueAt is when the fact is published; zero: at once.
	DueAt time.Time
	// Silent: it was entered, by an import or as an opening balance, and what follows from it is not sent to anybody.
	Silent bool
}

// Heard is a fact as a listener gets it. ID is stable: hearing a fact twice must have
// the same effect as hearing it once.
type Heard struct {
	ID         uuid.UUID
	SchoolID   uuid.UUID
	Kind       string
	Payload    json.RawMessage
	OccurredAt time.Time
}

// Read decodes the fact's data.
func (h Heard) Read(into any) error {
	if err := json.Unmarshal(h.Payload, into); err != nil {
		return fmt.Errorf("reading %s %s: %w", h.Kind, h.ID, err)
	}
	return nil
}

// IsSilent reports whether what follows from the fact is kept in the log and not sent.
func (h Heard) IsSilent() bool {
	var of struct {
		Silent bool `json:"silent"`
	}
	return json.Unmarshal(h.Payload, &of) == nil && of.Silent
}

// InsertSQL inserts a fact into the outbox of the schema it runs in.
const InsertSQL = `insert into outbox (id, kind, payload, occurred_at, next_at) values ($1, $2, $3, $4, $5)`

// InsertArgs are the arguments of InsertSQL for a fact.
func (f Fact) InsertArgs(now time.Time) ([]any, error) {
	payload, err := json.Marshal(f.Data)
	if err != nil {
		return nil, fmt.Errorf("writing fact %s: %w", f.Kind, err)
	}
	if f.Silent {
		if payload, err = markSilent(payload); err != nil {
			return nil, fmt.Errorf("writing fact %s: %w", f.Kind, err)
		}
	}
	due := f.DueAt
	if due.Before(now) {
		due = now
	}
	return []any{uuid.Must(uuid.NewV7()), f.Kind, string(payload), now, due}, nil
}

// markSilent adds to a fact's data that it is silent. Data that is no object stays as it is: nobody reads notices out of it.
func markSilent(payload []byte) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(payload, &fields); err != nil || fields == nil {
		return payload, nil
	}
	fields["silent"] = json.RawMessage("true")
	return json.Marshal(fields)
}
