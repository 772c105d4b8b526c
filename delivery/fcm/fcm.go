// Package fcm sends push messages through Firebase Cloud Messaging. It is apart from
// the other drivers because Google's client is large: only the program itself links it.
package fcm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"firebase.google.com/go/v4/messaging"
	"github.com/google/uuid"
	"google.golang.org/api/option"
	htransport "google.golang.org/api/transport/http"

	"homeroom/delivery"
	"homeroom/notice"
)

// Driver sends to topics, and to a user's devices where there is no topic for them.
type Driver struct {
	client  *messaging.Client
	devices delivery.Devices
}

// Options say how FCM is reached.
type Options struct {
	Project     string
	Credentials []byte // of a service account, JSON
	// Endpoint is another address that speaks the protocol, without credentials.
	Endpoint string
	Devices  delivery.Devices
}

const fcmScope = "https://www.googleapis.com/auth/firebase.messaging"

// Open makes the driver of a service account, whose key is given as Google hands it out.
func Open(ctx context.Context, key []byte, devices delivery.Devices) (delivery.Driver, error) {
	var account struct {
		ProjectID string `json:"project_id"`
	}
	if err := json.Unmarshal(key, &account); err != nil || account.ProjectID == "" {
		return nil, errors.New("the file is no key of a service account")
	}
	return New(ctx, Options{Project: account.ProjectID, Credentials: key, Devices: devices})
}

// New makes the driver. It dials nothing.
func New(ctx context.Context, o Options) (*Driver, error) {
	client := delivery.NewHTTPClient()
	options := []option.ClientOption{}
	if o.Endpoint != "" {
		endpoint, err := url.Parse(o.Endpoint)
		if err != nil {
			return nil, fmt.Errorf("reading the address of Firebase: %w", err)
		}
		options = append(options, option.WithEndpoint(o.Endpoint))
		client.Transport = redirected{client.Transport, endpoint}
	} else {
		signed, err := htransport.NewTransport(ctx, client.Transport, option.WithAuthCredentialsJSON(option.ServiceAccount, o.Credentials),
			option.WithScopes(fcmScope))
		if err != nil {
			return nil, fmt.Errorf("reading the credentials of Firebase: %w", err)
		}
		client.Transport = signed
	}
	client.Transport = noRetries{client.Transport}
	m, err := newClient(ctx, messaging.NewClient,
		config{Opts: append(options, option.WithHTTPClient(client)), ProjectID: o.Project, Version: sdkVersion})
	if err != nil {
		return nil, fmt.Errorf("making the Firebase client: %w", err)
	}
	return &Driver{client: m, devices: o.Devices}, nil
}

// Send sends to a topic, or to every device of a user.
func (f *Driver) Send(ctx context.Context, m delivery.Message) (string, error) {
	if user, ok := strings.CutPrefix(m.To, "user_"); ok {
		id, err := uuid.Parse(user)
		if err != nil {
			return "", delivery.Refused("%q is no user", m.To)
		}
		return f.sendTo(ctx, m, id)
	}
	out := pushMessage(m)
	out.Topic = m.To
	return f.send(ctx, out)
}

// sendTo sends to each device of a user. Those that are gone are removed; for a
// user without a device the message counts as sent: the notice is in the log.
func (f *Driver) sendTo(ctx context.Context, m delivery.Message, user uuid.UUID) (string, error) {
	tokens, err := f.devices.Of(ctx, m.SchoolID, user)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, token := range tokens {
		out := pushMessage(m)
		out.Token = token
		id, err := f.send(ctx, out)
		switch {
		case errors.Is(err, errUnregistered):
			if err := f.devices.Forget(ctx, token); err != nil {
				return "", err
			}
		case err != nil:
			return "", err
		default:
			ids = append(ids, id)
		}
	}
	if ids == nil {
		return notice.NoDevice, nil
	}
	return strings.Join(ids, " "), nil
}

