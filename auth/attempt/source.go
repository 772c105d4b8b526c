package attempt

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/auth/hashing"
)

// Source is where an attempt to sign in comes from. Attempts are counted by it: a device that has
// signed in with the contact before has counters of its own, which no stranger can use up.
type Source struct {
	key   string // of its counters
	known bool
}

// DeviceLife is how long a browser keeps its device token.
const DeviceLife = 400 * 24 * time.Hour

// deviceID is the random part of a device token.
type deviceID [16]byte

// SourceOf returns the source of an attempt for a contact, a phone or an e-mail. A signed-in
// caller counts as their account, in any session; a token that is invalid or for another
// contact is ignored.
func (k *Counters) SourceOf(c api.OpenCtx, contact string) Source {
	if c.User.AccountID != uuid.Nil {
		return Source{key: "account " + c.User.AccountID.String(), known: true}
	}
	if id, ok := k.deviceOf(sentDevice(c, contact), contact); ok {
		return Source{key: "device " + hex.EncodeToString(id[:]), known: true}
	}
	return Source{key: "address " + api.AddressKey(c.IP)}
}

// DeviceToken is the token by which the device is known at its next sign-in. A known device
// keeps its token.
func (k *Counters) DeviceToken(c api.OpenCtx, contact string) string {
	contact = strings.ToLower(contact)
	id, ok := k.deviceOf(sentDevice(c, contact), contact)
	if !ok {
		_, _ = rand.Read(id[:]) // never fails: the runtime ends the program instead
	}
	return base64.RawURLEncoding.EncodeToString(append(id[:], k.deviceMAC(id, contact)...))
}

// sentDevice is the token a call came with: an app's header, or a browser's cookie.
func sentDevice(c api.OpenCtx, contact string) string {
	if c.DeviceToken != "" {
		return c.DeviceToken
	}
	return c.Cookie(DeviceCookie(contact))
}

// deviceOf reads a token that was made for the contact.
func (k *Counters) deviceOf(token, contact string) (id deviceID, ok bool) {
	if len(token) != base64.RawURLEncoding.EncodedLen(len(id)+sha256.Size) {
		return id, false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil {
		return id, false
	}
	var sent deviceID
	copy(sent[:], raw)
	if !hmac.Equal(raw[len(sent):], k.deviceMAC(sent, contact)) {
		return id, false
	}
	return sent, true
}

func (k *Counters) deviceMAC(id deviceID, contact string) []byte {
	return hashing.Keyed(k.secret, "device "+hex.EncodeToString(id[:])+" "+contact)
}

// DeviceCookie is the name of the cookie of one e-mail: several clerks may share a browser.
func DeviceCookie(contact string) string {
	sum := sha256.Sum256([]byte("device cookie " + contact))
	return "homeroom_device_" + hex.EncodeToString(sum[:6])
}
