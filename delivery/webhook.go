package delivery

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"github.com/google/uuid"
)

// Webhook posts SMS to the operator's own address, as JSON. The message's id is its
// Idempotency-Key, by which a message that comes twice is recognized.
type Webhook struct {
	client   *http.Client
	endpoint string
	secret   string
}

// NewWebhook reads https://:secret@host/path; the secret, if there is one, goes out as
// a bearer token.
func NewWebhook(address *url.URL) (*Webhook, error) {
	if address.Host == "" {
		return nil, errors.New("write it as https://:secret@sms.example.org/send")
	}
	secret, _ := address.User.Password()
	plain := *address
	plain.User = nil
	return &Webhook{client: NewHTTPClient(), endpoint: plain.String(), secret: secret}, nil
}

type webhookMessage struct {
	ID       uuid.UUID  `json:"id"`
	SchoolID *uuid.UUID `json:"schoolId,omitempty"`
	To       string     `json:"to"`
	Text     string     `json:"text"`
	Segments int        `json:"segments"`
}

// Send posts one SMS. Any 2xx with a JSON object takes it; 4xx is a refusal of the message.
func (w *Webhook) Send(ctx context.Context, m Message) (string, error) {
	out := webhookMessage{ID: m.ID, To: m.To, Text: smsText(m)}
	out.Segments = Segments(out.Text)
	if m.SchoolID != uuid.Nil {
		out.SchoolID = &m.SchoolID
	}
	body, err := json.Marshal(out)
	if err != nil {
		return "", err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.endpoint, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", m.ID.String())
	if w.secret != "" {
		r.Header.Set("Authorization", "Bearer "+w.secret)
	}
	status, said, err := post(w.client, r)
	if err != nil {
		return "", err
	}
	if status >= 300 {
		return "", Refused("the provider refuses it (%d): %s", status, excerpt(said))
	}
	var answer struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(said, &answer); err != nil {
		return "", Unavailable(0, "the provider's answer %d is no JSON object: %s", status, excerpt(said))
	}
	return answer.ID, nil
}
