package events

import (
	"math/rand/v2"
	"strings"
	"time"
)

const (
	firstRetry   = time.Second
	lastRetry    = 5 * time.Minute
	maxErrorText = 1000 // bytes of an error that the outbox keeps
)

// retryIn is the delay after a fact's nth failure: doubling, capped, and a fifth more
// or less so that facts which failed together are not retried together.
func retryIn(failures int) time.Duration {
	d := lastRetry
	if shift := failures - 1; shift < 9 {
		d = min(firstRetry<<max(shift, 0), lastRetry)
	}
	return d*4/5 + rand.N(d*2/5)
}

// errorText makes any error fit for a Postgres text column, which refuses NUL and
// broken UTF-8: otherwise its own error could keep a fact from being recorded.
func errorText(err error) string {
	s := err.Error()
	if len(s) > maxErrorText {
		s = s[:maxErrorText]
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "?"), "\x00", "?")
}
