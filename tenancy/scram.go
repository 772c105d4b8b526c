package tenancy

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
)

// scramVerifier is a password as Postgres stores it (RFC 5803). Sent instead of the
// password itself, it keeps the password out of the server's statement log.
func scramVerifier(password string) string {
	const rounds = 4096 // Postgres's own
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	salted, err := pbkdf2.Key(sha256.New, password, salt, rounds, sha256.Size)
	if err != nil {
		panic(err) // only for key lengths that are not these
	}
	sign := func(what string) []byte {
		mac := hmac.New(sha256.New, salted)
		mac.Write([]byte(what))
		return mac.Sum(nil)
	}
	stored := sha256.Sum256(sign("Client Key"))
	b64 := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", rounds, b64(salt), b64(stored[:]), b64(sign("Server Key")))
}
