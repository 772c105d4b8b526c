package socketio

import "sync"

// room is who gets what is emitted to a name. Its members are kept by shard, each part
// touched by that shard's goroutine only; the numbers are what the registry knows.
type room struct {
	name    string
	members [][]*membership // by shard
	counts  []int           // by shard, under rooms.mu; ahead of members by the jobs under way
	total   int             // under rooms.mu
}

// membership is one socket in one room.
type membership struct {
	room   *room
	socket *Socket
	at     int // in its shard's part of room.members; the shard's goroutine's
}

type rooms struct {
	mu     sync.RWMutex
	byName map[string]*room
	onRoom func(room string, inhabited bool)
}

// enter counts a socket in; the caller tells the shard.
func (r *rooms) enter(name string, s *Socket, shards int) *membership {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := r.byName[name]
	if found == nil {
		found = &room{name: name, members: make([][]*membership, shards), counts: make([]int, shards)}
		r.byName[name] = found
		if r.onRoom != nil {
			r.onRoom(name, true)
		}
	}
	found.counts[s.session.shard.index]++
	found.total++
	return &membership{room: found, socket: s}
}

// leave counts a member out; the caller tells the shard.
func (r *rooms) leave(m *membership) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m.room.counts[m.socket.session.shard.index]--
	m.room.total--
	if m.room.total == 0 {
		delete(r.byName, m.room.name)
		if r.onRoom != nil {
			r.onRoom(m.room.name, false)
		}
	}
}

func (r *rooms) find(name string) *room {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.byName[name]
}

func (r *rooms) count() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.byName)
}

func (r *rooms) membersOf(name string) int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if found := r.byName[name]; found != nil {
		return found.total
	}
	return 0
}

// Room is the sockets that joined a name, to emit to.
type Room struct {
	server *Server
	name   string
}

// To names a room. It need not exist: emitting to nobody costs nothing.
func (srv *Server) To(room string) Room { return Room{srv, room} }

// Emit sends an event to every socket of the room. It returns when the event is on its
// way; it waits only for a processor that is thousands of events behind, never for a client.
func (r Room) Emit(name string, args ...any) error {
	return r.server.EmitLatest(r.name, "", name, args...)
}

// EmitLatest is Emit for a value of which only the newest counts, a bus's position for
// example: for a client that is behind it takes the place of a value of the same room
// and key that has not been sent yet.
func (r Room) EmitLatest(key, name string, args ...any) error {
	return r.server.EmitLatest(r.name, key, name, args...)
}

// Disconnect is Socket.Disconnect for every socket of the room: a room per sign-in, say,
// is a way to end all that a sign-in has open.
func (r Room) Disconnect() { r.each((*session).dismiss) }

// Drop is Socket.Drop for every socket of the room.
func (r Room) Drop() { r.each((*session).drop) }

func (r Room) each(do func(*session)) {
	if to := r.server.rooms.find(r.name); to != nil {
		r.server.post(to, job{kind: jobEach, room: to, do: do})
	}
}

// EmitLatest is To(room).EmitLatest; without a key, To(room).Emit.
func (srv *Server) EmitLatest(room, key, event string, args ...any) error {
	to := srv.rooms.find(room)
	if to == nil {
		return nil
	}
	m, err := encodeEvent(srv.o.MaxMessage, noAck, event, args)
	if err != nil {
		return err
	}
	if key != "" {
		m.latest = latest{to, key}
	}
	srv.post(to, job{kind: jobEmit, room: to, message: m})
	return nil
}

// post gives a job to every shard that has members of the room.
func (srv *Server) post(to *room, j job) {
	var busy [maxShards]bool
	srv.rooms.mu.RLock()
	for i := range srv.shards {
		busy[i] = to.counts[i] > 0
	}
	srv.rooms.mu.RUnlock()
	for i, shard := range srv.shards {
		if busy[i] {
			shard.post(j)
		}
	}
}
