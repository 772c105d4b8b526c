package api

import (
	"context"
	"crypto/sha1"
	"encoding/hex"

	"github.com/redis/go-redis/v9"
)

// scripts is the Redis client ulule/limiter gets. It differs from a plain one in
// two ways: scripts are sent when a server turns out not to know them (a restarted
// one, or another node of a cluster), never at start; and the counting script gives
// a counter that lost its time to live a new one, which would else never end.
//
// Of the store's two scripts (count, peek) the kernel only ever runs the first.
type scripts struct{ redis.UniversalClient }

const countScript = `
local n = redis.call("incrby", KEYS[1], ARGV[1])
local ttl = redis.call("pttl", KEYS[1])
if ttl < 0 then
	ttl = tonumber(ARGV[2])
	redis.call("pexpire", KEYS[1], ttl)
end
return {n, ttl}`

var countSHA = func() string {
	sum := sha1.Sum([]byte(countScript)) // Redis names scripts by it
	return hex.EncodeToString(sum[:])
}()

// ScriptLoad asks no server: EvalSha sends the script where it is missing.
func (s scripts) ScriptLoad(ctx context.Context, _ string) *redis.StringCmd {
	cmd := redis.NewStringCmd(ctx)
	cmd.SetVal(countSHA)
	return cmd
}

// EvalSha runs the counting script.
func (s scripts) EvalSha(ctx context.Context, _ string, keys []string, args ...any) *redis.Cmd {
	cmd := s.UniversalClient.EvalSha(ctx, countSHA, keys, args...)
	if err := cmd.Err(); err != nil && redis.HasErrorPrefix(err, "NOSCRIPT") {
		return s.UniversalClient.Eval(ctx, countScript, keys, args...)
	}
	return cmd
}
