package realtime

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"homeroom/realtime/socketio"
)

// done and refusal are how every event is answered.
type done struct {
	OK bool `json:"ok"`
}

type refusal struct {
	OK      bool   `json:"ok"`
	Error   string `json:"error"`
	Message string `json:"message"`
}

func (h *Hub) event(s *socketio.Socket, name string, args []json.RawMessage, ack func(any)) {
	m := s.User().(*member)
	var data json.RawMessage
	if len(args) > 0 {
		data = args[0]
	}
	answer := func(err error) { ack(h.answer(err)) }
	if name == "update-location" { // by far the most; who takes it bounds its own waiting
		person, _ := m.who()
		if err := h.Report(context.Background(), person, data, answer); err != nil {
			answer(err)
		}
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), eventTime)
	defer cancel()
	switch name {
	case "join-bus-room":
		answer(h.join(ctx, s, m, data))
	case "leave-bus-room":
		answer(h.leave(s, m, data))
	case "renew":
		answer(h.renew(ctx, s, m, data))
	default:
		answer(wrong{"Not Found", "There is no event " + name})
	}
}

// wrong is a refusal of the hub's own.
type wrong struct{ code, message string }

func (w wrong) Error() string { return w.message }

func (h *Hub) answer(err error) any {
	if err == nil {
		return done{OK: true}
	}
	if w, ok := err.(wrong); ok {
		return refusal{Error: w.code, Message: w.message}
	}
	status, code, message := h.Explain(err)
	if status >= 500 {
		h.Log.Error("an event failed", "error", err)
	}
	return refusal{Error: code, Message: message}
}

// busOf reads whose room is meant. A school that is not the caller's is nobody's business.
func busOf(p Person, data json.RawMessage) (uuid.UUID, error) {
	var sent struct {
		SchoolID string `json:"schoolId"`
		BusID    string `json:"busId"`
	}
	if err := json.Unmarshal(data, &sent); err != nil {
		return uuid.Nil, wrong{"Bad Request", "Send an object with schoolId and busId"}
	}
	bus, err := uuid.Parse(sent.BusID)
	if err != nil {
		return uuid.Nil, wrong{"Bad Request", "busId must be a UUID"}
	}
	if school, err := uuid.Parse(sent.SchoolID); (err != nil && sent.SchoolID != "") || (err == nil && school != p.SchoolID) {
		return uuid.Nil, wrong{"PERMISSION_DENIED", "This is not your school"}
	}
	return bus, nil
}

func (h *Hub) join(ctx context.Context, s *socketio.Socket, m *member, data json.RawMessage) error {
	person, _ := m.who()
	bus, err := busOf(person, data)
	if err != nil {
		return err
	}
	sight, err := h.Sees(ctx, person, bus)
	if err != nil {
		return err
	}
	m.enter(s, person.SchoolID, bus, sight)
	h.greet(ctx, s, person.SchoolID, bus)
	return nil
}

// enter joins the rooms of a bus that somebody may be in, and leaves those they may not.
func (m *member) enter(s *socketio.Socket, school, bus uuid.UUID, sight Sight) {
	rooms := []string{roomOf(school, bus)}
	if sight.Staff {
		rooms = append(rooms, staffRoom(school, bus))
	}
	for _, id := range sight.Students {
		rooms = append(rooms, studentRoom(school, bus, id))
	}
	m.mu.Lock()
	was := m.buses[bus]
	m.buses[bus] = rooms
	m.mu.Unlock()
	for _, r := range rooms {
		s.Join(r)
	}
	for _, r := range was {
		if !contains(rooms, r) {
			s.Leave(r)
		}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func (h *Hub) leave(s *socketio.Socket, m *member, data json.RawMessage) error {
	person, _ := m.who()
	bus, err := busOf(person, data)
	if err != nil {
		return err
	}
	m.exit(s, bus)
	return nil
}

func (m *member) exit(s *socketio.Socket, bus uuid.UUID) {
	m.mu.Lock()
	rooms := m.buses[bus]
	delete(m.buses, bus)
	m.mu.Unlock()
	for _, r := range rooms {
		s.Leave(r)
	}
}

// greet shows somebody who joined where the bus was seen last.
func (h *Hub) greet(ctx context.Context, s *socketio.Socket, school, bus uuid.UUID) {
	now := h.stands(ctx, school, bus)
	if now.TripStatus != nil {
		_ = s.Emit("trip-status", now.TripStatus)
	}
	if now.Location != nil {
		h.air.greet(s, roomOf(school, bus), position{now.At, now.Location})
	}
}

// renew goes on with a fresh token of the same person.
func (h *Hub) renew(ctx context.Context, s *socketio.Socket, m *member, data json.RawMessage) error {
	var sent struct {
		Token string `json:"token"`
	}
	if err := json.Unmarshal(data, &sent); err != nil || sent.Token == "" {
		if json.Unmarshal(data, &sent.Token) != nil || sent.Token == "" {
			return wrong{"Bad Request", "Send an object with token"}
		}
	}
	fresh, err := h.Who(ctx, sent.Token)
	if err != nil {
		return err
	}
	m.mu.Lock()
	if fresh.UserID != m.person.UserID || fresh.SchoolID != m.person.SchoolID || fresh.Role != m.person.Role {
		m.mu.Unlock()
		return wrong{"PERMISSION_DENIED", "This is somebody else's token"}
	}
	m.person, m.token = fresh, sent.Token
	m.mu.Unlock()
	h.recheckRooms(ctx, s, m)
	return nil
}

func roomOf(school, bus uuid.UUID) string    { return school.String() + "/" + bus.String() }
func staffRoom(school, bus uuid.UUID) string { return roomOf(school, bus) + "/staff" }
func studentRoom(school, bus, student uuid.UUID) string {
	return roomOf(school, bus) + "/" + student.String()
}
