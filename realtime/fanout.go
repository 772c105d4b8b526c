package realtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"homeroom/breaker"
	"homeroom/realtime/socketio"
)

const (
	channelPrefix = "homeroom:bus:"
	lastPrefix    = "homeroom:last:"
	// everyBus is a channel that is always subscribed to, so that there is a connection
	// before there is a room.
	everyBus      = "homeroom:buses"
	lastKept      = 24 * time.Hour
	redisPatience = time.Second
	retryAfter    = 200 * time.Millisecond
)

// Event is sent to a bus's room. With a key only the newest of that key counts for clients
// that are behind.
type Event struct {
	Name string          `json:"name"`
	Key  string          `json:"key,omitempty"`
	Data json.RawMessage `json:"data"`
}

// message travels between instances.
type message struct {
	From   string   `json:"from"`
	At     int64    `json:"at,omitempty"` // of a position, in microseconds: older ones are not shown
	Rooms  []string `json:"rooms,omitempty"`
	Events []Event  `json:"events"`
}

// fanout delivers the events of rooms on this instance and carries them to the others
// through Redis, which also keeps the last position of each bus. It never waits for Redis:
// while that is away, clients of the same instance still get each other's events.
type fanout struct {
	hub *Hub

	mu      sync.Mutex
	wanted  map[string]bool     // rooms with members here
	shown   map[string]position // the newest in each of them
	moves   map[string]move     // positions on their way to Redis, the newest of each bus
	wake    chan struct{}       // wanted changed
	moved   chan struct{}       // there are moves
	breaker *breaker.Breaker

	// order keeps the positions of a room in order while they are emitted; rooms share one.
	order [64]sync.Mutex
}

// position is a position as clients get it, and when the bus was there.
type position struct {
	at   time.Time
	data json.RawMessage
}

// move is a position that is rendered when it is needed.
type move struct {
	at   time.Time
	show Show
}

// Show emits the events of a position and returns what is kept of it.
type Show = func(emit func(event, key string, data any)) (last any)

func newFanout(h *Hub) *fanout {
	return &fanout{
		hub:     h,
		breaker: breaker.New("buses", h.Patience, h.Clock, h.Log),
		wanted:  map[string]bool{},
		shown:   map[string]position{},
		moves:   map[string]move{},
		wake:    make(chan struct{}, 1),
		moved:   make(chan struct{}, 1),
	}
}

func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// room notes which buses are watched here. Rooms inside a bus's do not count.
func (a *fanout) room(name string, inhabited bool) {
	if strings.Count(name, "/") != 1 {
		return
	}
	a.mu.Lock()
	if inhabited {
		a.wanted[name] = true
	} else {
		delete(a.wanted, name)
		delete(a.shown, name)
	}
	a.mu.Unlock()
	nudge(a.wake)
}

// Move shows where a bus was at a moment, and keeps what show returns as its last
// position. show is called here if the bus is watched here, and later for the other
// instances, unless a newer position has come by then. Move never waits for Redis.
func (h *Hub) Move(school, bus uuid.UUID, at time.Time, show Show) {
	room := roomOf(school, bus)
	a := h.fanout
	a.mu.Lock()
	watched := a.wanted[room]
	if known, waits := a.moves[room]; !waits || at.After(known.at) {
		a.moves[room] = move{at, show}
	}
	a.mu.Unlock()
	nudge(a.moved)
	if watched {
		msg, _ := a.render(at, show)
		a.deliver(room, msg, nil)
	}
}

// render encodes the events of a position, and returns what is to be kept of it.
func (a *fanout) render(at time.Time, show Show) (msg message, last any) {
	msg = message{From: a.hub.id, At: at.UnixMicro()}
	last = show(func(name, key string, data any) {
		encoded, err := json.Marshal(data)
		if err == nil && !a.hub.sends(name) {
			err = errors.New("it is not documented")
		}
		if err != nil {
			a.hub.Log.Error("an event was not encoded", "event", name, "error", err)
			return
		}
		msg.Events = append(msg.Events, Event{Name: name, Key: key, Data: encoded})
	})
	return msg, last
}

// Publish sends an event to a bus's room; with about, only to those whom it is about.
// What other instances miss while Redis is away, they read when it is back.
func (h *Hub) Publish(ctx context.Context, school, bus uuid.UUID, about *About, e Event) error {
	if !h.sends(e.Name) {
		return fmt.Errorf("the event %s is not documented", e.Name)
	}
	room := roomOf(school, bus)
	msg := message{From: h.id, Events: []Event{e}}
	if about != nil {
		msg.Rooms = []string{staffRoom(school, bus), studentRoom(school, bus, about.Student)}
		if about.Trip != uuid.Nil {
			msg.Rooms = append(msg.Rooms, tripRoom(school, bus, about.Trip))
		}
	}
	h.fanout.deliver(room, msg, nil)
	body, err := json.Marshal(msg)
	if err != nil {
		return fmt.Errorf("publishing %s: %w", e.Name, err)
	}
	_, _ = breaker.Try(ctx, h.fanout.breaker, redisPatience, func(ctx context.Context) (int64, error) { // the breaker logs it
		return h.Redis.Publish(ctx, channelPrefix+room, body).Result()
	})
	return nil
}

