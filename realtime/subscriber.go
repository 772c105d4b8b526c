package realtime

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"homeroom/breaker"
)

const (
	pingEvery = time.Second // a subscription that misses two is made anew
	backlog   = 4096        // messages that wait to be delivered here
	refreshes = 8           // rooms that are read again at the same time
)

// subscribe delivers what other instances publish to the rooms that have members here.
func (a *fanout) subscribe(ctx context.Context) {
	channels := a.hub.Redis.Subscribe(ctx, everyBus)
	defer func() { _ = channels.Close() }()
	messages := channels.ChannelWithSubscriptions(redis.WithChannelHealthCheckInterval(pingEvery), redis.WithChannelSize(backlog))
	subscribed := map[string]bool{}
	stale := newQueue(refreshes, func(room string, _ bool) { a.refresh(ctx, room) })
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.wake:
			a.follow(ctx, channels, subscribed)
		case m, ok := <-messages:
			if !ok {
				return
			}
			switch m := m.(type) {
			case *redis.Message:
				a.receive(m)
			case *redis.Subscription: // also after a reconnect: something may have been missed
				if room, is := strings.CutPrefix(m.Channel, channelPrefix); is && m.Kind == "subscribe" {
					stale.add(room, true, false)
				}
			}
		}
	}
}

// follow subscribes to the rooms that have members here, and to no others.
func (a *fanout) follow(ctx context.Context, channels *redis.PubSub, subscribed map[string]bool) {
	var join, leave []string
	a.mu.Lock()
	for room := range a.wanted {
		if !subscribed[room] {
			subscribed[room] = true
			join = append(join, channelPrefix+room)
		}
	}
	for room := range subscribed {
		if !a.wanted[room] {
			delete(subscribed, room)
			leave = append(leave, channelPrefix+room)
		}
	}
	a.mu.Unlock()
	// A subscription that fails is made with the next connection.
	_, _ = breaker.Try(ctx, a.breaker, redisPatience, func(ctx context.Context) (_ bool, err error) {
		if len(join) > 0 {
			err = channels.Subscribe(ctx, join...)
		}
		if len(leave) > 0 {
			err = errors.Join(err, channels.Unsubscribe(ctx, leave...))
		}
		return err == nil, err
	})
}

func (a *fanout) receive(m *redis.Message) {
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
	a.deliver(room, msg, nil)
}

// refresh sends the state of a bus to the members of its room, who may have missed it.
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
	state := a.hub.busState(ctx, school, bus)
	if state.TripStatus != nil {
		if data, err := json.Marshal(state.TripStatus); err == nil {
			a.deliver(room, message{Events: []Event{{Name: "trip-status", Data: data}}}, nil)
		}
	}
	if state.Location != nil {
		a.deliver(room, state.message(), nil)
	}
}

// busState reads the state of a bus; what cannot be read is left out.
func (h *Hub) busState(ctx context.Context, school, bus uuid.UUID) BusState {
	state, err := h.ReadBus(ctx, school, bus)
	if err != nil {
		h.Log.Warn("the state of a bus was not read", "schoolId", school, "busId", bus, "error", err)
	}
	return state
}

func (s BusState) message() message {
	return message{At: s.At.UnixMicro(), Events: []Event{{Name: "location", Key: "location", Data: s.Location}}}
}
