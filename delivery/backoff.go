package delivery

import (
	"math/rand/v2"
	"strings"
	"time"
)

const (
	// lease is how long a message that is being sent is nobody else's: longer than a
	// batch can take, shorter than people notice.
	lease = time.Minute
	// sendTime is what a provider may take over one message.
	sendTime = 10 * time.Second
	// batchSize bounds what a worker claims at once: all of it, sent slowly, is done
	// within the lease.
	batchSize = 4
	// grace is how soon another instance looks whether what was queued was sent.
	grace = 5 * time.Second

	firstRetry = 5 * time.Second
	lastRetry  = 10 * time.Minute
	firstRest  = time.Second
	lastRest   = time.Minute
	// maxAge is how old a message may become that no provider took.
	maxAge = 24 * time.Hour

	errorText = 500
)

// backoff grows from first to last with each failure, a fifth more or less so that
// what failed together does not return together.
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