// pushMessage is the message in the specification's shape.
func pushMessage(m delivery.Message) *messaging.Message {
	data := delivery.PushData{Type: m.Type}
	if m.RecordID != nil {
		data.ID = m.RecordID.String()
	}
	if m.StudentID != nil {
		data.StudentID = m.StudentID.String()
	}
	aps := &messaging.Aps{Sound: "default"}
	if m.Badge > 0 {
		aps.Badge = &m.Badge
	}
	// Sent twice, or to the device and to a topic, it is shown once. Android's collapse_key
	// would do so before it is delivered, but FCM keeps only four of those for a device.
	shown := m.ID.String()
	if m.CollapseID != nil {
		shown = m.CollapseID.String()
	}
	data.DeliveryID = shown
	return &messaging.Message{
		Notification: &messaging.Notification{Title: m.Title, Body: m.Body},
		Data:         data.Texts(),
		Android: &messaging.AndroidConfig{Priority: "high",
			Notification: &messaging.AndroidNotification{ChannelID: notice.Type(m.Type).Channel(), Tag: shown}},
		APNS: &messaging.APNSConfig{
			Headers: map[string]string{"apns-collapse-id": shown},
			Payload: &messaging.APNSPayload{Aps: aps},
		},
	}
}

var errUnregistered = errors.New("the device is gone")

func (f *Driver) send(ctx context.Context, out *messaging.Message) (string, error) {
	said := &outcome{}
	id, err := f.client.Send(context.WithValue(ctx, outcomeKey{}, said), out)
	switch {
	case err == nil && id != "":
		return id, nil
	case err == nil:
		return "", delivery.Unavailable(0, "the provider's answer has no id")
	case messaging.IsUnregistered(err), messaging.IsSenderIDMismatch(err) && out.Token != "":
		return "", &delivery.Fault{Permanent: true, Err: fmt.Errorf("%w: %w", errUnregistered, err)}
	case said.status == http.StatusBadRequest && out.Token != "" && messaging.IsInvalidArgument(err):
		return "", &delivery.Fault{Permanent: true, Err: fmt.Errorf("%w: %w", errUnregistered, err)}
	}
	return "", said.fault(ctx, err)
}

// outcome is the provider's real answer, of the send whose context holds it.
type outcome struct {
	status int
	header http.Header
	err    error
}

type outcomeKey struct{}

// fault is why a call of Firebase's client failed with err.
func (o *outcome) fault(ctx context.Context, err error) error {
	switch {
	case o.err != nil:
		return delivery.Unavailable(0, "the provider did not answer: %w", o.err)
	case o.status == 0 && ctx.Err() != nil:
		return delivery.Unavailable(0, "there was no time to send it: %w", ctx.Err())
	case o.status == 0: // nothing was sent: the client found the fault
		return delivery.Refused("it is no message: %w", err)
	case o.status == http.StatusBadRequest:
		return delivery.Refused("the provider refuses it: %w", err)
	}
	if trouble := delivery.ProviderFault(o.status, o.header); trouble != nil {
		return trouble
	}
	return delivery.Unavailable(0, "the provider's answer %d is not its own: %w", o.status, err)
}

// noRetries turns off the retries of Firebase's client, which last for minutes and keep a
// connection: when a provider fails, the lane pauses. Answers that the client would retry reach
// it as a plain failure, and the real answer is noted.
type noRetries struct{ next http.RoundTripper }

func (o noRetries) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := o.next.RoundTrip(r)
	said, ok := r.Context().Value(outcomeKey{}).(*outcome)
	if !ok {
		return resp, err
	}
	if err != nil {
		said.err = err
		return &http.Response{
			Status: "502 Bad Gateway", StatusCode: http.StatusBadGateway, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), Request: r,
		}, nil
	}
	said.status, said.header = resp.StatusCode, resp.Header
	if resp.StatusCode == http.StatusServiceUnavailable {
		resp.StatusCode, resp.Status = http.StatusBadGateway, "502 Bad Gateway"
	}
	return resp, nil
}
