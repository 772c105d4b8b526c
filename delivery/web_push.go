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
)

// WebPush is the lane of messages to browsers. It is apart from Push, of which each message becomes one for every browser of
// its users: a push service that fails must not have phones notified twice.
const WebPush Channel = "WEB_PUSH"

// webMessage is what goes to one browser.
type webMessage struct {
	body    []byte
	topic   string
	urgency string
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

// queueFor queues a push message for the browsers of its user, and returns how many there are. Called again it queues nothing
// anew, unless the message was given up before and is retried.
func (b *Browsers) queueFor(ctx context.Context, m Message) (int, error) {
	to, err := b.recipients(ctx, m)
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
		on conflict (delivery_id, subscription_id) do update set body = excluded.body, state = 'QUEUED', attempts = 0,
			next_at = excluded.next_at, expires_at = excluded.expires_at, created_at = excluded.created_at
		where web_message.state = 'FAILED' and web_message.created_at < $8`,
		m.ID, ids, bodies, base64.RawURLEncoding.EncodeToString(shown[:]), urgencyOf(m), now, m.CreatedAt.Add(useful), m.CreatedAt)
	if err != nil {
		return 0, fmt.Errorf("queueing for browsers: %w", err)
	}
	return len(to), nil
}

// recipients are the browsers of a user. Topics are only for phones, which subscribe by themselves: who has a browser gets a
// push of their own too, so that it is known of each person whether one took it.
func (b *Browsers) recipients(ctx context.Context, m Message) ([]subscriber, error) {
	text, ok := strings.CutPrefix(m.To, "user_")
	user, err := uuid.Parse(text)
	if !ok || err != nil {
		return nil, nil
	}
	rows, err := b.Platform.Query(ctx, `select w.id, s.account_id, w.p256dh, w.auth
		from platform.web_subscription w join platform.session s on s.id = w.session_id
		where w.school_id = $1 and w.user_id = $2 and s.revoked_at is null and s.expires_at > $3
		order by w.last_seen_at desc limit 20`, m.SchoolID, user, b.Clock())
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

// Send gives one message to a browser's push service. A subscription that the service does not know any more is Bounced.
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
		return "", &Fault{Permanent: true, Suppress: Bounced, Err: errors.New("the subscription is gone")}
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
