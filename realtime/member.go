package realtime

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"homeroom/realtime/socketio"
)

// member is somebody who is connected.
type member struct {
	mu     sync.Mutex
	person Person
	token  string
	buses  map[uuid.UUID][]string // the rooms joined for each
	rate   bucket
}

func (m *member) who() (Person, string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.person, m.token
}

const (
	// refusalsAMinute is how often an address may be refused before nobody there is
	// asked who they are: some clients come back at once with the same bad token.
	refusalsAMinute = 30
	// addressesKept bounds what is remembered of those who were refused.
	addressesKept = 10_000
)

// admit keeps an address that was refused again and again from asking.
func (h *Hub) admit(r *http.Request) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := h.refused[addressOf(r)]
	return b == nil || b.left(h.Clock(), refusalsAMinute/60.0, refusalsAMinute) >= 1
}

func (h *Hub) countRefusal(address string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.refused) >= addressesKept {
		clear(h.refused)
	}
	b := h.refused[address]
	if b == nil {
		b = &bucket{}
		h.refused[address] = b
	}
	b.take(h.Clock(), refusalsAMinute/60.0, refusalsAMinute)
}

// authenticate finds the token where clients of each generation can put it.
func (h *Hub) authenticate(r *http.Request, auth json.RawMessage) (any, *socketio.Refusal) {
	var sent struct {
		Token string `json:"token"`
	}
	if auth != nil {
		_ = json.Unmarshal(auth, &sent) // what cannot be read holds no token
	}
	token := sent.Token
	if token == "" {
		token = r.URL.Query().Get("token")
	}
	if scheme, rest, ok := strings.Cut(r.Header.Get("Authorization"), " "); token == "" && ok && strings.EqualFold(scheme, "Bearer") {
		token = rest
	}
	token = strings.TrimPrefix(strings.TrimSpace(token), "Bearer ")
	ctx, cancel := context.WithTimeout(r.Context(), eventTime)
	defer cancel()
	person, err := h.Who(ctx, token)
	if err != nil {
		status, code, message := h.Explain(err)
		if status < 500 {
			h.countRefusal(addressOf(r))
		}
		return nil, &socketio.Refusal{Message: message, Data: refusal{Error: code, Message: message}}
	}
	return &member{person: person, token: token, buses: map[uuid.UUID][]string{}}, nil
}

func (h *Hub) connected(s *socketio.Socket) {
	m := s.User().(*member)
	h.mu.Lock()
	h.members[s] = m
	h.mu.Unlock()
	// The session may have ended between the handshake and now, and its hint with it.
	h.checks.soon(s, false, true)
}

func (h *Hub) disconnected(s *socketio.Socket, _ string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.members, s)
}

func (h *Hub) allow(s *socketio.Socket, _ string) (any, bool) {
	m := s.User().(*member)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rate.take(h.Clock(), float64(h.PerSecond), float64(2*h.PerSecond)) {
		return nil, true
	}
	return refusal{Error: "Too Many Requests", Message: "Too many events, slow down"}, false
}

// bucket is how much somebody may still do. The zero bucket is full.
type bucket struct {
	spent float64
	at    time.Time
}

func (b *bucket) left(now time.Time, perSecond, most float64) float64 {
	if gone := now.Sub(b.at).Seconds(); gone > 0 {
		b.spent = max(0, b.spent-gone*perSecond)
		b.at = now
	}
	return most - b.spent
}

func (b *bucket) take(now time.Time, perSecond, most float64) bool {
	if b.left(now, perSecond, most) < 1 {
		return false
	}
	b.spent++
	return true
}
