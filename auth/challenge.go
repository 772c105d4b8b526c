package auth

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"homeroom/api"
	"homeroom/auth/attempt"
	"homeroom/auth/directory"
)

// challengeLife is how long a sign-in waits for its second factor: long enough to install
// an authenticator app.
const challengeLife = 10 * time.Minute

// challenge is a sign-in that waits for its second factor. It opens nothing by itself: it
// takes a second factor, or the enrolment of the first one, and is used once.
type challenge struct {
	Account uuid.UUID `json:"account"`
	Method  string    `json:"method"` // what was proved, see proof
	Phone   string    `json:"phone"`
	By      string    `json:"by"`
	At      time.Time `json:"at"`
	Epoch   int       `json:"epoch"` // of the account, as it was before the password or code was checked
	Enrol   bool      `json:"enrol"` // the account has no factor: enrolment is all it allows
}

var (
	errChallenge    = api.Coded(400, "SECOND_FACTOR_EXPIRED", "This sign-in has waited too long or is over, sign in again")
	errFactorWrong  = api.Coded(400, "SECOND_FACTOR_INVALID", "The code is wrong or was used before")
	errNotEnrolling = api.Denied("This sign-in needs a second factor, not a new one")
	errMustEnrol    = api.Denied("This account has no second factor yet: enrol one")
)

func challengeKey(token string) string {
	return "homeroom:challenge:" + hex.EncodeToString(digest(token))
}

func (a *Auth) newChallenge(ctx context.Context, ch challenge) (string, error) {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails: the runtime ends the program instead
	token := base64.RawURLEncoding.EncodeToString(secret)
	return token, a.store(ctx, challengeKey(token), ch)
}

// readChallenge finds the account a challenge is for.
func (a *Auth) readChallenge(ctx context.Context, token string, enrol bool) (directory.Account, challenge, error) {
	var ch challenge
	if err := a.load(ctx, challengeKey(token), &ch); err != nil {
		return directory.Account{}, ch, err
	}
	switch {
	case enrol && !ch.Enrol:
		return directory.Account{}, ch, errNotEnrolling
	case !enrol && ch.Enrol:
		return directory.Account{}, ch, errMustEnrol
	}
	acc, err := a.ByID(ctx, ch.Account)
	if err == nil && (acc == nil || acc.Epoch != ch.Epoch) {
		err = errChallenge
	}
	if err != nil {
		return directory.Account{}, ch, err
	}
	return *acc, ch, nil
}

// takeChallenge uses a challenge up; only one caller succeeds.
func (a *Auth) takeChallenge(ctx context.Context, token string) error {
	ctx, cancel := context.WithTimeout(ctx, a.RedisWait)
	defer cancel()
	taken, err := a.Redis.Del(ctx, challengeKey(token)).Result()
	if err != nil {
		return attempt.ErrCannotCount.Because(err)
	}
	if taken == 0 {
		return errChallenge
	}
	return nil
}

// store keeps the state of a sign-in or an enrolment for as long as it may take.
func (a *Auth) store(ctx context.Context, key string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("keeping %T: %w", value, err)
	}
	ctx, cancel := context.WithTimeout(ctx, a.RedisWait)
	defer cancel()
	if err := a.Redis.Set(ctx, key, text, challengeLife).Err(); err != nil {
		return attempt.ErrCannotCount.Because(err)
	}
	return nil
}

// load reads what store kept; errChallenge if it is gone.
func (a *Auth) load(ctx context.Context, key string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, a.RedisWait)
	defer cancel()
	text, err := a.Redis.Get(ctx, key).Bytes()
	if errors.Is(err, redis.Nil) {
		return errChallenge
	}
	if err != nil {
		return attempt.ErrCannotCount.Because(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("reading %T: %w", into, err)
	}
	return nil
}
