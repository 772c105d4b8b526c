package tenancy

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"
)

const (
	// standbyLook is how often an instance looks at the standbys, and for their addresses.
	standbyLook = time.Second
	// standbyLookTime is how long a standby may take to answer before it counts as away.
	standbyLookTime = 2 * time.Second
	// standbyTryTime is how long one that an operator names may take: whoever waits for it can wait longer than a reader.
	standbyTryTime = 20 * time.Second
	// standbySettle is for how long an instance knows of a standby before it reads from it: by then all instances
	// remember where their callers' writes end.
	standbySettle = 5 * standbyLook
	// mostMoments bounds what a standby that stands still is compared with.
	mostMoments = 120
)

// ErrNotReplayed says that a standby has not replayed what its reader has to see.
var ErrNotReplayed = errors.New("tenancy: the standby has not replayed the caller's last write")

// StandbyError says why a server is not read from.
type StandbyError struct{ Why string }

func (e StandbyError) Error() string { return "tenancy: this standby cannot be used: " + e.Why }

// standby is a server that follows a node's, for reads that may be stale. Schools are bound there as on the node itself:
// by the same logins, roles and schemas, and the server takes no writes.
type standby struct {
	url   string
	since time.Time     // when this instance first knew of it
	limit time.Duration // of an answer
	lanes []pool        // by shard
	looks *pgxpool.Pool

	moments []moment // of the node, oldest first; only the watcher has them
	state   atomic.Pointer[standbyState]
}

// moment is how far a node's log was at a time.
type moment struct {
	at  time.Time
	end int64
}

// standbyState is what the last look at a standby found.
type standbyState struct {
	why    string    // it is not used; empty: it is
	caught time.Time // everything the node had committed then, it has replayed
	// up ends when the standby is not to be used any more, so that nobody waits for one that hangs.
	up  context.Context
	end context.CancelFunc
}

// openStandby prepares the pools of a node's standby; nothing is dialled yet. Logins and passwords are the node's own:
// the standby has them by replication.
func (n *Node) openStandby(ctx context.Context, url string, limit time.Duration) (*standby, error) {
	s := &standby{url: url, since: time.Now(), limit: limit}
	s.set(standbyState{why: "it has not been looked at yet"})
	for i, shard := range n.shards {
		config, err := pgx.ParseConfig(url)
		if err != nil {
			return nil, StandbyError{"this is not the address of a Postgres database"} // the parser's message may repeat a password
		}
		for _, f := range config.Fallbacks {
			if f.Host != config.Host || f.Port != config.Port {
				return nil, StandbyError{"the address names several servers; each is at another point of the log"}
			}
		}
		config.User, config.Password = shard.login, shardPassword(n.options.Secret, shard.login)
		config.RuntimeParams["application_name"] = "homeroom"
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
		config.StatementCacheCapacity += plansKept
		if n.pooled {
			config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
		}
		config.ConnectTimeout = limit
		config.Tracer = n.options.Tracer
		if i == 0 {
			looks, err := pgxpool.ParseConfig(url)
			if err != nil {
				return nil, StandbyError{"this is not the address of a Postgres database"}
			}
			looks.ConnConfig, looks.MaxConns = config.Copy(), 1
			looks.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
			if s.looks, err = pgxpool.NewWithConfig(ctx, looks); err != nil {
				return nil, err
			}
		}
		lane, err := openPool(config, n.options.ShardConns, n.options.ShardConns, nil)
		if err != nil {
			s.close()
			return nil, err
		}
		s.lanes = append(s.lanes, lane)
	}
	return s, nil
}

func (s *standby) set(next standbyState) {
	if next.why == "" {
		if last := s.state.Load(); last.why == "" {
			next.up, next.end = last.up, last.end
		} else {
			next.up, next.end = context.WithCancel(context.Background())
		}
	}
	if last := s.state.Swap(&next); last != nil && last.why == "" && next.why != "" {
		last.end()
	}
}

