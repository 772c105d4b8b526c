package realtime

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"homeroom/realtime/socketio"
)

// Accepted and Refusal are how every event is answered.
type Accepted struct {
	OK bool `json:"ok" doc:"Always true"`
}

// Refusal is why something is not done: the answer of an event, or the data of the
// connect_error of a client that is not admitted. It has the fields of the API's errors.
type Refusal struct {
	OK         bool   `json:"ok" doc:"Always false"`
	StatusCode int    `json:"statusCode" doc:"As of HTTP"`
	Error      string `json:"error" doc:"A code of the API, or the status text"`
	Message    string `json:"message"`
	RetryAfter int    `json:"retryAfter,omitempty" doc:"Seconds to wait, of a 429"`
}

// event handles an event of a client. The client's other events wait meanwhile.
func (h *Hub) event(s *socketio.Socket, name string, args []json.RawMessage, ack func(any)) {
	m := s.User().(*member)
	var data json.RawMessage
	if len(args) > 0 {
		data = args[0]
	}
	answer := func(err error) { ack(h.answer(err)) }
	if name == updateLocation { // by far the most; the tracker has timeouts of its own
		person, _ := m.identity()
		err := h.MayReport(context.Background(), person)
		if err == nil {
			err = h.Report(context.Background(), person.SchoolID, person.UserID, data, answer)
		}
		if err != nil {
			answer(err)
		}
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), eventTime)
	defer cancel()
	for _, e := range clientEvents {
		if e.Name == name && e.handle != nil {
			answer(e.handle(h, ctx, s, m, data))
			return
		}
	}
	answer(refused{404, "Not Found", "There is no event " + name})
}

// refused is a refusal of the hub's own.
type refused struct {
	status        int
	code, message string
}

func (r refused) Error() string { return r.message }

func (h *Hub) answer(err error) any {
	if err == nil {
		return Accepted{OK: true}
	}
	r := h.explain(err)
	if r.StatusCode >= 500 {
		h.Log.Error("an event failed", "error", err)
	}
	return r
}

func (h *Hub) explain(err error) Refusal {
	if r, ok := err.(refused); ok {
		return Refusal{StatusCode: r.status, Error: r.code, Message: r.message}
	}
	return h.Explain(err)
}

// isRefused reports whether an error refuses something, and is not a failure of ours.
func (h *Hub) isRefused(err error) bool { return h.explain(err).StatusCode < 500 }

func (h *Hub) limit(ctx context.Context, p Person) error {
	if h.Limit == nil {
		return nil
	}
	return h.Limit(ctx, p.UserID)
}

// busOf reads which room is meant. A school that is not the caller's is refused.
func busOf(p Person, data json.RawMessage) (uuid.UUID, error) {
	var sent Room
	if err := json.Unmarshal(data, &sent); err != nil {
		return uuid.Nil, refused{400, "Bad Request", "Send an object with schoolId and busId"}
	}
	bus, err := uuid.Parse(sent.BusID)
	if err != nil {
		return uuid.Nil, refused{400, "Bad Request", "busId must be a UUID"}
	}
	if school, err := uuid.Parse(sent.SchoolID); (err != nil && sent.SchoolID != "") || (err == nil && school != p.SchoolID) {
		return uuid.Nil, refused{403, "PERMISSION_DENIED", "This is not your school"}
	}
	return bus, nil
}

func (h *Hub) join(ctx context.Context, s *socketio.Socket, m *member, data json.RawMessage) error {
	before := m.generation()
	person, _ := m.identity()
	bus, err := busOf(person, data)
	if err != nil {
		return err
	}
	if err := h.limit(ctx, person); err != nil {
		return err
	}
	sight, err := h.SightOf(ctx, person, bus)
	if err != nil {
		return err
	}
	m.enter(s, person.SchoolID, bus, sight)
	if m.generation() != before { // the rights may have changed while they were read
		h.checks.add(s, true, true)
	}
	h.greet(ctx, s, person.SchoolID, bus)
	return nil
}

