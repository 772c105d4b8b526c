package integration

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/events"
	"homeroom/tenancy"
)

// Hooks sends facts to webhooks.
type Hooks interface {
	// NewSecret makes a webhook's secret, in the place of the one before; empty: another school has one of this id.
	NewSecret(ctx context.Context, school, webhook uuid.UUID) (string, error)
	// KeepSecrets deletes the secrets of a school's webhooks but these.
	KeepSecrets(ctx context.Context, school uuid.UUID, webhooks []uuid.UUID) error
	// CheckURL says what is wrong with an address.
	CheckURL(text string) error
	// Queued has what was queued in a listener's transaction sent.
	Queued(ctx context.Context, db *gorm.DB, school uuid.UUID) error
}

// WebhookFields are what the office says of a webhook.
type WebhookFields struct {
	Name   string   `json:"name" validate:"name,max=60" example:"Accounts"`
	URL    string   `json:"url" gorm:"column:url" validate:"required,max=500" doc:"An https address on the internet; redirects are not followed" example:"https://accounts.example.org/homeroom"`
	Kinds  []string `json:"kinds" gorm:"serializer:json" validate:"required,min=1,max=100,unique,dive,max=60" enum:"attendance.marked,leave.requested,leave.decided,leave.cancelled,exam.schedule-published,exam.published,exam.unpublished,results.uploaded,event.signed-up,event.sign-up-cancelled,academic-year.activated,students.promoted,student.changed,guardian.changed,enrolment.changed,employee.changed,class.changed,division.changed,subject.changed,exam.changed,event.changed,holiday.changed,announcement.changed,fee-receipt.changed,fee-refund.changed,book.changed,loan.changed,bus.changed,route.changed,trip.changed" doc:"Of which facts, as /school-admin/integration/webhook/kinds lists them"`
	Status string   `json:"status" validate:"omitempty,oneof=ACTIVE OFF" enum:"ACTIVE,OFF,SUSPENDED" doc:"OFF: no facts are kept for it. SUSPENDED by the service, after three days without a fact taken: facts are kept for it until it is ACTIVE again"`
}

// Webhook is an address that facts are sent to.
type Webhook struct {
	api.Record
	WebhookFields
	FailingSince *time.Time `json:"failingSince" doc:"Since when it has taken nothing; null: it works"`
	PausedUntil  *time.Time `json:"-"`
	Failures     int        `json:"-"`
	LastError    string     `json:"lastError" doc:"Why the last fact was not taken; empty while it works"`
	DeliveredAt  *time.Time `json:"deliveredAt" label:"Last delivery" doc:"When it last took a fact"`
}

// TableName is where webhooks are.
func (Webhook) TableName() string { return "webhook" }

// NewWebhook is a webhook with its secret.
type NewWebhook struct {
	Webhook
	Secret string `json:"secret" doc:"What signatures are checked with. It is not shown again" example:"whsec_…"`
}

type webhookChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[WebhookFields]
}

var webhookListing = api.Listing{
	Sorts:   map[string]string{"name": "name", "createdAt": "created_at"},
	Default: "name",
	Filters: map[string]api.Filter{"search": api.Search("name", "url"), "status": api.ByEnum("status", "ACTIVE", "OFF", "SUSPENDED")},
}

// createWebhook adds a webhook. Its secret is kept before the webhook is committed: one without a webhook is deleted later.
func (m *Module) createWebhook(c api.Ctx, r WebhookFields) (NewWebhook, error) {
	w := Webhook{WebhookFields: r}
	if w.Status == "" {
		w.Status = "ACTIVE"
	}
	if err := m.checkWebhook(c, w, nil); err != nil {
		return NewWebhook{}, err
	}
	if err := api.Insert(c, "webhook", &w); err != nil {
		return NewWebhook{}, err
	}
	secret, err := m.Hooks.NewSecret(c, c.School.ID, w.ID)
	if err != nil {
		return NewWebhook{}, err
	}
	c.RightsChanged() // instances remember with the policy whether the school has webhooks
	return NewWebhook{w, secret}, nil
}

// checkWebhook refuses an address that facts are not sent to, and kinds that the caller may not read. before are those that it was sent.
func (m *Module) checkWebhook(c api.Ctx, w Webhook, before []string) error {
	if err := m.Hooks.CheckURL(w.URL); err != nil {
		return api.InvalidField("url", "url %s", err)
	}
	return checkKinds(c, slices.DeleteFunc(slices.Clone(w.Kinds), func(k string) bool { return slices.Contains(before, k) }))
}

