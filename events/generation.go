package events

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"homeroom/breaker"
)

var errLockLost = errors.New("another instance took the sweep's lock, or Redis lost it")

// A sweep is complete only if the set it added pending rows to is still the one it
// began with: a flush in between also removes the member "sweeping".
var completeScript = redis.NewScript(`
local s = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not s or tonumber(s) ~= tonumber(ARGV[3]) then return 0 end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[2])
return 1`)

var (
	renewScript = redis.NewScript(`if redis.call('GET', KEYS[1]) == ARGV[1] then
	return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
	return 0`)
	unlockScript = redis.NewScript(`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`)
)

// readGeneration reads when the last complete sweep began; nil: there was none.
func (s *sweeper) readGeneration(ctx context.Context) (*time.Time, error) {
	score, err := breaker.Try(ctx, s.leases.breaker, time.Second, func(ctx context.Context) (float64, error) {
		return s.leases.client.ZScore(ctx, s.leases.key, generationMember).Result()
	})
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	began := time.UnixMicro(-int64(score))
	return &began, err
}

// beginGeneration stores the generation that this sweep will set when it is complete.
func (s *sweeper) beginGeneration(ctx context.Context, began time.Time) error {
	_, err := breaker.Try(ctx, s.leases.breaker, time.Second, func(ctx context.Context) (int64, error) {
		return s.leases.client.ZAdd(ctx, s.leases.key, redis.Z{Score: float64(-began.UnixMicro()), Member: sweepingMember}).Result()
	})
	return err
}

func (s *sweeper) completeGeneration(ctx context.Context, began time.Time) error {
	done, err := breaker.Try(ctx, s.leases.breaker, time.Second, func(ctx context.Context) (int, error) {
		return completeScript.Run(ctx, s.leases.client, []string{s.leases.key}, sweepingMember, generationMember, -began.UnixMicro()).Int()
	})
	if err == nil && done == 0 {
		return errLockLost
	}
	return err
}

func (s *sweeper) lock(ctx context.Context) (bool, error) {
	return breaker.Try(ctx, s.leases.breaker, time.Second, func(ctx context.Context) (bool, error) {
		return s.leases.client.SetNX(ctx, s.lockKey, s.leases.self, lockTTL).Result()
	})
}

func (s *sweeper) renewLock(ctx context.Context) error {
	kept, err := breaker.Try(ctx, s.leases.breaker, time.Second, func(ctx context.Context) (int, error) {
		return renewScript.Run(ctx, s.leases.client, []string{s.lockKey}, s.leases.self, lockTTL.Milliseconds()).Int()
	})
	if err == nil && kept == 0 {
		return errLockLost
	}
	return err
}

func (s *sweeper) unlock(ctx context.Context) {
	_, _ = breaker.Try(ctx, s.leases.breaker, time.Second, func(ctx context.Context) (int, error) { // if it fails, the lock expires
		return unlockScript.Run(ctx, s.leases.client, []string{s.lockKey}, s.leases.self).Int()
	})
}
