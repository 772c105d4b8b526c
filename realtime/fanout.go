package realtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"homeroom/realtime/socketio"
)

const (
	channelPrefix = "homeroom:bus:"
	lastPrefix    = "homeroom:last:"
	// everyBus is a channel that is always listened to, so that there is a connection
	// before there is a room.
	everyBus      = "homeroom:buses"
	lastKept      = 24 * time.Hour
	redisPatience = time.Second
	retryAfter    = 200 * time.Millisecond
)

// Event is something that is said in a bus's room. With a key only the newest of that
// key counts for those who are behind.
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

// fanout carries the events of rooms between instances through Redis, and keeps the last
// position of each bus.
// Redis is asked beside the work, never in it: while it is away, those who are connected
// to the same instance hear each other.
type fanout struct {
	hub *Hub

	mu      sync.Mutex
	wanted  map[string]bool     // rooms with members here
	shown   map[string]position // what is shown in a room
	moves   map[string]move     // positions on their way to Redis, the newest of each bus
	wake    chan struct{}
	moved   chan struct{}
	failing bool

	// showing keeps the positions of a room in order while they are said; rooms share one.
	showing [64]sync.Mutex

	restUntil atomic.Int64
}

// position is what was said of where a bus is, and when it was there.
type position struct {
	at   time.Time
	data json.RawMessage
}

type move struct {
	at   time.Time
	show func() (state []byte, events []Event)
}

func newFanout(h *Hub) *fanout {
	return &fanout{hub: h, wanted: map[string]bool{}, shown: map[string]position{}, moves: map[string]move{}, wake: make(chan struct{}, 1), moved: make(chan struct{}, 1)}
}

func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// room notes which buses are watched here. Rooms inside a bus's are not told apart.
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

// Move shows where a bus is. show makes what is remembered as its last position and what
// is said in its room; it is called only if somebody is to see it, and maybe later.
func (h *Hub) Move(school, bus uuid.UUID, at time.Time, show func() (state []byte, events []Event)) {
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
		_, events := show()
		a.deliver(room, message{At: at.UnixMicro(), Events: events})
	}
}

// Tell says something in a bus's room; with about, to those alone whose affair it is.
// What other instances miss while Redis is away, they read when it is back.
func (h *Hub) Tell(ctx context.Context, school, bus uuid.UUID, about *About, e Event) error {
	room := roomOf(school, bus)
	msg := message{From: h.id, Events: []Event{e}}
	if about != nil {
		msg.Rooms = []string{staffRoom(school, bus), studentRoom(school, bus, about.Student)}
		if about.Trip != uuid.Nil {
			msg.Rooms = append(msg.Rooms, tripRoom(school, bus, about.Trip))
		}
	}
	h.fanout.deliver(room, msg)
	body, err := json.Marshal(msg)
	if err != nil {
		return fmt.Errorf("saying %s: %msg", e.Name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, redisPatience)
	defer cancel()
	h.fanout.note(h.Redis.Publish(ctx, channelPrefix+room, body).Err())
	return nil
}

// inOrder keeps others from showing positions in a room until it is called back.
func (a *fanout) inOrder(room string) (done func()) {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(room))
	m := &a.showing[sum.Sum32()%uint32(len(a.showing))]
	m.Lock()
	return m.Unlock
}

// deliver emits events to the members of a room on this instance.
func (a *fanout) deliver(room string, msg message) {
	if msg.At != 0 {
		defer a.inOrder(room)()
		if !a.newest(room, msg) {
			return
		}
	}
	a.emit(room, msg)
}

func (a *fanout) emit(room string, msg message) {
	rooms := msg.Rooms
	if rooms == nil {
		rooms = []string{room}
	}
	for _, e := range msg.Events {
		for _, r := range rooms {
			err := error(nil)
			if e.Key != "" {
				err = a.hub.server.EmitLatest(r, e.Key, e.Name, e.Data)
			} else {
				err = a.hub.server.To(r).Emit(e.Name, e.Data)
			}
			if err != nil {
				a.hub.Log.Error("an event was not sent", "event", e.Name, "error", err)
			}
		}
	}
}

// newest says whether a position is newer than what is shown, and notes it.
func (a *fanout) newest(room string, msg message) bool {
	p := position{at: time.UnixMicro(msg.At)}
	for _, e := range msg.Events {
		if e.Name == "location" {
			p.data = e.Data
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.wanted[room] {
		return true // nobody is here to see it
	}
	if !p.at.After(a.shown[room].at) {
		return false
	}
	a.shown[room] = p
	return true
}

// sendPosition shows a position to somebody who has come into a room: to all, if it is news
// there; else they are shown what the others see, which they may have seen already.
func (a *fanout) sendPosition(s *socketio.Socket, room string, p position) {
	msg := message{At: p.at.UnixMicro(), Events: []Event{{Name: "location", Key: "location", Data: p.data}}}
	defer a.inOrder(room)()
	if a.newest(room, msg) {
		a.emit(room, msg)
		return
	}
	a.mu.Lock()
	latest := a.shown[room]
	a.mu.Unlock()
	if latest.data != nil {
		_ = s.EmitLatest("location", "location", latest.data)
	}
}

// keepNewest keeps a position and passes it on, unless a newer one is kept: two
// instances may hear of the same bus.
const keepNewest = `local known = redis.call('HGET', KEYS[1], 'at')
if known and tonumber(known) >= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'at', ARGV[1], 'state', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PUBLISH', ARGV[4], ARGV[5])
return 1`

// write takes positions to Redis, all that came while the last ones travelled at once.
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
		trip, cancel := context.WithTimeout(ctx, redisPatience)
		_, err := a.hub.Redis.Pipelined(trip, func(p redis.Pipeliner) error {
			for room, m := range moves {
				state, events := m.show()
				body, err := json.Marshal(message{From: a.hub.id, At: m.at.UnixMicro(), Events: events})
				if err != nil {
					return err
				}
				p.Eval(trip, keepNewest, []string{lastPrefix + room}, m.at.UnixMicro(), state, lastKept.Milliseconds(), channelPrefix+room, body)
			}
			return nil
		})
		cancel()
		a.note(err)
		if err != nil {
			a.putBack(ctx, moves)
		}
	}
}

// putBack has positions tried again that Redis did not take, unless newer ones wait: a bus
// that stands still afterwards shall be found where it stands.
func (a *fanout) putBack(ctx context.Context, moves map[string]move) {
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

// note logs the beginning and the end of an outage.
func (a *fanout) note(err error) {
	a.mu.Lock()
	was := a.failing
	a.failing = err != nil
	a.mu.Unlock()
	switch {
	case err != nil && !was:
		a.hub.Log.Warn("other instances do not hear of buses", "error", err)
	case err == nil && was:
		a.hub.Log.Info("other instances hear of buses again")
	}
}

var errResting = errors.New("realtime: Redis did not answer a moment ago")

// Last is what is remembered of a bus's last position, nil if nothing is. It waits for
// Redis no longer than people do.
func (h *Hub) Last(ctx context.Context, school, bus uuid.UUID) ([]byte, error) {
	if h.Clock().UnixNano() < h.fanout.restUntil.Load() {
		return nil, errResting
	}
	ctx, cancel := context.WithTimeout(ctx, h.Patience)
	defer cancel()
	state, err := h.Redis.HGet(ctx, lastPrefix+roomOf(school, bus), "state").Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	if err != nil {
		h.fanout.restUntil.Store(h.Clock().Add(rest).UnixNano())
	}
	return state, err
}
