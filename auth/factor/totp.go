// Package factor computes second factors: time-based codes (RFC 6238), recovery codes,
// passkeys, and secrets encrypted at rest. It stores nothing and counts no attempts; that is
// auth's.
package factor

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"time"
)

const (
	// step is how long a code is shown, in seconds. Authenticator apps know no other.
	step = 30
	// skew is how many steps a phone's clock may be off, either way.
	skew = 1
	// secretBytes is what RFC 4226 advises for HMAC-SHA-1.
	secretBytes = 20
)

// NewSecret makes the secret that an authenticator app shares with us.
func NewSecret() []byte {
	secret := make([]byte, secretBytes)
	_, _ = rand.Read(secret) // never fails: the runtime ends the program instead
	return secret
}

// Text is a secret as people type it into an app that cannot scan.
func Text(secret []byte) string {
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(secret)
}

// URI is a secret as authenticator apps scan it.
func URI(secret []byte, issuer, account string) string {
	label := url.PathEscape(issuer + ":" + account)
	return "otpauth://totp/" + label + "?secret=" + Text(secret) + "&issuer=" + url.QueryEscape(issuer)
}

// StepAt is the number of the time step that a moment lies in.
func StepAt(t time.Time) int64 { return t.Unix() / step }

// Code is the six digits of a time step.
func Code(secret []byte, at int64) string {
	var counter [8]byte
	binary.BigEndian.PutUint64(counter[:], uint64(at))
	mac := hmac.New(sha1.New, secret) // the RFC's own; apps ignore the others
	mac.Write(counter[:])
	sum := mac.Sum(nil)
	offset := sum[len(sum)-1] & 0x0f
	n := binary.BigEndian.Uint32(sum[offset:]) & 0x7fffffff
	return fmt.Sprintf("%06d", n%1_000_000)
}

// Match finds the step a code is of: the present one, or one before or after it.
func Match(secret []byte, code string, now time.Time) (at int64, ok bool) {
	for s := StepAt(now) - skew; s <= StepAt(now)+skew; s++ {
		if subtle.ConstantTimeCompare([]byte(Code(secret, s)), []byte(code)) == 1 {
			at, ok = s, true
		}
	}
	return at, ok
}
