package main

import (
	"context"
	"net"
	"strings"
	"sync/atomic"
)

// trips counts round trips: what a request sends to a server, it sends in one write.
type trips struct{ postgres, redis atomic.Int64 }

func (t *trips) dial(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &countedConn{Conn: conn, trips: t}, nil
}

// countedConn knows which server it leads to by what is said first: Postgres's first
// message begins with its length, Redis's with a star.
type countedConn struct {
	net.Conn
	trips *trips
	count *atomic.Int64
}

func (c *countedConn) Write(p []byte) (int, error) {
	if c.count == nil {
		c.count = &c.trips.postgres
		if strings.HasPrefix(string(p), "*") {
			c.count = &c.trips.redis
		}
	}
	c.count.Add(1)
	return c.Conn.Write(p)
}

// countTrips reads a record of a school that was asked before.
func (o *overhead) countTrips() error {
	path := recordPath + "00000000-0000-0000-0000-000000000007"
	for range 3 {
		o.trips.postgres.Store(0)
		o.trips.redis.Store(0)
		if err := o.get(0, path); err != nil {
			return err
		}
	}
	for _, c := range []struct {
		server string
		ours   int64
		limit  float64
	}{{"Postgres", o.trips.postgres.Load(), 1}, {"Redis", o.trips.redis.Load(), 2}} {
		o.report.add(line{
			what: "round trips of a read to " + c.server + ": the most allowed (ours / limit)", ours: plural(int(c.ours), "trip"),
			limit: plural(int(c.limit), "trip"),
			ratio: float64(c.ours) / c.limit, target: atMost(1),
		})
	}
	return nil
}