func (h *Hub) sends(event string) bool { return len(h.Sends) == 0 || slices.Contains(h.Sends, event) }

// deliver emits events to the members of a room on this instance. A position is emitted
// only if it is newer than what is shown there; if it is not, joined, a member who may
// have seen nothing yet, gets what the others see.
func (a *fanout) deliver(room string, msg message, joined *socketio.Socket) {
	if msg.At != 0 {
		order := a.orderOf(room)
		order.Lock()
		defer order.Unlock()
		if newest, shown := a.advance(room, msg); !newest {
			if joined != nil && shown.data != nil {
				_ = joined.EmitLatest("location", "location", shown.data)
			}
			return
		}
	}
	rooms := msg.Rooms
	if rooms == nil {
		rooms = []string{room}
	}
	for _, e := range msg.Events {
		for _, r := range rooms {
			if err := a.hub.server.EmitLatest(r, e.Key, e.Name, e.Data); err != nil {
				a.hub.Log.Error("an event was not sent", "event", e.Name, "error", err)
			}
		}
	}
}

func (a *fanout) orderOf(room string) *sync.Mutex {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(room))
	return &a.order[sum.Sum32()%uint32(len(a.order))]
}

// advance notes what is shown in a room, unless something as new is shown already: then it
// returns that. A room without members shows nothing.
func (a *fanout) advance(room string, msg message) (newest bool, shown position) {
	p := position{at: time.UnixMicro(msg.At)}
	for _, e := range msg.Events {
		if e.Name == "location" {
			p.data = e.Data
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.wanted[room] {
		return true, p
	}
	if shown = a.shown[room]; !p.at.After(shown.at) {
		return false, shown
	}
	a.shown[room] = p
	return true, p
}

// keepNewest keeps a position and publishes it, unless a newer one is kept: two instances
// may get positions of the same bus.
const keepNewest = `local known = redis.call('HGET', KEYS[1], 'at')
if known and tonumber(known) >= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'at', ARGV[1], 'state', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PUBLISH', ARGV[4], ARGV[5])
return 1`

// write takes positions to Redis: all that came while the last ones travelled in one pipeline.
func (a *fanout) write(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.moved:
		}
		a.mu.Lock()
		moves := a.moves
		a.moves = map[string]move{}
		a.mu.Unlock()
		if len(moves) == 0 {
			continue
		}
		_, err := breaker.Try(ctx, a.breaker, redisPatience, func(ctx context.Context) ([]redis.Cmder, error) {
			return a.hub.Redis.Pipelined(ctx, func(p redis.Pipeliner) error { return a.keep(ctx, p, moves) })
		})
		if err != nil {
			a.retry(ctx, moves)
		}
	}
}

// keep adds to a pipeline what keeps and publishes positions.
func (a *fanout) keep(ctx context.Context, p redis.Pipeliner, moves map[string]move) error {
	for room, m := range moves {
		msg, kept := a.render(m.at, m.show)
		last, err := json.Marshal(kept)
		if err != nil {
			return err
		}
		body, err := json.Marshal(msg)
		if err != nil {
			return err
		}
		p.Eval(ctx, keepNewest, []string{lastPrefix + room}, msg.At, last, lastKept.Milliseconds(), channelPrefix+room, body)
	}
	return nil
}

// retry puts positions back that Redis did not take, unless newer ones wait: a bus that
// stops afterwards must be found where it stopped.
func (a *fanout) retry(ctx context.Context, moves map[string]move) {
	a.mu.Lock()
	for room, m := range moves {
		if newer, waits := a.moves[room]; !waits || m.at.After(newer.at) {
			a.moves[room] = m
		}
	}
	a.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-time.After(retryAfter):
		nudge(a.moved)
	}
}

// Last is what was kept of a bus's last position as JSON; nil is nothing. It waits for
// Redis no longer than Patience.
func (h *Hub) Last(ctx context.Context, school, bus uuid.UUID) ([]byte, error) {
	state, err := breaker.Call(ctx, h.fanout.breaker, func(ctx context.Context) ([]byte, error) {
		return h.Redis.HGet(ctx, lastPrefix+roomOf(school, bus), "state").Bytes()
	})
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	return state, err
}
