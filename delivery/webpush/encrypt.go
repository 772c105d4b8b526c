// Package webpush has the two standards of web push that are cryptography: messages that only a browser can read (RFC 8291)
// and the proof of who sends them (RFC 8292, VAPID); and an HTTP client that reaches no private network. It keeps nothing.
package webpush

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

// MaxText is how long a message may be: push services take 4096 bytes, of which the header and the tag need 103.
const MaxText = 4096 - headerLength - tagLength - 1

const (
	saltLength   = 16
	authLength   = 16
	pointLength  = 65
	headerLength = saltLength + 4 + 1 + pointLength
	tagLength    = 16
	recordSize   = 4096
)

// Browser is whom a message is encrypted for: the keys of its subscription.
type Browser struct {
	P256dh []byte // its public key, an uncompressed point of P-256
	Auth   []byte // a secret that the push service does not know
}

// Check reports keys that are none.
func (b Browser) Check() error {
	if _, err := ecdh.P256().NewPublicKey(b.P256dh); err != nil || len(b.P256dh) != pointLength {
		return errors.New("p256dh is no public key")
	}
	if len(b.Auth) != authLength {
		return errors.New("auth is no secret of 16 bytes")
	}
	return nil
}

// Encrypt makes the body of a push message: content encoding aes128gcm in one record.
func Encrypt(b Browser, text []byte) ([]byte, error) {
	sender, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	salt := make([]byte, saltLength)
	_, _ = rand.Read(salt) // never fails: the runtime ends the program instead
	return encrypt(b, text, sender, salt)
}

func encrypt(b Browser, text []byte, sender *ecdh.PrivateKey, salt []byte) ([]byte, error) {
	if len(text) > MaxText {
		return nil, fmt.Errorf("the message has %d bytes, more than %d", len(text), MaxText)
	}
	receiver, err := ecdh.P256().NewPublicKey(b.P256dh)
	if err != nil {
		return nil, fmt.Errorf("reading the browser's key: %w", err)
	}
	shared, err := sender.ECDH(receiver)
	if err != nil {
		return nil, fmt.Errorf("agreeing on a key: %w", err)
	}
	from := sender.PublicKey().Bytes()
	secret, err := hkdf.Key(sha256.New, shared, b.Auth, "WebPush: info\x00"+string(b.P256dh)+string(from), 32)
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	out := append(make([]byte, 0, headerLength+len(text)+1+tagLength), salt...)
	out = binary.BigEndian.AppendUint32(out, recordSize)
	out = append(append(out, pointLength), from...)
	const lastRecord = 2
	return aead.Seal(out, nonce, append(append([]byte{}, text...), lastRecord), nil), nil
}
