package events

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

const batchSize = 100

// claimSQL locks the school for this relay and claims its due facts. The school's lock
// keeps facts in order when several instances check the same school; the rows' locks
// alone keep a fact from being published twice at once. There is always a row: whether
// the school's lock was taken, and when the next fact is due.
const claimSQL = `
with school as materialized (select pg_try_advisory_xact_lock(?) as locked)
select school.locked, (select min(next_at) from outbox) as soonest,
       o.id, o.kind, o.payload, o.occurred_at, o.attempts, o.last_error, o.next_at
from school left join lateral (
    select id, kind, payload::text as payload, occurred_at, attempts, last_error, next_at
    from outbox
    where school.locked and next_at <= ?
    order by next_at, id
    limit ?
    for update skip locked
) o on true
order by o.next_at, o.id`

const soonestSQL = `select min(next_at) as soonest from outbox`

type claimedFact struct {
	Locked     bool
	Soonest    *time.Time
	ID         *uuid.UUID
	Kind       string
	Payload    string
	OccurredAt time.Time
	Attempts   int
	LastError  string
	NextAt     time.Time
}

// brokeTransaction begins the last_error of a fact that broke its transaction. From
// then on it is published in a batch of its own, where it can break nothing else.
const brokeTransaction = "broke its transaction: "

func (c claimedFact) needsOwnBatch() bool { return strings.HasPrefix(c.LastError, brokeTransaction) }

func (r *Relay) claim(tx *gorm.DB, school uuid.UUID) ([]claimedFact, error) {
	var rows []claimedFact
	if err := tx.Raw(claimSQL, advisoryLockKey(school), r.clock(), batchSize).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("claiming facts: %w", err)
	}
	if len(rows) == 0 {
		return nil, errors.New("claiming facts: no row")
	}
	return rows, nil
}

// advisoryLockKey is the key of the school's advisory lock on its node.
func advisoryLockKey(school uuid.UUID) int64 {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte("homeroom outbox "))
	_, _ = sum.Write(school[:])
	return int64(binary.BigEndian.Uint64(sum.Sum(nil))) //nolint:gosec // any 64 bits will do
}

type failure struct {
	id     uuid.UUID
	nextAt time.Time
	text   string
}

// recordBatch deletes the facts that were processed, postpones those that failed, and
// returns when the next fact is due, including those committed meanwhile.
func recordBatch(tx *gorm.DB, done []uuid.UUID, failed []failure) (next *time.Time, err error) {
	if len(failed) > 0 {
		var values []string
		var args []any
		for _, f := range failed {
			values = append(values, "(?::uuid, ?::timestamptz, ?::text)")
			args = append(args, f.id.String(), f.nextAt, f.text)
		}
		err := tx.Exec(`update outbox o set attempts = o.attempts + 1, next_at = f.next_at, last_error = f.error
			from (values `+strings.Join(values, ", ")+`) f (id, next_at, error) where o.id = f.id`, args...).Error
		if err != nil {
			return nil, fmt.Errorf("postponing facts: %w", err)
		}
	}
	sql, args := soonestSQL, []any(nil)
	if len(done) > 0 {
		// One statement sees one snapshot, which still has the deleted rows. The ids are
		// one parameter, so that one prepared statement serves any number of them, and
		// behind a subquery: a list of one id would be planned anew each time.
		sql = `with done as materialized (select unnest(?::uuid[]) as id),
			published as (delete from outbox where id = any(array(select id from done))) ` +
			soonestSQL + ` where id <> all(array(select id from done))`
		args = []any{array(done)}
	}
	if next, err = soonest(tx, sql, args...); err != nil {
		return nil, fmt.Errorf("deleting published facts: %w", err)
	}
	return next, nil
}

// array formats ids as a Postgres array.
func array(ids []uuid.UUID) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	return "{" + strings.Join(texts, ",") + "}"
}

func soonest(tx *gorm.DB, sql string, args ...any) (*time.Time, error) {
	var row claimedFact // GORM turns a bare NULL into a zero time; in a struct it stays nil
	err := tx.Raw(sql, args...).Scan(&row).Error
	return row.Soonest, err
}
