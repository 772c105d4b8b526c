// Package delivery takes queued messages out of the schools' tables and hands them to
// the providers of push, SMS and e-mail: at least once, few at a time, later when a
// provider fails. The texts and the recipients are decided by the modules.
package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Channel is a way to send messages.
type Channel string

// The channels.
const (
	Push     Channel = "PUSH"
	SMS      Channel = "SMS"
	Email    Channel = "EMAIL"
	WhatsApp Channel = "WHATSAPP"
)

// Channels are all of them.
var Channels = []Channel{Push, SMS, Email, WhatsApp}

// Message is one message to one address. Its id is stable: a message that is sent twice, since
// the first result was lost, has the same id.
type Message struct {
	ID        uuid.UUID
	SchoolID  uuid.UUID // zero for the platform's own
	School    string    // the school's name
	Locale    string    // the recipient's language, or the school's locale
	Channel   Channel
	To        string // a topic or user_{id}, a phone, an e-mail address
	Type      string // of the notice
	Title     string
	Body      string
	RecordID  *uuid.UUID
	StudentID *uuid.UUID
	Badge     int // 0: not known
	// CollapseID is the same in all pushes of one notice, of which a phone shows one.
	CollapseID *uuid.UUID
	Urgent     bool        // it went through quiet hours
	suppressed string      // why nothing is sent to this address; empty: it may be
	Topics     []string    // of Unsubscribe: which the device is to leave
	web        *webMessage // of WebPush
	toBrowsers bool        // it waits for browsers: no phone could show it
	Attempts   int
	// Wait is after how long unread the next way is tried; zero: it is not.
	Wait time.Duration
	// UserID is whom it is to, and Keys are the lines of their log that it tells; a topic's has none.
	UserID *uuid.UUID
	Keys   []string
	Paper  *Paper // goes with it; nil: none
	// Ruled: a rule of the school chose this way, and it may have another.
	Ruled     bool
	CreatedAt time.Time
	DueAt     time.Time // when it was first to be sent; of a school's
	ExpiresAt time.Time // zero: it does not
}

// Paper is a document that goes with a message: a PDF.
type Paper struct {
	Name string // as receipt-17.pdf
	Body []byte
}

// PaperDriver is a driver by which papers go with some messages.
type PaperDriver interface {
	TakesPaper(m Message) bool
}

// Driver calls one provider. It returns the provider's own id of the message. Any error that
// is no Fault means that the provider fails.
type Driver interface {
	Send(ctx context.Context, m Message) (providerID string, err error)
}

// Fault is why a provider did not accept a message.
type Fault struct {
	// Permanent: the provider works and will never accept this message. Else the provider
	// fails, and all its messages wait.
	Permanent  bool
	RetryAfter time.Duration // as the provider requested; 0 if it did not
	// OneAddress: not the provider fails but the receiver at this address; the other messages do not wait.
	OneAddress bool
	// Suppress: nothing is to be sent to this address any more, since its owner wants nothing (Stopped) or it does not
	// exist (Bounced). Empty: it is about this message alone.
	Suppress string
	Err      error
}

func (f *Fault) Error() string { return f.Err.Error() }
func (f *Fault) Unwrap() error { return f.Err }

// Refused is a message that the provider will never accept.
func Refused(format string, args ...any) error {
	return &Fault{Permanent: true, Err: fmt.Errorf(format, args...)}
}

// Unavailable is a provider that accepts nothing at present.
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

// ErrNoProvider is a channel without a configured provider.
var ErrNoProvider = errors.New("no provider is configured for this channel")
