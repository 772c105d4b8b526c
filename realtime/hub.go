// Package realtime is the live channel of buses: it admits clients, decides who is in a
// bus's room by asking Parts, delivers events to rooms on every instance, and keeps the
// last position of every bus in Redis. It knows no module, and carries nothing that must
// not be lost.
package realtime

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"homeroom/realtime/socketio"
)

// Person is the user of a socket.
type Person struct {
	UserID    uuid.UUID
	SessionID uuid.UUID
	SchoolID  uuid.UUID
	Role      string
	RoleID    uuid.UUID
	Until     time.Time // when the token ends
}

// Sight is what a person may see of a bus: everything (staff), or besides what everybody
// in the room gets only what is about these students, or happens on these trips.
type Sight struct {
	Staff    bool
	Students []uuid.UUID
	Trips    []uuid.UUID
}

// About limits an event to those who see a student, those who see the trip it happened on
// (zero: none), and the staff.
type About struct {
	Student uuid.UUID
	Trip    uuid.UUID
}

// ErrExpired is a token that was good and whose time is over.
var ErrExpired = errors.New("realtime: the token has expired")

// BusState is a bus's current trip (nil if none) and last known position (nil if unknown),
// as clients get them.
type BusState struct {
	Location   json.RawMessage
	At         time.Time // when the bus was there
	TripStatus any
}

// Parts are what the hub asks; cmd puts them together.
type Parts struct {
	Redis redis.UniversalClient
	// Identify returns whom a token is of. The error wraps ErrExpired for one that was
	// valid until its end.
	Identify func(ctx context.Context, token string) (Person, error)
	// SightOf returns what a person may see of a bus; the error refuses it.
	SightOf func(ctx context.Context, p Person, bus uuid.UUID) (Sight, error)
	// MayReport refuses a person who may not send positions.
	MayReport func(ctx context.Context, p Person) error
	// Report takes a driver's position; done is called once it is stored, or could not be.
	Report func(ctx context.Context, school, driver uuid.UUID, position []byte, done func(error)) error
	// ReadBus reads the state of a bus.
	ReadBus func(ctx context.Context, school, bus uuid.UUID) (BusState, error)
	// Explain turns an error into the answer to a client.
	Explain func(err error) Refusal
	// Limit counts a connection of a user, or an event that costs a query, on all instances
	// together; the error refuses it. Nil is no limit.
	Limit func(ctx context.Context, user uuid.UUID) error

	// Sends are the names of the events that Publish and Move take; none is any.
	Sends []string

	AllowedOrigins []string
	// PerAddress is how many connections of one address are taken.
	PerAddress int
	// PerUser is how many sockets of one user are taken on this instance.
	PerUser int
	// PerSecond is how many events of one user are taken on this instance.
	PerSecond int
	// Patience is how long a client waits for Redis.
	Patience time.Duration
	Clock    func() time.Time
	Log      *slog.Logger
}

const (
	// eventTime bounds the work for one event.
	eventTime = 5 * time.Second
	// connectionsPerAddress are taken, unless set otherwise. A school, or a carrier's
	// customers, may share an address; one address must not fill the server.
	connectionsPerAddress = 1000
	// socketsPerUser are taken, unless set otherwise: a phone, a tablet, some tabs, and what
	// a flaky line left behind.
	socketsPerUser = 10
	// eventsPerSecond of one user are taken, unless set otherwise.
	eventsPerSecond = 20
)

// Hub is one instance's part of the live channel.
type Hub struct {
	Parts
	id     string // of this instance's own messages
	server *socketio.Server
	fanout *fanout

	mu      sync.Mutex
	members map[*socketio.Socket]*member
	present map[uuid.UUID]*presence  // by user
	checks  *queue[*socketio.Socket] // sockets whose rights are checked again
	refused map[string]*bucket       // by address
}

// New makes a hub. Other instances' events arrive once Run runs.
func New(p Parts) *Hub {
	if p.PerSecond <= 0 {
		p.PerSecond = eventsPerSecond
	}
	if p.PerAddress <= 0 {
		p.PerAddress = connectionsPerAddress
	}
	if p.PerUser <= 0 {
		p.PerUser = socketsPerUser
	}
	h := &Hub{
		Parts:   p,
		id:      uuid.NewString(),
		members: map[*socketio.Socket]*member{},
		present: map[uuid.UUID]*presence{},
		refused: map[string]*bucket{},
	}
	h.fanout = newFanout(h)
	h.checks = newQueue(checkers, h.recheck)
	h.server = socketio.New(socketio.Options{
		Authenticate: h.authenticate, Admit: h.admit, AllowedOrigins: p.AllowedOrigins,
		OnConnect: h.connected, OnEvent: h.event, OnDisconnect: h.disconnected, Allow: h.allow, OnRoom: h.fanout.room,
		Address: addressOf, MaxPerAddress: p.PerAddress,
		PacketRate: float64(max(100, 2*p.PerSecond)), PacketBurst: max(300, 4*p.PerSecond), Log: p.Log,
	})
	return h
}

// Serve answers a request for /socket.io/ from an address.
func (h *Hub) Serve(w http.ResponseWriter, r *http.Request, address string) {
	h.server.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), addressKey{}, address)))
}

// Run exchanges events with other instances and checks the sockets' rights until ctx ends.
func (h *Hub) Run(ctx context.Context) {
	var done sync.WaitGroup
	done.Go(func() { h.fanout.subscribe(ctx) })
	done.Go(func() { h.fanout.write(ctx) })
	done.Go(func() { h.checkAll(ctx) })
	done.Wait()
}

// Close disconnects every client, so that it connects to another instance.
func (h *Hub) Close(ctx context.Context) error { return h.server.Close(ctx) }

// Members is how many are in a bus's room on this instance.
func (h *Hub) Members(school, bus uuid.UUID) int {
	n := 0
	h.each(func(p Person) bool { return p.SchoolID == school }, func(_ *socketio.Socket, m *member) {
		m.mu.Lock()
		defer m.mu.Unlock()
		if _, in := m.buses[bus]; in {
			n++
		}
	})
	return n
}

// Counts are the server's figures, for metrics.
func (h *Hub) Counts() socketio.Counts { return h.server.Counts() }

// Away reports that Redis did not take the last message: other instances show no bus.
func (h *Hub) Away() bool {
	return h.fanout.breaker.Away()
}

type addressKey struct{}

func addressOf(r *http.Request) string {
	address, _ := r.Context().Value(addressKey{}).(string)
	return address
}
