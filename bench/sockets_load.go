package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// atMostAhead is how many publications may be under way: a server that cannot keep up is
// offered no more than it takes.
const atMostAhead = 32

// crowd is a load for a Socket.IO server: rooms full of listeners and one who publishes.
type crowd struct {
	rooms, each int
	publisher   net.Conn
	all         []*listener
	published   int64
	missing     int64 // deliveries before the counting began
	began       time.Time
}

// listener counts what it is sent, and notes of some of it how long that took.
type listener struct {
	conn    net.Conn
	got     atomic.Int64
	mu      sync.Mutex
	delays  []time.Duration
	failure atomic.Value
}

// gather connects each listeners to every room.
func gather(address string, rooms, each int) (*crowd, error) {
	c := &crowd{rooms: rooms, each: each, began: time.Now()}
	publisher, in, err := dialSocket(address)
	if err != nil {
		return nil, err
	}
	c.publisher = publisher
	go func() { _ = answerPings(publisher, in, func([]byte) {}) }()
	for i := range rooms * each {
		conn, in, err := dialSocket(address)
		if err == nil {
			_, err = conn.Write(clientText(fmt.Sprintf(`420["join","room %d"]`, i%rooms)))
		}
		if err == nil {
			_, err = expectText(in, `430["joined"]`)
		}
		if err != nil {
			c.leave()
			return nil, fmt.Errorf("connecting listener %d: %w", i, err)
		}
		l := &listener{conn: conn}
		c.all = append(c.all, l)
		go l.listen(in, c.began)
	}
	return c, nil
}

func (c *crowd) leave() {
	_ = c.publisher.Close()
	for _, l := range c.all {
		_ = l.conn.Close()
	}
}

// publish says something in one room after the other, at a pace in deliveries a second
// or as fast as it goes, and returns when all of it has arrived.
func (c *crowd) publish(ctx context.Context, pace float64, length time.Duration) error {
	begun := time.Now()
	deadline := begun.Add(length)
	for n := 0; time.Now().Before(deadline); n++ {
		if pace > 0 {
			time.Sleep(time.Until(begun.Add(time.Duration(float64(n) * float64(c.each) / pace * float64(time.Second)))))
		}
		if err := c.wait(ctx, atMostAhead-1); err != nil {
			return err
		}
		text := fmt.Sprintf(`42["publish","room %d",{"busId":"0192f0c1-7a52-7cc3-98c4-dc0c0c07398f","lat":10.0159,"lng":76.3419,`+
			`"speed":31.5,"heading":270,"at":"%019d"}]`,
			n%c.rooms, time.Since(c.began))
		if _, err := c.publisher.Write(clientText(text)); err != nil {
			return err
		}
		c.published++
	}
	return c.wait(ctx, 0)
}

// wait returns when no more than some publications are under way.
func (c *crowd) wait(ctx context.Context, ahead int64) error {
	for limit := time.Now().Add(30 * time.Second); (c.published-ahead)*int64(c.each) > c.total(); {
		if time.Now().After(limit) {
			return errors.New("what was published does not arrive")
		}
		for _, l := range c.all {
			if err, ok := l.failure.Load().(error); ok {
				return fmt.Errorf("a listener was cut off: %w", err)
			}
		}
		time.Sleep(100 * time.Microsecond)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func (c *crowd) total() (n int64) {
	for _, l := range c.all {
		n += l.got.Load()
	}
	return n
}

func (c *crowd) startCounting() {
	c.missing = c.total()
	for _, l := range c.all {
		l.mu.Lock()
		l.delays = nil
		l.mu.Unlock()
	}
}

func (c *crowd) delivered() int64 { return c.total() - c.missing }

func (c *crowd) latencies() (p50, p99 time.Duration) {
	var all []time.Duration
	for _, l := range c.all {
		l.mu.Lock()
		all = append(all, l.delays...)
		l.mu.Unlock()
	}
	if len(all) == 0 {
		return 0, 0
	}
	slices.Sort(all)
	return all[len(all)/2], all[len(all)*99/100]
}

func (l *listener) listen(in *bufio.Reader, began time.Time) {
	n := 0
	err := answerPings(l.conn, in, func(text []byte) {
		l.got.Add(1)
		if n++; n > 100 && n%8 != 0 {
			return
		}
		if i := strings.LastIndex(string(text), `"at":"`); i >= 0 && len(text) >= i+25 {
			at, _ := strconv.ParseInt(string(text[i+6:i+25]), 10, 64)
			l.mu.Lock()
			l.delays = append(l.delays, time.Since(began)-time.Duration(at))
			l.mu.Unlock()
		}
	})
	l.failure.Store(err)
}

// answerPings reads a connection until it ends, and hands events on.
func answerPings(conn net.Conn, in *bufio.Reader, event func(text []byte)) error {
	for {
		text, err := readText(in)
		if err != nil {
			return err
		}
		if len(text) == 1 && text[0] == '2' {
			if _, err := conn.Write(clientText("3")); err != nil {
				return err
			}
		} else {
			event(text)
		}
	}
}

// dialSocket connects as a 4.x client over a websocket does.
func dialSocket(address string) (net.Conn, *bufio.Reader, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, nil, err
	}
	_, err = io.WriteString(conn,
		"GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
	if err != nil {
		return nil, nil, err
	}
	in := bufio.NewReaderSize(conn, 8<<10)
	resp, err := http.ReadResponse(in, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		_ = conn.Close()
		return nil, nil, fmt.Errorf("no websocket: %w", errors.Join(err, errors.New("refused")))
	}
	if _, err = expectText(in, "0{"); err == nil {
		_, err = conn.Write(clientText(`40{"token":"bench"}`))
	}
	if err == nil {
		_, err = expectText(in, "40")
	}
	if err != nil {
		_ = conn.Close()
	}
	return conn, in, err
}

func expectText(in *bufio.Reader, prefix string) (string, error) {
	text, err := readText(in)
	if err == nil && !strings.HasPrefix(string(text), prefix) {
		err = fmt.Errorf("got %q, want %q", text, prefix)
	}
	return string(text), err
}

// readText returns the next text frame, valid until the next one is read.
func readText(in *bufio.Reader) ([]byte, error) {
	header, err := in.Peek(2)
	if err != nil {
		return nil, err
	}
	size, length := 2, int(header[1])
	if header[0] != 0x81 {
		return nil, fmt.Errorf("a frame that begins with %x", header[0])
	}
	if length == 126 {
		if header, err = in.Peek(4); err != nil {
			return nil, err
		}
		size, length = 4, int(binary.BigEndian.Uint16(header[2:]))
	}
	whole, err := in.Peek(size + length)
	if err != nil {
		return nil, err
	}
	_, err = in.Discard(size + length)
	return whole[size:], err
}

// clientText is a client's text frame; its mask is nothing.
func clientText(text string) []byte {
	b := []byte{0x81}
	if len(text) <= 125 {
		b = append(b, 0x80|byte(len(text)))
	} else {
		b = append(b, 0x80|126)
		b = binary.BigEndian.AppendUint16(b, uint16(len(text)))
	}
	return append(append(b, 0, 0, 0, 0), text...)
}
