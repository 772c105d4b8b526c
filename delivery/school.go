package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/events"
	"homeroom/notice"
	"homeroom/tenancy"
)

// Waiting is the fact that a school has queued messages. As long as there are any, one of
// these is in its outbox: if an instance dies, another one checks.
const Waiting = "deliveries.waiting"

// Failed is the fact that messages were given up.
const Failed = "deliveries.failed"

type failedDeliveries struct {
	IDs []uuid.UUID `json:"ids"`
}

// unanswered are the facts for the messages that a rule of the school may have another way for.
func unanswered(results []result, now time.Time) []events.Fact {
	var facts []events.Fact
	by := map[time.Duration][]uuid.UUID{} // after how long the next way is tried
	for _, r := range results {
		switch {
		case !r.ruled || r.State == "QUEUED":
		case r.State == "FAILED" || r.ProviderID == notice.NoDevice:
			by[0] = append(by[0], r.ID)
		case r.wait > 0:
			by[r.wait] = append(by[r.wait], r.ID)
		}
	}
	for wait, ids := range by {
		facts = append(facts, events.Fact{Kind: notice.Unanswered, Data: notice.UnansweredIDs{IDs: ids}, DueAt: now.Add(wait)})
	}
	return facts
}

// watchSQL adds the fact Waiting: $1 is now, $2 the soonest next check.
const watchSQL = `insert into outbox (id, kind, payload, occurred_at, next_at)
	select gen_random_uuid(), '` + Waiting + `', '{}', $1, x.at
	from (select greatest(min(q.soonest), $2) as at
		from unnest(array['PUSH', 'SMS', 'EMAIL', 'WHATSAPP']) c, lateral (select min(next_at) as soonest from delivery where state = 'QUEUED'
		and channel = c) q) x
	where x.at is not null and not exists (select from outbox where kind = '` + Waiting + `' and next_at > $1 and next_at <= x.at)`

// dueSQL are the channels with due messages: the other lanes are not woken, since each check
// is a transaction.
const dueSQL = `select c from unnest(array['PUSH', 'SMS', 'EMAIL', 'WHATSAPP']) c where exists (select from delivery where state = 'QUEUED'
	and channel = c and next_at <= $1)`

// Queued has messages sent that a listener queued in its transaction: at once after the
// commit, and by another instance if that fails.
func (s *Sender) Queued(ctx context.Context, db *gorm.DB, school uuid.UUID) error {
	now := s.Clock()
	var due []Channel
	err := tenancy.Pipeline(db,
		tenancy.Query{SQL: watchSQL, Args: []any{now, now.Add(grace)}},
		tenancy.Query{SQL: dueSQL, Args: []any{now}, Scan: tenancy.Values(&due)})
	if err != nil {
		return fmt.Errorf("watching over deliveries: %w", err)
	}
	events.After(ctx, func() { s.wake(school, due...) })
	return nil
}

// Follow subscribes to the facts of queued messages and of those given up.
func (s *Sender) Follow(bus *events.Bus) {
	bus.On(Waiting, "delivery", func(ctx context.Context, h events.Heard) error {
		db, err := events.DB(ctx)
		if err != nil {
			return err
		}
		if err := s.findOverdue(ctx, db, nil); err != nil {
			return err
		}
		return s.Queued(ctx, db, h.SchoolID)
	})
	bus.On(Failed, "dead letters", s.recordDeadLetters)
}

// schoolQueue is a school's own table.
type schoolQueue struct {
	s      *Sender
	school *tenancy.School
	db     *gorm.DB
}

