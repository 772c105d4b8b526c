package api

import "time"

// Webhooks is what the service sends to the addresses of other programs, as the code that sends it declares it: for the document.
type Webhooks struct {
	Facts   []WebhookFact
	Event   any // an empty value of a body
	Headers []WebhookHeader

	Timeout    time.Duration // how long a receiver may take
	FirstRetry time.Duration // after the first failure; each further one doubles it
	LastRetry  time.Duration // the longest between two tries
	Patience   time.Duration // how long a webhook may fail before it is suspended
	Kept       time.Duration // how long a fact can be sent again
}

// WebhookFact is a kind of fact; Record is what data.id is of.
type WebhookFact struct{ Kind, Title, Module, Record string }

// WebhookHeader is a header that comes with each.
type WebhookHeader struct{ Name, Says, Example string }
