package testkit

import (
	"bytes"
	"context"
	"math"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/localstack"
	"homeroom/testkit/wait"
)

// Wire counts the round trips of an instance on the connections that requests use: a
// round trip begins with the first write after a read.
type Wire struct {
	redis    string // its address
	Postgres Trips
	Redis    Trips
	Dialled  atomic.Int64 // connections to Postgres

	mu   sync.Mutex
	sent bytes.Buffer
	keep bool
}

// Trips counts round trips.
type Trips struct{ made atomic.Int64 }

// Fewest runs f until it takes no more round trips than are enough, and returns the fewest
// it took. What a call takes is in the fewest; more are connections that have not met its
// statements yet, and the instance's own work meanwhile.
func (n *Trips) Fewest(enough int64, f func()) int64 {
	least := int64(math.MaxInt64)
	wait.Until(context.Background(), func() bool {
		before := n.made.Load()
		f()
		least = min(least, n.made.Load()-before)
		return least <= enough
	})
	return least
}

// StartWatched runs an instance in a database of its own, and the wire under it: it has
// no work but the test's. In the database that tests share, every instance publishes the
// facts of all schools. It stops with the test.
func StartWatched(t testing.TB, changes ...Change) (*App, *Wire) {
	t.Helper()
	stack := Stack(t)
	wire := NewWire(t, stack)
	one := func(c *config.Config, _ *service.Options) { c.Spares = 1 }
	return StartOn(t, stack, "homeroom_wire_"+uuid.NewString()[:8], append(changes, one, wire.Watch)...), wire
}

// NewWire watches an instance that runs on the stack; give its Watch to StartOn.
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

// Record returns the bytes sent while f runs.
func (w *Wire) Record(f func()) []byte {
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
	trips    *Trips
	answered atomic.Bool
}

func (c *watchedConn) Write(b []byte) (int, error) {
	if c.answered.Swap(false) {
		c.trips.made.Add(1)
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
