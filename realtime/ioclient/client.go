// Package ioclient is a small Socket.IO client over websocket, as of protocol 5: what the
// simulated bus and the tests speak to the service with. It does not reconnect by itself.
package ioclient

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Event is something the service said.
type Event struct {
	Name string
	Data json.RawMessage
}

// Client is one connection.
type Client struct {
	// Events is what the service says. Who does not read misses it, once it is full.
	Events <-chan Event
	// Closed is closed when the connection is over; Err then says why.
	Closed <-chan struct{}

	conn   net.Conn
	events chan Event
	closed chan struct{}
	once   sync.Once
	err    error

	mu      sync.Mutex
	nextAck int
	acks    map[int]chan json.RawMessage
	writing sync.Mutex
}

// ErrRefused is a connection the service did not want; its text is the service's.
var ErrRefused = errors.New("refused")

const dialTime = 10 * time.Second

// Dial connects to a service (http://host:port) with an access token.
func Dial(ctx context.Context, base, token string) (*Client, error) {
	address, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("the address: %w", err)
	}
	if address.Scheme != "http" {
		return nil, errors.New("only http:// addresses can be dialled")
	}
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address.Host)
	if err != nil {
		return nil, err
	}
	deadline, _ := ctx.Deadline()
	_ = conn.SetDeadline(deadline)
	events, closed := make(chan Event, 1024), make(chan struct{})
	c := &Client{conn: conn, Events: events, events: events, Closed: closed, closed: closed, acks: map[int]chan json.RawMessage{}}
	reader, err := c.open(address, token)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	_ = conn.SetDeadline(time.Time{})
	go c.read(reader)
	return c, nil
}

func (c *Client) open(address *url.URL, token string) (*bufio.Reader, error) {
	var key [16]byte
	_, _ = rand.Read(key[:])
	request := "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: " + address.Host +
		"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + base64.StdEncoding.EncodeToString(key[:]) + "\r\n\r\n"
	if _, err := io.WriteString(c.conn, request); err != nil {
		return nil, err
	}
	reader := bufio.NewReader(c.conn)
	answer, err := http.ReadResponse(reader, nil)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusSwitchingProtocols {
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 1000))
		return nil, fmt.Errorf("%w: %s %s", ErrRefused, answer.Status, text)
	}
	auth, err := json.Marshal(map[string]string{"token": token})
	if err != nil {
		return nil, err
	}
	if err := c.send("40" + string(auth)); err != nil {
		return nil, err
	}
	for { // 0{…} opens, 40 lets in, 44 refuses
		packet, err := c.packet(reader)
		switch {
		case err != nil:
			return nil, err
		case strings.HasPrefix(packet, "40"):
			return reader, nil
		case strings.HasPrefix(packet, "44"):
			return nil, fmt.Errorf("%w: %s", ErrRefused, packet[2:])
		}
	}
}

// Ask sends an event and returns where its answer will be.
func (c *Client) Ask(name string, data any) (<-chan json.RawMessage, error) {
	body, err := json.Marshal([]any{name, data})
	if err != nil {
		return nil, err
	}
	answer := make(chan json.RawMessage, 1)
	c.mu.Lock()
	id := c.nextAck
	c.nextAck++
	c.acks[id] = answer
	c.mu.Unlock()
	return answer, c.send("42" + strconv.Itoa(id) + string(body))
}

// Answer is how the service answers an event.
type Answer struct {
	OK         bool   `json:"ok"`
	StatusCode int    `json:"statusCode"`
	Error      string `json:"error"`
	Message    string `json:"message"`
	RetryAfter int    `json:"retryAfter"`
}

// Call sends an event and waits for its answer.
func (c *Client) Call(ctx context.Context, name string, data any) (Answer, error) {
	var a Answer
	answer, err := c.Ask(name, data)
	if err != nil {
		return a, err
	}
	select {
	case raw := <-answer:
		return a, json.Unmarshal(raw, &a)
	case <-c.closed:
		return a, c.Err()
	case <-ctx.Done():
		return a, ctx.Err()
	}
}

