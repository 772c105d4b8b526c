package events

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// marks are the schools whose outboxes want a look, in one sorted set in Redis. A
// member is one of
//
//	<school>/<instance>  a mark: that instance is about to commit facts; score: when
//	<school>             a note: look at this school at the time of the score
//	epoch                score: minus the time the last complete sweep began
//	sweeping             the same of a sweep under way
//
// An instance that lives clears its own mark within milliseconds, so the others
// need not look at it; one that died leaves its mark behind for them. The epoch
// lives in the set so that whatever loses the marks loses it too.
type marks struct {
	client  redis.UniversalClient
	breaker *breaker
	key     string
	me      string // this instance
}

const (
	epochMember    = "epoch"
	sweepingMember = "sweeping"
	pageSize       = 1000
)

// mark is a member of the set. instance is empty for a note.
type mark struct {
	school   uuid.UUID
	instance string
	score    int64
}

func (m mark) member() string {
	if m.instance == "" {
		return m.school.String()
	}
	return m.school.String() + "/" + m.instance
}

// A mark that comes late must not lower the score of a newer one. (ZADD's GT and LT
// would do, but Redis has them only since 6.2.)
var putScript = redis.NewScript(`
local old = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not old or tonumber(old) < tonumber(ARGV[2]) then redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1]) end
return 1`)

// put marks the school as this instance's.
func (m *marks) put(ctx context.Context, school uuid.UUID, score int64) error {
	_, err := call(ctx, m.breaker, func(ctx context.Context) (any, error) {
		return putScript.Run(ctx, m.client, []string{m.key}, mark{school: school, instance: m.me}.member(), score).Result()
	})
	return err
}

// due reads a page of the members whose time has come. epoch is nil on a later
// page, or when there is none.
func (m *marks) due(ctx context.Context, upTo, offset int64) (found []mark, epoch *time.Time, full bool, err error) {
	page, err := probe(ctx, m.breaker, 500*time.Millisecond, func(ctx context.Context) ([]redis.Z, error) {
		return m.client.ZRangeByScoreWithScores(ctx, m.key, &redis.ZRangeBy{
			Min: "-inf", Max: strconv.FormatInt(upTo, 10), Offset: offset, Count: pageSize,
		}).Result()
	})
	if err != nil {
		return nil, nil, false, err
	}
	for _, z := range page {
		name, _ := z.Member.(string)
		if name == epochMember {
			began := time.UnixMicro(-int64(z.Score))
			epoch = &began
			continue
		}
		id, instance, _ := strings.Cut(name, "/")
		school, err := uuid.Parse(id)
		if err != nil {
			continue // a sweep under way, or nothing of ours
		}
		found = append(found, mark{school, instance, int64(z.Score)})
	}
	return found, epoch, len(page) == pageSize, nil
}

// Removing and noting are one step: between two, a death would forget the school. It
// answers 1 if the note is new.
var settleScript = redis.NewScript(`
for i = 3, #ARGV, 2 do
  local s = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if s and tonumber(s) == tonumber(ARGV[i + 1]) then redis.call('ZREM', KEYS[1], ARGV[i]) end
end
if ARGV[2] ~= '' then
  local s = redis.call('ZSCORE', KEYS[1], ARGV[1])
  if not s or tonumber(s) > tonumber(ARGV[2]) then return redis.call('ZADD', KEYS[1], 'CH', ARGV[2], ARGV[1]) end
end
return 0`)

// settle removes the marks which have not changed since they were read, and notes
// when to look at the school again (nil: no need). noted: there was no such note yet.
func (m *marks) settle(ctx context.Context, school uuid.UUID, next *time.Time, seen []mark) (noted bool, err error) {
	args := []any{mark{school: school}.member(), ""}
	if next != nil {
		args[1] = next.UnixMicro()
	}
	for _, s := range seen {
		args = append(args, s.member(), s.score)
	}
	if next == nil && len(seen) == 0 {
		return false, nil
	}
	n, err := call(ctx, m.breaker, func(ctx context.Context) (int, error) {
		return settleScript.Run(ctx, m.client, []string{m.key}, args...).Int()
	})
	return n == 1, err
}
