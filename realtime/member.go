package realtime

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"homeroom/realtime/socketio"
)

// member is a connected user.
type member struct {
	presence *presence
	moving   sync.Mutex // held while rooms are joined and left

	mu     sync.Mutex
	person Person
	token  string
	warned time.Time              // the end of the token they were warned of
	checks int                    // how often a check of their rights was requested
	buses  map[uuid.UUID][]string // the rooms joined for each
}

// presence is what the sockets of one user on this instance share.
type presence struct {
	sockets int // guarded by the hub's mutex

	mu   sync.Mutex
	rate bucket
}

func (m *member) identity() (Person, string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.person, m.token
}

// invalidate notes that what the member may see is to be checked again.
func (m *member) invalidate() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.checks++
}

// generation changes when the member is invalidated.
func (m *member) generation() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.checks
}

const (
	// refusalsAMinute is how often an address may be refused before its tokens are not read
	// any more: some clients come back at once with the same bad token.
	refusalsAMinute = 30
	// addressesKept bounds the memory of refused addresses.
	addressesKept = 10_000
)

// admit refuses an address that was refused too often.
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

// authenticate reads the token from where clients of each generation can put it.
func (h *Hub) authenticate(r *http.Request, auth json.RawMessage) (any, *socketio.Refusal) {
	var sent struct {
		Token string `json:"token"`
	}
	if auth != nil {
		_ = json.Unmarshal(auth, &sent) // malformed is no token
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
	person, err := h.Identify(ctx, token)
	if err != nil {
		// Every client that was away for a while comes back with an expired token: many at one
		// address are no attack.
		if h.isRefused(err) && !errors.Is(err, ErrExpired) {
			h.countRefusal(addressOf(r))
		}
		return nil, h.refuse(err)
	}
	if err := h.limit(ctx, person); err != nil {
		return nil, h.refuse(err)
	}
	p, err := h.addSocket(person.UserID)
	if err != nil {
		return nil, h.refuse(err)
	}
	return &member{presence: p, person: person, token: token, buses: map[uuid.UUID][]string{}}, nil
}

func (h *Hub) refuse(err error) *socketio.Refusal {
	r := h.explain(err)
	return &socketio.Refusal{Message: r.Message, Data: r}
}

// addSocket counts one more socket of a user. The newest is refused, since the oldest would
// reconnect by itself and displace the next.
func (h *Hub) addSocket(user uuid.UUID) (*presence, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.present[user]
	if p == nil {
		p = &presence{}
		h.present[user] = p
	}
	if p.sockets >= h.PerUser {
		return nil, refused{429, "Too Many Requests", "You are connected too often: close another connection first"}
	}
	p.sockets++
	return p, nil
}

func (h *Hub) connected(s *socketio.Socket) {
	m := s.User().(*member)
	h.mu.Lock()
	h.members[s] = m
	h.mu.Unlock()
	// The session may have ended since the handshake, and its hint been missed.
	h.checks.add(s, false, true)
}

func (h *Hub) disconnected(s *socketio.Socket, _ string) {
	m := s.User().(*member)
	person, _ := m.identity()
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.members, s)
	if m.presence.sockets--; m.presence.sockets == 0 {
		delete(h.present, person.UserID)
	}
}

func (h *Hub) allow(s *socketio.Socket, _ string) (any, bool) {
	p := s.User().(*member).presence
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rate.take(h.Clock(), float64(h.PerSecond), float64(2*h.PerSecond)) {
		return nil, true
	}
	return Refusal{StatusCode: 429, Error: "Too Many Requests", Message: "Too many events, slow down", RetryAfter: 1}, false
}

// bucket is a token bucket. The zero bucket is full.
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
