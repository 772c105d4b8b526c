package socketio

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/testkit/wait"
)

func TestEventsAreAnsweredByTheirNumber(t *testing.T) {
	t.Parallel()
	f := serve(t)
	for _, eio := range []int{3, 4} {
		c := f.connected(eio, "anna")
		for _, id := range []string{"0", "7", "123456789"} {
			c.send("42" + id + `["echo",{"a":"ünïcödé 🚌"}]`)
			c.expect("43" + id + `[{"a":"ünïcödé 🚌"}]`)
		}
		c.send(`42["echo","no answer wanted"]`)
		c.send(`421["echo",null]`)
		c.expect(`431[null]`)
	}
}

func TestTheServerIsAnsweredToo(t *testing.T) {
	t.Parallel()
	f := serve(t)
	c := f.connected(4, "anna")
	s := f.only()
	answers := make(chan string, 8)
	answered := func(args []json.RawMessage, err error) {
		if err != nil {
			answers <- err.Error()
			return
		}
		answers <- string(args[0])
	}
	if err := s.EmitAck(wait.Limit, answered, "question", 1); err != nil {
		t.Fatal(err)
	}
	c.expect(`420["question",1]`)
	c.send(`430["yes"]`)
	if got := <-answers; got != `"yes"` {
		t.Error(got)
	}
	c.send(`430["yes, once more"]`) // is nothing
	if err := s.EmitAck(time.Millisecond, answered, "question", 2); err != nil {
		t.Fatal(err)
	}
	if got := <-answers; got != ErrTimeout.Error() {
		t.Error(got)
	}
	for range pendingAcks {
		if err := s.EmitAck(wait.Limit, answered, "question"); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.EmitAck(wait.Limit, answered, "question"); !errors.Is(err, ErrTooManyAcks) {
		t.Error(err)
	}
	s.Drop()
	for range pendingAcks {
		if got := wait.Receive(t, "nobody waits for an answer", answers); got != ErrGone.Error() {
			t.Error(got)
		}
	}
	f.endedAs("dropped by the server")
	if err := s.EmitAck(wait.Limit, answered, "question"); !errors.Is(err, ErrGone) {
		t.Error(err)
	}
}

func TestWhatIsNoPacketEndsTheSession(t *testing.T) {
	t.Parallel()
	f := serve(t)
	for _, text := range []string{
		"", "0", "5", "7", "x", "2", "2probe", "4", "4x", "45", `451-["x",{}]`, "42", "42{}", "42[]", `42[1]`, `42["unclosed"`, `42["connect"]`,
		`42["disconnect","x"]`,
		`42["connect_error"]`, `42["newListener"]`, `42["removeListener"]`, `42["disconnecting"]`, "43", `43["x"]`, `41x`, `40`, `40[1]`,
		`44{"message":"x"}`,
		`4299999999999999999999["x"]`, `42["x"]]`, `400`, "40/" + strings.Repeat("\x01", 15<<10) + ",",
	} {
		c := f.connected(4, "anna")
		c.send(text)
		c.expectClose(codeProtocol)
	}
	for _, text := range []string{"3", "x"} {
		c := f.connected(3, "anna")
		c.send(text)
		c.expectClose(codeProtocol)
	}
	early, _ := f.websocket("EIO=4&transport=websocket")
	early.expectPrefix("0{")
	early.send(`42["echo",1]`)
	early.expectClose(codeProtocol)
}

func TestHeartbeatsGoTheWayOfTheClientsVersion(t *testing.T) {
	t.Parallel()
	f := serve(t, func(o *Options) { o.PingInterval = 50 * time.Millisecond })
	c := f.connected(4, "anna")
	for range 3 {
		c.expect("2")
		c.send("3")
	}
	old := f.connected(3, "anna")
	old.send("2")
	old.expect("3")
	old.send("2with data")
	old.expect("3with data")
}

func TestASilentClientIsCutOff(t *testing.T) {
	t.Parallel()
	silence := func(f *fixture, clock *wait.Clock) { // in steps, or the server thinks that it was asleep
		wait.Eventually(t, "the silent one is cut off", func() bool {
			clock.Pass(f.o.PingTimeout / 100)
			f.mu.Lock()
			defer f.mu.Unlock()
			return len(f.ended) == 1
		})
		f.endedAs("ping timeout")
	}
	serveSlowly := func() (*fixture, *wait.Clock) {
		clock := wait.NewClock()
		return serve(t, func(o *Options) { o.now, o.PingInterval, o.PingTimeout = clock.Now, 50*time.Millisecond, 2*time.Second }), clock
	}
	f, clock := serveSlowly()
	f.connected(4, "anna")
	silence(f, clock)
	polled, clock := serveSlowly()
	query := polled.polling(3, "&token=anna")
	polled.only()
	silence(polled, clock)
	clock.Pass(farewellTime + 1)
	wait.Eventually(t, "the session is forgotten", func() bool { return polled.Counts().Sessions == 0 })
	if status, body, _ := polled.ask("GET", query, ""); status != 400 || !strings.Contains(body, `"code":1`) {
		t.Error(status, body)
	}
}

func TestAClientThatLeavesIsGone(t *testing.T) {
	t.Parallel()
	clock := wait.NewClock()
	f := serve(t, func(o *Options) {
		o.now, o.ConnectTimeout, o.PingInterval = clock.Now, 2*time.Second, 100*time.Millisecond
	})
	c := f.connected(4, "anna")
	f.only().Join("room")
	c.send("41")
	f.endedAs("client namespace disconnect")
	if n := f.Members("room"); n != 0 {
		t.Error(n)
	}
	clock.Pass(f.o.ConnectTimeout + 1)
	c.expectClose(codePolicy) // it should have hung up
	other := serve(t)
	c = other.connected(4, "anna")
	c.send("1")
	other.endedAs("transport close")
	c.expectClose(codeNormal)
}

func TestAFloodIsCutOff(t *testing.T) {
	t.Parallel()
	for _, frame := range [][]byte{clientFrame(0x81, []byte("3")), clientFrame(0x89, []byte("ping"))} {
		f := serve(t, func(o *Options) { o.now, o.PacketRate, o.PacketBurst = wait.NewClock().Now, 1, 20 })
		c := f.connected(4, "anna")
		for range 30 {
			c.raw(frame)
		}
		c.expectClose(codePolicy)
		f.endedAs("too many packets")
	}
}

func TestARatePerSocketIsTheApplications(t *testing.T) {
	t.Parallel()
	allowed := 2
	f := serve(t, func(o *Options) {
		o.Allow = func(_ *Socket, name string) (any, bool) {
			allowed--
			return map[string]string{"error": "too often: " + name}, allowed >= 0
		}
	})
	c := f.connected(4, "anna")
	for i := range 3 {
		c.send(fmt.Sprintf(`42%d["echo",1]`, i))
	}
	c.expect(`430[1]`)
	c.expect(`431[1]`)
	c.expect(`432[{"error":"too often: echo"}]`)
}

func TestAPanicEndsOneSocketOnly(t *testing.T) {
	t.Parallel()
	f := serve(t)
	other := f.connected(4, "ben")
	c := f.connected(4, "anna")
	c.send(`42["panic"]`)
	c.expectClose(codeInternal)
	f.endedAs("server error")
	other.send(`420["echo",1]`)
	other.expect(`430[1]`)
}

func TestWhatCannotBeSentIsAnError(t *testing.T) {
	t.Parallel()
	f := serve(t)
	c := f.connected(4, "anna")
	s := f.only()
	s.Join("room")
	if err := s.Emit("disconnect"); !errors.Is(err, ErrReserved) {
		t.Error(err)
	}
	if err := f.To("room").Emit("x", func() {}); err == nil {
		t.Error("a function was sent")
	}
	if err := f.To("room").Emit("x", strings.Repeat("x", 17<<10)); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if err := f.To("nobody").Emit("x", "y"); err != nil {
		t.Error(err)
	}
	if err := s.Emit("bytes", json.RawMessage("\"\xff\"")); err != nil {
		t.Error(err)
	}
	c.expect("42[\"bytes\",\"\uFFFD\"]")
}

func TestADisconnectedClientIsToldNotToComeBack(t *testing.T) {
	t.Parallel()
	f := serve(t)
	c := f.connected(4, "anna")
	f.only().Disconnect()
	c.expect("41")
	f.endedAs("server namespace disconnect")
	c.send(`420["echo","not heard any more"]`)
	c.expectClose(codePolicy) // it should have hung up

	polled := serve(t)
	query := polled.polling(4, "")
	polled.post(query, `40{"token":"anna"}`)
	s := polled.only()
	if body := polled.get(query); !strings.HasPrefix(body, `40{"sid":`) {
		t.Fatal(body)
	}
	s.Disconnect() // while no GET waits: the next one is told
	polled.endedAs("server namespace disconnect")
	for _, want := range []string{"41", "1"} {
		if body := polled.get(query); body != want {
			t.Errorf("%q, want %q", body, want)
		}
	}
	if status, _, _ := polled.ask("GET", query, ""); status != 400 {
		t.Error(status)
	}
}
