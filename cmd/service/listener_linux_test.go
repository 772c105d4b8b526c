package service

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// gated takes nobody in until its gate opens.
type gated struct {
	*net.TCPListener
	gate chan struct{}
}

func (g gated) Accept() (net.Conn, error) {
	<-g.gate
	return g.TCPListener.Accept()
}

func TestAClosingListenerServesThoseWhoWaitAtTheDoor(t *testing.T) {
	t.Parallel()
	listener, err := listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	door := gated{listener.(*net.TCPListener), make(chan struct{})}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("served")) }),
		ReadHeaderTimeout: time.Minute}
	open := sync.OnceFunc(func() { close(door.gate) })
	t.Cleanup(func() {
		open()
		_ = server.Close()
	})
	go func() { _ = server.Serve(door) }()
	host := listener.Addr().String()
	var callers []net.Conn
	for range 20 {
		conn, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if _, err := fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		callers = append(callers, conn)
	}
	if n := waiting(door.TCPListener); n != 20 {
		t.Errorf("%d wait at the door", n)
	}
	var closing sync.WaitGroup
	closing.Go(func() {
		if err := closeGently(door.TCPListener); err != nil {
			t.Error(err)
		}
	})
	for {
		conn, err := net.DialTimeout("tcp", host, 50*time.Millisecond)
		var late net.Error
		if errors.As(err, &late) && late.Timeout() {
			break // nobody new is let in
		}
		if err != nil {
			t.Fatalf("it closed with 20 at the door: %v", err)
		}
		_ = conn.Close()
	}
	open()
	for n, conn := range callers {
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("caller %d of 20 was cut off: %v", n+1, err)
		}
		_ = answer.Body.Close()
	}
	closing.Wait()
	if conn, err := net.Dial("tcp", host); err == nil {
		_ = conn.Close()
		t.Error("it is still open")
	}
}
