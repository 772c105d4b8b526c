package delivery

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/delivery/webpush"
	"homeroom/tenancy"
)

// WebPush is the lane of messages to browsers. It is apart from Push, of which each message becomes one for every browser of
// its users: a push service that fails must not have phones notified twice.
const WebPush Channel = "WEB_PUSH"

// webMessage is what goes to one browser.
type webMessage struct {
	subscription uuid.UUID
	body         []byte
	topic        string
	urgency      string
}

// WebNotice is a notice as the app's service worker gets it. It says what a push to a phone says.
type WebNotice struct {
	AccountID  uuid.UUID  `json:"accountId" doc:"Whose it is, of the accounts of this browser"`
	Type       string     `json:"type" doc:"What it is about: one of the types above" enum:"ANNOUNCEMENT,ATTENDANCE,RESULT,FEE,LEAVE_REQUEST,MESSAGE,TRANSPORT,LIBRARY,TIMETABLE,EXAM,EVENT"`
	Title      string     `json:"title"`
	Body       string     `json:"body"`
	RecordID   *uuid.UUID `json:"id,omitempty" doc:"The record it is about; of a message its thread"`
	StudentID  *uuid.UUID `json:"studentId,omitempty" doc:"The student it is about"`
	Badge      int        `json:"badge,omitempty" doc:"How many notifications the user has not read"`
	DeliveryID string     `json:"deliveryId" doc:"The same if it comes twice: show it once"`
	Locale     string     `json:"locale" doc:"The language the person chose, or the school's locale"`
}

// UsefulFor is how long a push service keeps a notice for a phone that is off. What is about now is not told tomorrow.
var UsefulFor = map[string]time.Duration{"TRANSPORT": time.Hour, "ATTENDANCE": 12 * time.Hour}

// UsefulElse is the same for all other types.
const UsefulElse = 3 * 24 * time.Hour

// urgencyOf is whether a phone that saves power is woken: for what is urgent or about now.
func urgencyOf(m Message) string {
	if _, now := UsefulFor[m.Type]; now || m.Urgent {
		return "high"
	}
	return "normal"
}

type subscriber struct {
	ID        uuid.UUID
	AccountID uuid.UUID
	P256dh    []byte
	Auth      []byte
}

// queueFor queues a push message for the browsers of its recipients, and returns how many there are. Called again it
// queues nothing anew.
func (b *Browsers) queueFor(ctx context.Context, m Message, q queue) (int, error) {
	to, err := b.recipients(ctx, m, q)
	if err != nil || len(to) == 0 {
		return 0, err
	}
	useful, ok := UsefulFor[m.Type]
	if !ok {
		useful = UsefulElse
	}
	shown := m.ID
	if m.CollapseID != nil {
		shown = *m.CollapseID
	}
	var ids []uuid.UUID
	var bodies [][]byte
	for _, s := range to {
		body, err := webpush.Encrypt(webpush.Browser{P256dh: s.P256dh, Auth: s.Auth}, noticeText(m, s.AccountID, shown))
		if err != nil {
			return 0, fmt.Errorf("encrypting for a browser: %w", err)
		}
		ids, bodies = append(ids, s.ID), append(bodies, body)
	}
	now := b.Clock()
	_, err = b.Platform.Exec(ctx, `insert into platform.web_message (delivery_id, subscription_id, body, topic, urgency, next_at, expires_at,
			created_at)
		select $1, t.id, t.body, $4, $5, $6, $7, $6 from unnest($2::uuid[], $3::bytea[]) as t (id, body)
		where exists (select from platform.web_subscription s where s.id = t.id)
		on conflict (delivery_id, subscription_id) do nothing`,
		m.ID, ids, bodies, base64.RawURLEncoding.EncodeToString(shown[:]), urgencyOf(m), now, m.CreatedAt.Add(useful))
	if err != nil {
		return 0, fmt.Errorf("queueing for browsers: %w", err)
	}
	return len(to), nil
}

