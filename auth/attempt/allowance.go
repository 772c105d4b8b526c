// Package attempt counts attempts to prove who somebody is, by contact and by where they come from, and makes one-time codes. All
// of it is in Redis. It knows no account: a contact that has none is counted alike.
package attempt

import (
	"context"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"homeroom/api"
)

// Guessing has to stay hopeless, and no stranger may lock an owner out. So every secret has
// two kinds of allowances: one for each source, and a looser one for all unknown sources
// together. docs/decisions.md has the resulting odds. All are counted by phone or e-mail,
// whether or not an account has it: the counters must not reveal that.
const (
	hour = time.Hour
	day  = 24 * time.Hour

	// sentHourly are the codes a source may request in an hour, and unknown sources together.
	sentHourly, sentHourlyUnknown = 5, 15
	// otpAttempts are the attempts of a source at a code that was sent.
	otpAttempts = 5
	// otpDaily are the guesses of a source in a day, and of unknown sources together.
	otpDaily, otpDailyUnknown = 20, 100
	// pinAttempts are the wrong PINs in a row after which a source needs a code.
	pinAttempts = 5
	// pinDailyUnknown are the wrong PINs of all unknown sources in a day, pinLongUnknown those
	// between two sign-ins by code.
	pinDailyUnknown, pinLongUnknown = 20, 100
	pinLong                         = 90 * day
	// passwordDaily are the wrong passwords of a source in a day, and of unknown sources together.
	passwordDaily, passwordDailyUnknown = 50, 200
	// forgotHourly are the e-mails with a link to set a new password.
	forgotHourly = 3
)

// Counters count attempts.
type Counters struct {
	redis  redis.UniversalClient
	secret []byte
	now    func() time.Time
	wait   time.Duration // for Redis
}

// New makes Counters. The secret keys codes and device tokens; wait is for Redis.
func New(client redis.UniversalClient, secret []byte, now func() time.Time, wait time.Duration) *Counters {
	return &Counters{redis: client, secret: secret, now: now, wait: wait}
}

// ErrCannotCount is the refusal of an attempt while Redis does not answer.
var ErrCannotCount = api.Unavailable("Signing in is briefly unavailable, try again")

// Allowance is a counter of attempts: its limit, and how long it counts them.
type Allowance struct {
	key  string
	most int
	life time.Duration
}

// allow names a contact's counter; the braces keep all of a contact's on one node of a
// Redis Cluster.
func allow(what, contact, source string, most int, life time.Duration) Allowance {
	key := "homeroom:" + what + ":{" + contact + "}"
	if source != "" {
		key += ":" + source
	}
	return Allowance{key: key, most: most, life: life}
}

func sentAllowances(phone string, from Source) []Allowance {
	out := []Allowance{allow("sent", phone, from.key, sentHourly, hour)}
	if !from.known {
		out = append(out, allow("sent", phone, "", sentHourlyUnknown, hour))
	}
	return out
}

func otpAllowances(phone string, from Source) []Allowance {
	out := []Allowance{allow("guessed", phone, from.key, otpDaily, day)}
	if !from.known {
		out = append(out, allow("guessed", phone, "", otpDailyUnknown, day))
	}
	return out
}

func pinAllowances(phone string, from Source) []Allowance {
	out := []Allowance{allow("pin", phone, from.key, pinAttempts, day)}
	if !from.known {
		out = append(out, allow("pin", phone, "", pinDailyUnknown, day), allow("pin-long", phone, "", pinLongUnknown, pinLong))
	}
	return out
}

func passwordAllowances(email string, from Source) []Allowance {
	out := []Allowance{allow("password", email, from.key, passwordDaily, day)}
	if !from.known {
		out = append(out, allow("password", email, "", passwordDailyUnknown, day))
	}
	return out
}

func forgotAllowances(email string) []Allowance {
	return []Allowance{allow("forgot", email, "", forgotHourly, hour)}
}

// keysOf are the counters' names behind other keys of a script.
func keysOf(first []string, all []Allowance) []string {
	for _, a := range all {
		first = append(first, a.key)
	}
	return first
}

// argsOf are how many each takes and for how long, behind other arguments of a script.
func argsOf(first []any, all []Allowance) []any {
	for _, a := range all {
		first = append(first, a.most, a.life.Milliseconds())
	}
	return first
}

// takeLua has take(k, a): it takes one from every allowance from KEYS[k] and ARGV[a] on, and
// returns 0; or, when one of them is used up, takes nothing and returns for how many milliseconds
// it stays so. A counter that lost its time to live gets a new one.
const takeLua = `
local function take(k, a)
	for i = 0, #KEYS - k do
		if tonumber(redis.call("get", KEYS[k + i]) or "0") >= tonumber(ARGV[a + 2 * i]) then
			if redis.call("pttl", KEYS[k + i]) < 0 then
				redis.call("pexpire", KEYS[k + i], ARGV[a + 2 * i + 1])
			end
			return math.max(1, redis.call("pttl", KEYS[k + i]))
		end
	end
	for i = 0, #KEYS - k do
		redis.call("incr", KEYS[k + i])
		if redis.call("pttl", KEYS[k + i]) < 0 then
			redis.call("pexpire", KEYS[k + i], ARGV[a + 2 * i + 1])
		end
	end
	return 0
end
`

var takeScript = redis.NewScript(takeLua + `return take(1, 1)`)

