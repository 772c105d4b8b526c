package realtime

import (
	"context"
	"time"

	"github.com/google/uuid"

	"homeroom/realtime/socketio"
)

const (
	watchEvery = time.Second
	// recheckEvery bounds what a lost hint can cost.
	recheckEvery = 15 * time.Second
	// roomsEvery is every how many of these rounds it is also asked who may be in which
	// room, which the database has to answer.
	roomsEvery = 4
	// checkers is how many sockets are asked about at a time.
	checkers = 8
)

// watch cuts off whose token has ended, and asks about everybody again now and then.
func (h *Hub) watch(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	asked, round := h.Clock(), 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := h.Clock()
		h.each(func(p Person) bool { return !now.Before(p.Until) }, func(s *socketio.Socket, _ *member) { s.Disconnect() })
		if now.Sub(asked) >= recheckEvery {
			asked = now
			round++
			h.recheckThose(func(Person) bool { return true }, round%roomsEvery == 0, false)
		}
	}
}

func (h *Hub) each(is func(Person) bool, f func(*socketio.Socket, *member)) {
	type found struct {
		s *socketio.Socket
		m *member
	}
	var those []found
	h.mu.Lock()
	for s, m := range h.members {
		if p, _ := m.who(); is(p) {
			those = append(those, found{s, m})
		}
	}
	h.mu.Unlock()
	for _, x := range those {
		f(x.s, x.m)
	}
}

// SessionEnded is told that a session is over: who may no longer be here is cut off.
func (h *Hub) SessionEnded(id uuid.UUID) {
	h.recheckThose(func(p Person) bool { return p.SessionID == id }, false, true)
}

// UserChanged: a user was changed, or is gone.
func (h *Hub) UserChanged(id uuid.UUID) {
	h.recheckThose(func(p Person) bool { return p.UserID == id }, true, true)
}

// SightChanged: a user may see other buses than before.
func (h *Hub) SightChanged(id uuid.UUID) { h.UserChanged(id) }

// SchoolChanged: a school was suspended, for example.
func (h *Hub) SchoolChanged(id uuid.UUID) {
	h.recheckThose(func(p Person) bool { return p.SchoolID == id }, false, true)
}

// RightsChanged: who may do what at a school was changed.
func (h *Hub) RightsChanged(id uuid.UUID) {
	h.recheckThose(func(p Person) bool { return p.SchoolID == id }, true, true)
}

// Doubt asks about everybody again.
func (h *Hub) Doubt() { h.recheckThose(func(Person) bool { return true }, true, false) }

// recheckThose has it asked again about some, soon: a few at a time, and about nobody
// twice who waits to be asked about.
func (h *Hub) recheckThose(is func(Person) bool, rooms, urgent bool) {
	h.each(is, func(s *socketio.Socket, _ *member) { h.checks.soon(s, rooms, urgent) })
}

// recheck asks again who a socket speaks for. A database that is away cuts nobody off.
func (h *Hub) recheck(s *socketio.Socket, rooms bool) {
	m := s.User().(*member)
	ctx, cancel := context.WithTimeout(context.Background(), eventTime)
	defer cancel()
	_, token := m.who()
	fresh, err := h.Who(ctx, token)
	if err != nil {
		if status, _, _ := h.Explain(err); status < 500 {
			s.Disconnect()
		}
		return
	}
	m.mu.Lock()
	if m.token == token { // they may hold another role by now
		m.person = fresh
	}
	m.mu.Unlock()
	if rooms {
		h.recheckRooms(ctx, s, m)
	}
}

func (h *Hub) recheckRooms(ctx context.Context, s *socketio.Socket, m *member) {
	person, _ := m.who()
	m.mu.Lock()
	buses := make([]uuid.UUID, 0, len(m.buses))
	for bus := range m.buses {
		buses = append(buses, bus)
	}
	m.mu.Unlock()
	for _, bus := range buses {
		sight, err := h.Sees(ctx, person, bus)
		if err == nil {
			m.enter(s, person.SchoolID, bus, sight)
		} else if status, _, _ := h.Explain(err); status < 500 {
			m.exit(s, bus)
		}
	}
}