// enter joins the rooms of a bus that a member may be in, and leaves those they may not.
func (m *member) enter(s *socketio.Socket, school, bus uuid.UUID, sight Sight) {
	m.moving.Lock()
	defer m.moving.Unlock()
	m.enterLocked(s, school, bus, sight)
}

// reenter is enter for a bus the member watches already; one they have left meanwhile stays left.
func (m *member) reenter(s *socketio.Socket, school, bus uuid.UUID, sight Sight) {
	m.moving.Lock()
	defer m.moving.Unlock()
	m.mu.Lock()
	_, in := m.buses[bus]
	m.mu.Unlock()
	if in {
		m.enterLocked(s, school, bus, sight)
	}
}

func (m *member) enterLocked(s *socketio.Socket, school, bus uuid.UUID, sight Sight) {
	rooms := []string{roomOf(school, bus)}
	if sight.Staff {
		rooms = append(rooms, staffRoom(school, bus))
	}
	for _, id := range sight.Students {
		rooms = append(rooms, studentRoom(school, bus, id))
	}
	for _, id := range sight.Trips {
		rooms = append(rooms, tripRoom(school, bus, id))
	}
	m.mu.Lock()
	was := m.buses[bus]
	m.buses[bus] = rooms
	m.mu.Unlock()
	for _, r := range rooms {
		s.Join(r)
	}
	for _, r := range was {
		if !slices.Contains(rooms, r) {
			s.Leave(r)
		}
	}
}

func (h *Hub) leave(_ context.Context, s *socketio.Socket, m *member, data json.RawMessage) error {
	person, _ := m.identity()
	bus, err := busOf(person, data)
	if err != nil {
		return err
	}
	m.exit(s, bus)
	return nil
}

func (m *member) exit(s *socketio.Socket, bus uuid.UUID) {
	m.moving.Lock()
	defer m.moving.Unlock()
	m.mu.Lock()
	rooms := m.buses[bus]
	delete(m.buses, bus)
	m.mu.Unlock()
	for _, r := range rooms {
		s.Leave(r)
	}
}

// greet sends the state of a bus to a member who joined its room.
func (h *Hub) greet(ctx context.Context, s *socketio.Socket, school, bus uuid.UUID) {
	state := h.busState(ctx, school, bus)
	if state.TripStatus != nil {
		_ = s.Emit("trip-status", state.TripStatus)
	}
	if state.Location != nil {
		h.fanout.deliver(roomOf(school, bus), state.message(), s)
	}
}

// renew replaces the token by a newer one of the same person.
func (h *Hub) renew(ctx context.Context, s *socketio.Socket, m *member, data json.RawMessage) error {
	var sent Token
	if err := json.Unmarshal(data, &sent); err != nil || sent.Token == "" {
		if json.Unmarshal(data, &sent.Token) != nil || sent.Token == "" {
			return refused{400, "Bad Request", "Send an object with token"}
		}
	}
	person, _ := m.identity()
	if err := h.limit(ctx, person); err != nil {
		return err
	}
	fresh, err := h.Identify(ctx, sent.Token)
	if err != nil {
		return err
	}
	m.mu.Lock()
	if fresh.UserID != m.person.UserID || fresh.SchoolID != m.person.SchoolID || fresh.Role != m.person.Role {
		m.mu.Unlock()
		return refused{403, "PERMISSION_DENIED", "This is somebody else's token"}
	}
	m.person, m.token = fresh, sent.Token
	m.mu.Unlock()
	if fresh.RoleID != person.RoleID { // else the rights are the same
		h.checks.add(s, true, true)
	}
	return nil
}

func roomOf(school, bus uuid.UUID) string    { return school.String() + "/" + bus.String() }
func staffRoom(school, bus uuid.UUID) string { return roomOf(school, bus) + "/staff" }
func studentRoom(school, bus, student uuid.UUID) string {
	return roomOf(school, bus) + "/" + student.String()
}
func tripRoom(school, bus, trip uuid.UUID) string {
	return roomOf(school, bus) + "/trip/" + trip.String()
}
