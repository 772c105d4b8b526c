package delivery

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Unsubscribe is the channel by which devices are removed from push topics. It has a lane of
// its own: a provider that refuses this must not delay the messages.
const Unsubscribe Channel = "UNSUBSCRIBE"

// Unsubscriber is a push driver that can remove a device from topics. A device that is gone,
// or was never subscribed, counts as removed.
type Unsubscriber interface {
	Unsubscribe(ctx context.Context, token string, topics []string) error
}

// unsubscribing is an Unsubscriber as the driver of a lane.
type unsubscribing struct{ Unsubscriber }

func (u unsubscribing) Send(ctx context.Context, m Message) (string, error) {
	if len(m.Topics) == 0 {
		return "", nil // its user may subscribe to all of them again
	}
	return "", u.Unsubscribe(ctx, m.To, m.Topics)
}

// removalQueue is the platform's table of topics that devices have to leave. A trigger on
// device_token fills it.
type removalQueue struct{ s *Sender }

// claim leaves out topics that the device's present user may subscribe to: somebody
// signed in again on the phone before its old subscriptions were removed.
func (q removalQueue) claim(ctx context.Context, c Channel, n int) ([]Message, error) {
	now := q.s.Clock()
	rows, err := q.s.Platform.Query(ctx, `with due as (
			select id from platform.topic_removal where next_at <= $1 order by next_at, id limit $2 for update skip locked)
		update platform.topic_removal r set attempts = r.attempts + 1, next_at = $3 from due where r.id = due.id
		returning r.id, r.token, r.school_id, r.attempts,
			array(select unnest(r.topics) except select unnest(d.topics) from platform.device_token d
			where d.token = r.token)`, now, n, now.Add(lease))
	if err != nil {
		return nil, err
	}
	var claimed []Message
	m := Message{Channel: c, CreatedAt: now} // one that is always new is never given up
	_, err = pgx.ForEachRow(rows, []any{&m.ID, &m.To, &m.SchoolID, &m.Attempts, &m.Topics}, func() error {
		claimed = append(claimed, m)
		m.Topics = nil
		return nil
	})
	return claimed, err
}

// ack deletes removals that were done, and those of devices that the provider does not know:
// they are subscribed to nothing.
func (q removalQueue) ack(ctx context.Context, _ Channel, results []result) error {
	batch := &pgx.Batch{}
	for _, r := range results {
		if r.State != "QUEUED" {
			batch.Queue(`delete from platform.topic_removal where id = $1`, r.ID)
			continue
		}
		batch.Queue(`update platform.topic_removal set next_at = $2, last_error = $3, attempts = attempts - $4 where id = $1`, r.ID, r.NextAt,
			r.Error, r.Untried)
	}
	if err := q.s.Platform.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("settling removals from topics: %w", err)
	}
	return nil
}

func (removalQueue) charge(context.Context, Message) error { return nil }

// expireDevices removes the devices and browsers of expired sessions.
func (s *Sender) expireDevices(ctx context.Context, now time.Time) error {
	for _, table := range []string{"device_token", "web_subscription"} {
		_, err := s.Platform.Exec(ctx, `delete from platform.`+table+` d using platform.session s where s.id = d.session_id
			and s.expires_at <= $1`, now)
		if err != nil {
			return fmt.Errorf("removing the devices of sessions that ran out: %w", err)
		}
	}
	return nil
}
