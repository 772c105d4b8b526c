package attempt

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// factorAttemptScript lets the first five wrong codes through, then delays each for longer, 15
// minutes at most: a thief of the password has 96 guesses a day at a million codes.
var factorAttemptScript = redis.NewScript(`
local v = redis.call("hmget", KEYS[1], "n", "until")
local now = tonumber(ARGV[1])
if v[2] and now < tonumber(v[2]) then
	return tonumber(v[2]) - now
end
local n = redis.call("hincrby", KEYS[1], "n", 1)
if n >= 5 then
	redis.call("hset", KEYS[1], "until", now + math.min(900000, 1000 * 2 ^ (n - 5)))
end
redis.call("pexpire", KEYS[1], 86400000)
return 0`)

func factorAttemptsKey(account uuid.UUID) string { return "homeroom:factor-tries:" + account.String() }

// CountFactor counts an attempt for the account before it is checked.
func (k *Counters) CountFactor(ctx context.Context, account uuid.UUID) error {
	ctx, cancel := context.WithTimeout(ctx, k.wait)
	defer cancel()
	wait, err := factorAttemptScript.Run(ctx, k.redis, []string{factorAttemptsKey(account)}, k.now().UnixMilli()).Int64()
	if err != nil {
		return ErrCannotCount.Because(err)
	}
	if wait > 0 {
		return tooManyAttempts("Too many wrong codes, wait a moment", time.Duration(wait)*time.Millisecond)
	}
	return nil
}

// ResetFactor ends the wrong codes in a row of an account.
func (k *Counters) ResetFactor(ctx context.Context, account uuid.UUID) error {
	return k.Clear(ctx, factorAttemptsKey(account))
}
