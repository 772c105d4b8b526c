package limit

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
// Of the store's two scripts (count, peek) only the first is ever run.
type scripts struct {
	redis.UniversalClient
	*batcher
}

// batcher sends at most maxInFlight commands at a time. Calls that come meanwhile wait and are
// sent together.
type batcher struct {
	mu       sync.Mutex
	inFlight int
	waiting  []*pendingCall
}

// pendingCall is a call that waits to be sent with others.
type pendingCall struct {
	ctx  context.Context
	keys []string
	args []any
	done chan *redis.Cmd
}

// maxInFlight is how many commands are under way at a time. With one, a late answer would
// delay every call.
const maxInFlight = 2

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
	if s.inFlight < maxInFlight {
		s.inFlight++
		s.mu.Unlock()
		cmd := s.resend(ctx, s.UniversalClient.EvalSha(ctx, countSHA, keys, args...), keys, args)
		s.done()
		return cmd
	}
	p := &pendingCall{ctx: ctx, keys: keys, args: args, done: make(chan *redis.Cmd, 1)}
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

// done ends a command and sends the calls that wait.
func (s scripts) done() {
	s.mu.Lock()
	next := s.waiting
	s.waiting = nil
	if len(next) == 0 {
		s.inFlight--
	}
	s.mu.Unlock()
	if len(next) > 0 {
		go s.flush(next)
	}
}

// flush sends all pending calls that have not given up in one pipeline.
func (s scripts) flush(all []*pendingCall) {
	defer s.done()
	pipe := s.Pipeline()
	cmds := make([]*redis.Cmd, len(all))
	var latest context.Context // of the call that came last: it has most time left
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
