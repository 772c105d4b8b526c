package tokens

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
)

const (
	// KeyPrefix begins the token that a program gets for an API key (OAuth 2 client credentials). It stands for the key: what
	// the key may do and how often is the token's too, and it ends with the key.
	KeyPrefix = "hrt_"
	// KeyTokenLife is how long such a token is good for.
	KeyTokenLife = time.Hour

	keyTokenType = "key"
)

type keyClaims struct {
	SchoolID string `json:"schoolId"`
	Type     string `json:"type"`
	Scope    string `json:"scope"`
	jwt.RegisteredClaims
}

// KeyAccess are the claims of an API key's token.
type KeyAccess struct {
	KeyID    uuid.UUID
	SchoolID uuid.UUID
	Scopes   []string
}

// SignKey makes a token for an API key.
func (t *Signer) SignKey(a KeyAccess) (string, error) {
	text, err := t.sign(keyClaims{SchoolID: a.SchoolID.String(), Type: keyTokenType, Scope: strings.Join(a.Scopes, " "),
		RegisteredClaims: t.registered(a.KeyID, KeyTokenLife)})
	return KeyPrefix + text, err
}

// ReadKey verifies a token of an API key. Whether the key still is good is not in it.
func (t *Signer) ReadKey(token string) (KeyAccess, error) {
	var c keyClaims
	var a KeyAccess
	err := t.read(strings.TrimPrefix(token, KeyPrefix), &c)
	if err == nil && c.Type != keyTokenType {
		err = errors.New("not a token of an API key")
	}
	if err == nil {
		err = t.notFromTheFuture(c.IssuedAt)
	}
	if err != nil {
		return a, err
	}
	if a.KeyID, err = uuid.Parse(c.Subject); err != nil {
		return a, fmt.Errorf("sub: %w", err)
	}
	if a.SchoolID, err = uuid.Parse(c.SchoolID); err != nil {
		return a, fmt.Errorf("schoolId: %w", err)
	}
	a.Scopes = strings.Fields(c.Scope)
	return a, nil
}
