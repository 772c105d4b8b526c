package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Twilio sends SMS through Twilio, or through another provider with its protocol.
type Twilio struct {
	client                     *http.Client
	endpoint, sid, token, from string
	// Callback is where Twilio says what became of messages; empty: it does not.
	Callback string
}

// NewTwilio reads twilio://sid:token@host?from=+1555… ; from may be a number, a name
// or a messaging service (MG…). insecure=true speaks plain HTTP.
func NewTwilio(address *url.URL) (*Twilio, error) {
	token, ok := address.User.Password()
	from := address.Query().Get("from")
	if !ok || address.User.Username() == "" || from == "" {
		return nil, errors.New("write it as twilio://account:token@api.twilio.com?from=+15550100")
	}
	sid := address.User.Username()
	host := address.Host
	if host == "" {
		host = "api.twilio.com"
	}
	return &Twilio{
		client: NewHTTPClient(), sid: sid, token: token, from: from,
		endpoint: scheme(address) + "://" + host + "/2010-04-01/Accounts/" + url.PathEscape(sid) + "/Messages.json",
	}, nil
}

func scheme(address *url.URL) string {
	if address.Query().Get("insecure") == "true" {
		return "http"
	}
	return "https"
}

// Send sends one SMS.
func (t *Twilio) Send(ctx context.Context, m Message) (string, error) {
	form := url.Values{"To": {m.To}, "Body": {smsText(m)}}
	if strings.HasPrefix(t.from, "MG") {
		form.Set("MessagingServiceSid", t.from)
	} else {
		form.Set("From", t.from)
	}
	if ref := reference(m); ref != "" && t.Callback != "" {
		form.Set("StatusCallback", t.Callback+"?ref="+url.QueryEscape(ref))
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth(t.sid, t.token)
	status, body, err := post(t.client, r)
	if err != nil {
		return "", err
	}
	var answer struct {
		SID     string `json:"sid"`
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return "", Unavailable(0, "the provider's answer %d is not its own: %s", status, excerpt(body))
	}
	if status >= 300 {
		return "", &Fault{Permanent: true, Suppress: suppressed[twilioSuppresses[strconv.Itoa(answer.Code)]],
			Err: fmt.Errorf("the provider refuses it (%d, code %d): %s", status, answer.Code, answer.Message)}
	}
	if answer.SID == "" {
		return "", Unavailable(0, "the provider's answer %d has no id: %s", status, excerpt(body))
	}
	return answer.SID, nil
}
