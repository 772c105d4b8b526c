package auth

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"homeroom/api"
)

const (
	// keyTokenPrefix begins the token that a program gets for an API key (OAuth 2 client credentials). It stands for the key: what
	// the key may do and how often is the token's too, and it ends with the key.
	keyTokenPrefix = "hrt_"
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

// KeyToken makes a token of these scopes for an API key, of which client is the id.
func (a *Auth) KeyToken(ctx context.Context, client, key string, scopes []string) (string, error) {
	if !strings.HasPrefix(key, keyPrefix) {
		return "", errKey
	}
	user, err := a.authenticateKey(ctx, key)
	if err != nil {
		return "", err
	}
	if id, err := uuid.Parse(client); err != nil || id != user.ID {
		return "", errKey
	}
	text, err := a.Tokens.sign(keyClaims{SchoolID: user.SchoolID.String(), Type: keyTokenType, Scope: strings.Join(scopes, " "),
		RegisteredClaims: a.Tokens.registered(user.ID, KeyTokenLife)})
	return keyTokenPrefix + text, err
}

var errKeyToken = api.Unauthorized("The token is invalid or has expired")

// authenticateKeyToken is Authenticate for a token of an API key, which is looked at as if it had come itself.
func (a *Auth) authenticateKeyToken(ctx context.Context, text string) (api.User, error) {
	var c keyClaims
	err := a.Tokens.read(strings.TrimPrefix(text, keyTokenPrefix), &c)
	if err == nil && c.Type != keyTokenType {
		err = errors.New("not a token of an API key")
	}
	if err == nil {
		err = a.Tokens.notFromTheFuture(c.IssuedAt)
	}
	if err != nil {
		return api.User{}, errKeyToken.Because(err)
	}
	id, err := uuid.Parse(c.Subject)
	if err != nil {
		return api.User{}, errKeyToken.Because(err)
	}
	school, err := uuid.Parse(c.SchoolID)
	if err != nil {
		return api.User{}, errKeyToken.Because(err)
	}
	user, err := a.keyUser(ctx, school, id, nil)
	if err != nil {
		return api.User{}, err
	}
	key := *user.Key
	key.Scopes = strings.Fields(c.Scope)
	user.Key = &key
	return user, nil
}
