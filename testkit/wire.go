package testkit

import (
	"bytes"
	"context"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/localstack"
)

// Wire counts the round trips an instance makes on the connections requests use: a
// round trip begins with the first write after a read.
type Wire struct {
	redis    string // its address
	Postgres atomic.Int64
	Redis    atomic.Int64
	Dialled  atomic.Int64 // connections to Postgres

	mu   sync.Mutex
	sent bytes.Buffer
	keep bool
}

// NewWire watches an instance that runs on the stack; give its Watch to Start.
func NewWire(t testing.TB, stack *localstack.Stack) *Wire {
	t.Helper()
	u, err := url.Parse(stack.RedisURL())
	if err != nil {
		t.Fatal(err)
	}
	return &Wire{redis: u.Host}
}

// Watch puts the wire under an instance.
func (w *Wire) Watch(_ *config.Config, o *service.Options) { o.Dial = w.dial }

// Keep remembers what is sent while f runs.
func (w *Wire) Keep(f func()) []byte {
	w.mu.Lock()
	w.keep = true
	w.sent.Reset()
	w.mu.Unlock()
	f()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.keep = false
	return bytes.Clone(w.sent.Bytes())
}

// Least runs f a few times and returns the fewest round trips it took: what other
// work of the instance adds now and then does not count.
func (w *Wire) Least(f func()) (postgres, redis int64) {
	for i := range 5 {
		p, r := w.Postgres.Load(), w.Redis.Load()
		f()
		p, r = w.Postgres.Load()-p, w.Redis.Load()-r
		if i == 0 || p < postgres {
			postgres = p
		}
		if i == 0 || r < redis {
			redis = r
		}
	}
	return postgres, redis
}

func (w *Wire) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	watched := &watchedConn{Conn: c, wire: w, trips: &w.Postgres}
	if address == w.redis {
		watched.trips = &w.Redis
	} else {
		w.Dialled.Add(1)
	}
	watched.answered.Store(true)
	return watched, nil
}

type watchedConn struct {
	net.Conn
	wire     *Wire
	trips    *atomic.Int64
	answered atomic.Bool
}

func (c *watchedConn) Write(b []byte) (int, error) {
	if c.answered.Swap(false) {
		c.trips.Add(1)
	}
	c.wire.mu.Lock()
	if c.wire.keep {
		c.wire.sent.Write(b)
	}
	c.wire.mu.Unlock()
	return c.Conn.Write(b)
}

func (c *watchedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.answered.Store(true)
	}
	return n, err
}
