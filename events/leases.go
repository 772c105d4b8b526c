package events

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"homeroom/breaker"
)

// leases are the leases and pending rows of all instances, in one sorted set in Redis.
// A member is one of
//
//	<school>/<instance>  a lease; score: when the instance took it
//	<school>             a pending row; score: when to check the school
//	epoch                the generation; score: minus the time
//	sweeping             the generation that a running sweep will set; the same
//
// A live instance removes its own lease within milliseconds, so the others need not
// check it; an instance that dies leaves its lease to them. The generation is in the
// same set so that it is lost whenever the leases are.
type leases struct {
	client  redis.UniversalClient
	breaker *breaker.Breaker
	key     string
	self    string // this instance's id
}

// The members' names stay as they were first written ("epoch" is the generation):
// instances of two versions work side by side during an upgrade.
const (
	generationMember = "epoch"
	sweepingMember   = "sweeping"
	pageSize         = 1000
)

// lease is an instance's lease on a school. A pending row has the same form with an
// empty instance, since no instance holds it.
type lease struct {
	school   uuid.UUID
	instance string
	score    int64 // microseconds since 1970
}

func (l lease) member() string {
	if l.instance == "" {
		return l.school.String()
	}
	return l.school.String() + "/" + l.instance
}

// A lease that arrives late must not lower the score of a newer one. (ZADD's GT and LT
// would do, but Redis has them only since 6.2.)
var putScript = redis.NewScript(`
local old = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not old or tonumber(old) < tonumber(ARGV[2]) then redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1]) end
return 1`)

// put stores this instance's lease on the school.
func (ls *leases) put(ctx context.Context, school uuid.UUID, score int64) error {
	_, err := breaker.Call(ctx, ls.breaker, func(ctx context.Context) (any, error) {
		return putScript.Run(ctx, ls.client, []string{ls.key}, lease{school: school, instance: ls.self}.member(), score).Result()
	})
	return err
}

// due reads a page of the leases and pending rows whose time has come. generation is nil
// on a later page, or when there is none.
func (ls *leases) due(ctx context.Context, upTo, offset int64) (found []lease, generation *time.Time, full bool, err error) {
	page, err := breaker.Try(ctx, ls.breaker, 500*time.Millisecond, func(ctx context.Context) ([]redis.Z, error) {
		return ls.client.ZRangeByScoreWithScores(ctx, ls.key, &redis.ZRangeBy{
			Min: "-inf", Max: strconv.FormatInt(upTo, 10), Offset: offset, Count: pageSize,
		}).Result()
	})
	if err != nil {
		return nil, nil, false, err
	}
	for _, z := range page {
		name, _ := z.Member.(string)
		if name == generationMember {
			began := time.UnixMicro(-int64(z.Score))
			generation = &began
			continue
		}
		id, instance, _ := strings.Cut(name, "/")
		school, err := uuid.Parse(id)
		if err != nil {
			continue // a running sweep, or an unknown member
		}
		found = append(found, lease{school, instance, int64(z.Score)})
	}
	return found, generation, len(page) == pageSize, nil
}

// One script does both: a process that died between the two would lose the school. It
// returns 1 if the pending row is new or earlier than before.
var ackScript = redis.NewScript(`
for i = 3, #ARGV, 2 do
  local s = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if s and tonumber(s) == tonumber(ARGV[i + 1]) then redis.call('ZREM', KEYS[1], ARGV[i]) end
end
if ARGV[2] ~= '' then
  local s = redis.call('ZSCORE', KEYS[1], ARGV[1])
  if not s or tonumber(s) > tonumber(ARGV[2]) then return redis.call('ZADD', KEYS[1], 'CH', ARGV[2], ARGV[1]) end
end
return 0`)

// ack removes the leases that have not changed since they were read, and adds a pending
// row for the school's next check (nil: none is needed). added is false if the set had a
// row as early as that.
func (ls *leases) ack(ctx context.Context, school uuid.UUID, next *time.Time, read []lease) (added bool, err error) {
	args := []any{lease{school: school}.member(), ""}
	if next != nil {
		args[1] = next.UnixMicro()
	}
	for _, l := range read {
		args = append(args, l.member(), l.score)
	}
	if next == nil && len(read) == 0 {
		return false, nil
	}
	n, err := breaker.Call(ctx, ls.breaker, func(ctx context.Context) (int, error) {
		return ackScript.Run(ctx, ls.client, []string{ls.key}, args...).Int()
	})
	return n == 1, err
}
