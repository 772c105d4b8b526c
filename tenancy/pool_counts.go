package tenancy

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// PoolCounts are how one pool of connections stands, for metrics.
type PoolCounts struct {
	Node  string // empty: the platform's server
	Pool  string // what for: requests, long, standby, owner
	Shard string // empty where there are none
	InUse int
	Idle  int
	Max   int
	// Waits is how often somebody had to wait for a connection, Waited for how long all of
	// them together, since the start.
	Waits  int64
	Waited time.Duration
}

// Pools says how every pool that was opened stands, in a fixed order. It asks no server.
func (c *Cluster) Pools() []PoolCounts {
	out := []PoolCounts{ofSQL("", "requests", "", c.bound.db), ofPgx("", "owner", c.platform)}
	c.mu.RLock()
	defer c.mu.RUnlock()
	for name, n := range c.nodes {
		out = append(out, ofPgx(name, "owner", n.admin))
		for i, s := range n.shards {
			shard := fmt.Sprintf("%02d", i)
			out = append(out, ofSQL(name, "requests", shard, s.usual.db), ofSQL(name, "long", shard, s.long.db))
		}
		if s := n.standby.Load(); s != nil {
			for i, lane := range s.lanes {
				out = append(out, ofSQL(name, "standby", fmt.Sprintf("%02d", i), lane.db))
			}
		}
	}
	slices.SortStableFunc(out, func(a, b PoolCounts) int { return strings.Compare(a.Node, b.Node) })
	return out
}

func ofSQL(node, pool, shard string, db *sql.DB) PoolCounts {
	s := db.Stats()
	return PoolCounts{Node: node, Pool: pool, Shard: shard, InUse: s.InUse, Idle: s.Idle, Max: s.MaxOpenConnections, Waits: s.WaitCount,
		Waited: s.WaitDuration}
}

func ofPgx(node, pool string, p *pgxpool.Pool) PoolCounts {
	s := p.Stat()
	return PoolCounts{
		Node: node, Pool: pool, InUse: int(s.AcquiredConns()), Idle: int(s.IdleConns()), Max: int(s.MaxConns()),
		Waits: s.EmptyAcquireCount(), Waited: s.EmptyAcquireWaitTime(),
	}
}
