package events

import (
	"math/rand/v2"
	"strings"
	"time"
)

const (
	firstRetry = time.Second
	lastRetry  = 5 * time.Minute
	errorText  = 1000 // bytes of an error the outbox keeps
)

// retryIn is how long a fact rests after its nth failure: doubling, capped, and a
// fifth more or less so that facts which failed together do not return together.
func retryIn(failures int) time.Duration {
	d := lastRetry
	if shift := failures - 1; shift < 9 {
		d = min(firstRetry<<max(shift, 0), lastRetry)
	}
	return d*4/5 + rand.N(d*2/5)
}

// storable makes any error text fit for a Postgres text column, which refuses NUL
// and broken UTF-8: a fact must not become stuck over its own error message.
func storable(err error) string {
	s := err.Error()
	if len(s) > errorText {
		s = s[:errorText]
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "?"), "\x00", "?")
}
