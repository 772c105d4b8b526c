// Package metrics is what an instance says of itself to those who run it: counters that
// its parts are given, and figures that are read when somebody asks. Asking costs a few
// locks and, a few times a minute at the most, one round trip to the platform's database.
// No label has as many values as there are schools or people.
package metrics

import (
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"homeroom/api/limit"
	"homeroom/auth/hashing"
	"homeroom/delivery"
	"homeroom/events"
	"homeroom/modules/transport/live"
	"homeroom/realtime"
	"homeroom/tenancy"
)

// Sources are the parts that are asked how they stand.
type Sources struct {
	Cluster *tenancy.Cluster
	Redis   redis.UniversalClient
	Limits  *limit.Limits
	Relay   *events.Relay
	Hints   *events.Hints
	Sender  *delivery.Sender
	Hasher  *hashing.Hasher
	Tracker *live.Tracker
	Hub     *realtime.Hub
	Clock   func() time.Time
}

// Show has everything that stands read when somebody asks.
func Show(r prometheus.Registerer, from Sources) {
	census := &censusTaker{pool: from.Cluster.PlatformPool(), version: from.Cluster.SchoolVersion(), now: from.Clock}
	r.MustRegister(&figures{from: from, census: census}, build(from.Cluster.SchoolVersion()))
}

// figures are this instance's gauges. Those of the platform's tables are the census's.
type figures struct {
	from   Sources
	census *censusTaker
}

// figure is one of them.
type figure struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

func gauge(name, help string, labels ...string) figure {
	return figure{prometheus.NewDesc(name, help, labels, nil), prometheus.GaugeValue}
}

func counter(name, help string, labels ...string) figure {
	return figure{prometheus.NewDesc(name, help, labels, nil), prometheus.CounterValue}
}

// is says what a figure is just now.
func (f figure) is(out chan<- prometheus.Metric, value float64, labels ...string) {
	out <- prometheus.MustNewConstMetric(f.desc, f.kind, value, labels...)
}

var (
	outboxSchools = gauge("homeroom_outbox_schools", "Schools whose outboxes are to be checked now, as far as this instance knows.")
	outboxOldest  = gauge("homeroom_outbox_oldest_seconds", "How long the first of them has been due.")
	sweptFacts    = gauge("homeroom_outbox_facts", "Facts in all outboxes when they were last swept, by the instance that did.")
	sweptFailing  = gauge("homeroom_outbox_failing_facts", "Of them, those that were published and not heard by all listeners.")
	sweptOldest   = gauge("homeroom_outbox_oldest_failing_seconds", "Age of the oldest of those.")
	sweptAt       = gauge("homeroom_outbox_swept_timestamp_seconds", "When the last sweep of all outboxes began.")

	deliveries      = counter("homeroom_deliveries_total", "Messages handed to providers, by what became of them.", "channel", "outcome")
	deliverySchools = gauge("homeroom_delivery_schools", "Schools with something to send, the platform among them.", "channel")
	deliveryPaused  = gauge("homeroom_delivery_paused", "1 while a channel's provider is in trouble and left alone.", "channel")

	dbConnections = gauge("homeroom_db_connections", "Connections to Postgres.", "node", "pool", "shard", "state")
	dbMax         = gauge("homeroom_db_connections_max", "The most connections a pool may have.", "node", "pool", "shard")
	dbWaits       = counter("homeroom_db_waits_total", "How often somebody waited for a connection.", "node", "pool", "shard")
	dbWaited      = counter("homeroom_db_wait_seconds_total", "For how long, all of them together.", "node", "pool", "shard")

	loginsRefused  = counter("homeroom_db_logins_refused_total", "Logins that a node, or the pooler before it, refused.", "node")
	nodeStranger   = gauge("homeroom_node_stranger", "1 while a node refuses this platform as another one, or as restored.", "node")
	standbyIgnored = gauge("homeroom_standby_ignored", "1 while a node has a standby that is not read from.", "node")

	redisConnections = gauge("homeroom_redis_connections", "Connections to Redis.", "state")
	redisAway        = gauge("homeroom_redis_unreachable", "1 while a part goes on without Redis, which did not answer it.", "part")

	hashesWaiting = gauge("homeroom_password_hashes_waiting", "Sign-ins that wait for a core to hash on.")
	hashesRefused = counter("homeroom_password_hashes_refused_total", "Sign-ins told to come back since too many waited.")
	hashes        = counter("homeroom_password_hashes_total", "Passwords and PINs hashed.")

	positions        = counter("homeroom_positions_total", "Positions of buses, by what became of them.", "outcome")
	positionsWaiting = gauge("homeroom_positions_waiting", "Positions about to be written.")
	socketsNow       = gauge("homeroom_sockets", "People connected to the live channel.")
	busRooms         = gauge("homeroom_bus_rooms", "Rooms of the live channel with members here.")
	socketsRefused   = counter("homeroom_sockets_refused_total", "Connections to the live channel that were not let in.")
	socketsSlow      = counter("homeroom_sockets_slow_total", "Clients cut off since they did not keep up.")

	standing = []figure{
		outboxSchools, outboxOldest, sweptFacts, sweptFailing, sweptOldest, sweptAt, deliveries, deliverySchools, deliveryPaused,
		dbConnections, dbMax, dbWaits, dbWaited, loginsRefused, nodeStranger, standbyIgnored,
		redisConnections, redisAway, hashesWaiting, hashesRefused, hashes,
		positions, positionsWaiting, socketsNow, busRooms, socketsRefused, socketsSlow,
	}
)