func (s *standby) close() {
	s.set(standbyState{why: "it is not used any more"})
	for _, lane := range s.lanes {
		_ = lane.db.Close()
	}
	if s.looks != nil {
		s.looks.Close()
	}
}

// nodeMoment asks the node itself; its timeline tells a server that has taken over from the one before.
const nodeMoment = `select (pg_current_wal_insert_lsn() - '0/0')::bigint, substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8),
	(select system_identifier from pg_control_system()) || '/' || (select oid from pg_database where datname = current_database())`

const standbyMoment = `select pg_catalog.pg_is_in_recovery(), coalesce((pg_catalog.pg_last_wal_replay_lsn() - '0/0')::bigint, 0),
	(select timeline_id from pg_catalog.pg_control_checkpoint()), (select system_identifier from pg_catalog.pg_control_system()) || '/' ||
	(select oid from pg_catalog.pg_database where datname = current_database())`

// look compares the standby with its node, and returns why it cannot be read from; empty: it can.
func (n *Node) look(ctx context.Context, s *standby) (caught time.Time, why string) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	begun := time.Now()
	var end, replayed, followed int64
	var timeline, identity, copied string
	var recovering bool
	err := s.looks.QueryRow(ctx, standbyMoment).Scan(&recovering, &replayed, &followed, &copied)
	switch {
	case err != nil:
		return caught, Trouble(err)
	case !recovering:
		return caught, "it is no standby: it takes writes"
	}
	// A node that does not answer is followed for as long as its standby may be behind: reads go on meanwhile.
	if err := n.admin.QueryRow(ctx, nodeMoment).Scan(&end, &timeline, &identity); err == nil {
		number, _ := strconv.ParseInt(timeline, 16, 64)
		switch {
		case identity != copied:
			return caught, "it is no copy of this node"
		case number != followed:
			// Its log may differ from the node's; it says so at its next restart point.
			return caught, "it follows the node as it was before another server took over"
		}
		s.moments = append(s.moments, moment{begun, end})
	}
	if len(s.moments) > mostMoments {
		s.moments = s.moments[1:]
	}
	for len(s.moments) > 0 && s.moments[0].end <= replayed {
		caught, s.moments = s.moments[0].at, s.moments[1:]
	}
	if last := s.state.Load(); caught.IsZero() {
		caught = last.caught
	}
	switch {
	case time.Since(caught) > n.options.StandbyLag:
		return caught, "it is too far behind"
	case time.Since(s.since) < standbySettle:
		return caught, "it is about to be used"
	}
	return caught, ""
}

// TryStandby reports why a server could not be used as the node's standby: a StandbyError.
func (n *Node) TryStandby(ctx context.Context, url string) error {
	s, err := n.openStandby(ctx, url, standbyTryTime)
	if err != nil {
		return err
	}
	defer s.close()
	s.since = time.Time{}
	for {
		caught, why := n.look(ctx, s)
		if why == "" {
			return nil
		}
		if !caught.IsZero() || len(s.moments) == 0 || time.Since(s.moments[0].at) > n.options.StandbyLag {
			return StandbyError{why}
		}
		select { // it has not replayed what the node has written since
		case <-ctx.Done():
			return StandbyError{why}
		case <-time.After(standbyLook / 10):
		}
	}
}

// WatchStandbys looks at the standbys until ctx ends.
func (c *Cluster) WatchStandbys(ctx context.Context) {
	for ctx.Err() == nil {
		_ = c.LookAtStandbys(ctx) // what is known stays; the platform's absence shows elsewhere
		select {
		case <-ctx.Done():
		case <-time.After(standbyLook):
		}
	}
}

