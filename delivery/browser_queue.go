package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/notice"
	"homeroom/tenancy"
)

// browserQueue is the platform's table of messages to browsers.
type browserQueue struct{ s *Sender }

func (q browserQueue) claim(ctx context.Context, c Channel, n int) ([]Message, error) {
	now := q.s.Clock()
	rows, err := q.s.Platform.Query(ctx, `with due as (
			select id from platform.web_message where state = 'QUEUED' and next_at <= $1 order by next_at, id limit $2 for update skip locked)
		update platform.web_message m set attempts = m.attempts + 1, next_at = $3 from due, platform.web_subscription s
		where m.id = due.id and s.id = m.subscription_id
		returning m.id, s.school_id, s.endpoint, m.body, m.topic, m.urgency, m.attempts, m.created_at, m.expires_at`,
		now, n, now.Add(lease))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (Message, error) {
		m := Message{Channel: c, web: &webMessage{}}
		return m, r.Scan(&m.ID, &m.SchoolID, &m.To, &m.web.body, &m.web.topic, &m.web.urgency, &m.Attempts, &m.CreatedAt, &m.ExpiresAt)
	})
}

// answered are the pushes of schools that messages ($1) were made of, or that wait for a browser of theirs that is gone ($2).
const answered = `select distinct s.school_id, m.delivery_id from platform.web_message m
	join platform.web_subscription s on s.id = m.subscription_id
	where m.id = any($1) or m.state = 'QUEUED' and m.subscription_id in (select subscription_id from platform.web_message where id = any($2))`

// removeGone removes the subscriptions that messages went to, and with each what was on its way there.
const removeGone = `delete from platform.web_subscription
	where id in (select subscription_id from platform.web_message where id = any($1))`

// ack keeps what was sent, without its body, until it expires, and has the pushes it was made of checked: their outcome is that
// of all of a person's browsers. Subscriptions that are gone are removed.
func (q browserQueue) ack(ctx context.Context, _ Channel, results []result) error {
	batch := &pgx.Batch{}
	final, gone := []uuid.UUID{}, []uuid.UUID{}
	for _, r := range results {
		batch.Queue(`update platform.web_message set state = $2, next_at = coalesce($3, next_at), last_error = $4, attempts = attempts - $5,
			body = case when $2 = 'QUEUED' then body else '' end where id = $1`, r.ID, r.State, r.NextAt, r.Error, r.Untried)
		if r.State != "QUEUED" {
			final = append(final, r.ID)
		}
		if r.Suppress == Bounced {
			gone = append(gone, r.ID)
		}
	}
	bySchool := map[uuid.UUID][]uuid.UUID{}
	batch.Queue(answered, final, gone).Query(func(rows pgx.Rows) error {
		var school, push uuid.UUID
		_, err := pgx.ForEachRow(rows, []any{&school, &push}, func() error {
			bySchool[school] = append(bySchool[school], push)
			return nil
		})
		return err
	})
	batch.Queue(removeGone, gone)
	if err := q.s.Platform.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("recording what browsers were sent: %w", err)
	}
	for school, pushes := range bySchool {
		q.s.warn(school, WebPush, "pushes wait longer than browsers take", q.s.checkPushes(ctx, school, pushes))
	}
	return nil
}

func (browserQueue) charge(context.Context, Message) error { return nil }

// toBrowsers stands instead of the provider's id with a push that browsers alone can show. It is QUEUED until one of their push
// services took it or none will, and is checked again by the clock if this is not heard.
const toBrowsers = "to browsers"