// Err is why the connection is over, once it is.
func (c *Client) Err() error {
	select {
	case <-c.closed:
		return c.err
	default:
		return nil
	}
}

// Close ends the connection.
func (c *Client) Close() { c.end(errors.New("closed")) }

var (
	// ErrSignedOut is the end of a connection the service does not want any more.
	ErrSignedOut = errors.New("the service ended the session")
	// ErrDropped is the end of a connection that may be made anew.
	ErrDropped = errors.New("the service closed the connection")
)

func (c *Client) end(err error) {
	c.once.Do(func() {
		c.err = err
		_ = c.conn.Close()
		close(c.closed)
	})
}

func (c *Client) read(r *bufio.Reader) {
	for {
		packet, err := c.packet(r)
		if err != nil {
			c.end(err)
			return
		}
		switch {
		case packet == "2":
			_ = c.send("3")
		case packet == "41":
			c.end(ErrSignedOut)
			return
		case strings.HasPrefix(packet, "42"):
			var parts []json.RawMessage
			var e Event
			if json.Unmarshal([]byte(packet[2:]), &parts) != nil || len(parts) == 0 || json.Unmarshal(parts[0], &e.Name) != nil {
				continue
			}
			if len(parts) > 1 {
				e.Data = parts[1]
			}
			select {
			case c.events <- e:
			default:
			}
		case strings.HasPrefix(packet, "43"):
			c.answered(packet[2:])
		}
	}
}

func (c *Client) answered(text string) {
	at := strings.IndexByte(text, '[')
	if at < 0 {
		return
	}
	id, err := strconv.Atoi(text[:at])
	var parts []json.RawMessage
	if err != nil || json.Unmarshal([]byte(text[at:]), &parts) != nil || len(parts) == 0 {
		return
	}
	c.mu.Lock()
	waiting := c.acks[id]
	delete(c.acks, id)
	c.mu.Unlock()
	if waiting != nil {
		waiting <- parts[0]
	}
}

// packet reads one text message. Control frames are answered on the way.
func (c *Client) packet(r *bufio.Reader) (string, error) {
	for {
		var head [2]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return "", err
		}
		size := uint64(head[1] & 0x7f)
		switch size {
		case 126:
			var n [2]byte
			if _, err := io.ReadFull(r, n[:]); err != nil {
				return "", err
			}
			size = uint64(binary.BigEndian.Uint16(n[:]))
		case 127:
			var n [8]byte
			if _, err := io.ReadFull(r, n[:]); err != nil {
				return "", err
			}
			size = binary.BigEndian.Uint64(n[:])
		}
		if size > 1<<20 {
			return "", errors.New("a frame is too long")
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(r, body); err != nil {
			return "", err
		}
		switch head[0] & 0x0f {
		case 1:
			return string(body), nil
		case 8:
			return "", ErrDropped
		case 9:
			if err := c.frame(10, body); err != nil {
				return "", err
			}
		}
	}
}

func (c *Client) send(packet string) error { return c.frame(1, []byte(packet)) }

// frame writes one masked frame, as a client must.
func (c *Client) frame(kind byte, body []byte) error {
	out := []byte{0x80 | kind}
	switch n := len(body); {
	case n < 126:
		out = append(out, 0x80|byte(n))
	case n < 1<<16:
		out = binary.BigEndian.AppendUint16(append(out, 0x80|126), uint16(n))
	default:
		out = binary.BigEndian.AppendUint64(append(out, 0x80|127), uint64(n))
	}
	var mask [4]byte
	_, _ = rand.Read(mask[:])
	out = append(out, mask[:]...)
	for i, b := range body {
		out = append(out, b^mask[i%4])
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.conn.Write(out)
	return err
}