// returnLua gives an attempt back that turned out to be right.
const returnLua = `
local function giveBack(k)
	for i = k, #KEYS do
		if tonumber(redis.call("get", KEYS[i]) or "0") > 0 then
			redis.call("decr", KEYS[i])
		end
	end
end
`

// successScript deletes the first counter, of attempts in a row, and gives the others theirs back.
var successScript = redis.NewScript(returnLua + `
redis.call("del", KEYS[1])
giveBack(2)
return 0`)

// count counts an attempt before it is checked, so that a hundred at once are no more than a
// hundred one after the other. It returns how long the caller has to wait; 0 is not at all.
func (k *Counters) count(ctx context.Context, all []Allowance) (wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, k.wait)
	defer cancel()
	left, err := takeScript.Run(ctx, k.redis, keysOf(nil, all), argsOf(nil, all)...).Int64()
	if err != nil {
		return 0, ErrCannotCount.Because(err)
	}
	return time.Duration(left) * time.Millisecond, nil
}

// Return ends a source's attempts in a row: the last of them was right.
func (k *Counters) Return(ctx context.Context, all []Allowance) error {
	ctx, cancel := context.WithTimeout(ctx, k.wait)
	defer cancel()
	if err := successScript.Run(ctx, k.redis, keysOf(nil, all)).Err(); err != nil {
		return ErrCannotCount.Because(err)
	}
	return nil
}

// Clear deletes counters: a stronger proof than the one they count was given.
func (k *Counters) Clear(ctx context.Context, keys ...string) error {
	ctx, cancel := context.WithTimeout(ctx, k.wait)
	defer cancel()
	if err := k.redis.Del(ctx, keys...).Err(); err != nil {
		return ErrCannotCount.Because(err)
	}
	return nil
}

// tooManyAttempts is the refusal of an attempt that is not checked.
func tooManyAttempts(message string, wait time.Duration) error {
	e := api.Coded(429, "", message)
	e.RetryAfter = wait
	return e
}

// loginDelayScript lets the first five wrong passwords of a source through, then delays each for
// longer, a minute at most.
var loginDelayScript = redis.NewScript(takeLua + `
local v = redis.call("hmget", KEYS[1], "n", "until")
local now = tonumber(ARGV[1])
if v[2] and now < tonumber(v[2]) then
	return tonumber(v[2]) - now
end
local left = take(2, 2)
if left > 0 then
	return left
end
local n = redis.call("hincrby", KEYS[1], "n", 1)
if n >= 5 then
	local wait = math.min(60000, 1000 * 2 ^ (n - 5))
	redis.call("hset", KEYS[1], "until", now + wait)
end
redis.call("pexpire", KEYS[1], 900000)
return 0`)

func loginDelayKey(email string, from Source) string {
	return "homeroom:slow:{" + email + "}:" + from.key
}

// CountLogin counts an attempt at a password for the e-mail, known or not, and its source.
func (k *Counters) CountLogin(c api.OpenCtx, email string) error {
	email = strings.ToLower(email)
	from := k.SourceOf(c, email)
	all := passwordAllowances(email, from)
	ctx, cancel := context.WithTimeout(c, k.wait)
	defer cancel()
	left, err := loginDelayScript.Run(ctx, k.redis, keysOf([]string{loginDelayKey(email, from)}, all),
		argsOf([]any{k.now().UnixMilli()}, all)...).Int64()
	if err != nil {
		return ErrCannotCount.Because(err)
	}
	if left > 0 {
		return tooManyAttempts("Too many wrong passwords, wait a moment", time.Duration(left)*time.Millisecond)
	}
	return nil
}

// ResetLogin ends the source's wrong passwords in a row.
func (k *Counters) ResetLogin(c api.OpenCtx, email string) error {
	email = strings.ToLower(email)
	from := k.SourceOf(c, email)
	ctx, cancel := context.WithTimeout(c, k.wait)
	defer cancel()
	if err := successScript.Run(ctx, k.redis,
		keysOf([]string{loginDelayKey(email, from)}, passwordAllowances(email, from))).Err(); err != nil {
		return ErrCannotCount.Because(err)
	}
	return nil
}

// ResetAllLogins resets the attempts of all sources: a password that was set by a link proves the
// e-mail.
func (k *Counters) ResetAllLogins(ctx context.Context, email string) error {
	return k.Clear(ctx, allow("password", strings.ToLower(email), "", 0, 0).key)
}

// CountLink counts a link to set a new password that is sent to an e-mail. It returns how long the caller has to wait; 0 is not at
// all.
func (k *Counters) CountLink(ctx context.Context, email string) (wait time.Duration, err error) {
	return k.count(ctx, forgotAllowances(strings.ToLower(email)))
}

// CountPIN counts an attempt before it is checked, whether or not there is a PIN.
func (k *Counters) CountPIN(c api.OpenCtx, contact string) ([]Allowance, error) {
	all := pinAllowances(contact, k.SourceOf(c, contact))
	wait, err := k.count(c, all)
	if err == nil && wait > 0 {
		err = tooManyAttempts("Too many wrong PINs, sign in with a code", wait)
	}
	return all, err
}

// UnlockPIN resets the PIN attempts of a source after a sign-in by code there.
func (k *Counters) UnlockPIN(c api.OpenCtx, phone string) error {
	return k.Clear(c, allow("pin", phone, k.SourceOf(c, phone).key, 0, 0).key, allow("pin-long", phone, "", 0, 0).key)
}
