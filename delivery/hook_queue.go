package delivery

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/notice"
	"homeroom/tenancy"
)

// hookDelivery is a fact on its way to one webhook.
type hookDelivery struct {
	ID            uuid.UUID
	WebhookID     uuid.UUID
	URL           string
	EventID       uuid.UUID
	Kind          string
	RecordType    string
	RecordID      uuid.UUID
	RecordVersion *int
	Action        string
	OccurredAt    time.Time
	secret        []byte
}

// firstOfRecord holds for a delivery d when none of the same record waits before it: a later fact waits for the earlier.
const firstOfRecord = `not exists (select from webhook_delivery e where e.webhook_id = d.webhook_id and e.record_id = d.record_id
	and e.state = 'QUEUED' and (e.queued_at, e.id) < (d.queued_at, d.id))`

const claimHooks = `with due as (
		select d.id from webhook_delivery d
			join webhook w on w.id = d.webhook_id and w.status = 'ACTIVE' and coalesce(w.paused_until <= $1, true)
		where d.state = 'QUEUED' and d.next_at <= $1 and ` + firstOfRecord + `
		order by d.queued_at, d.id limit $2 for update of d skip locked)
	update webhook_delivery d set attempts = d.attempts + 1, next_at = $3
	from due, webhook w where d.id = due.id and w.id = d.webhook_id
	returning d.id, d.webhook_id, w.url, d.event_id, d.kind, d.record_type, d.record_id, d.record_version, d.action, d.occurred_at`

// watchHooks adds the fact HooksWaiting for the next check, which is not before soonest.
func watchHooks(now, soonest time.Time) tenancy.Query {
	return tenancy.Query{SQL: `insert into outbox (id, kind, payload, occurred_at, next_at)
		select gen_random_uuid(), '` + HooksWaiting + `', '{}', $1, x.at
		from (select greatest(min(greatest(d.next_at, w.paused_until)), $2) as at
			from webhook_delivery d join webhook w on w.id = d.webhook_id and w.status = 'ACTIVE'
			where d.state = 'QUEUED' and ` + firstOfRecord + ` having count(*) > 0) x
		where not exists (select from outbox where kind = '` + HooksWaiting + `' and next_at > $1 and next_at <= x.at)`,
		Args: []any{now, soonest}}
}

// claim takes facts that are due for a minute, with the secrets of their webhooks.
func (h *Hooks) claim(ctx context.Context, school uuid.UUID, db *gorm.DB) ([]hookDelivery, error) {
	now := h.Clock()
	var claimed []hookDelivery
	err := tenancy.Pipeline(db,
		tenancy.Query{SQL: claimHooks, Args: []any{now, hookBatch, now.Add(hookLease)}, Scan: tenancy.Collect(&claimed)})
	if err != nil || len(claimed) == 0 {
		return nil, err
	}
	var ids []uuid.UUID
	for _, d := range claimed {
		ids = append(ids, d.WebhookID)
	}
	secrets, err := h.secrets(ctx, school, ids)
	for i := range claimed {
		claimed[i].secret = secrets[claimed[i].WebhookID]
	}
	return claimed, err
}

// hookResult is what came of sending one fact.
type hookResult struct {
	ID        uuid.UUID `json:"id"`
	WebhookID uuid.UUID `json:"webhook_id"`
	Sent      bool      `json:"sent"`
	Status    *int      `json:"status"`
	Error     string    `json:"error"`
}

// ackHooks records results. A fact that one webhook refuses for days is given up, while the webhook takes others.
const ackHooks = `update webhook_delivery d set last_status = r.status, last_error = r.error,
		state = case when r.sent then 'SENT' when d.attempts > 1 and d.first_tried_at < $2::timestamptz - $3::interval
			and not w.failing then 'FAILED' else 'QUEUED' end,
		first_tried_at = coalesce(d.first_tried_at, $2),
		sent_at = case when r.sent then $2::timestamptz else d.sent_at end,
		next_at = case when r.sent then d.next_at
			else $2::timestamptz + least($5::interval, $4::interval * power(2, least(d.attempts - 1, 16))) * (0.8 + 0.4 * random()) end
	from jsonb_to_recordset($1::jsonb) as r (id uuid, webhook_id uuid, sent boolean, status int, error text)
	join (select id, failing_since is not null as failing from webhook) w on w.id = r.webhook_id
	where d.id = r.id and d.state = 'QUEUED'`

