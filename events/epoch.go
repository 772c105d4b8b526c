package events

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

var errLeaseLost = errors.New("another instance took over, or Redis forgot")

// A sweep is only complete if the set it noted schools in is still the one it
// began with: a flush in between takes the note "sweeping" with it.
var finishScript = redis.NewScript(`
local s = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not s or tonumber(s) ~= tonumber(ARGV[3]) then return 0 end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[2])
return 1`)

var (
	renewScript = redis.NewScript(`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`)
	dropScript  = redis.NewScript(`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`)
)

// readEpoch is when the last complete sweep began, nil if there was none.
func (s *sweeper) readEpoch(ctx context.Context) (*time.Time, error) {
	score, err := probe(ctx, s.marks.breaker, time.Second, func(ctx context.Context) (float64, error) {
		return s.marks.client.ZScore(ctx, s.marks.key, epochMember).Result()
	})
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	began := time.UnixMicro(-int64(score))
	return &began, err
}

func (s *sweeper) start(ctx context.Context, began time.Time) error {
	_, err := probe(ctx, s.marks.breaker, time.Second, func(ctx context.Context) (int64, error) {
		return s.marks.client.ZAdd(ctx, s.marks.key, redis.Z{Score: float64(-began.UnixMicro()), Member: sweepingMember}).Result()
	})
	return err
}

func (s *sweeper) finish(ctx context.Context, began time.Time) error {
	done, err := probe(ctx, s.marks.breaker, time.Second, func(ctx context.Context) (int, error) {
		return finishScript.Run(ctx, s.marks.client, []string{s.marks.key}, sweepingMember, epochMember, -began.UnixMicro()).Int()
	})
	if err == nil && done == 0 {
		return errLeaseLost
	}
	return err
}

func (s *sweeper) takeLease(ctx context.Context) (bool, error) {
	return probe(ctx, s.marks.breaker, time.Second, func(ctx context.Context) (bool, error) {
		return s.marks.client.SetNX(ctx, s.lease, s.marks.me, sweepLease).Result()
	})
}

func (s *sweeper) renewLease(ctx context.Context) error {
	kept, err := probe(ctx, s.marks.breaker, time.Second, func(ctx context.Context) (int, error) {
		return renewScript.Run(ctx, s.marks.client, []string{s.lease}, s.marks.me, sweepLease.Milliseconds()).Int()
	})
	if err == nil && kept == 0 {
		return errLeaseLost
	}
	return err
}

func (s *sweeper) dropLease(ctx context.Context) {
	_, _ = probe(ctx, s.marks.breaker, time.Second, func(ctx context.Context) (int, error) { // else it expires
		return dropScript.Run(ctx, s.marks.client, []string{s.lease}, s.marks.me).Int()
	})
}
