package fleet

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"homeroom/testkit"
)

// Texts stands in for the provider of SMS.
type Texts struct {
	server *httptest.Server
	mu     sync.Mutex
	sent   map[string][]string // by phone, oldest first
}

func newTexts(t testing.TB) *Texts {
	t.Helper()
	x := &Texts{sent: map[string][]string{}}
	x.server = httptest.NewServer(http.HandlerFunc(x.take))
	t.Cleanup(x.server.Close)
	return x
}

// address is what HOMEROOM_SMS_URL says.
func (x *Texts) address() string {
	return strings.Replace(x.server.URL, "http://", "http://:secret@", 1) + "/sms"
}

func (x *Texts) take(w http.ResponseWriter, r *http.Request) {
	var m struct{ To, Text string }
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	x.mu.Lock()
	x.sent[m.To] = append(x.sent[m.To], m.Text)
	x.mu.Unlock()
	_, _ = w.Write([]byte(`{"id":"1"}`))
}

// To are the texts a phone got, oldest first.
func (x *Texts) To(phone string) []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append([]string(nil), x.sent[phone]...)
}

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

// code waits for the text after the first few, and returns the code in it.
func (x *Texts) code(t testing.TB, phone string, after int) string {
	t.Helper()
	var text string
	testkit.Eventually(t, "a code is sent to "+phone, func() bool {
		texts := x.To(phone)
		if len(texts) > after {
			text = texts[len(texts)-1]
		}
		return text != ""
	})
	return sixDigits.FindString(text)
}