// Describe names every figure.
func (f *figures) Describe(out chan<- *prometheus.Desc) {
	for _, one := range slices.Concat(standing, counted) {
		out <- one.desc
	}
}

// Collect reads them.
func (f *figures) Collect(out chan<- prometheus.Metric) {
	f.telling(out)
	f.stores(out)
	f.buses(out)
	h := f.from.Hasher.Counts()
	hashesWaiting.is(out, float64(h.Waiting))
	hashesRefused.is(out, float64(h.Refused))
	hashes.is(out, float64(h.Hashed))
	f.census.collect(out)
}

func (f *figures) telling(out chan<- prometheus.Metric) {
	r := f.from.Relay.Counts()
	outboxSchools.is(out, float64(r.Schools))
	outboxOldest.is(out, r.Oldest.Seconds())
	if w := r.LastSweep; w != nil {
		oldest := 0.0
		if !w.Oldest.IsZero() {
			oldest = f.from.Clock().Sub(w.Oldest).Seconds()
		}
		sweptFacts.is(out, float64(w.Facts))
		sweptFailing.is(out, float64(w.Failing))
		sweptOldest.is(out, oldest)
		sweptAt.is(out, float64(w.At.Unix()))
	}
	for channel, c := range f.from.Sender.Counts() {
		name := string(channel)
		deliveries.is(out, float64(c.Sent), name, "sent")
		deliveries.is(out, float64(c.Failed), name, "failed")
		deliveries.is(out, float64(c.Postponed), name, "postponed")
		deliveries.is(out, float64(c.Unconfigured), name, "unconfigured")
		deliverySchools.is(out, float64(c.Schools), name)
		deliveryPaused.is(out, yes(c.Paused), name)
	}
}

func (f *figures) stores(out chan<- prometheus.Metric) {
	for _, p := range f.from.Cluster.Pools() {
		dbConnections.is(out, float64(p.InUse), p.Node, p.Pool, p.Shard, "in_use")
		dbConnections.is(out, float64(p.Idle), p.Node, p.Pool, p.Shard, "idle")
		dbMax.is(out, float64(p.Max), p.Node, p.Pool, p.Shard)
		dbWaits.is(out, float64(p.Waits), p.Node, p.Pool, p.Shard)
		dbWaited.is(out, p.Waited.Seconds(), p.Node, p.Pool, p.Shard)
	}
	for _, n := range f.from.Cluster.NodeStates() {
		loginsRefused.is(out, float64(n.RefusedLogins), n.Name)
		if n.Name != "" {
			nodeStranger.is(out, yes(n.Stranger), n.Name)
			standbyIgnored.is(out, yes(n.StandbyIgnored), n.Name)
		}
	}
	pool := f.from.Redis.PoolStats()
	redisConnections.is(out, float64(pool.TotalConns-pool.IdleConns), "in_use")
	redisConnections.is(out, float64(pool.IdleConns), "idle")
	for part, away := range map[string]bool{
		"limits": f.from.Limits.Away(), "outbox": f.from.Relay.Away(), "hints": f.from.Hints.Away(), "buses": f.from.Hub.Away(),
	} {
		redisAway.is(out, yes(away), part)
	}
}

func (f *figures) buses(out chan<- prometheus.Metric) {
	p := f.from.Tracker.Counts()
	positions.is(out, float64(p.Received), "received")
	positions.is(out, float64(p.Refused), "refused")
	positions.is(out, float64(p.Written), "written")
	positions.is(out, float64(p.Lost), "lost")
	positionsWaiting.is(out, float64(p.Waiting))
	c := f.from.Hub.Counts()
	socketsNow.is(out, float64(c.Sockets))
	busRooms.is(out, float64(c.Rooms))
	socketsRefused.is(out, float64(c.Refused))
	socketsSlow.is(out, float64(c.Slow))
}

func yes(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