// LookAtStandbys reads which nodes have a standby and looks at each.
func (c *Cluster) LookAtStandbys(ctx context.Context) error {
	asking, cancel := context.WithTimeout(ctx, standbyLookTime)
	defer cancel()
	rows, err := c.platform.Query(asking, `select name, standby_url from platform.node`)
	if err != nil {
		return fmt.Errorf("looking for standbys: %w", err)
	}
	addresses := map[string]string{}
	var name, url string
	if _, err := pgx.ForEachRow(rows, []any{&name, &url}, func() error {
		addresses[name] = url
		return nil
	}); err != nil {
		return fmt.Errorf("looking for standbys: %w", err)
	}
	c.mu.RLock()
	for name, n := range c.nodes {
		_, listed := addresses[name]
		n.struck.Store(!listed)
		addresses[name] += "" // one that was struck off has none any more
	}
	c.mu.RUnlock()
	var looks sync.WaitGroup
	for name, url := range addresses {
		n, err := c.NodeUnchecked(ctx, name)
		if err != nil {
			continue
		}
		s := n.follow(ctx, url)
		if s == nil {
			continue
		}
		looks.Go(func() {
			caught, why := n.look(ctx, s)
			s.set(standbyState{why: why, caught: caught})
		})
	}
	looks.Wait()
	return nil
}

// follow returns the standby at the address, which is the node's from now on; nil: it has none.
func (n *Node) follow(ctx context.Context, url string) *standby {
	s := n.standby.Load()
	if s != nil && s.url == url || s == nil && url == "" {
		return s
	}
	var next *standby
	if url != "" {
		var err error
		if next, err = n.openStandby(context.WithoutCancel(ctx), url, standbyLookTime); err != nil {
			next = nil // it was checked when it was recorded
		}
	}
	n.standby.Store(next)
	if s != nil {
		s.close()
	}
	return next
}

// Standby reports whether the node has a standby, and why it is not read from; empty: it is.
func (n *Node) Standby() (why string, found bool) {
	s := n.standby.Load()
	if s == nil {
		return "", false
	}
	return s.state.Load().why, true
}

// HasStandby reports whether reads of the school may be answered by a standby: then writers keep where their writes end.
func (c *Cluster) HasStandby(s *School) bool {
	n := c.known(c.Newest(s).Node)
	return n != nil && n.standby.Load() != nil
}

// known returns a node that was opened; nil: it was not.
func (c *Cluster) known(name string) *Node {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.nodes[name]
}

// homeSeen is when this instance first met a school at its present node.
type homeSeen struct {
	home int
	at   time.Time
}

// Standby is a school on a standby that may be read from.
type Standby struct {
	School *School // at its newest known node

	node  *Node
	at    *standby
	state *standbyState
}

// StandbyOf returns the school on its node's standby; false: there is none that may be read from just now.
func (c *Cluster) StandbyOf(school *School) (Standby, bool) {
	school = c.Newest(school)
	n := c.known(school.Node)
	if n == nil || !n.accepted.Load() {
		return Standby{}, false
	}
	s := n.standby.Load()
	if s == nil {
		return Standby{}, false
	}
	state := s.state.Load()
	if state.why != "" || time.Since(state.caught) > n.options.StandbyLag || !c.arrived(school, state.caught) {
		return Standby{}, false
	}
	return Standby{School: school, node: n, at: s, state: state}, true
}

// Open is GORM bound to the school there, read only. Every statement is refused with ErrNotReplayed unless the server has
// replayed its log up to after. done is to be called when the reading is over.
func (s Standby) Open(ctx context.Context, after int64) (db *gorm.DB, done func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.state.up, cancel)
	b := s.node.bindingOf(s.School, ReadOnly)
	b.standby, b.after = true, after
	return s.at.lanes[s.School.Shard%len(s.at.lanes)].orm.WithContext(bind(ctx, b)), func() { stop(); cancel() }
}

// arrived reports whether a standby that has caught up with that time has all of a school: one that is new at the node
// may have been loaded there a moment ago.
func (c *Cluster) arrived(s *School, caught time.Time) bool {
	seen, known := c.homes.Load(s.ID)
	if !known || seen.(homeSeen).home != s.Home {
		seen = homeSeen{s.Home, time.Now()}
		c.homes.Store(s.ID, seen)
	}
	return caught.After(seen.(homeSeen).at)
}
