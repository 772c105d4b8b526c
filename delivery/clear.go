package delivery

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/tenancy"
)

// clearBatch bounds one transaction of clearing.
const clearBatch = 5000

// clearDeliveries deletes a batch of a school's old messages, and keeps a dispatch's totals.
const clearDeliveries = `with old as (
		delete from delivery where id in (select id from delivery where state <> 'QUEUED' and created_at < $1 limit $2)
		returning dispatch_id, state),
	sums as (select dispatch_id, count(*) filter (where state = 'SENT') as sent, count(*) filter (where state = 'FAILED') as failed
		from old where dispatch_id is not null group by dispatch_id),
	kept as (update dispatch d set cleared_sent = d.cleared_sent + s.sent, cleared_failed = d.cleared_failed + s.failed from sums s
	where d.id = s.dispatch_id)
	select count(*) from old`

// clearNotices and clearNotifications delete a batch of notices and read notifications.
const (
	clearNotices = `with old as (
			delete from notice where id in (select id from notice where told_at < $1 and created_at < $1 limit $2) returning 1)
		select count(*) from old`
	clearNotifications = `with old as (
			delete from notification where id in (select id from notification where read_at is not null and created_at < $1 limit $2) returning 1)
		select count(*) from old`
)

// Clear deletes the messages that a school has sent or given up before a moment, and the
// notices and read notifications before another: in batches, in one round trip where there are
// few. Queued messages and unread notifications stay, however old they are.
func Clear(ctx context.Context, db *gorm.DB, messages, notices time.Time) error {
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		more = false
		some := func(sql string, before time.Time) tenancy.Query {
			return tenancy.Query{SQL: sql, Args: []any{before, clearBatch}, Scan: func(rows pgx.Rows) error {
				n, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[int])
				more = more || n == clearBatch
				return err
			}}
		}
		if err := tenancy.Pipeline(db, some(clearDeliveries, messages), some(clearNotices, notices),
			some(clearNotifications, notices)); err != nil {
			return fmt.Errorf("clearing old messages and notices: %w", err)
		}
	}
	return nil
}

// ClearPlatform deletes the platform's own messages and the dead letters from before a
// moment, old totals of SMS, and the devices of expired sessions.
func (s *Sender) ClearPlatform(ctx context.Context, before time.Time) error {
	if err := s.expireDevices(ctx, s.Clock()); err != nil {
		return err
	}
	for what, sql := range map[string]string{
		"letters": `delete from platform.message where id in (select id from platform.message where state <> 'QUEUED' and created_at < $1
			limit $2)`,
		"dead letters": `delete from platform.dead_letter where id in (select id from platform.dead_letter where failed_at < $1
			order by failed_at limit $2)`,
		"removals": `delete from platform.topic_removal where id in (select id from platform.topic_removal where created_at < $1 limit $2)`,
		"messages to browsers": `delete from platform.web_message where id in (select id from platform.web_message
			where expires_at < $1 limit $2)`,
		"sums": `delete from platform.sms_day where day in (select day from platform.sms_day where day < $1 limit $2)`,
	} {
		for n := int64(clearBatch); n == clearBatch; {
			tag, err := s.Platform.Exec(ctx, sql, before, clearBatch)
			if err != nil {
				return fmt.Errorf("clearing old %s: %w", what, err)
			}
			n = tag.RowsAffected()
		}
	}
	return nil
}
