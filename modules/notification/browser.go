package notification

import (
	"encoding/base64"

	"homeroom/api"
)

// WebPush is what a browser needs to know before it subscribes.
type WebPush struct {
	PublicKey  string `json:"publicKey" doc:"applicationServerKey of the subscription; empty: there is no web push here"`
	Subscribed bool   `json:"subscribed" doc:"Whether this session's browser gets notices"`
}

func (m *Module) getWebPush(c api.Ctx, _ api.Nothing) (WebPush, error) {
	if m.Browsers == nil {
		return WebPush{}, nil
	}
	key, err := m.Browsers.PublicKey(c)
	if err != nil {
		return WebPush{}, err
	}
	is, err := m.Browsers.IsSubscribed(c, c.User.SessionID)
	return WebPush{PublicKey: key, Subscribed: is}, err
}

// subscriptionRequest is a PushSubscription as a browser writes it (toJSON).
type subscriptionRequest struct {
	Endpoint string `json:"endpoint" validate:"notblank,max=2000" doc:"The browser's address at its push service, with https"`
	Keys     struct {
		P256dh string `json:"p256dh" validate:"notblank,max=100" doc:"The browser's public key, base64url"`
		Auth   string `json:"auth" validate:"notblank,max=50" doc:"The browser's secret, base64url"`
	} `json:"keys"`
}

// subscribe makes the calling browser show the caller's notices.
func (m *Module) subscribe(c api.Ctx, r subscriptionRequest) (api.Nothing, error) {
	if m.Browsers == nil {
		return api.Nothing{}, api.Conflict("Notices on browsers are turned off here")
	}
	p256dh, auth := fromBase64(r.Keys.P256dh), fromBase64(r.Keys.Auth)
	if field, problem := m.Browsers.Check(r.Endpoint, p256dh, auth); field != "" {
		return api.Nothing{}, api.InvalidField(field, "%s", problem)
	}
	return api.Nothing{}, m.Browsers.Subscribe(c, r.Endpoint, p256dh, auth, c.School.ID, c.User.ID, c.User.SessionID)
}

func fromBase64(text string) []byte {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil
	}
	return b
}

func (m *Module) unsubscribe(c api.Ctx, _ api.Nothing) (api.Nothing, error) {
	if m.Browsers == nil {
		return api.Nothing{}, nil
	}
	return api.Nothing{}, m.Browsers.Unsubscribe(c, c.User.SessionID)
}