func listWebhooks(c api.Ctx, l api.ListRequest) (api.Page[Webhook], error) {
	return api.Fetch[Webhook](c.DB.Model(&Webhook{}), l)
}

func getWebhook(c api.Ctx, r byID) (Webhook, error) {
	return api.Find[Webhook](c, "webhook", c.DB, r.ID)
}

// updateWebhook changes a webhook. Switched on again, it is tried at once.
func (m *Module) updateWebhook(c api.Ctx, r webhookChange) (Webhook, error) {
	was := 0
	w, err := api.Update(c, "webhook", r.ID, func(w *Webhook) error {
		before := *w
		was = w.Version
		if err := r.Apply(&w.WebhookFields); err != nil {
			return err
		}
		if w.Status == "" { // null: as it is
			w.Status = before.Status
		}
		if w.Status == "ACTIVE" && before.Status != "ACTIVE" || w.URL != before.URL {
			w.FailingSince, w.PausedUntil, w.Failures, w.LastError = nil, nil, 0, ""
		}
		if w.URL != before.URL {
			before.Kinds = nil // it is new to all of them
		}
		return m.checkWebhook(c, *w, before.Kinds)
	})
	if err != nil || w.Version == was {
		return w, err
	}
	c.RightsChanged()
	c.Tell(events.Fact{Kind: hooksWaiting, Data: api.Nothing{}})
	return w, nil
}

// hooksWaiting is the fact that has the webhooks of a school checked: delivery's.
const hooksWaiting = "webhooks.waiting"

// errCopied refuses a secret to a webhook that came with another school's archive.
var errCopied = api.Conflict("This webhook is a copy of another school's: delete it and add it again")

func (m *Module) renewSecret(c api.Ctx, r byID) (NewWebhook, error) {
	w, err := getWebhook(c, r)
	if err != nil {
		return NewWebhook{}, err
	}
	secret, err := m.Hooks.NewSecret(c, c.School.ID, w.ID)
	if err == nil && secret == "" {
		err = errCopied
	}
	c.Changed("renew secret", "webhook", w.ID, nil, nil)
	return NewWebhook{w, secret}, err
}

func deleteWebhook(c api.Ctx, r byID) error {
	w, err := api.Lock[Webhook](c, "webhook", r.ID)
	if err != nil {
		return err
	}
	if err := c.DB.Where("id = ?", w.ID).Delete(&Webhook{}).Error; err != nil {
		return fmt.Errorf("deleting a webhook: %w", err)
	}
	c.Changed("delete", "webhook", w.ID, w, nil)
	c.RightsChanged()
	return nil
}

// WebhookDelivery is a fact on its way to a webhook, and what came of it.
type WebhookDelivery struct {
	ID            uuid.UUID  `json:"id"`
	WebhookID     uuid.UUID  `json:"webhookId"`
	EventID       uuid.UUID  `json:"eventId" doc:"The same however often it is sent"`
	Kind          string     `json:"kind" enum:"attendance.marked,leave.requested,leave.decided,leave.cancelled,exam.schedule-published,exam.published,exam.unpublished,results.uploaded,event.signed-up,event.sign-up-cancelled,academic-year.activated,students.promoted,student.changed,guardian.changed,enrolment.changed,employee.changed,class.changed,division.changed,subject.changed,exam.changed,event.changed,holiday.changed,announcement.changed,fee-receipt.changed,fee-refund.changed,book.changed,loan.changed,bus.changed,route.changed,trip.changed"`
	RecordType    string     `json:"recordType" enum:"division,leave,exam,event,'academic year',promotion,student,guardian,enrolment,employee,class,subject,holiday,announcement,'fee receipt','fee refund',book,loan,bus,route,trip" label:"Record"`
	RecordID      uuid.UUID  `json:"recordId"`
	RecordVersion *int       `json:"recordVersion" label:"Version" doc:"Of the record, when the fact was queued; null: it has none, or is gone"`
	Action        string     `json:"action" doc:"What was done to the record, in the audit log's words: create, update, delete or another; empty where the kind says it"`
	OccurredAt    time.Time  `json:"occurredAt"`
	State         string     `json:"state" enum:"QUEUED,SENT,FAILED" label:"Status"`
	Attempts      int        `json:"attempts"`
	NextAt        time.Time  `json:"nextAt" label:"Next try" doc:"Of a queued one: when it is tried next, if none of its record is before it"`
	LastStatus    *int       `json:"lastStatus" label:"Answer" doc:"The receiver's last answer; null: there was none"`
	LastError     string     `json:"lastError" label:"Error"`
	SentAt        *time.Time `json:"sentAt" label:"Delivered"`
}

