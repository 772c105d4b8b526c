package testkit

import (
	"net/url"
	"regexp"
	"testing"
	"time"

	"homeroom/testkit/wait"
)

// Message is one that would have been sent.
type Message struct {
	Channel   string    `json:"channel"`
	To        string    `json:"to"`
	Subject   string    `json:"subject"`
	Text      string    `json:"text"`
	CreatedAt time.Time `json:"createdAt"`
}

// Sent lists what would have been sent to a phone or an e-mail, newest first.
func (a *App) Sent(t testing.TB, to string) []Message {
	t.Helper()
	list := Get[struct {
		Items []Message `json:"items"`
	}](t, a.Nobody(), "/dev/outbox?to="+url.QueryEscape(to))
	return list.Items
}

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

// OTP is the code that was last sent to a phone.
func (a *App) OTP(t testing.TB, phone string) string {
	t.Helper()
	sent := a.Sent(t, phone)
	if len(sent) == 0 {
		t.Fatalf("no code was sent to %s", phone)
	}
	return sixDigits.FindString(sent[0].Text)
}

// Eventually waits for something that another goroutine or instance brings about.
func Eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	wait.Eventually(t, what, is)
}
