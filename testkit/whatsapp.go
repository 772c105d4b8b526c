package testkit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/delivery"
)

// WhatsApp is Meta's Cloud API at its network edge: it takes templates, and reports what became of them, signed.
type WhatsApp struct {
	*httptest.Server
	t      testing.TB
	Secret string // signs its reports

	mu     sync.Mutex
	sent   []WhatsAppMessage
	papers []delivery.Paper // uploaded, by what their id ends with
}

// WhatsAppMessage is a message as Meta gets it.
type WhatsAppMessage struct {
	Product  string `json:"messaging_product"`
	To       string `json:"to"`
	Type     string `json:"type"`
	Template struct {
		Name     string `json:"name"`
		Language struct {
			Code string `json:"code"`
		} `json:"language"`
		Components []struct {
			Type       string `json:"type"`
			Parameters []struct {
				Type     string `json:"type"`
				Text     string `json:"text"`
				Document struct {
					ID       string `json:"id"`
					Filename string `json:"filename"`
				} `json:"document"`
			} `json:"parameters"`
		} `json:"components"`
	} `json:"template"`
	Reference string `json:"biz_opaque_callback_data"`
	ID        string `json:"-"` // what Meta calls it
}

// Words are the parameters of the template's body.
func (m WhatsAppMessage) Words() (out []string) {
	for _, c := range m.Template.Components {
		for _, p := range c.Parameters {
			if c.Type == "body" {
				out = append(out, p.Text)
			}
		}
	}
	return out
}

// Paper is the document in a template's header, under the name that its reader sees; none: empty.
func (w *WhatsApp) Paper(m WhatsAppMessage) (out delivery.Paper) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range m.Template.Components {
		for _, p := range c.Parameters {
			var n int
			if _, err := fmt.Sscanf(p.Document.ID, "media.%d", &n); err == nil && n < len(w.papers) && c.Type == "header" {
				out = delivery.Paper{Name: p.Document.Filename, Body: w.papers[n].Body}
			}
		}
	}
	return out
}

// NewWhatsApp starts one; it refuses what is no template for a phone.
func NewWhatsApp(t testing.TB) *WhatsApp {
	t.Helper()
	w := &WhatsApp{t: t, Secret: "Meta's app secret"}
	w.Server = httptest.NewServer(http.HandlerFunc(w.take))
	t.Cleanup(w.Close)
	return w
}

func (w *WhatsApp) take(answer http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v23.0/42/media" {
		w.keep(answer, r)
		return
	}
	var m WhatsAppMessage
	answer.Header().Set("Content-Type", "application/json")
	err := json.NewDecoder(r.Body).Decode(&m)
	if err != nil || r.Header.Get("Authorization") != "Bearer token" || r.URL.Path != "/v23.0/42/messages" ||
		m.Product != "whatsapp" || m.Type != "template" || m.To == "" || strings.HasPrefix(m.To, "+") {
		answer.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprint(answer, `{"error": {"code": 100, "message": "Invalid parameter"}}`)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	m.ID = fmt.Sprintf("wamid.%d", len(w.sent)+1)
	w.sent = append(w.sent, m)
	_, _ = fmt.Fprintf(answer, `{"messaging_product": "whatsapp", "contacts": [{"input": %q, "wa_id": %q}], "messages": [{"id": %q}]}`,
		m.To, m.To, m.ID)
}

// keep takes a document that a message is to have.
func (w *WhatsApp) keep(answer http.ResponseWriter, r *http.Request) {
	answer.Header().Set("Content-Type", "application/json")
	file, header, err := r.FormFile("file")
	if err != nil || r.Header.Get("Authorization") != "Bearer token" || r.FormValue("messaging_product") != "whatsapp" ||
		r.FormValue("type") != "application/pdf" || header.Header.Get("Content-Type") != "application/pdf" {
		answer.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprint(answer, `{"error": {"code": 131053, "message": "Media upload error"}}`)
		return
	}
	body, err := io.ReadAll(file)
	if err != nil {
		w.t.Error(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.papers = append(w.papers, delivery.Paper{Name: header.Filename, Body: body})
	_, _ = fmt.Fprintf(answer, `{"id": "media.%d"}`, len(w.papers)-1)
}

// Sent are the messages that it took.
func (w *WhatsApp) Sent() []WhatsAppMessage {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]WhatsAppMessage(nil), w.sent...)
}

// Driver sends to it.
func (w *WhatsApp) Driver(templates, languages []string) delivery.Driver {
	w.t.Helper()
	address, err := url.Parse(w.URL + "/v23.0/42")
	if err != nil {
		w.t.Fatal(err)
	}
	address.User = url.UserPassword("", "token")
	driver, err := delivery.NewWhatsApp(address, templates, languages)
	if err != nil {
		w.t.Fatal(err)
	}
	return driver
}

// Report reports a state of a message to an instance; problem is a code of an error, 0: none.
func (w *WhatsApp) Report(a *App, m WhatsAppMessage, status string, problem int) int {
	w.t.Helper()
	state := map[string]any{"id": m.ID, "status": status, "timestamp": fmt.Sprint(time.Now().Unix()), "recipient_id": m.To,
		"biz_opaque_callback_data": m.Reference}
	if problem != 0 {
		state["errors"] = []any{map[string]any{"code": problem, "title": "Message undeliverable"}}
	}
	return w.post(a, "statuses", state)
}

// Write has somebody answer.
func (w *WhatsApp) Write(a *App, from, text string) int {
	w.t.Helper()
	return w.post(a, "messages", map[string]any{"from": strings.TrimPrefix(from, "+"), "id": "wamid.in",
		"timestamp": fmt.Sprint(time.Now().Unix()),
		"type":      "text", "text": map[string]any{"body": text}})
}

func (w *WhatsApp) post(a *App, field string, item any) int {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"object": "whatsapp_business_account", "entry": []any{map[string]any{"id": "1", "changes": []any{
		map[string]any{"field": "messages", "value": map[string]any{"messaging_product": "whatsapp", field: []any{item}}}}}}})
	if err != nil {
		w.t.Fatal(err)
	}
	call, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, a.URL+"/delivery-report/whatsapp",
		strings.NewReader(string(body)))
	if err != nil {
		w.t.Fatal(err)
	}
	mac := hmac.New(sha256.New, []byte(w.Secret))
	_, _ = mac.Write(body)
	call.Header.Set("Content-Type", "application/json")
	call.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	answer, err := http.DefaultClient.Do(call)
	if err != nil {
		w.t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}
