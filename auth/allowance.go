package auth

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

// allowance is a counter of attempts: its limit, and how long it counts them.
type allowance struct {
	key  string
	most int
	life time.Duration
}

// allow names a contact's counter; the braces keep all of a contact's on one node of a
// Redis Cluster.
func allow(what, contact, source string, most int, life time.Duration) allowance {
	key := "homeroom:" + what + ":{" + contact + "}"
	if source != "" {
		key += ":" + source
	}
	return allowance{key: key, most: most, life: life}
}

func sentAllowances(phone string, from source) []allowance {
	out := []allowance{allow("sent", phone, from.key, sentHourly, hour)}
	if !from.known {
		out = append(out, allow("sent", phone, "", sentHourlyUnknown, hour))
	}
	return out
}

func otpAllowances(phone string, from source) []allowance {
	out := []allowance{allow("guessed", phone, from.key, otpDaily, day)}
	if !from.known {
		out = append(out, allow("guessed", phone, "", otpDailyUnknown, day))
	}
	return out
}

func pinAllowances(phone string, from source) []allowance {
	out := []allowance{allow("pin", phone, from.key, pinAttempts, day)}
	if !from.known {
		out = append(out, allow("pin", phone, "", pinDailyUnknown, day), allow("pin-long", phone, "", pinLongUnknown, pinLong))
	}
	return out
}

func passwordAllowances(email string, from source) []allowance {
	out := []allowance{allow("password", email, from.key, passwordDaily, day)}
	if !from.known {
		out = append(out, allow("password", email, "", passwordDailyUnknown, day))
	}
	return out
}

func forgotAllowances(email string) []allowance {
	return []allowance{allow("forgot", email, "", forgotHourly, hour)}
}

// keysOf are the counters' names behind other keys of a script.
func keysOf(first []string, all []allowance) []string {
	for _, a := range all {
		first = append(first, a.key)
	}
	return first
}

// argsOf are how many each takes and for how long, behind other arguments of a script.
func argsOf(first []any, all []allowance) []any {
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

// countAttempt counts an attempt before it is checked, so that a hundred at once are no more than a
// hundred one after the other. It returns how long the caller has to wait; 0 is not at all.
func (a *Auth) countAttempt(ctx context.Context, all []allowance) (wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, a.RedisWait)
	defer cancel()
	left, err := takeScript.Run(ctx, a.Redis, keysOf(nil, all), argsOf(nil, all)...).Int64()
	if err != nil {
		return 0, errCannotCount.Because(err)
	}
	return time.Duration(left) * time.Millisecond, nil
}

// returnAttempts ends a source's attempts in a row: the last of them was right.
func (a *Auth) returnAttempts(ctx context.Context, all []allowance) error {
	ctx, cancel := context.WithTimeout(ctx, a.RedisWait)
	defer cancel()
	if err := successScript.Run(ctx, a.Redis, keysOf(nil, all)).Err(); err != nil {
		return errCannotCount.Because(err)
	}
	return nil
}

// clearCounters deletes counters: a stronger proof than the one they count was given.
func (a *Auth) clearCounters(ctx context.Context, keys ...string) error {
	ctx, cancel := context.WithTimeout(ctx, a.RedisWait)
	defer cancel()
	if err := a.Redis.Del(ctx, keys...).Err(); err != nil {
		return errCannotCount.Because(err)
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

func loginDelayKey(email string, from source) string {
	return "homeroom:slow:{" + email + "}:" + from.key
}

// countLoginAttempt counts an attempt at a password for the e-mail, known or not, and its source.
func (a *Auth) countLoginAttempt(c api.OpenCtx, email string) error {
	email = strings.ToLower(email)
	from := a.sourceOf(c, email)
	all := passwordAllowances(email, from)
	ctx, cancel := context.WithTimeout(c, a.RedisWait)
	defer cancel()
	left, err := loginDelayScript.Run(ctx, a.Redis, keysOf([]string{loginDelayKey(email, from)}, all),
		argsOf([]any{a.Clock().UnixMilli()}, all)...).Int64()
	if err != nil {
		return errCannotCount.Because(err)
	}
	if left > 0 {
		return tooManyAttempts("Too many wrong passwords, wait a moment", time.Duration(left)*time.Millisecond)
	}
	return nil
}

// resetLoginAttempts ends the source's wrong passwords in a row.
func (a *Auth) resetLoginAttempts(c api.OpenCtx, email string) error {
	email = strings.ToLower(email)
	from := a.sourceOf(c, email)
	ctx, cancel := context.WithTimeout(c, a.RedisWait)
	defer cancel()
	if err := successScript.Run(ctx, a.Redis,
		keysOf([]string{loginDelayKey(email, from)}, passwordAllowances(email, from))).Err(); err != nil {
		return errCannotCount.Because(err)
	}
	return nil
}

// resetAllLoginAttempts resets the attempts of all sources: a password that was set by a link proves the
// e-mail.
func (a *Auth) resetAllLoginAttempts(ctx context.Context, email string) error {
	return a.clearCounters(ctx, allow("password", strings.ToLower(email), "", 0, 0).key)
}
