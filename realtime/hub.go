// Package realtime shows people where a bus is while it drives: who may be in a bus's
// room, what is said there, the last position of every bus, and the same on every
// instance. It knows no module: what it asks about buses, it asks through Parts. It
// carries nothing that must not be lost.
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

// Person is who a socket speaks for.
type Person struct {
	UserID    uuid.UUID
	SessionID uuid.UUID
	SchoolID  uuid.UUID
	Role      string
	RoleID    uuid.UUID
	Until     time.Time // when the token ends
}

// Sight is what somebody may hear of a bus: everything, or besides what everybody hears
// only what concerns these students, or happens on these trips.
type Sight struct {
	Staff    bool
	Students []uuid.UUID
	Trips    []uuid.UUID
}

// About is whose affair an event is: that of a student's people, of those who see the
// trip it happened on (zero: nobody in particular), and of the staff.
type About struct {
	Student uuid.UUID
	Trip    uuid.UUID
}

// ErrExpired is a token that was good and whose time is over.
var ErrExpired = errors.New("realtime: the token has expired")

// Now is how a bus stands, by the books. At is when Location was; nil is nowhere.
type Now struct {
	Location   json.RawMessage
	At         time.Time
	TripStatus any
}

// Parts are what the hub asks; cmd puts them together.
type Parts struct {
	Redis redis.UniversalClient
	// Who says who a token speaks for. The error is ErrExpired, among others, for one that
	// was good until its end.
	Who func(ctx context.Context, token string) (Person, error)
	// Sees says what somebody may hear of a bus.
	Sees func(ctx context.Context, p Person, bus uuid.UUID) (Sight, error)
	// Report takes a driver's position; done is called once it is kept, or could not be.
	Report func(ctx context.Context, p Person, position json.RawMessage, done func(error)) error
	// Stands reads how a bus stands, when nobody remembers.
	Stands func(ctx context.Context, school, bus uuid.UUID) (Now, error)
	// Explain says what an error is to those who caused it.
	Explain func(err error) Refusal
	// Count counts a connection of a user, or an event that the database has to answer, on
	// all instances together; the error says that there were too many. Nil counts nothing.
	Count func(ctx context.Context, user uuid.UUID) error

	AllowedOrigins []string
	// PerAddress is how many connections of one address are taken.
	PerAddress int
	// PerUser is how many sockets of one user are taken on this instance.
	PerUser int
	// PerSecond is how many events of one user are taken on this instance.
	PerSecond int
	// Patience is how long somebody waits for Redis to remember.
	Patience time.Duration
	Clock    func() time.Time
	Log      *slog.Logger
}

const (
	// eventTime bounds the work for one event.
	eventTime = 5 * time.Second
	// connectionsPerAddress are taken, unless told otherwise. A school, or a carrier's
	// customers, may share an address; nobody shall fill the server from one.
	connectionsPerAddress = 1000
	// socketsPerUser are taken, unless told otherwise: a phone, a tablet, some tabs, and what
	// a flaky line left behind.
	socketsPerUser = 10
	// eventsPerSecond is what one user may ask, unless told otherwise.
	eventsPerSecond = 20
	// patience is how long somebody waits for Redis, unless told otherwise; rest, how long
	// it is left alone after it did not answer.
	patience = 80 * time.Millisecond
	rest     = time.Second
)

// Hub is one instance's part of the live channel.
type Hub struct {
	Parts
	id     string // tells our own words from the others'
	server *socketio.Server
	fanout *fanout

	mu      sync.Mutex
	members map[*socketio.Socket]*member
	present map[uuid.UUID]*presence    // by user
	checks  *errands[*socketio.Socket] // whom to ask about again
	refused map[string]*bucket         // by address
}

// New makes a hub. Others are heard once Run runs.
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
	if p.Patience <= 0 {
		p.Patience = patience
	}
	h := &Hub{Parts: p, id: uuid.NewString(), members: map[*socketio.Socket]*member{}, present: map[uuid.UUID]*presence{}, refused: map[string]*bucket{}}
	h.fanout = newFanout(h)
	h.checks = newErrands(checkers, h.recheck)
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

// Run keeps in touch with other instances and looks after the sockets until ctx ends.
func (h *Hub) Run(ctx context.Context) {
	var done sync.WaitGroup
	done.Go(func() { h.fanout.listen(ctx) })
	done.Go(func() { h.fanout.write(ctx) })
	done.Go(func() { h.watch(ctx) })
	done.Wait()
}

// Close lets every client go, so that it connects to another instance.
func (h *Hub) Close(ctx context.Context) error { return h.server.Close(ctx) }

// Members are how many are in a bus's room here.
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

// Counts are what the hub has to do, for metrics.
func (h *Hub) Counts() socketio.Counts { return h.server.Counts() }

// Away says that Redis did not pass on the last word: other instances hear of no bus.
func (h *Hub) Away() bool {
	h.fanout.mu.Lock()
	defer h.fanout.mu.Unlock()
	return h.fanout.failing
}

type addressKey struct{}

func addressOf(r *http.Request) string {
	address, _ := r.Context().Value(addressKey{}).(string)
	return address
}
