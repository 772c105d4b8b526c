package testkit

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/auth/tokens"
	"homeroom/testkit/wait"
)

// Client calls the API as one user, or without a token.
type Client struct {
	app       *App
	Token     string
	UserID    uuid.UUID
	SessionID uuid.UUID
	AccountID uuid.UUID
	Header    http.Header // sent with every call
	HTTP      *http.Client
	issued    *issued // Token, when it is the test's own
}

// issued is an access token that a test made for itself. It is made anew before it ends: a long test on a slow machine outlives one.
type issued struct {
	sign func() (string, error)

	mu           sync.Mutex
	first, token string
	at           time.Time
}

// current is the token to call with. One that a test has put in the place of its own stays as it is.
func (i *issued) current(token string) string {
	if i == nil || token != i.first {
		return token
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if time.Since(i.at) > tokens.AccessLife/2 {
		if renewed, err := i.sign(); err == nil {
			i.token, i.at = renewed, time.Now()
		}
	}
	return i.token
}

// Nobody calls without a token.
func (a *App) Nobody() *Client { return &Client{app: a} }

// SignIn signs a person in to a client by the code sent to their phone.
func (a *App) SignIn(t testing.TB, client, phone string) *Client {
	t.Helper()
	prefix := "/" + client + "/user-auth"
	if sent := a.Nobody().Call(t, "POST", prefix+"/send-otp", map[string]any{"phone": phone}); sent.Status != 200 {
		t.Fatalf("send-otp: %d %s", sent.Status, sent.Body)
	}
	c := a.Nobody()
	c.Token = Post[struct{ AccessToken string }](t, c, prefix+"/verify-otp",
		map[string]any{"phone": phone, "otp": a.OTP(t, phone)}).AccessToken
	return c
}

// On is the same user calling another instance.
func (c *Client) On(a *App) *Client {
	other := *c
	other.app = a
	return &other
}

// With is the same user with a header on every call.
func (c *Client) With(name, value string) *Client {
	other := *c
	other.Header = c.Header.Clone()
	if other.Header == nil {
		other.Header = http.Header{}
	}
	other.Header.Set(name, value)
	return &other
}

// From is the same user calling from another loopback address, for tests of limits by address.
func (c *Client) From(t testing.TB, address string) *Client {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 100}
	t.Cleanup(transport.CloseIdleConnections)
	other := *c
	other.HTTP = &http.Client{Transport: transport}
	return &other
}

// Answer is an answer of the API.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	// Errors are the instance's error lines about a call that it answered with 5xx, and those
	// of no request that were logged meanwhile.
	Errors string
}

// Failure is the spec's error body.
type Failure struct {
	StatusCode int          `json:"statusCode"`
	Message    string       `json:"message"`
	Error      string       `json:"error"`
	Details    []api.Detail `json:"details"`
}

// Failure reads the error body.
func (a Answer) Failure(t testing.TB) Failure {
	t.Helper()
	var f Failure
	if err := json.Unmarshal(a.Body, &f); err != nil || f.StatusCode != a.Status {
		t.Fatalf("not the spec's error body: %d %s", a.Status, a.Body)
	}
	return f
}

// Read decodes what is under data.
func (a Answer) Read(t testing.TB, into any) {
	t.Helper()
	body := struct {
		Data    any     `json:"data"`
		Message *string `json:"message"`
	}{Data: into}
	if err := json.Unmarshal(a.Body, &body); err != nil || body.Message == nil {
		t.Fatalf("not the envelope: %d %s", a.Status, a.Body)
	}
}

// Send calls with a body of any content type.
func (c *Client) Send(t testing.TB, method, path, contentType string, body []byte) Answer {
	t.Helper()
	a := answered(t, method, path, func() (Answer, error) { return c.TrySend(method, path, contentType, body) })
	c.checkDocumented(t, method, path, a)
	return a
}

// answered is the answer to a call; one that reads is sent again while it is answered 503.
func answered(t testing.TB, method, path string, send func() (Answer, error)) Answer {
	t.Helper()
	a, err := send()
	if method == http.MethodGet && err == nil && a.Status == http.StatusServiceUnavailable {
		a, err = UntilServed(send)
	}
	if err != nil {
		t.Fatal(err)
	}
	a.explain(t, method+" "+path)
	return a
}

// checkDocumented holds a refusal against the row that gave it: a status that the document does not promise there, or one of the
// codes that mean something to a program, fails the test. Where the code is the status in words, the status says it all.
func (c *Client) checkDocumented(t testing.TB, method, path string, a Answer) {
	t.Helper()
	if a.Status < 400 || a.Status == http.StatusMethodNotAllowed || c.app.Service == nil { // 405 is of no row
		return
	}
	row := c.app.Row(method, path)
	var f Failure
	if row != nil && row.Form != nil {
		f.Error = http.StatusText(a.Status) // its words are its standard's
	} else if row == nil || row.Unlisted || json.Unmarshal(a.Body, &f) != nil {
		return
	}
	promised := c.app.Service.Refusals(row)
	if !slices.ContainsFunc(promised, func(e *api.Error) bool {
		return e.Status == a.Status && (e.Code == f.Error || f.Error == http.StatusText(a.Status))
	}) {
		t.Errorf("%s was answered %d %s, which the document does not promise there: say it with api.MayFail (%s)", row.Name(), a.Status, f.Error,
			f.Message)
	}
}

