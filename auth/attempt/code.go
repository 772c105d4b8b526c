package attempt

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"homeroom/api"
	"homeroom/auth/hashing"
)

const (
	otpLife = 5 * time.Minute
	// otpRemembered is how long a code is remembered, so that a late entry gets OTP_EXPIRED.
	otpRemembered = time.Hour
	// otpResend is how long a second request sends nothing: a double tap costs nothing.
	otpResend = 30 * time.Second
)

// One-time passwords are kept in Redis: not the codes but the random ids they follow from under the secret, so that a code can
// be sent again. An unknown phone is handled alike, except that nothing is sent. The phone in braces keeps a phone's keys on one
// node of a Redis Cluster.
func otpKey(phone string) string { return "homeroom:code:{" + phone + "}" }

// issueScript decides whether to send, and which code. A code that was made less than its
// life ago is sent again instead of being replaced: else a stranger who requests codes would
// make the owner's useless. A source that has used up its attempts need not wait.
var issueScript = redis.NewScript(takeLua + `
local now, life = tonumber(ARGV[1]), tonumber(ARGV[6])
local v = redis.call("hmget", KEYS[1], "id", "made", ARGV[3], ARGV[4])
local burnt = tonumber(v[4] or "0") >= tonumber(ARGV[8])
if v[3] and not burnt and now - tonumber(v[3]) < tonumber(ARGV[5]) then
	return {"recent", 0}
end
local left = take(2, 9)
if left > 0 then
	return {"often", left}
end
local id = v[1]
if not id or now - tonumber(v[2]) >= life then
	redis.call("del", KEYS[1])
	id = ARGV[2]
	redis.call("hset", KEYS[1], "id", id, "made", now)
end
redis.call("hset", KEYS[1], "at", now, ARGV[3], now, ARGV[4], 0)
redis.call("pexpire", KEYS[1], ARGV[7])
return {"send", id}`)

// IssueCode finds the code to send to a phone. It returns "" when one was just sent. client is
// the family of paths of the request: a driver's app must not keep a parent's from being sent.
func (k *Counters) IssueCode(ctx context.Context, phone, client string, from Source) (code string, err error) {
	ctx, cancel := context.WithTimeout(ctx, k.wait)
	defer cancel()
	fresh := make([]byte, 16)
	_, _ = rand.Read(fresh) // never fails: the runtime ends the program instead
	all := sentAllowances(phone, from)
	answer, err := issueScript.Run(ctx, k.redis, keysOf([]string{otpKey(phone)}, all), argsOf([]any{
		k.now().UnixMilli(), hex.EncodeToString(fresh), "asked " + client + " " + from.key, attemptsField(from),
		otpResend.Milliseconds(), otpLife.Milliseconds(), otpRemembered.Milliseconds(), otpAttempts,
	}, all)...).Slice()
	if err != nil {
		return "", ErrCannotCount.Because(err)
	}
	switch answer[0] {
	case "recent":
		return "", nil
	case "often":
		return "", tooManyAttempts("Too many codes were sent to this phone, try again later", time.Duration(answer[1].(int64))*time.Millisecond)
	}
	return k.code(phone, answer[1].(string)), nil
}

func attemptsField(from Source) string { return "tries " + from.key }

// attemptScript counts the attempt before it is checked. One that is not checked, since there is
// no code or it is too late, costs nothing.
var attemptScript = redis.NewScript(takeLua + `
local v = redis.call("hmget", KEYS[1], "at", "id")
if not v[1] then
	return {"none", 0}
end
if tonumber(ARGV[1]) - tonumber(v[1]) > tonumber(ARGV[2]) then
	return {"expired", 0}
end
if redis.call("hincrby", KEYS[1], ARGV[3], 1) > tonumber(ARGV[4]) then
	return {"burnt", 0}
end
local left = take(2, 5)
if left > 0 then
	return {"often", left}
end
return {"try", v[2]}`)

// consumeScript uses a code up; only one caller succeeds.
var consumeScript = redis.NewScript(returnLua + `
if redis.call("hget", KEYS[1], "id") ~= ARGV[1] then
	return 0
end
giveBack(2)
return redis.call("del", KEYS[1])`)

// Refusals of a code.
var (
	ErrCodeInvalid = api.Coded(400, "OTP_INVALID", "The code is wrong")
	ErrCodeExpired = api.Coded(400, "OTP_EXPIRED", "The code has expired, ask for a new one")
)

// UseCode uses a code up, or returns what is wrong with it.
func (k *Counters) UseCode(ctx context.Context, phone, code string, from Source) error {
	ctx, cancel := context.WithTimeout(ctx, k.wait)
	defer cancel()
	all := otpAllowances(phone, from)
	keys := keysOf([]string{otpKey(phone)}, all)
	answer, err := attemptScript.Run(ctx, k.redis, keys,
		argsOf([]any{k.now().UnixMilli(), otpLife.Milliseconds(), attemptsField(from), otpAttempts}, all)...).Slice()
	if err != nil {
		return ErrCannotCount.Because(err)
	}
	switch answer[0] {
	case "expired":
		return ErrCodeExpired
	case "often":
		return tooManyAttempts("Too many wrong codes, try again later", time.Duration(answer[1].(int64))*time.Millisecond)
	case "try":
	default:
		return ErrCodeInvalid
	}
	id := answer[1].(string)
	if subtle.ConstantTimeCompare([]byte(k.code(phone, id)), []byte(code)) != 1 {
		return ErrCodeInvalid
	}
	taken, err := consumeScript.Run(ctx, k.redis, keys, id).Int()
	if err != nil {
		return ErrCannotCount.Because(err)
	}
	if taken == 0 {
		return ErrCodeInvalid // another request used it first
	}
	return nil
}

// code is the six digits that follow from an id: without the secret they are a guess.
func (k *Counters) code(phone, id string) string {
	return fmt.Sprintf("%06d", binary.BigEndian.Uint64(hashing.Keyed(k.secret, "otp "+phone+" "+id))%1_000_000)
}
