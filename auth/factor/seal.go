package factor

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// Seal encrypts what is kept of an account's factor. It opens for that account only.
func Seal(key []byte, account uuid.UUID, text []byte) ([]byte, error) {
	aead, err := cipherOf(key)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails: the runtime ends the program instead
	return aead.Seal(nonce, nonce, text, account[:]), nil
}

// Open decrypts what Seal made.
func Open(key []byte, account uuid.UUID, sealed []byte) ([]byte, error) {
	aead, err := cipherOf(key)
	if err != nil {
		return nil, err
	}
	if len(sealed) < aead.NonceSize() {
		return nil, errors.New("a sealed factor is cut short")
	}
	text, err := aead.Open(nil, sealed[:aead.NonceSize()], sealed[aead.NonceSize():], account[:])
	if err != nil {
		return nil, fmt.Errorf("opening a sealed factor: %w", err)
	}
	return text, nil
}

func cipherOf(secret []byte) (cipher.AEAD, error) {
	key := sha256.Sum256(append([]byte("second factors of accounts "), secret...))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}
