package hashing

import (
	"crypto/hmac"
	"crypto/sha256"
)

// Keyed is a text's hash under the installation's secret.
func Keyed(secret []byte, text string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
