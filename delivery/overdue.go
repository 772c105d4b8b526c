package delivery

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/events"
	"homeroom/notice"
	"homeroom/tenancy"
)

// handOver is how long a push may wait for its provider until the next way of the school's rule is tried, where the rule does not
// say how long people have.
const handOver = 5 * time.Minute

// deadline is when the next way is tried for a push that nobody took; zero: it has none.
func (m Message) deadline() time.Time {
	if m.Channel != Push || !m.Ruled {
		return time.Time{}
	}
	if m.Wait > 0 {
		return m.DueAt.Add(m.Wait)
	}
	return m.DueAt.Add(handOver)
}

// overdueAt: the next way is to be tried.
func (m Message) overdueAt(now time.Time) bool {
	d := m.deadline()
	return !d.IsZero() && !d.After(now)
}

// beforeOverdue is the next try of a message, or its deadline if that comes first: then findOverdue finds it waiting.
func (m Message) beforeOverdue(next, now time.Time) time.Time {
	if d := m.deadline(); d.After(now) && d.Before(next) {
		return d
	}
	return next
}

// takeOverdue marks the pushes of rules with another way that no provider has taken in time, each once, and keeps workers off them
// for $3 while the next way is looked for. What a worker has in its hands is not due and is left out, but for $4, which it is
// giving back. $1 is now, $2 handOver.
const takeOverdue = `update delivery set overdue_at = $1, next_at = $1::timestamptz + $3::interval
	where id in (select id from delivery where state = 'QUEUED' and channel = 'PUSH' and (next_at <= $1 or id = any($4)) and rule is not null
		and user_id is not null and overdue_at is null
		and exists (select from notice_rule k where k.type = rule and cardinality(k.ways) > 1)
		and coalesce(due_at, next_at) + coalesce(make_interval(mins => wait_minutes), $2::interval) <= $1 limit 500 for update skip locked)
	returning id`

// findOverdue has the next way tried for the pushes of a school that no provider has taken in time. It runs as long as messages
// wait, and for those that a worker tried in vain after their time. Who saw one on a browser, while the phones' provider fails,
// has been reached.
func (s *Sender) findOverdue(ctx context.Context, db *gorm.DB, tried []uuid.UUID) error {
	now := s.Clock()
	var overdue []uuid.UUID
	err := tenancy.Pipeline(db, tenancy.Query{SQL: takeOverdue, Args: []any{now, handOver, grace, tried}, Scan: tenancy.Values(&overdue)})
	if err != nil {
		return fmt.Errorf("looking for overdue pushes: %w", err)
	}
	if len(overdue) == 0 {
		return nil
	}
	rows, err := s.Platform.Query(ctx, `select t.id from unnest($1::uuid[]) as t (id)
		where not exists (select from platform.web_message m where m.delivery_id = t.id and m.state = 'SENT')`, overdue)
	if err != nil {
		return fmt.Errorf("looking which browsers took overdue pushes: %w", err)
	}
	untold, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil || len(untold) == 0 {
		return err
	}
	args, err := events.Fact{Kind: notice.Unanswered, Data: notice.UnansweredIDs{IDs: untold}, DueAt: now}.InsertArgs(now)
	if err != nil {
		return err
	}
	return tenancy.Pipeline(db, tenancy.Query{SQL: events.InsertSQL, Args: args})
}
