package testkit

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"homeroom/cmd/service"
	"homeroom/config"
)

// PushService is a browser vendor's (RFC 8030): it takes encrypted messages, and its browsers read them.
type PushService struct {
	*httptest.Server
	t testing.TB

	mu       sync.Mutex
	browsers map[string]*Browser // by path
	status   map[string]int      // what it answers for a path instead of 201
	calls    map[string]int
}

// Browser is one with a subscription.
type Browser struct {
	path    string
	private *ecdh.PrivateKey
	auth    []byte
	shown   []ShownNotice
}

// ShownNotice is a notice as a service worker gets it, with the headers it came with.
type ShownNotice struct {
	AccountID          uuid.UUID
	Type, Title, Body  string
	ID, StudentID      *uuid.UUID
	Badge              int
	DeliveryID, Locale string
	TTL                int    `json:"-"`
	Urgency, Topic     string `json:"-"`
	Text               string `json:"-"` // as it was decrypted
}

// StartPushService runs one until the test ends.
func StartPushService(t testing.TB) *PushService {
	t.Helper()
	s := &PushService{t: t, browsers: map[string]*Browser{}, status: map[string]int{}, calls: map[string]int{}}
	s.Server = httptest.NewTLSServer(s)
	t.Cleanup(s.Close)
	return s
}

// With has an instance send there.
func (s *PushService) With(_ *config.Config, o *service.Options) { o.WebPush = s.Client() }

// pushOrigin is one that httptest's client leads to the server.
const pushOrigin = "https://push.example.com"

// ServeHTTP takes a message.
func (s *PushService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[r.URL.Path]++
	if status := s.status[r.URL.Path]; status != 0 {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(status)
		return
	}
	b := s.browsers[r.URL.Path]
	body, err := io.ReadAll(r.Body)
	if err == nil && b == nil {
		err = errors.New("nobody has subscribed there")
	}
	if err == nil {
		err = checkSender(r)
	}
	var text []byte
	if err == nil {
		text, err = b.decrypt(body)
	}
	n := ShownNotice{Urgency: r.Header.Get("Urgency"), Topic: r.Header.Get("Topic")}
	if err == nil {
		n.Text = string(text)
		err = json.Unmarshal(text, &n)
	}
	if err == nil {
		n.TTL, err = strconv.Atoi(r.Header.Get("TTL"))
	}
	if err != nil || r.Header.Get("Content-Encoding") != "aes128gcm" {
		s.t.Errorf("%s: %v, headers %v", r.URL.Path, err, r.Header)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	b.shown = append(b.shown, n)
	w.Header().Set("Location", pushOrigin+"/message/1")
	w.WriteHeader(http.StatusCreated)
}

// checkSender checks the proof of RFC 8292.
func checkSender(r *http.Request) error {
	token, public, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Authorization"), "vapid t="), ", k=")
	point, err := base64.RawURLEncoding.DecodeString(public)
	if err != nil {
		return err
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		return err
	}
	_, err = jwt.Parse(token, func(*jwt.Token) (any, error) { return key, nil }, jwt.WithValidMethods([]string{"ES256"}),
		jwt.WithAudience(pushOrigin), jwt.WithExpirationRequired())
	return err
}

// decrypt reads a message as RFC 8291 and RFC 8188 have it.
func (b *Browser) decrypt(body []byte) ([]byte, error) {
	if len(body) < 86 || body[20] != 65 {
		return nil, errors.New("the header is no aes128gcm of web push")
	}
	salt, point, sealed := body[:16], body[21:86], body[86:]
	sender, err := ecdh.P256().NewPublicKey(point)
	if err != nil {
		return nil, err
	}
	shared, err := b.private.ECDH(sender)
	if err != nil {
		return nil, err
	}
	info := "WebPush: info\x00" + string(b.private.PublicKey().Bytes()) + string(point)
	secret, err := hkdf.Key(sha256.New, shared, b.auth, info, 32)
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	text, err := aead.Open(nil, nonce, sealed, nil)
	if err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(strings.TrimRight(string(text), "\x00"), "\x02")), nil
}

// NewBrowser makes a subscription.
func (s *PushService) NewBrowser() *Browser {
	s.t.Helper()
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	b := &Browser{path: "/send/" + uuid.NewString(), private: private, auth: make([]byte, 16)}
	_, _ = rand.Read(b.auth)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.browsers[b.path] = b
	return b
}

// Subscription is what the browser gives to the page.
func (b *Browser) Subscription() map[string]any {
	text := base64.RawURLEncoding.EncodeToString
	return map[string]any{"endpoint": pushOrigin + b.path, "keys": map[string]any{"p256dh": text(b.private.PublicKey().Bytes()),
		"auth": text(b.auth)}}
}

// ShownOn are the notices that a browser got.
func (s *PushService) ShownOn(b *Browser) []ShownNotice {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]ShownNotice{}, b.shown...)
}

// Answer has it answer a status for a browser; 0: it takes messages.
func (s *PushService) Answer(b *Browser, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status[b.path] = status
}

// Texts are the messages that a browser got, as they were decrypted.
func (s *PushService) Texts(b *Browser) []string {
	texts := []string{}
	for _, n := range s.ShownOn(b) {
		texts = append(texts, n.Text)
	}
	return texts
}

// Called is how often it was called for a browser.
func (s *PushService) Called(b *Browser) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[b.path]
}
