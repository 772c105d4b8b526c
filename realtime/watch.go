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
	// warnedBefore is how long before a token's end its bearer is warned.
	warnedBefore = time.Minute
)

// TokenExpiring is what the event token-expiring says: when the token ends, and the
// connection with it unless there is a `renew` before.
type TokenExpiring struct {
	ExpiresAt time.Time `json:"expiresAt"`
}

// watch looks after tokens that end, and asks about everybody again now and then.
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
		h.each(func(p Person) bool { return !now.Add(warnedBefore).Before(p.Until) }, func(s *socketio.Socket, m *member) { h.expire(s, m, now) })
		if now.Sub(asked) >= recheckEvery {
			asked = now
			round++
			h.recheckThose(func(Person) bool { return true }, round%roomsEvery == 0, false)
		}
	}
}

// expire warns whose token ends soon, and closes the transport of whose token has ended.
// They are not told to stay away, as who has signed out is: the client connects again by
// itself, and is let in with a fresh token or learns that it needs one.
func (h *Hub) expire(s *socketio.Socket, m *member, now time.Time) {
	m.mu.Lock()
	until := m.person.Until
	warn := !m.warned.Equal(until)
	m.warned = until
	m.mu.Unlock()
	switch {
	case !now.Before(until):
		s.Drop()
	case warn:
		_ = s.Emit("token-expiring", TokenExpiring{until.UTC()})
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

// RightsChanged: who may do what at a school, or see which of its buses, was changed.
func (h *Hub) RightsChanged(id uuid.UUID) {
	h.recheckThose(func(p Person) bool { return p.SchoolID == id }, true, true)
}

// RecheckAll checks again what every connected user may see.
func (h *Hub) RecheckAll() { h.recheckThose(func(Person) bool { return true }, true, false) }

// recheckThose has it asked again about some, soon: a few at a time, and about nobody
// twice who waits to be asked about.
func (h *Hub) recheckThose(is func(Person) bool, rooms, urgent bool) {
	h.each(is, func(s *socketio.Socket, m *member) {
		m.doubt()
		h.checks.soon(s, rooms, urgent)
	})
}

// recheck asks again who a socket speaks for. A database that is away cuts nobody off.
func (h *Hub) recheck(s *socketio.Socket, rooms bool) {
	m := s.User().(*member)
	ctx, cancel := context.WithTimeout(context.Background(), eventTime)
	defer cancel()
	person, token := m.who()
	fresh, err := h.Who(ctx, token)
	if err != nil {
		h.sendAway(s, m, person, token, err)
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

// sendAway ends the connection of somebody whose token is not good any more.
func (h *Hub) sendAway(s *socketio.Socket, m *member, person Person, token string, err error) {
	_, now := m.who()
	switch {
	case now != token: // renewed meanwhile
		h.checks.soon(s, true, false)
	case !h.isRefused(err):
	case !h.Clock().Before(person.Until):
		s.Drop()
	default:
		s.Disconnect()
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
			m.stay(s, person.SchoolID, bus, sight)
		} else if h.isRefused(err) {
			m.exit(s, bus)
		}
	}
}
