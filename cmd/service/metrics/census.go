package metrics

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
)

const (
	// censusLife is how old the platform's numbers may be: a scraper that asks more often, and as
	// often as there are instances, costs the database no more.
	censusLife = 15 * time.Second
	// censusTime is how long they may take; censusRest, how long a platform that did not
	// answer is left alone.
	censusTime = 2 * time.Second
	censusRest = 5 * time.Second
)

// What the platform's books say. Every instance says the same, so max() is the number.
var (
	censusUp      = gauge("homeroom_platform_up", "1 if the platform's tables could be read for what follows.")
	schoolsNow    = gauge("homeroom_schools", "Schools, by status and node.", "status", "node")
	schoolsBehind = gauge("homeroom_schools_behind", "Schools in use whose schema is older than this binary expects.", "node")
	schoolsFailed = gauge("homeroom_schools_migration_failed", "Schools whose last migration failed.", "node")
	schoolsHeld   = gauge("homeroom_schools_writes_paused", "Schools whose writes wait, for they are about to be served from another node.",
		"node")
	nodeBytes    = gauge("homeroom_node_bytes", "Size of a node's database when it was last measured.", "node")
	nodeMeasured = gauge("homeroom_node_measured_seconds", "How long ago that was; it is every five minutes while the node answers.", "node")
	spares       = gauge("homeroom_spare_schemas", "Empty schemas kept ready.", "node")
	moves        = gauge("homeroom_moves", "Moves of schools: under way, waiting to be confirmed, and with something left to remove.",
		"state")
	moveStalled   = gauge("homeroom_move_stalled_seconds", "How long the move under way that is slowest to get on has not.")
	jobsNow       = gauge("homeroom_jobs", "Jobs in the queue, by state.", "queue", "state")
	jobsOldest    = gauge("homeroom_jobs_oldest_seconds", "How long the job that waits longest has been due.", "queue")
	deadLetters   = gauge("homeroom_dead_letters", "Messages that were given up and are in the list.", "channel")
	letters       = gauge("homeroom_sign_in_messages_waiting", "Codes and links that wait to be sent.", "channel")
	lettersOldest = gauge("homeroom_sign_in_messages_oldest_seconds", "How long the one that waits longest has been due.", "channel")

	counted = []figure{
		censusUp, schoolsNow, schoolsBehind, schoolsFailed, schoolsHeld, nodeBytes, nodeMeasured, spares, moves, moveStalled,
		jobsNow, jobsOldest, deadLetters, letters, lettersOldest,
	}
)

// reading is one figure as it was read.
type reading struct {
	figure figure
	value  float64
	labels []string
}

// censusTaker reads the platform's books now and then, in one round trip.
type censusTaker struct {
	pool    *pgxpool.Pool
	version int
	now     func() time.Time

	mu    sync.Mutex
	until time.Time
	last  []reading
}

func (c *censusTaker) collect(out chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); now.After(c.until) {
		ctx, cancel := context.WithTimeout(context.Background(), censusTime)
		defer cancel()
		read, err := c.take(ctx)
		// Old numbers are no numbers: what is away is shown as away.
		if c.last, c.until = read, now.Add(censusLife); err != nil {
			c.last, c.until = nil, now.Add(censusRest)
		}
	}
	censusUp.is(out, yes(c.last != nil))
	for _, r := range c.last {
		r.figure.is(out, r.value, r.labels...)
	}
}

const (
	countNodes = `select n.name, n.size_bytes, coalesce(extract(epoch from now() - n.measured_at), 0)::float8,
			(select count(*) from platform.spare_schema s where s.node = n.name and s.ready)
		from platform.node n order by n.name`
	countSchools = `select status, coalesce(node, ''), count(*), count(*) filter (where schema_name is not null
		and status in ('ACTIVE', 'SUSPENDED') and schema_version < $1),
			count(*) filter (where migration_error <> ''), count(*) filter (where held)
		from platform.school group by 1, 2`
	countMoves = `select count(*) filter (where state = 'RUNNING'), count(*) filter (where state = 'MOVED'), count(*)
		filter (where state in ('FAILED', 'CONFIRMED')),
			coalesce(extract(epoch from now() - min(progressed_at) filter (where state = 'RUNNING')), 0)::float8
		from platform.school_move where state in ('RUNNING', 'MOVED') or not clean`
	countJobs = `select queue, state::text, count(*), coalesce(extract(epoch from now() - min(scheduled_at)), 0)::float8
		from platform.river_job where state in ('available', 'running', 'retryable', 'scheduled', 'discarded') group by 1, 2`
	countDead    = `select channel, count(*) from platform.dead_letter group by 1`
	countLetters = `select channel, count(*), greatest(extract(epoch from now() - min(next_at)), 0)::float8 from platform.message
		where state = 'QUEUED' group by 1`
)

// take reads everything.
func (c *censusTaker) take(ctx context.Context) ([]reading, error) {
	t := &tallies{byNode: map[string]*nodeTally{}, schools: map[[2]string]int64{}, jobs: map[[2]string]int64{}, jobAge: map[string]float64{},
		dead: map[string]int64{}, letters: map[string]int64{}, letterAge: map[string]float64{}}
	batch := &pgx.Batch{}
	queue := func(sql string, scan func(pgx.Rows) error, args ...any) {
		batch.Queue(sql, args...).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				if err := scan(rows); err != nil {
					return err
				}
			}
			return rows.Err()
		})
	}
	queue(countNodes, t.node)
	queue(countSchools, t.school, c.version)
	queue(countMoves, func(r pgx.Rows) error { return r.Scan(&t.moving, &t.moved, &t.unclean, &t.stalled) })
	queue(countJobs, t.job)
	queue(countDead, func(r pgx.Rows) error { return add(r, t.dead, nil) })
	queue(countLetters, func(r pgx.Rows) error { return add(r, t.letters, t.letterAge) })
	if err := c.pool.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("counting what the platform keeps: %w", err)
	}
	return t.readings(), nil
}
