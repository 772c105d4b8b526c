package auth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"homeroom/api"
)

const (
	otpLife = 5 * time.Minute
	// otpKept is how long a code is remembered, so that a late entry is told it is late.
	otpKept = time.Hour
	// otpResend is how soon a second request sends nothing: a double tap costs nothing.
	otpResend = 30 * time.Second
	// otpHourly is how many messages a phone gets in an hour.
	otpHourly = 5
	// otpTries is how many guesses a code survives.
	otpTries = 5
	// redisPatience is how long sign-in waits for Redis.
	redisPatience = 2 * time.Second
)

// otps keeps one-time passwords in Redis, as keyed hashes: a bare hash of a million
// possible codes is no secret.
type otps struct {
	redis  redis.UniversalClient
	secret []byte
	now    func() time.Time
}

// The phone in braces keeps a phone's keys on one node of a Redis Cluster.
func otpKey(phone string) string  { return "homeroom:otp:{" + phone + "}" }
func sentKey(phone string) string { return "homeroom:otp-sent:{" + phone + "}" }

// issueScript decides whether to send, and stores the code if so. For a phone that
// nobody has (ARGV[4] = 0) it does the same, but never over a code that is there.
var issueScript = redis.NewScript(`
local at = redis.call("hget", KEYS[1], "at")
if at and tonumber(ARGV[1]) - tonumber(at) < tonumber(ARGV[5]) then
	return {"recent", 0}
end
local n = redis.call("incr", KEYS[2])
if redis.call("pttl", KEYS[2]) < 0 then
	redis.call("pexpire", KEYS[2], 3600000)
end
if n > tonumber(ARGV[7]) then
	return {"often", redis.call("pttl", KEYS[2])}
end
if ARGV[4] == "1" or not at then
	redis.call("del", KEYS[1])
	redis.call("hset", KEYS[1], "at", ARGV[1], "mac", ARGV[2], "id", ARGV[3], "tries", 0)
	redis.call("pexpire", KEYS[1], ARGV[6])
end
return {"send", 0}`)

// issue makes a code for a phone. It returns "" when one is on its way already.
func (o otps) issue(ctx context.Context, phone string, known bool) (code string, err error) {
	ctx, cancel := context.WithTimeout(ctx, redisPatience)
	defer cancel()
	code, err = sixDigits()
	if err != nil {
		return "", err
	}
	flag := "0"
	if known {
		flag = "1"
	}
	answer, err := issueScript.Run(ctx, o.redis, []string{otpKey(phone), sentKey(phone)},
		o.now().UnixMilli(), o.mac(phone, code), uuid.NewString(), flag, otpResend.Milliseconds(), otpKept.Milliseconds(), otpHourly).Slice()
	if err != nil {
		return "", errCannotCount.Because(err)
	}
	switch answer[0] {
	case "recent":
		return "", nil
	case "often":
		e := api.Coded(429, "Too Many Requests", "Too many codes were sent to this phone, try again later")
		e.RetryAfter = time.Duration(answer[1].(int64)) * time.Millisecond
		return "", e
	}
	return code, nil
}

// tryScript counts the guess before anybody looks at it.
var tryScript = redis.NewScript(`
local v = redis.call("hmget", KEYS[1], "at", "mac", "id")
if not v[1] then
	return {"none"}
end
if redis.call("hincrby", KEYS[1], "tries", 1) > tonumber(ARGV[1]) then
	return {"burnt"}
end
return {"try", v[1], v[2], v[3]}`)

// consumeScript takes a code out of use; one caller can.
var consumeScript = redis.NewScript(`
if redis.call("hget", KEYS[1], "id") == ARGV[1] then
	return redis.call("del", KEYS[1])
end
return 0`)

var (
	errOTPInvalid  = api.Coded(400, "OTP_INVALID", "The code is wrong")
	errOTPExpired  = api.Coded(400, "OTP_EXPIRED", "The code has expired, ask for a new one")
	errCannotCount = api.Unavailable("Signing in is briefly unavailable, try again")
)

// verify uses a code up, or says what is wrong with it.
func (o otps) verify(ctx context.Context, phone, code string) error {
	ctx, cancel := context.WithTimeout(ctx, redisPatience)
	defer cancel()
	answer, err := tryScript.Run(ctx, o.redis, []string{otpKey(phone)}, otpTries).Slice()
	if err != nil {
		return errCannotCount.Because(err)
	}
	if answer[0] != "try" {
		return errOTPInvalid
	}
	at, err := strconv.ParseInt(answer[1].(string), 10, 64)
	if err != nil {
		return fmt.Errorf("reading a code: %w", err)
	}
	if o.now().Sub(time.UnixMilli(at)) > otpLife {
		return errOTPExpired
	}
	if !hmac.Equal([]byte(o.mac(phone, code)), []byte(answer[2].(string))) {
		return errOTPInvalid
	}
	taken, err := consumeScript.Run(ctx, o.redis, []string{otpKey(phone)}, answer[3]).Int()
	if err != nil {
		return errCannotCount.Because(err)
	}
	if taken == 0 {
		return errOTPInvalid // another request used it first
	}
	return nil
}

func (o otps) mac(phone, code string) string {
	mac := hmac.New(sha256.New, o.secret)
	mac.Write([]byte("otp " + phone + " " + code))
	return hex.EncodeToString(mac.Sum(nil))
}

func sixDigits() (string, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		return "", fmt.Errorf("making a code: %w", err)
	}
	return fmt.Sprintf("%06d", n), nil
}
