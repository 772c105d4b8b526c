package factor

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"strings"

	"github.com/google/uuid"
)

// RecoveryCodes is how many an account is given at a time.
const RecoveryCodes = 10

// recoveryBytes make 80 bits: too many to try, so that a plain hash keeps them and
// another HOMEROOM_SECRET leaves them good.
const recoveryBytes = 10

// letters leave out those that are mistaken for others (Crockford's base 32).
var letters = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// NewRecoveryCodes makes a set, as it is shown.
func NewRecoveryCodes() []string {
	codes := make([]string, RecoveryCodes)
	for i := range codes {
		secret := make([]byte, recoveryBytes)
		_, _ = rand.Read(secret) // never fails: the runtime ends the program instead
		text := letters.EncodeToString(secret)
		codes[i] = text[:4] + "-" + text[4:8] + "-" + text[8:12] + "-" + text[12:]
	}
	return codes
}

// misread are letters that people read for others.
var misread = strings.NewReplacer("-", "", " ", "", "o", "0", "i", "1", "l", "1")

// RecoveryHash is how a code is kept, however it was typed.
func RecoveryHash(account uuid.UUID, code string) []byte {
	sum := sha256.Sum256(append(account[:], misread.Replace(strings.ToLower(code))...))
	return sum[:]
}