func (s *Sender) queueOf(ctx context.Context, c Channel, school uuid.UUID) (queue, error) {
	switch c {
	case Unsubscribe:
		return removalQueue{s}, nil
	case WebPush:
		return browserQueue{s}, nil
	}
	if school == uuid.Nil {
		return platformQueue{s}, nil
	}
	found, db, err := s.Schools.Open(ctx, school, tenancy.ReadWrite)
	if errors.Is(err, tenancy.ErrSchoolNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return schoolQueue{s, found, db}, nil
}

const claimSQL = `with due as (
		select id from delivery where state = 'QUEUED' and channel = $1 and next_at <= $2
		order by next_at, id limit $3 for update skip locked)
	update delivery d set attempts = d.attempts + 1, next_at = $4, due_at = coalesce(d.due_at, d.next_at)
	from due where d.id = due.id
	returning d.id, d.recipient, d.type, d.title, d.body, d.record_id, d.student_id, d.badge, d.collapse_id, d.urgent, d.expires_at,
		d.attempts, d.due_at, d.created_at, d.user_id, coalesce(d.log_keys, '{}') as log_keys,
		coalesce((select u.language from app_user u where u.id = d.user_id), '') as language,
		d.rule is not null as ruled, d.provider_id = '` + toBrowsers + `' as to_browsers, coalesce(d.wait_minutes, 0) as wait_minutes,
		coalesce((select s.reason from suppression s where s.channel = d.channel and s.recipient = lower(d.recipient)), '') as suppressed`

type claimedRow struct {
	ID          uuid.UUID
	Recipient   string
	Type        string
	Title       string
	Body        string
	RecordID    *uuid.UUID
	StudentID   *uuid.UUID
	Badge       int
	CollapseID  *uuid.UUID
	Urgent      bool
	ExpiresAt   *time.Time
	Attempts    int
	CreatedAt   time.Time
	UserID      *uuid.UUID
	LogKeys     []string
	Ruled       bool
	WaitMinutes int
	ToBrowsers  bool
	DueAt       time.Time
	Suppressed  string
	Language    string
}

func (q schoolQueue) claim(_ context.Context, c Channel, n int) ([]Message, error) {
	now := q.s.Clock()
	var claimed []Message
	err := tenancy.Pipeline(q.db, tenancy.Query{SQL: claimSQL, Args: []any{c, now, n, now.Add(lease)}, Scan: func(r pgx.Rows) error {
		rows, err := pgx.CollectRows(r, pgx.RowToStructByName[claimedRow])
		for _, d := range rows {
			m := Message{
				ID: d.ID, SchoolID: q.school.ID, School: q.school.Name, Locale: q.school.Locale, Channel: c, To: d.Recipient, Type: d.Type,
				Title: d.Title, Body: d.Body, RecordID: d.RecordID, StudentID: d.StudentID, Badge: d.Badge, CollapseID: d.CollapseID,
				Urgent: d.Urgent, Attempts: d.Attempts, CreatedAt: d.CreatedAt, UserID: d.UserID, Keys: d.LogKeys,
				suppressed: d.Suppressed, Ruled: d.Ruled, toBrowsers: d.ToBrowsers, DueAt: d.DueAt, Wait: time.Duration(d.WaitMinutes) * time.Minute,
			}
			if d.Language != "" {
				m.Locale = d.Language
			}
			if d.ExpiresAt != nil {
				m.ExpiresAt = *d.ExpiresAt
			}
			claimed = append(claimed, m)
		}
		return err
	}})
	return claimed, err
}

const ackSQL = `update delivery d set state = r.state, next_at =
	coalesce(r.next_at, d.next_at), last_error = r.error, provider_id = r.provider_id,
		attempts = d.attempts - r.untried, sent_at = case when r.state = 'SENT' then $2::timestamptz end
	from jsonb_to_recordset($1::jsonb) as r (id uuid, state text, next_at timestamptz, error text, provider_id text, untried int)
	where d.id = r.id and d.state = 'QUEUED'`

// suppressSQL keeps the addresses to which nothing is to be sent any more.
const suppressSQL = `insert into suppression (channel, recipient, reason, problem, created_at)
	select d.channel, lower(d.recipient), r.suppress, r.error, $2
	from jsonb_to_recordset($1::jsonb) as r (id uuid, suppress text, error text) join delivery d on d.id = r.id
	where r.suppress <> '' on conflict (channel, recipient) do nothing`

// ack records the results of claimed messages. Postponing and giving up are facts, so that
// they are followed up in time.
func (q schoolQueue) ack(ctx context.Context, _ Channel, results []result) error {
	now := q.s.Clock()
	body, err := json.Marshal(results)
	if err != nil {
		return err
	}
	statements := []tenancy.Query{{SQL: ackSQL, Args: []any{string(body), now}}}
	var failed, overdue []uuid.UUID
	facts := unanswered(results, now)
	tell := len(facts) > 0
	for _, r := range results {
		tell = tell || r.State != "SENT"
		if r.overdue {
			overdue = append(overdue, r.ID)
		}
		if r.Suppress != "" && len(statements) == 1 {
			statements = append(statements, tenancy.Query{SQL: suppressSQL, Args: []any{string(body), now}})
		}
		// A channel without a provider is an operator's choice, and no messages that of a person.
		if r.State == "FAILED" && r.Error != ErrNoProvider.Error() && !r.suppressed {
			failed = append(failed, r.ID)
		}
	}
	if !tell {
		return tenancy.Pipeline(q.db, statements...)
	}
	statements = append(statements, tenancy.Query{SQL: watchSQL, Args: []any{now, now}})
	if failed != nil {
		facts = append(facts, events.Fact{Kind: Failed, Data: failedDeliveries{failed}})
	}
	for _, f := range facts {
		args, err := f.InsertArgs(now)
		if err != nil {
			return err
		}
		statements = append(statements, tenancy.Query{SQL: events.InsertSQL, Args: args})
	}
	q.s.Outbox.Lease(ctx, q.school.ID)
	if err := tenancy.Pipeline(q.db, statements...); err != nil {
		return err
	}
	if overdue != nil {
		err = q.db.Transaction(func(tx *gorm.DB) error { return q.s.findOverdue(ctx, tx, overdue) })
	}
	q.s.Outbox.Wake(q.school.ID)
	return err
}
