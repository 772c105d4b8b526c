package delivery

import (
	"math/rand/v2"
	"strings"
	"time"
)

const (
	// lease is how long a message that is being sent belongs to one worker: longer than a
	// batch can take.
	lease = time.Minute
	// sendTime is how long a provider may take for one message.
	sendTime = 10 * time.Second
	// batchSize bounds the messages that a worker claims at once: even sent slowly, they are
	// done within the lease.
	batchSize = 4
	// grace is how soon another instance checks whether queued messages were sent.
	grace = 5 * time.Second

	firstRetry = 5 * time.Second
	lastRetry  = 10 * time.Minute
	firstRest  = time.Second
	lastRest   = time.Minute
	// maxAge is the age at which a message that no provider accepted is given up.
	maxAge = 24 * time.Hour

	errorText = 500
)

// backoff grows from first to last with each failure, with a jitter of a fifth so that
// messages which failed together are not retried together.
func backoff(first, last time.Duration, failures int) time.Duration {
	d := last
	if shift := failures - 1; shift < 16 {
		d = min(first<<max(shift, 0), last)
	}
	return d*4/5 + rand.N(d*2/5)
}

// storable makes any error text fit for a text column.
func storable(err error) string {
	s := err.Error()
	if len(s) > errorText {
		s = s[:errorText]
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "?"), "\x00", "?")
}
