package socketio

import (
	"sync"
	"time"
)

const (
	inboxJobs = 4096
	maxShards = 64
	batchJobs = 32
)

type jobKind uint8

const (
	jobEmit jobKind = iota
	jobEnter
	jobLeave
	jobEach
)

// job is something for a shard's goroutine to do. Members come and go by jobs too, so
// that they see exactly what is emitted between.
type job struct {
	kind    jobKind
	room    *room
	message *message
	member  *membership
	do      func(*session) // to every member, without waiting
}

// shard is one of as many parts as there are processors; every session belongs to one.
// Its goroutine writes to its members and never waits: not for a client, not for a lock
// that is held while somebody waits, and not for the functions of Options.
type shard struct {
	server *Server
	index  int

	mu      sync.Mutex
	room    *sync.Cond // there is room in the inbox again
	inbox   [inboxJobs]job
	first   uint64            // number of the oldest job; its place is the number modulo inboxJobs
	next    uint64            // number of the next one
	newest  map[latest]uint64 // which job, not yet taken, holds the newest value
	wake    chan struct{}
	stopped bool

	sessionsMu sync.Mutex
	sessions   map[*session]struct{}

	writer   *tryWriter
	combined []byte
	messages []*message
}

func newShard(server *Server, index int) *shard {
	s := &shard{
		server: server, index: index, newest: map[latest]uint64{}, wake: make(chan struct{}, 1),
		sessions: map[*session]struct{}{}, writer: newTryWriter(),
	}
	s.room = sync.NewCond(&s.mu)
	return s
}

// post gives the shard a job. It waits while the inbox is full, so it is never called by
// a shard's goroutine.
func (s *shard) post(j job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.stopped {
		if j.kind == jobEmit && j.message.latest.key != "" {
			if number, ok := s.newest[j.message.latest]; ok {
				s.inbox[number%inboxJobs] = j
				return
			}
		}
		if s.next-s.first < inboxJobs {
			break
		}
		s.room.Wait()
	}
	if s.stopped {
		return
	}
	s.inbox[s.next%inboxJobs] = j
	if j.kind == jobEmit && j.message.latest.key != "" {
		s.newest[j.message.latest] = s.next
	}
	s.next++
	if s.next-s.first == 1 {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

// take moves up to a batch of jobs out of the inbox.
func (s *shard) take(batch []job) []job {
	s.mu.Lock()
	defer s.mu.Unlock()
	full := s.next-s.first == inboxJobs
	for s.first < s.next && len(batch) < batchJobs {
		j := &s.inbox[s.first%inboxJobs]
		if j.kind == jobEmit && j.message.latest.key != "" {
			delete(s.newest, j.message.latest)
		}
		batch = append(batch, *j)
		*j = job{}
		s.first++
	}
	if full {
		s.room.Broadcast()
	}
	return batch
}

func (s *shard) stop() {
	s.mu.Lock()
	s.stopped = true
	s.room.Broadcast()
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// run works until the shard is stopped. The ticker is looked at after every batch: an
// inbox that is never empty must not keep the heartbeats from going out.
func (s *shard) run() {
	period := min(max(s.server.o.PingInterval/10, 5*time.Millisecond), time.Second)
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	beat := heartbeat{last: s.server.o.now()}
	batch := make([]job, 0, batchJobs)
	for {
		batch = s.take(batch[:0])
		if len(batch) == 0 {
			select {
			case <-s.wake:
			case <-ticker.C:
				s.tick(&beat)
			}
			s.mu.Lock()
			stopped := s.stopped
			s.mu.Unlock()
			if stopped {
				return
			}
			continue
		}
		s.work(batch)
		clear(batch)
		select {
		case <-ticker.C:
			s.tick(&beat)
		default:
		}
	}
}

// work does a batch in order. Events in a row for the same room go out in one write.
func (s *shard) work(batch []job) {
	for len(batch) > 0 {
		j := batch[0]
		switch j.kind {
		case jobEnter:
			members := &j.member.room.members[s.index]
			j.member.at = len(*members)
			*members = append(*members, j.member)
		case jobLeave:
			members := j.member.room.members[s.index]
			last := members[len(members)-1]
			members[j.member.at], last.at = last, j.member.at
			members[len(members)-1] = nil
			j.member.room.members[s.index] = members[:len(members)-1]
		case jobEach:
			for _, member := range j.room.members[s.index] {
				j.do(member.socket.session)
			}
		case jobEmit:
			same := 1
			for same < len(batch) && batch[same].kind == jobEmit && batch[same].room == j.room {
				same++
			}
			s.emit(j.room, batch[:same])
			batch = batch[same:]
			continue
		}
		batch = batch[1:]
	}
}

func (s *shard) emit(to *room, jobs []job) {
	s.messages = s.messages[:0]
	for _, j := range jobs {
		s.messages = append(s.messages, j.message)
	}
	all := jobs[0].message.frame
	if len(jobs) > 1 {
		s.combined = s.combined[:0]
		for _, j := range jobs {
			s.combined = append(s.combined, j.message.frame...)
		}
		all = s.combined
	}
	for _, member := range to.members[s.index] {
		member.socket.session.deliver(s.writer, s.messages, all)
	}
	clear(s.messages)
	if cap(s.combined) > 64<<10 {
		s.combined = nil
	}
}

func (s *shard) add(session *session) {
	s.sessionsMu.Lock()
	s.sessions[session] = struct{}{}
	s.sessionsMu.Unlock()
}

func (s *shard) remove(session *session) {
	s.sessionsMu.Lock()
	delete(s.sessions, session)
	s.sessionsMu.Unlock()
}