// checkPushes makes pushes due that wait for browsers.
func (s *Sender) checkPushes(ctx context.Context, school uuid.UUID, pushes []uuid.UUID) error {
	_, db, err := s.Schools.Open(ctx, school, tenancy.ReadWrite)
	if errors.Is(err, tenancy.ErrSchoolNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	now, due := s.Clock(), 0
	err = tenancy.Pipeline(db, tenancy.Query{SQL: `with due as (update delivery set next_at = $2
			where id = any($1) and state = 'QUEUED' and provider_id = $3 and next_at > $2 returning 1)
		select count(*) from due`, Args: []any{pushes, now, toBrowsers}, Scan: tenancy.One(&due)})
	if due > 0 {
		s.wake(school, Push)
	}
	return err
}

// checkAnswered makes pushes due that browsers took, or none will take, before it was written down that they wait for them.
func (s *Sender) checkAnswered(ctx context.Context, school uuid.UUID, results []result) error {
	var waiting []uuid.UUID
	for _, r := range results {
		if r.State == "QUEUED" && r.ProviderID == toBrowsers {
			waiting = append(waiting, r.ID)
		}
	}
	if waiting == nil {
		return nil
	}
	rows, err := s.Platform.Query(ctx, `select t.id from unnest($1::uuid[]) as t (id)
		left join platform.web_message m on m.delivery_id = t.id
		group by t.id having coalesce(bool_or(m.state = 'SENT') or not bool_or(m.state = 'QUEUED'), true)`, waiting)
	if err != nil {
		return fmt.Errorf("reading what browsers took: %w", err)
	}
	answered, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil || len(answered) == 0 {
		return err
	}
	return s.checkPushes(ctx, school, answered)
}

// onBrowsers is how a push fares at the browsers of its user.
type onBrowsers struct {
	Browsers int // that it is for
	Sent     int
	Failed   int
	Waiting  int
	Next     *time.Time // when the first that waits is tried
	Problem  string     // of one that failed
}

// CancelBrowsers takes back what browsers have not been sent of pushes that are told by another way.
func (s *Sender) CancelBrowsers(ctx context.Context, pushes []uuid.UUID) error {
	_, err := s.Platform.Exec(ctx, `delete from platform.web_message where delivery_id = any($1) and state = 'QUEUED'`, pushes)
	if err != nil {
		return fmt.Errorf("taking back what is for browsers: %w", err)
	}
	return nil
}

// faring is how a push fares at browsers that it was queued for.
func (b *Browsers) faring(ctx context.Context, push uuid.UUID) (onBrowsers, error) {
	rows, err := b.Platform.Query(ctx, `select 0 as browsers, count(*) filter (where state = 'SENT') as sent,
			count(*) filter (where state = 'FAILED') as failed, count(*) filter (where state = 'QUEUED') as waiting,
			min(next_at) filter (where state = 'QUEUED') as next, coalesce(max(last_error) filter (where state = 'FAILED'), '') as problem
		from platform.web_message where delivery_id = $1`, push)
	if err != nil {
		return onBrowsers{}, fmt.Errorf("reading what browsers took: %w", err)
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[onBrowsers])
}

// pushToBrowsers has a push sent to its user's browsers, and says how it fares there. Whether one took it is looked for first:
// then there is nothing to encrypt anew.
func (s *Sender) pushToBrowsers(ctx context.Context, m Message) (out onBrowsers, err error) {
	if s.Browsers == nil {
		return out, nil
	}
	if m.toBrowsers {
		if out, err = s.Browsers.faring(ctx, m.ID); err != nil || out.Sent > 0 {
			return out, err
		}
	}
	n, err := s.Browsers.queueFor(ctx, m)
	if err != nil || n == 0 {
		return onBrowsers{}, err
	}
	s.WakeBrowsers()
	if out, err = s.Browsers.faring(ctx, m.ID); err != nil {
		return out, err
	}
	out.Browsers = n
	return out, nil
}

// byBrowsers is the outcome of a push that no phone can show, and no phone took: that of its user's browsers. ok is false where
// they have none.
func (s *Sender) byBrowsers(m Message, at onBrowsers, id string, err error) (r result, ok bool) {
	now := s.Clock()
	switch {
	case err == nil && id != notice.NoDevice, err != nil && !faultOf(err).Permanent:
		return r, false
	case at.Sent > 0:
		return result{ID: m.ID, State: "SENT", ProviderID: toBrowsers}, true
	case at.Waiting > 0:
		next := now.Add(grace)
		if at.Next.After(next) {
			next = *at.Next
		}
		next = m.beforeOverdue(next, now)
		return result{ID: m.ID, State: "QUEUED", NextAt: &next, ProviderID: toBrowsers, Untried: 1, oneAddress: true}, true
	case at.Failed > 0:
		return result{ID: m.ID, State: "FAILED", Error: at.Problem}, true
	}
	return r, false
}
