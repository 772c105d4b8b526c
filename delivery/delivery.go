// Package delivery takes queued messages out of the schools' tables and hands them to
// the providers of push, SMS and e-mail: at least once, few at a time, later when a
// provider is in trouble. What people are told, and who, is not decided here.
package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Channel is a way to reach people.
type Channel string

// The channels there are.
const (
	Push  Channel = "PUSH"
	SMS   Channel = "SMS"
	Email Channel = "EMAIL"
)

// Channels are all of them.
var Channels = []Channel{Push, SMS, Email}

// Permanent is one message to one address. Its id is stable: a message that is sent
// twice, since nobody could know that it was sent, has it twice.
type Message struct {
	ID        uuid.UUID
	SchoolID  uuid.UUID // zero for the platform's own
	School    string    // what the school is called
	Locale    string
	Channel   Channel
	To        string // a topic or user_{id}, a phone, an e-mail address
	Type      string // what a notice is about
	Title     string
	Body      string
	RecordID  *uuid.UUID
	StudentID *uuid.UUID
	Badge     int // 0: not known
	// CollapseID is the same in all pushes of one notice, of which a phone shows one.
	CollapseID *uuid.UUID
	Topics     []string // of Unsubscribe: which the device is to leave
	Attempts   int
	CreatedAt  time.Time
	ExpiresAt  time.Time // zero: it does not
}

// Driver speaks to one provider. It returns the provider's own id of the message.
// Any error that is no Fault means that the provider is in trouble.
type Driver interface {
	Send(ctx context.Context, m Message) (providerID string, err error)
}

// Fault is why a message was not taken.
type Fault struct {
	// Permanent: the provider is well and will never take this one. Else the provider is
	// in trouble, and all its messages wait.
	Permanent  bool
	RetryAfter time.Duration // what the provider asked for, if it did
	Err        error
}

func (f *Fault) Error() string { return f.Err.Error() }
func (f *Fault) Unwrap() error { return f.Err }

// Refused is a message that no provider will ever take.
func Refused(format string, args ...any) error {
	return &Fault{Permanent: true, Err: fmt.Errorf(format, args...)}
}

// Unavailable is a provider that cannot take anything at present.
func Unavailable(after time.Duration, format string, args ...any) error {
	return &Fault{RetryAfter: after, Err: fmt.Errorf(format, args...)}
}

// faultOf is the error as a Fault.
func faultOf(err error) *Fault {
	var f *Fault
	if errors.As(err, &f) {
		return f
	}
	return &Fault{Err: err}
}

// ErrNoProvider is a channel nobody has configured.
var ErrNoProvider = errors.New("no provider is configured for this channel")
