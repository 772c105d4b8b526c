package realtime

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

const (
	pingEvery = time.Second // a subscription that misses two is made anew
	backlog   = 4096        // words that wait to be said here
	refreshes = 8           // rooms read again at once
)

// listen hears what is said elsewhere in the rooms that have members here.
func (a *fanout) listen(ctx context.Context) {
	heard := a.hub.Redis.Subscribe(ctx, everyBus)
	defer func() { _ = heard.Close() }()
	messages := heard.ChannelWithSubscriptions(redis.WithChannelHealthCheckInterval(pingEvery), redis.WithChannelSize(backlog))
	listening := map[string]bool{}
	fresh := newErrands(refreshes, func(room string, _ bool) { a.refresh(ctx, room) })
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.wake:
			a.follow(ctx, heard, listening)
		case m, ok := <-messages:
			if !ok {
				return
			}
			switch m := m.(type) {
			case *redis.Message:
				a.hear(m)
			case *redis.Subscription: // also after a reconnect: something may have been missed
				if room, is := strings.CutPrefix(m.Channel, channelPrefix); is && m.Kind == "subscribe" {
					fresh.soon(room, true, false)
				}
			}
		}
	}
}

// follow listens to the rooms that have members here, and to no others.
func (a *fanout) follow(ctx context.Context, heard *redis.PubSub, listening map[string]bool) {
	var join, leave []string
	a.mu.Lock()
	for room := range a.wanted {
		if !listening[room] {
			listening[room] = true
			join = append(join, channelPrefix+room)
		}
	}
	for room := range listening {
		if !a.wanted[room] {
			delete(listening, room)
			leave = append(leave, channelPrefix+room)
		}
	}
	a.mu.Unlock()
	// A subscription that fails is made with the next connection.
	if len(join) > 0 {
		a.note(heard.Subscribe(ctx, join...))
	}
	if len(leave) > 0 {
		a.note(heard.Unsubscribe(ctx, leave...))
	}
}

func (a *fanout) hear(m *redis.Message) {
	room, is := strings.CutPrefix(m.Channel, channelPrefix)
	if !is {
		return
	}
	var msg message
	if err := json.Unmarshal([]byte(m.Payload), &msg); err != nil || msg.From == a.hub.id {
		return
	}
	for _, r := range msg.Rooms {
		if !strings.HasPrefix(r, room+"/") {
			return // of another bus
		}
	}
	a.deliver(room, msg)
}

// refresh says how a bus stands to those who may have missed it.
func (a *fanout) refresh(ctx context.Context, room string) {
	first, second, _ := strings.Cut(room, "/")
	school, err := uuid.Parse(first)
	if err != nil {
		return
	}
	bus, err := uuid.Parse(second)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, eventTime)
	defer cancel()
	now := a.hub.stands(ctx, school, bus)
	if now.TripStatus != nil {
		if data, err := json.Marshal(now.TripStatus); err == nil {
			a.deliver(room, message{Events: []Event{{Name: "trip-status", Data: data}}})
		}
	}
	if now.Location != nil {
		a.deliver(room, message{At: now.At.UnixMicro(), Events: []Event{{Name: "location", Key: "location", Data: now.Location}}})
	}
}

// stands is how a bus stands: as far as anybody knows.
func (h *Hub) stands(ctx context.Context, school, bus uuid.UUID) Now {
	now, err := h.Stands(ctx, school, bus)
	if err != nil {
		h.Log.Warn("nobody knows how a bus stands", "schoolId", school, "busId", bus, "error", err)
	}
	return now
}