var deliveryListing = api.Listing{
	Sorts:   map[string]string{"occurredAt": "occurred_at"},
	Default: "-occurredAt",
	Filters: map[string]api.Filter{
		"webhookId": api.ByID("webhook_id"), "state": api.ByEnum("state", "QUEUED", "SENT", "FAILED"),
		"kind":     api.ByEnum("kind", kindNames()...),
		"recordId": api.ByID("record_id"), "from": api.ByMoment("occurred_at", ">="), "to": api.ByMoment("occurred_at", "<"),
	},
}

func listDeliveries(c api.Ctx, l api.ListRequest) (api.Page[WebhookDelivery], error) {
	return api.Fetch[WebhookDelivery](c.DB.Table("webhook_delivery"), l)
}

// again queues deliveries anew. They keep their place: facts of one record are sent in the order they happened.
const again = `update webhook_delivery set state = 'QUEUED', attempts = 0, first_tried_at = null, next_at = ? where `

func redeliver(c api.Ctx, r byID) (WebhookDelivery, error) {
	d, err := api.Find[WebhookDelivery](c, "delivery", c.DB.Table("webhook_delivery"), r.ID)
	if err != nil {
		return d, err
	}
	if err := c.DB.Exec(again+`id = ?`, c.Now, r.ID).Error; err != nil {
		return d, fmt.Errorf("sending a fact again: %w", err)
	}
	c.Changed("redeliver", "webhook", d.WebhookID, nil, map[string]any{"deliveryId": d.ID})
	c.Tell(events.Fact{Kind: hooksWaiting, Data: api.Nothing{}})
	d.State, d.Attempts, d.NextAt = "QUEUED", 0, c.Now
	return d, nil
}

type replayRequest struct {
	ID   uuid.UUID `path:"id"`
	From time.Time `json:"from" validate:"required" doc:"What happened since then is sent again, as far as it is kept: 30 days"`
}

type replayed struct {
	Queued int `json:"queued" doc:"How many facts are sent again"`
}

// replay sends again what happened since a moment, in order.
func replay(c api.Ctx, r replayRequest) (replayed, error) {
	w, err := getWebhook(c, byID{r.ID})
	if err != nil {
		return replayed{}, err
	}
	done := c.DB.Exec(again+`webhook_id = ? and occurred_at >= ? and state <> 'QUEUED'`, c.Now, w.ID, r.From)
	if done.Error != nil {
		return replayed{}, fmt.Errorf("sending facts again: %w", done.Error)
	}
	c.Changed("replay", "webhook", w.ID, nil, map[string]any{"from": r.From, "facts": done.RowsAffected})
	c.Tell(events.Fact{Kind: hooksWaiting, Data: api.Nothing{}})
	return replayed{Queued: int(done.RowsAffected)}, nil
}

// KeepFor is how long the log is kept, and what waits for a webhook that is suspended.
const KeepFor = 30 * 24 * time.Hour

// clear deletes what is older than the log, and secrets of webhooks that are gone.
func (m *Module) clear(ctx context.Context, at api.SchoolWork) error {
	for {
		done := at.DB.Exec(`delete from webhook_delivery where id = any(array(select id from webhook_delivery where queued_at < ? limit 5000))`,
			at.Now.Add(-KeepFor))
		if done.Error != nil {
			return fmt.Errorf("clearing the log of webhooks: %w", done.Error)
		}
		if done.RowsAffected < 5000 {
			break
		}
	}
	ids := []uuid.UUID{}
	if err := tenancy.Pipeline(at.DB, tenancy.Query{SQL: `select id from webhook`, Scan: tenancy.Values(&ids)}); err != nil {
		return fmt.Errorf("reading the webhooks: %w", err)
	}
	if ids == nil {
		ids = []uuid.UUID{}
	}
	return m.Hooks.KeepSecrets(ctx, at.School.ID, ids)
}