// Row is the endpoint that a call is for; nil: none. A path of fixed words goes before one with an id.
func (a *App) Row(method, path string) (found *api.Row) {
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(path, "/")
	for i := range a.Service.Kernel.Rows {
		row := &a.Service.Kernel.Rows[i]
		if row.Method != method {
			continue
		}
		if row.Path == path {
			return row
		}
		if fits(strings.Split(row.Path, "/"), parts) {
			found = row
		}
	}
	return found
}

func fits(named, parts []string) bool {
	for i, part := range named {
		if i >= len(parts) || part != parts[i] && !strings.HasPrefix(part, ":") {
			return false
		}
	}
	return len(named) == len(parts)
}

// explain logs, for the test's failure, why an instance answered 5xx.
func (a Answer) explain(t testing.TB, what string) {
	t.Helper()
	if a.Errors != "" {
		t.Logf("%s was answered %d (request %s); the instance logged:\n%s", what, a.Status, a.Header.Get("X-Request-Id"), a.Errors)
	}
}

// TrySend is Send for calls whose connection may fail, and for goroutines of a test.
func (c *Client) TrySend(method, path, contentType string, body []byte) (Answer, error) {
	req, err := http.NewRequest(method, c.app.URL+path, bytes.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	for name, values := range c.Header {
		req.Header[name] = values
	}
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.issued.current(c.Token))
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	client := c.HTTP
	if client == nil {
		client = c.app.HTTP
	}
	if client == nil {
		client = http.DefaultClient
	}
	errors := c.app.Log.Errors()
	resp, err := client.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	a := Answer{Status: resp.StatusCode, Header: resp.Header, Body: text}
	if a.Status >= 500 {
		a.Errors = errors(resp.Header.Get("X-Request-Id"))
	}
	return a, err
}

// Call calls with data in the request envelope; nil sends no body. Sign-in paths take it flat.
func (c *Client) Call(t testing.TB, method, path string, data any) Answer {
	t.Helper()
	a := answered(t, method, path, func() (Answer, error) { return c.TryCall(method, path, data) })
	c.checkDocumented(t, method, path, a)
	return a
}

// TryCall is Call for goroutines of a test.
func (c *Client) TryCall(method, path string, data any) (Answer, error) {
	if data == nil {
		return c.TrySend(method, path, "", nil)
	}
	body := data
	if !strings.HasPrefix(path, "/auth/") && !strings.Contains(path, "/user-auth/") {
		body = map[string]any{"data": data}
	}
	text, err := json.Marshal(body)
	if err != nil {
		return Answer{}, err
	}
	return c.TrySend(method, path, "application/json", text)
}

// Get calls and reads the data of a success.
func Get[T any](t testing.TB, c *Client, path string) T {
	t.Helper()
	return expect[T](t, c, http.MethodGet, path, nil)
}

// Post calls and reads the data of a success.
func Post[T any](t testing.TB, c *Client, path string, data any) T {
	t.Helper()
	return expect[T](t, c, http.MethodPost, path, data)
}

// Put calls and reads the data of a success.
func Put[T any](t testing.TB, c *Client, path string, data any) T {
	t.Helper()
	return expect[T](t, c, http.MethodPut, path, data)
}

func expect[T any](t testing.TB, c *Client, method, path string, data any) T {
	t.Helper()
	a, err := UntilServed(func() (Answer, error) { return c.TryCall(method, path, data) })
	if err != nil {
		t.Fatal(err)
	}
	var v T
	if a.Status >= 300 {
		a.explain(t, method+" "+path)
		t.Fatalf("%s %s: %d %s", method, path, a.Status, a.Body)
	}
	a.Read(t, &v)
	return v
}

// UntilServed sends a call again while a busy machine answers 503, after the Retry-After it asks
// for: sooner would be too many calls.
func UntilServed(send func() (Answer, error)) (a Answer, err error) {
	wait.Until(context.Background(), func() bool {
		a, err = send()
		if err != nil || a.Status != http.StatusServiceUnavailable {
			return true
		}
		seconds, none := strconv.Atoi(a.Header.Get("Retry-After"))
		if none != nil {
			return true
		}
		time.Sleep(time.Duration(seconds) * time.Second)
		return false
	})
	return a, err
}

// Refuses checks that a call is answered with a status and, if given, an error code.
func (c *Client) Refuses(t testing.TB, method, path string, data any, status int, code string) Failure {
	t.Helper()
	try := func() (Answer, error) { return c.TryCall(method, path, data) }
	a, err := try()
	if err == nil && a.Status == http.StatusServiceUnavailable && status != a.Status {
		a, err = UntilServed(try)
	}
	if err != nil {
		t.Fatal(err)
	}
	if a.Status != status {
		a.explain(t, method+" "+path)
		t.Fatalf("%s %s: want %d, got %d %s", method, path, status, a.Status, a.Body)
	}
	c.checkDocumented(t, method, path, a)
	f := a.Failure(t)
	if code != "" && f.Error != code {
		t.Fatalf("%s %s: want error %q, got %s", method, path, code, a.Body)
	}
	return f
}

// ClearAttempts deletes the codes and attempts of a phone that is the same in every run of the
// suite: servers are shared, and run for a while after the last test.
func (a *App) ClearAttempts(t testing.TB, phone string) {
	t.Helper()
	keys := a.Service.Redis.Scan(t.Context(), 0, "homeroom:*{"+phone+"}*", 1000).Iterator()
	for keys.Next(t.Context()) {
		if err := a.Service.Redis.Del(t.Context(), keys.Val()).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := keys.Err(); err != nil {
		t.Fatal(err)
	}
}
