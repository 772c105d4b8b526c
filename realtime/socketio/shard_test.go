package socketio

import (
	"net/http/httptest"
	"runtime"
	"strconv"
	"testing"
	"time"

	"homeroom/testkit/wait"
)

// idleShard is one whose goroutine does not run.
func idleShard(t *testing.T) (*fixture, *shard) {
	f := serve(t)
	return f, newShard(f.Server, 0)
}

func TestTheInboxKeepsTheNewestOnly(t *testing.T) {
	t.Parallel()
	_, s := idleShard(t)
	to := &room{}
	for i := range 3 * inboxJobs {
		s.post(job{kind: jobEmit, room: to, message: &message{latest: latest{to, strconv.Itoa(i % 2)}, text: []byte(strconv.Itoa(i))}})
	}
	got := s.take(nil)
	if len(got) != 2 || string(got[0].message.text) != strconv.Itoa(3*inboxJobs-2) ||
		string(got[1].message.text) != strconv.Itoa(3*inboxJobs-1) {
		t.Errorf("%d jobs: %v", len(got), got)
	}
	s.post(job{kind: jobEmit, room: to, message: &message{latest: latest{to, "0"}}}) // what is taken cannot be replaced
	if got := s.take(nil); len(got) != 1 || len(s.newest) != 0 {
		t.Errorf("%d jobs", len(got))
	}
}

func TestAFullInboxMakesThoseWhoEmitWait(t *testing.T) {
	t.Parallel()
	_, s := idleShard(t)
	to := &room{}
	for range inboxJobs {
		s.post(job{kind: jobEmit, room: to, message: &message{}})
	}
	posted := make(chan struct{})
	go func() {
		s.post(job{kind: jobEmit, room: to, message: &message{}})
		close(posted)
	}()
	for range 100 {
		runtime.Gosched() // to the other one, which has its chance to post
	}
	s.mu.Lock()
	if n := s.next - s.first; n > inboxJobs {
		t.Errorf("%d jobs are in an inbox for %d", n, inboxJobs)
	}
	s.mu.Unlock()
	taken := len(s.take(nil))
	if taken != batchJobs {
		t.Error(taken)
	}
	wait.Receive(t, "the one who waited has posted", posted)
	for n := taken; n > 0; taken += n {
		n = len(s.take(nil))
	}
	if taken != inboxJobs+1 {
		t.Errorf("%d jobs were taken of %d", taken, inboxJobs+1)
	}
	s.stop()
	s.post(job{kind: jobEmit, room: to, message: &message{}}) // goes nowhere
}

func TestHeartbeatsGoOutHoweverBusyTheRooms(t *testing.T) {
	t.Parallel()
	f := serve(t, func(o *Options) { o.PingInterval = 50 * time.Millisecond })
	for range 2 * len(f.shards) {
		c := f.connected(4, "anna")
		c.send(`420["join","busy"]`)
		go func() {
			for {
				if _, _, err := c.frame(); err != nil {
					return
				}
			}
		}()
	}
	wait.Eventually(t, "all have joined", func() bool { return f.Members("busy") == 2*len(f.shards) })
	quiet := f.connected(4, "ben")
	stop := make(chan struct{})
	defer close(stop)
	for range 2 {
		go func() {
			for {
				select {
				case <-stop:
					return
				default:
					_ = f.To("busy").EmitLatest("k", "n", 1)
				}
			}
		}()
	}
	for range 5 {
		quiet.expect("2")
		quiet.send("3")
	}
}

// When it was the server that slept, what its clients said meanwhile is not read yet.
func TestNobodyIsDeadBecauseTheServerSlept(t *testing.T) {
	t.Parallel()
	f, shard := idleShard(t)
	s, err := f.newSession(httptest.NewRequest("GET", "/socket.io/", nil), 3)
	if err != nil {
		t.Fatal(err)
	}
	s.shard, s.until = shard, time.Time{}
	shard.add(s)
	long := f.o.PingInterval + f.o.PingTimeout + time.Minute
	s.heard.Store(-int64(long))
	beat := heartbeat{last: time.Now().Add(-long)}
	shard.tick(&beat)
	if s.hasEnded() {
		t.Fatal("it was cut off")
	}
	beat.grace = time.Now().Add(-time.Millisecond) // had its time
	shard.tick(&beat)
	if !s.hasEnded() {
		t.Error("it is silent and alive")
	}
	shard.tick(&beat)
	if f.Counts().Sessions != 0 {
		t.Error("it is not forgotten")
	}
}

func TestARoomCanBeSentAway(t *testing.T) {
	t.Parallel()
	f := serve(t)
	a, b, other := f.connected(4, "anna"), f.connected(3, "anna"), f.connected(4, "ben")
	for _, c := range []*wsClient{a, b} {
		c.send(`420["join","anna"]`)
		c.expect(`430["joined"]`)
	}
	other.send(`420["join","ben"]`)
	other.expect(`430["joined"]`)
	f.To("anna").Disconnect()
	f.To("nobody").Disconnect()
	a.expect("41")
	b.expect("41")
	f.until("both are gone", func() bool { return len(f.ended) == 2 })
	other.send(`421["echo",1]`)
	other.expect(`431[1]`)
	f.To("ben").Drop()
	other.expectClose(codeGoingAway)
}
