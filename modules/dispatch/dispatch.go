package dispatch

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
	"homeroom/notice"
	"homeroom/tenancy"
)

type smsRequest struct {
	Audience   Audience   `json:"audience"`
	TemplateID *uuid.UUID `json:"templateId" doc:"Instead of a body"`
	Body       string     `json:"body" validate:"max=1000" doc:"{name}, {student} and {school} are filled in for each recipient"`
	DryRun     bool       `json:"dryRun" doc:"Says whom it would reach and what it would cost, and sends nothing"`
}

type emailRequest struct {
	Audience   Audience   `json:"audience"`
	TemplateID *uuid.UUID `json:"templateId" doc:"Instead of subject and body"`
	Subject    string     `json:"subject" validate:"max=200"`
	Body       string     `json:"body" validate:"max=10000" doc:"{name}, {student} and {school} are filled in for each recipient"`
	DryRun     bool       `json:"dryRun" doc:"Says whom it would reach, and sends nothing"`
}

// Outcome is what a dispatch does, or would do.
type Outcome struct {
	ID          *uuid.UUID `json:"id" doc:"null for a dry run"`
	Channel     string     `json:"channel" enum:"PUSH,SMS,EMAIL"`
	DryRun      bool       `json:"dryRun"`
	Recipients  int        `json:"recipients" doc:"Addresses that are reached, each once"`
	Unreachable int        `json:"unreachable" doc:"People who have no address for this channel"`
	Segments    int        `json:"segments" doc:"SMS that are paid for"`
	Cost        int64      `json:"cost" doc:"Segments at the school's price, in minor units"`
	Currency    string     `json:"currency"`
	Sample      []Sample   `json:"sample" doc:"The first few, as they will read"`
}

// Sample is one message of a dispatch.
type Sample struct {
	Name string `json:"name"`
	To   string `json:"to"`
	Text string `json:"text"`
}

const sampleSize = 10

// letter is a dispatch being made.
type letter struct {
	channel, subject, body string
	audience               Audience
	dryRun                 bool
}

func (m *Module) sms(c api.Ctx, r smsRequest) (Outcome, error) {
	return m.dispatch(c, letter{"SMS", "", r.Body, r.Audience, r.DryRun}, r.TemplateID)
}

func (m *Module) email(c api.Ctx, r emailRequest) (Outcome, error) {
	return m.dispatch(c, letter{"EMAIL", r.Subject, r.Body, r.Audience, r.DryRun}, r.TemplateID)
}

// dispatch finds out whom a letter reaches and queues it for each of them.
func (m *Module) dispatch(c api.Ctx, l letter, template *uuid.UUID) (Outcome, error) {
	if err := l.complete(c, template); err != nil {
		return Outcome{}, err
	}
	found, err := people(c, l.audience)
	if err != nil {
		return Outcome{}, err
	}
	out, rows := m.compose(c, l, found)
	var budget notice.SMSBudget
	if l.channel == "SMS" {
		if budget, err = notice.ReadSMSBudget(c); err != nil {
			return Outcome{}, err
		}
	}
	out.Cost = int64(out.Segments) * budget.Price
	if l.dryRun {
		return out, nil
	}
	if err := m.Ready(l.channel); err != nil {
		return Outcome{}, err
	}
	if len(rows) == 0 {
		return Outcome{}, api.InvalidField("audience", "nobody in it has an address for %s", l.channel)
	}
	if l.channel == "SMS" {
		if err := budget.Refuse(out.Segments); err != nil {
			return Outcome{}, err
		}
	}
	id := api.NewID()
	out.ID = &id
	return out, write(c, l, out, rows)
}

// complete fills in a template and refuses what is missing.
func (l *letter) complete(c api.Ctx, template *uuid.UUID) error {
	if template != nil {
		t, err := api.Find[Template](c, "template", c.DB, *template)
		if err != nil {
			return err
		}
		if t.Channel != l.channel {
			return api.InvalidField("templateId", "templateId names a template for %s", t.Channel)
		}
		l.subject, l.body = t.Subject, t.Body
	}
	var bad []api.Detail
	if strings.TrimSpace(l.body) == "" {
		bad = append(bad, api.Detail{Field: "body", Message: "body is required"})
	}
	if l.channel == "EMAIL" && strings.TrimSpace(l.subject) == "" {
		bad = append(bad, api.Detail{Field: "subject", Message: "subject is required"})
	}
	if bad != nil {
		return api.Invalid(bad...)
	}
	return knownPlaceholders(l.subject, l.body)
}

// row is one message to be queued.
type row struct {
	ID       uuid.UUID  `json:"id"`
	UserID   *uuid.UUID `json:"user_id"`
	To       string     `json:"to"`
	Title    string     `json:"title"`
	Body     string     `json:"body"`
	Segments int        `json:"segments"`
}

// compose writes each address's message, once: siblings' parents get one.
func (m *Module) compose(c api.Ctx, l letter, found []recipient) (Outcome, []row) {
	out := Outcome{Channel: l.channel, DryRun: l.dryRun, Currency: c.School.Currency, Sample: []Sample{}}
	seen := map[string]bool{}
	var rows []row
	for _, r := range found {
		to := r.address(l.channel)
		if to == "" {
			out.Unreachable++
			continue
		}
		if seen[strings.ToLower(to)] {
			continue
		}
		seen[strings.ToLower(to)] = true
		message := row{ID: api.NewID(), UserID: r.UserID, To: to, Title: fill(l.subject, r, c.School.Name), Body: fill(l.body, r, c.School.Name)}
		if l.channel == "SMS" {
			message.Segments = m.Segments(message.Body)
			out.Segments += message.Segments
		}
		rows = append(rows, message)
		if len(out.Sample) < sampleSize {
			out.Sample = append(out.Sample, Sample{r.Name, to, message.Body})
		}
	}
	out.Recipients = len(rows)
	return out, rows
}

func write(c api.Ctx, l letter, out Outcome, rows []row) error {
	audience, err := json.Marshal(l.audience)
	if err != nil {
		return err
	}
	messages, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `insert into dispatch (id, channel, subject, body, audience, recipients, segments, cost, created_by, created_at)
			values ($1, $2, $3, $4, $5::jsonb, $6, $7, $8, $9, $10)`,
			Args: []any{out.ID, l.channel, l.subject, l.body, string(audience), out.Recipients, out.Segments, out.Cost, c.User.ID, c.Now}},
		tenancy.Query{SQL: `insert into delivery (id, channel, recipient, user_id, purpose, dispatch_id, title, body, segments, dedupe_key,
			next_at, created_at)
			select r.id, $2, r."to", r.user_id, 'DISPATCH', $3, r.title, r.body, greatest(r.segments, 1), 'dispatch/' || r.id, $4, $4
			from jsonb_to_recordset($1::jsonb) as r (id uuid, user_id uuid, "to" text, title text, body text, segments int)`,
			Args: []any{string(messages), l.channel, out.ID, c.Now}})
	if err != nil {
		return fmt.Errorf("queueing a dispatch: %w", err)
	}
	c.Changed("create", "dispatch", *out.ID, nil,
		map[string]any{"channel": l.channel, "recipients": out.Recipients, "segments": out.Segments})
	c.Tell(events.Fact{Kind: Queued, Data: map[string]any{"id": out.ID}})
	return nil
}
