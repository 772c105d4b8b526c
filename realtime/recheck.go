package realtime

import (
	"context"
	"time"

	"github.com/google/uuid"

	"homeroom/realtime/socketio"
)

const (
	expiryEvery = time.Second
	// recheckEvery bounds what a lost hint can cost.
	recheckEvery = 15 * time.Second
	// roomsEvery is in every how many of these rounds rooms are checked too, which costs queries.
	roomsEvery = 4
	// checkers is how many sockets are checked at a time.
	checkers = 8
	// warnedBefore is how long before a token's end its client is warned.
	warnedBefore = time.Minute
)

// TokenExpiring is the data of the event token-expiring: when the token ends, and the
// connection with it unless there is a `renew` before.
type TokenExpiring struct {
	ExpiresAt time.Time `json:"expiresAt"`
}

// checkAll ends connections whose tokens end, and checks every socket now and then.
func (h *Hub) checkAll(ctx context.Context) {
	tick := time.NewTicker(expiryEvery)
	defer tick.Stop()
	checked, round := h.Clock(), 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := h.Clock()
		h.each(
			func(p Person) bool { return !now.Add(warnedBefore).Before(p.Until) },
			func(s *socketio.Socket, m *member) { h.expire(s, m, now) },
		)
		if now.Sub(checked) >= recheckEvery {
			checked = now
			round++
			h.recheckWhere(func(Person) bool { return true }, round%roomsEvery == 0, false)
		}
	}
}

// expire warns a client whose token ends soon, and closes the transport when it has ended.
// The client is not sent away as after signing out: it connects again by itself, and is
// admitted with a fresh token or learns that it needs one.
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
		_ = s.Emit(tokenExpiring, TokenExpiring{until.UTC()})
	}
}

func (h *Hub) each(is func(Person) bool, f func(*socketio.Socket, *member)) {
	type found struct {
		s *socketio.Socket
		m *member
	}
	var list []found
	h.mu.Lock()
	for s, m := range h.members {
		if p, _ := m.identity(); is(p) {
			list = append(list, found{s, m})
		}
	}
	h.mu.Unlock()
	for _, x := range list {
		f(x.s, x.m)
	}
}

// SessionEnded checks the sockets of a session that ended.
func (h *Hub) SessionEnded(id uuid.UUID) {
	h.recheckWhere(func(p Person) bool { return p.SessionID == id }, false, true)
}

// UserChanged checks the sockets of a user who was changed or deleted.
func (h *Hub) UserChanged(id uuid.UUID) {
	h.recheckWhere(func(p Person) bool { return p.UserID == id }, true, true)
}

// SightChanged checks the rooms of a user who may see other buses than before.
func (h *Hub) SightChanged(id uuid.UUID) { h.UserChanged(id) }

// SchoolChanged checks the sockets of a school that was, for example, suspended.
func (h *Hub) SchoolChanged(id uuid.UUID) {
	h.recheckWhere(func(p Person) bool { return p.SchoolID == id }, false, true)
}

// RightsChanged checks the rooms of a school whose permissions or bus assignments changed.
func (h *Hub) RightsChanged(id uuid.UUID) {
	h.recheckWhere(func(p Person) bool { return p.SchoolID == id }, true, true)
}

// RecheckAll checks again what every connected user may see.
func (h *Hub) RecheckAll() { h.recheckWhere(func(Person) bool { return true }, true, false) }

// recheckWhere queues a check of the sockets of some persons, with their rooms or without.
func (h *Hub) recheckWhere(is func(Person) bool, rooms, urgent bool) {
	h.each(is, func(s *socketio.Socket, m *member) {
		m.invalidate()
		h.checks.add(s, rooms, urgent)
	})
}

// recheck checks a socket's token again. A database that is away disconnects nobody.
func (h *Hub) recheck(s *socketio.Socket, rooms bool) {
	m := s.User().(*member)
	ctx, cancel := context.WithTimeout(context.Background(), eventTime)
	defer cancel()
	person, token := m.identity()
	fresh, err := h.Identify(ctx, token)
	if err != nil {
		h.dismiss(s, m, person, token, err)
		return
	}
	m.mu.Lock()
	if m.token == token { // the role may be another by now
		m.person = fresh
	}
	m.mu.Unlock()
	if rooms {
		h.recheckRooms(ctx, s, m)
	}
}

// dismiss ends a connection whose token is not valid any more.
func (h *Hub) dismiss(s *socketio.Socket, m *member, person Person, token string, err error) {
	_, now := m.identity()
	switch {
	case now != token: // renewed meanwhile
		h.checks.add(s, true, false)
	case !h.isRefused(err):
	case !h.Clock().Before(person.Until):
		s.Drop()
	default:
		s.Disconnect()
	}
}

func (h *Hub) recheckRooms(ctx context.Context, s *socketio.Socket, m *member) {
	person, _ := m.identity()
	m.mu.Lock()
	buses := make([]uuid.UUID, 0, len(m.buses))
	for bus := range m.buses {
		buses = append(buses, bus)
	}
	m.mu.Unlock()
	for _, bus := range buses {
		sight, err := h.SightOf(ctx, person, bus)
		if err == nil {
			m.reenter(s, person.SchoolID, bus, sight)
		} else if h.isRefused(err) {
			m.exit(s, bus)
		}
	}
}
