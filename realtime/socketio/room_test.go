package socketio

import (
	"fmt"
	"slices"
	"sync"
	"testing"
)

func TestARoomGetsWhatIsEmittedWhileOneIsInIt(t *testing.T) {
	t.Parallel()
	f := serve(t)
	c := f.connected(4, "anna")
	s := f.only()
	_ = f.To("bus").Emit("early")
	s.Join("bus")
	s.Join("bus")
	s.Join("school")
	_ = f.To("bus").Emit("n", 1)
	_ = f.To("school").Emit("n", 2)
	_ = f.To("bus").Emit("n", map[string]int{"a": 3}, "more")
	s.Leave("bus")
	s.Leave("never joined")
	_ = f.To("bus").Emit("late")
	_ = f.To("school").Emit("n", 4)
	got := map[string]bool{}
	for range 4 {
		got[c.text()] = true
	}
	for _, want := range []string{`42["n",1]`, `42["n",2]`, `42["n",{"a":3},"more"]`, `42["n",4]`} {
		if !got[want] {
			t.Errorf("%s is missing in %v", want, got)
		}
	}
	if rooms := s.Rooms(); !slices.Equal(rooms, []string{"school"}) {
		t.Error(rooms)
	}
}

func TestEveryMemberGetsEverythingInOrder(t *testing.T) {
	t.Parallel()
	f := serve(t)
	const members, events = 50, 200
	var clients []*wsClient
	for range members {
		c := f.connected(4, "anna")
		c.send(`420["join","room"]`)
		c.expect(`430["joined"]`)
		clients = append(clients, c)
	}
	if f.Members("room") != members {
		t.Fatal(f.Members("room"))
	}
	var wg sync.WaitGroup
	for _, c := range clients {
		wg.Go(func() {
			for i := range events {
				if got, want := c.text(), fmt.Sprintf(`42["n",%d]`, i); got != want {
					t.Errorf("%s, want %s", got, want)
					return
				}
			}
		})
	}
	for i := range events {
		if err := f.To("room").Emit("n", i); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
}

func TestRoomsAreCountedAndTheirFirstAndLastMemberTold(t *testing.T) {
	t.Parallel()
	told := make(chan string, 8)
	f := serve(t, func(o *Options) { o.OnRoom = func(room string, inhabited bool) { told <- fmt.Sprint(room, inhabited) } })
	a, b := f.connected(4, "anna"), f.connected(4, "ben")
	for _, c := range []*wsClient{a, b} {
		c.send(`420["join","bus"]`)
		c.expect(`430["joined"]`)
	}
	if n := f.Counts(); n.Rooms != 1 || n.Sockets != 2 || n.Sessions != 2 || f.Members("bus") != 2 || f.Members("none") != 0 {
		t.Errorf("%+v", n)
	}
	_ = a.conn.Close()
	_ = b.conn.Close()
	f.until("both are gone", func() bool { return len(f.ended) == 2 })
	if first, last := <-told, <-told; first != "bustrue" || last != "busfalse" || len(told) != 0 {
		t.Error(first, last)
	}
	if n := f.Counts(); n.Rooms != 0 || n.Sockets != 0 {
		t.Errorf("%+v", n)
	}
	for _, s := range f.sockets {
		s.Join("bus") // is too late
	}
	if f.Members("bus") != 0 {
		t.Error("somebody who is gone joined")
	}
}