// recipients are the browsers of a user, or of all of a school's who want such notices. Other topics are only for phones,
// which subscribe by themselves: each of their users gets the notice too.
func (b *Browsers) recipients(ctx context.Context, m Message, q queue) ([]subscriber, error) {
	var user *uuid.UUID
	silent := []uuid.UUID{}
	if text, ok := strings.CutPrefix(m.To, "user_"); ok {
		id, err := uuid.Parse(text)
		if err != nil {
			return nil, nil
		}
		user = &id
	} else if m.To != "school_"+m.SchoolID.String() {
		return nil, nil
	} else if school, ok := q.(schoolQueue); ok {
		err := tenancy.Pipeline(school.db, tenancy.Query{SQL: `select p.user_id from notification_preference p
			join notice_rule k on k.type = case when $2::boolean then 'URGENT' else $1 end and k.may_turn_off where p.type = $1 and not p.push`,
			Args: []any{m.Type, m.Urgent}, Scan: tenancy.Values(&silent)})
		if err != nil {
			return nil, fmt.Errorf("reading who wants no pushes: %w", err)
		}
	}
	rows, err := b.Platform.Query(ctx, `select w.id, s.account_id, w.p256dh, w.auth
		from platform.web_subscription w join platform.session s on s.id = w.session_id
		where w.school_id = $1 and ($2::uuid is null or w.user_id = $2) and w.user_id <> all($3) and s.revoked_at is null and s.expires_at > $4
		order by w.last_seen_at desc limit case when $2::uuid is null then null else 20 end`, m.SchoolID, user, silent, b.Clock())
	if err != nil {
		return nil, fmt.Errorf("looking for browsers: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[subscriber])
}

// noticeText is the notice as JSON. What is longer than a push service takes loses the end of its body.
func noticeText(m Message, account, shown uuid.UUID) []byte {
	n := WebNotice{AccountID: account, Type: m.Type, Title: m.Title, Body: m.Body, RecordID: m.RecordID, StudentID: m.StudentID,
		Badge:      m.Badge,
		DeliveryID: shown.String(), Locale: m.Locale}
	for {
		text, err := json.Marshal(n)
		if err == nil && len(text) <= webpush.MaxText {
			return text
		}
		if runes := []rune(n.Body); len(runes) > 1 {
			n.Body = string(runes[:len(runes)/2]) + "…"
		} else {
			n.Title, n.Body = string([]rune(n.Title)[:len([]rune(n.Title))/2]), ""
		}
	}
}

// Send gives one message to a browser's push service. A subscription that the service does not know any more is removed.
// A service that fails has its own messages wait, and no others: anybody may name one.
func (b *Browsers) Send(ctx context.Context, m Message) (string, error) {
	key, err := b.keyPair(ctx)
	if err != nil {
		return "", err
	}
	now := b.Clock()
	proof, err := key.Authorization(m.To, b.Subject, now)
	if err != nil {
		return "", Refused("%w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.To, bytes.NewReader(m.web.body))
	if err != nil {
		return "", Refused("the endpoint is no address")
	}
	for name, value := range map[string]string{"Authorization": proof, "Content-Type": "application/octet-stream",
		"Content-Encoding": "aes128gcm", "TTL": strconv.Itoa(max(0, int(m.ExpiresAt.Sub(now).Seconds()))), "Urgency": m.web.urgency,
		"Topic": m.web.topic} {
		r.Header.Set(name, value)
	}
	resp, err := b.Client.Do(r)
	if err != nil {
		return "", &Fault{OneAddress: true, Err: fmt.Errorf("the push service did not answer: %w", err)}
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer)) // so that the connection is used again
	switch {
	case resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusGone:
		if _, err := b.Platform.Exec(ctx, `delete from platform.web_subscription where id = $1`, m.web.subscription); err != nil {
			return "", err
		}
		return "", Refused("the subscription is gone")
	case resp.StatusCode >= 200 && resp.StatusCode < 300:
		return resp.Header.Get("Location"), nil
	}
	var fault *Fault
	if errors.As(ProviderFault(resp.StatusCode, resp.Header), &fault) {
		fault.OneAddress = true
		return "", fault
	}
	return "", Refused("the push service refuses it (%d)", resp.StatusCode)
}

// browserQueue is the platform's table of messages to browsers.
type browserQueue struct{ s *Sender }

func (q browserQueue) claim(ctx context.Context, c Channel, n int) ([]Message, error) {
	now := q.s.Clock()
	rows, err := q.s.Platform.Query(ctx, `with due as (
			select id from platform.web_message where state = 'QUEUED' and next_at <= $1 order by next_at, id limit $2 for update skip locked)
		update platform.web_message m set attempts = m.attempts + 1, next_at = $3 from due, platform.web_subscription s
		where m.id = due.id and s.id = m.subscription_id
		returning m.id, s.school_id, s.endpoint, s.id, m.body, m.topic, m.urgency, m.attempts, m.created_at, m.expires_at`,
		now, n, now.Add(lease))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (Message, error) {
		m := Message{Channel: c, web: &webMessage{}}
		return m, r.Scan(&m.ID, &m.SchoolID, &m.To, &m.web.subscription, &m.web.body, &m.web.topic, &m.web.urgency, &m.Attempts, &m.CreatedAt,
			&m.ExpiresAt)
	})
}

// ack keeps what was sent, without its body, until it expires.
func (q browserQueue) ack(ctx context.Context, _ Channel, results []result) error {
	batch := &pgx.Batch{}
	for _, r := range results {
		batch.Queue(`update platform.web_message set state = $2, next_at = coalesce($3, next_at), last_error = $4, attempts = attempts - $5,
			body = case when $2 = 'QUEUED' then body else '' end where id = $1`, r.ID, r.State, r.NextAt, r.Error, r.Untried)
	}
	if err := q.s.Platform.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("recording what browsers were sent: %w", err)
	}
	return nil
}

func (browserQueue) charge(context.Context, Message) error { return nil }
