package realtime

import (
	"context"
	"encoding/json"

	"homeroom/realtime/socketio"
)

// ClientEvent is an event that clients send. The table of these is what the hub handles
// and what is documented.
type ClientEvent struct {
	Name    string
	Summary string
	Data    any // an empty value of what it carries; nil of update-location, whose data is read by Report
	handle  func(h *Hub, ctx context.Context, s *socketio.Socket, m *member, data json.RawMessage) error
}

const (
	updateLocation = "update-location"
	tokenExpiring  = "token-expiring"
)

// Room names a bus.
type Room struct {
	SchoolID string `json:"schoolId" doc:"The caller's school; it may be left out"`
	BusID    string `json:"busId" validate:"required,uuid"`
}

// Token is a fresh access token.
type Token struct {
	Token string `json:"token" validate:"required" doc:"An access token"`
}

var clientEvents = []ClientEvent{
	{"join-bus-room", "Watch a bus, by the rights of `GET /bus-tracking/bus/:busId/live`. What is known of it comes at once.", Room{},
		(*Hub).join},
	{"leave-bus-room", "Watch it no more.", Room{}, (*Hub).leave},
	{updateLocation, "Say where the bus of the driver's open trip is. Answered once it is stored; at most 5 a second.", nil, nil},
	{"renew", "Go on after the token ends, with a fresh one of the same user. A bare text is taken too.", Token{}, (*Hub).renew},
}

// ClientEvents are the events that clients send; position is an empty value of what
// update-location carries.
func ClientEvents(position any) []ClientEvent {
	out := append([]ClientEvent{}, clientEvents...)
	for i := range out {
		if out[i].Name == updateLocation {
			out[i].Data = position
		}
	}
	return out
}

// ServerEvent is an event that the channel itself sends.
type ServerEvent struct {
	Name    string
	Summary string
	Data    any // an empty value of what it carries
}

// ServerEvents are the channel's own. Events of buses are defined where they are published.
var ServerEvents = []ServerEvent{
	{tokenExpiring, "The token ends in a minute, and the connection with it unless there is a `renew` before.", TokenExpiring{}},
}