// ackWebhooks records how the webhooks themselves do. One that takes something works; one that takes nothing is paused, for
// longer each time, and suspended after days.
const ackWebhooks = `update webhook w set
		failures = case when r.took then 0 else w.failures + 1 end,
		failing_since = case when r.took then null else coalesce(w.failing_since, $2) end,
		paused_until = case when r.took then null
			else $2::timestamptz + least($5::interval, $4::interval * power(2, least(w.failures, 16))) * (0.8 + 0.4 * random()) end,
		delivered_at = case when r.took then $2::timestamptz else w.delivered_at end,
		last_error = case when r.took then '' else r.error end,
		status = case when not r.took and w.failing_since < $2::timestamptz - $3::interval then 'SUSPENDED' else w.status end
	from (select webhook_id, bool_or(sent) as took, max(error) as error
		from jsonb_to_recordset($1::jsonb) as x (webhook_id uuid, sent boolean, error text) group by webhook_id) r
	where w.id = r.webhook_id and w.status = 'ACTIVE'
	returning w.id, w.name, w.status`

// ack records the results, has the rest checked in time, and tells the office of a webhook that is suspended.
func (h *Hooks) ack(ctx context.Context, school *tenancy.School, db *gorm.DB, results []hookResult) error {
	now := h.Clock()
	body, err := json.Marshal(results)
	if err != nil {
		return err
	}
	args := []any{string(body), now, HookPatience, h.FirstRetry, LastHookRetry}
	soonest := now.Add(grace) // what is due is sent by this instance, unless it dies
	for _, r := range results {
		if !r.Sent {
			soonest = now
		}
	}
	h.Outbox.Lease(ctx, school.ID)
	err = db.Transaction(func(tx *gorm.DB) error {
		var hooks []struct {
			ID     uuid.UUID
			Name   string
			Status string
		}
		err := tenancy.Pipeline(tx, tenancy.Query{SQL: ackHooks, Args: args},
			tenancy.Query{SQL: ackWebhooks, Args: args, Scan: tenancy.Collect(&hooks)}, watchHooks(now, soonest))
		if err != nil {
			return err
		}
		for _, w := range hooks {
			if w.Status == "SUSPENDED" {
				if err := tellSuspended(tx, school, now, w.ID, w.Name); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	h.Outbox.Wake(school.ID)
	return nil
}

// tellSuspended tells those of the office who may switch the webhook on again.
func tellSuspended(tx *gorm.DB, school *tenancy.School, now time.Time, webhook uuid.UUID, name string) error {
	var office []uuid.UUID
	err := tenancy.Pipeline(tx, tenancy.Query{SQL: `select u.id from app_user u join role r on r.id = u.role_id and r.type = 'SCHOOL_ADMIN'
		join permission p on p.role_id = r.id and p.can_write join module m on m.id = p.module_id and m.name = 'integration'
		where u.status = 'ACTIVE'`, Scan: tenancy.Values(&office)})
	if err != nil {
		return fmt.Errorf("looking who answers for webhooks: %w", err)
	}
	var notices []notice.Notice
	for _, user := range office {
		notices = append(notices, notice.Notice{Type: notice.Announcement, Key: fmt.Sprintf("webhook-off:%s:%d:%s", webhook, now.Unix(), user),
			UserID: &user, Text: notice.Text{Name: "integration.webhook-off", Values: notice.Values{"name": name}}})
	}
	return notice.SendIn(tx, school, now, false, notices...)
}
