package api

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"sync"

	"github.com/redis/go-redis/v9"
)

// scripts is the Redis client ulule/limiter gets. It differs from a plain one in
// three ways: scripts are sent when a server turns out not to know them (a restarted
// one, or another node of a cluster), never at start; the counting script gives a
// counter that lost its time to live a new one, which would else never end; and calls
// that come at the same time travel together, so that a busy server speaks to Redis
// once for several of them.
//
// Of the store's two scripts (count, peek) the kernel only ever runs the first.
type scripts struct {
	redis.UniversalClient
	*ferry
}

// ferry is the calls under way: at most ferries trips at a time, and who comes
// meanwhile waits for the next one.
type ferry struct {
	mu      sync.Mutex
	away    int
	waiting []*passenger
}

// passenger is one call that waits for others to come back.
type passenger struct {
	ctx  context.Context
	keys []string
	args []any
	done chan *redis.Cmd
}

// ferries is how many trips are made at a time. With one, a late answer would hold
// up everybody.
const ferries = 2

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
	s.mu.Lock()
	if s.away < ferries {
		s.away++
		s.mu.Unlock()
		cmd := s.resend(ctx, s.UniversalClient.EvalSha(ctx, countSHA, keys, args...), keys, args)
		s.back()
		return cmd
	}
	p := &passenger{ctx: ctx, keys: keys, args: args, done: make(chan *redis.Cmd, 1)}
	s.waiting = append(s.waiting, p)
	s.mu.Unlock()
	select {
	case cmd := <-p.done:
		return cmd
	case <-ctx.Done():
		cmd := redis.NewCmd(ctx)
		cmd.SetErr(ctx.Err())
		return cmd
	}
}

// back ends a trip. Whoever waits goes on the next.
func (s scripts) back() {
	s.mu.Lock()
	next := s.waiting
	s.waiting = nil
	if len(next) == 0 {
		s.away--
	}
	s.mu.Unlock()
	if len(next) > 0 {
		go s.sail(next)
	}
}

// sail makes one trip for all who waited and still do.
func (s scripts) sail(all []*passenger) {
	defer s.back()
	pipe := s.Pipeline()
	cmds := make([]*redis.Cmd, len(all))
	var latest context.Context // the one who has most patience left
	for i, p := range all {
		if p.ctx.Err() == nil {
			cmds[i] = pipe.EvalSha(p.ctx, countSHA, p.keys, p.args...)
			latest = p.ctx
		}
	}
	if latest == nil {
		return
	}
	_, _ = pipe.Exec(latest) // each command has its own error
	for i, p := range all {
		if cmds[i] != nil {
			p.done <- s.resend(p.ctx, cmds[i], p.keys, p.args)
		}
	}
}

// resend sends the script itself to a server that does not know it.
func (s scripts) resend(ctx context.Context, cmd *redis.Cmd, keys []string, args []any) *redis.Cmd {
	if err := cmd.Err(); err != nil && redis.HasErrorPrefix(err, "NOSCRIPT") {
		return s.Eval(ctx, countScript, keys, args...)
	}
	return cmd
}
