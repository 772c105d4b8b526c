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

// member is somebody who is connected.
type member struct {
	presence *presence
	moving   sync.Mutex // held while they go into rooms or out

	mu     sync.Mutex
	person Person
	token  string
	warned time.Time              // the end of the token they were warned of
	doubts int                    // how often it was put in doubt what they may see
	buses  map[uuid.UUID][]string // the rooms joined for each
}

// presence is what the sockets of one user on this instance have in common.
type presence struct {
	sockets int // guarded by the hub's mutex

	mu   sync.Mutex
	rate bucket
}

func (m *member) who() (Person, string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.person, m.token
}

func (m *member) doubt() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.doubts++
}

func (m *member) doubted() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.doubts
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
		// A token whose time is over is what every client comes back with that was away for
		// a while: many at one address are no attack.
		if h.isRefused(err) && !errors.Is(err, ErrExpired) {
			h.countRefusal(addressOf(r))
		}
		return nil, h.refuse(err)
	}
	if err := h.count(ctx, person); err != nil {
		return nil, h.refuse(err)
	}
	p, err := h.arrive(person.UserID)
	if err != nil {
		return nil, h.refuse(err)
	}
	return &member{presence: p, person: person, token: token, buses: map[uuid.UUID][]string{}}, nil
}

func (h *Hub) refuse(err error) *socketio.Refusal {
	r := h.explain(err)
	return &socketio.Refusal{Message: r.Message, Data: r}
}

// arrive counts one more socket of a user. It is the newest that is refused: the oldest
// would come back by itself, and drive out the next.
func (h *Hub) arrive(user uuid.UUID) (*presence, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.present[user]
	if p == nil {
		p = &presence{}
		h.present[user] = p
	}
	if p.sockets >= h.PerUser {
		return nil, wrong{429, "Too Many Requests", "You are connected too often: close another connection first"}
	}
	p.sockets++
	return p, nil
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
	m := s.User().(*member)
	person, _ := m.who()
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
