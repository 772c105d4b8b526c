package fcm

import (
	"context"
	"net/http"
	"net/url"

	"firebase.google.com/go/v4/messaging"

	"homeroom/delivery"
)

// Unsubscribe removes a device from topics, one call for each: the provider has no call for
// several.
func (f *Driver) Unsubscribe(ctx context.Context, token string, topics []string) error {
	for _, topic := range topics {
		if err := f.leave(ctx, token, topic); err != nil {
			return err
		}
	}
	return nil
}

func (f *Driver) leave(ctx context.Context, token, topic string) (err error) {
	said := &outcome{}
	defer func() {
		if p := recover(); p != nil { // the client assumes that an error is a string
			err = delivery.Unavailable(0, "the provider's answer %d is not its own: %v", said.status, p)
		}
	}()
	answer, err := f.client.UnsubscribeFromTopic(context.WithValue(ctx, outcomeKey{}, said), []string{token}, topic)
	if err != nil {
		return said.fault(ctx, err)
	}
	return leftTopic(answer)
}

// leftTopic reads the answer about one device. A device that the provider does not know is
// subscribed to nothing.
func leftTopic(answer *messaging.TopicManagementResponse) error {
	if answer.SuccessCount == 1 {
		return nil
	}
	if len(answer.Errors) != 1 {
		return delivery.Unavailable(0, "the provider's answer about one device is about %d", answer.SuccessCount+answer.FailureCount)
	}
	switch reason := answer.Errors[0].Reason; reason {
	case "NOT_FOUND", "INVALID_ARGUMENT":
		return nil
	default:
		return delivery.Unavailable(0, "the device stays in the topic: %s", reason)
	}
}

// topicHost is where Firebase's client manages topics; it has no option for another.
const topicHost = "iid.googleapis.com"

// redirected sends calls about topics to another address that speaks the protocol.
type redirected struct {
	next http.RoundTripper
	to   *url.URL
}

func (d redirected) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != topicHost {
		return d.next.RoundTrip(r)
	}
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host, r.Host = d.to.Scheme, d.to.Host, d.to.Host
	return d.next.RoundTrip(r)
}

var _ delivery.Unsubscriber = (*Driver)(nil)
