// Package lastwrite remembers in Redis how far a node's log was when a user, or the office of a school, last wrote, so that
// a standby is read from only if it has that. It opens no database itself: it asks tenancy for the standby.
package lastwrite

import (
	"context"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"gorm.io/gorm"

	"homeroom/breaker"
	"homeroom/tenancy"
)

const (
	// kept is how long a write is remembered after the school's last. No standby that is further behind is read from.
	kept = 15 * time.Minute
	// patience is how long Redis may take. The node answers what Redis does not.
	patience = time.Second
	// retryDelay is between two tries to tell Redis what it has missed.
	retryDelay = 100 * time.Millisecond
)

// Writes are the last writes of all schools; it serves as api.Standbys.
type Writes struct {
	cluster *tenancy.Cluster
	redis   redis.UniversalClient
	log     *slog.Logger
	breaker *breaker.Breaker

	mu     sync.Mutex
	missed []write // what Redis could not be told yet
}

type write struct {
	school, node string
	readers      []string
	end          int64
	until        time.Time
}

// New remembers the writes to the cluster's schools.
func New(cluster *tenancy.Cluster, client redis.UniversalClient, log *slog.Logger) *Writes {
	return &Writes{cluster: cluster, redis: client, log: log, breaker: breaker.New("standbys", patience, time.Now, log)}
}

// everybody is whom the office's writes are kept under.
const everybody = "all"

// key is of a school; its fields are node and reader, for logs of two nodes cannot be compared.
func key(school string) string { return "homeroom:wrote:{" + school + "}" }

func field(node, reader string) string { return node + " " + reader }

// raise keeps the highest: two instances may tell of a user's writes in another order than they were made.
var raise = redis.NewScript(`for i = 3, #ARGV do
	local had = redis.call('HGET', KEYS[1], ARGV[i])
	if not had or tonumber(had) < tonumber(ARGV[1]) then redis.call('HSET', KEYS[1], ARGV[i], ARGV[1]) end
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`)

// For reports whether the school's node has a standby.
func (w *Writes) For(s *tenancy.School) bool { return w.cluster.HasStandby(s) }

// Wrote remembers a write, before it is answered.
func (w *Writes) Wrote(ctx context.Context, s *tenancy.School, user uuid.UUID, all bool, end int64) {
	one := write{school: s.ID.String(), node: w.cluster.Newest(s).Node, readers: []string{user.String()}, end: end,
		until: time.Now().Add(kept)}
	if all {
		one.readers = append(one.readers, everybody)
	}
	if err := w.tell(ctx, one); err != nil {
		w.log.Warn("a write could not be remembered; reads go to the nodes until it is", "error", err)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.missed = append(w.missed, one)
		if len(w.missed) == 1 {
			go w.retry()
		}
	}
}

func (w *Writes) tell(ctx context.Context, one write) error {
	args := []any{one.end, kept.Milliseconds()}
	for _, reader := range one.readers {
		args = append(args, field(one.node, reader))
	}
	_, err := breaker.Call(ctx, w.breaker, func(ctx context.Context) (any, error) {
		return raise.Run(ctx, w.redis, []string{key(one.school)}, args...).Result()
	})
	return err
}

// retry tells Redis what it has missed, oldest first.
func (w *Writes) retry() {
	for {
		w.mu.Lock()
		one := w.missed[0]
		w.mu.Unlock()
		if w.tell(context.Background(), one) != nil && time.Now().Before(one.until) {
			time.Sleep(retryDelay)
			continue
		}
		w.mu.Lock()
		w.missed = w.missed[1:]
		done := len(w.missed) == 0
		w.mu.Unlock()
		if done {
			return
		}
	}
}

// Open returns the school on its node's standby, bound to what the user has to see.
func (w *Writes) Open(ctx context.Context, s *tenancy.School, user uuid.UUID) (*gorm.DB, func(), bool) {
	w.mu.Lock()
	missed := len(w.missed) > 0
	w.mu.Unlock()
	at, fit := w.cluster.StandbyOf(s)
	if missed || !fit {
		return nil, nil, false
	}
	after, err := w.lastSeen(ctx, at.School, user)
	if err != nil {
		return nil, nil, false
	}
	db, done := at.Open(ctx, after)
	return db, done, true
}

// lastSeen is how far the school's node has to be read for this user.
func (w *Writes) lastSeen(ctx context.Context, s *tenancy.School, user uuid.UUID) (after int64, err error) {
	found, err := breaker.Call(ctx, w.breaker, func(ctx context.Context) ([]any, error) {
		return w.redis.HMGet(ctx, key(s.ID.String()), field(s.Node, user.String()), field(s.Node, everybody)).Result()
	})
	if err != nil {
		return 0, err
	}
	for _, value := range found {
		if text, ok := value.(string); ok {
			end, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return 0, err
			}
			after = max(after, end)
		}
	}
	return after, nil
}
