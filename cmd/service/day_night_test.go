package service_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/localstack"
	"homeroom/tenancy"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

// daySeedEnv chooses the moments at which something breaks. The same seed breaks the same
// things at the same calls, as far as the number of calls is the same.
const daySeedEnv = "HOMEROOM_DAY_SEED"

// night is what breaks during a day: at calls chosen by a seed, something is restarted, cut
// or emptied while the call is under way, and is whole again when the call is answered.
type night struct {
	t       *testing.T
	stack   *localstack.Stack
	rng     *rand.Rand
	warm    []*testkit.School // one or more for every shard
	redis   string
	endings []func() // of the instances besides the first
	mu      sync.Mutex
	armed   bool
	calls   int
	last    string // the call before; who asks again and again makes one call
	at      int    // the call at which something breaks next
	emptied int    // how often Redis was
	struck  []string
}

// brokenDay is a stage of servers and instances of its own.
func brokenDay(t *testing.T) *stage {
	t.Helper()
	seed := fromEnv(t, daySeedEnv, 2026)
	t.Logf("%s=%d", daySeedEnv, seed)
	stack := testkit.Private(t)
	n := &night{t: t, stack: stack, rng: rand.New(rand.NewPCG(seed, 1)), redis: stack.RedisURL()}
	s := &stage{apps: []*testkit.App{testkit.StartOn(t, stack, "homeroom")}, night: n}
	for range 2 {
		app, end := testkit.StartStoppableOn(t, stack, "homeroom")
		s.apps, n.endings = append(s.apps, app), append(n.endings, end)
	}
	for range 8 {
		n.warm = append(n.warm, s.apps[0].NewSchool(t))
	}
	t.Cleanup(func() { t.Logf("%d calls; what broke:\n%s", n.calls, strings.Join(n.struck, "\n")) })
	return s
}

// arm begins the faults.
func (n *night) arm() {
	if n != nil {
		n.mu.Lock()
		n.armed, n.at = true, n.calls+5
		n.mu.Unlock()
	}
}

// forgotten counts how often Redis was emptied: what a developer's machine held instead of
// sending is gone with it.
func (n *night) forgotten() int {
	if n == nil {
		return 0
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.emptied
}

// call makes one call as a patient client does, and breaks something meanwhile when its
// time has come.
func (n *night) call(s *stage, req *http.Request) (*http.Response, error) {
	n.mu.Lock()
	if this := req.Method + " " + req.URL.String(); this != n.last {
		n.calls, n.last = n.calls+1, this
	}
	number, strikes, kind := n.calls, n.armed && n.calls >= n.at, 0
	if strikes {
		n.at = n.calls + 6 + n.rng.IntN(20)
		kind = n.rng.IntN(len(dayFaults))
	}
	n.mu.Unlock()
	if !strikes {
		return patiently(s, req)
	}
	n.mu.Lock()
	n.struck = append(n.struck, fmt.Sprintf("call %d, %s %s: %s", number, req.Method, req.URL.Path, dayFaults[kind].name))
	n.mu.Unlock()
	var resp *http.Response
	var err error
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		resp, err = patiently(s, req)
	}()
	dayFaults[kind].strike(n, s)
	<-answered
	n.drainBroken(s)
	return resp, err
}

var dayFaults = []struct {
	name   string
	strike func(*night, *stage)
}{
	{"an instance is restarted", (*night).restartInstance},
	{"Redis is restarted", (*night).restartRedis},
	{"Redis is emptied", (*night).emptyRedis},
	{"the schools' Postgres is restarted", func(n *night, _ *stage) { n.restartPostgres("north") }},
	{"the platform's Postgres is restarted", func(n *night, _ *stage) { n.restartPostgres("main") }},
	{"every connection to Postgres is cut", (*night).cutPostgres},
}

func (n *night) restartInstance(s *stage) {
	n.mu.Lock()
	i := n.rng.IntN(len(n.endings))
	n.mu.Unlock()
	n.endings[i]()
	app, end := testkit.StartStoppableOn(n.t, n.stack, "homeroom")
	s.mu.Lock()
	defer s.mu.Unlock()
	n.endings[i], s.apps[i+1] = end, app
}

func (n *night) must(err error) {
	if err != nil {
		n.t.Error(err)
	}
}

func (n *night) restartRedis(*stage) {
	n.must(n.stack.StopRedis(context.Background()))
	n.must(n.stack.StartRedis(context.Background()))
	n.mu.Lock()
	n.emptied++
	n.mu.Unlock()
}

func (n *night) emptyRedis(*stage) {
	n.must(redisAt(n.t, n.redis).FlushAll(context.Background()).Err())
	n.mu.Lock()
	n.emptied++
	n.mu.Unlock()
}

func (n *night) restartPostgres(server string) {
	n.must(n.stack.RestartPostgres(context.Background(), server))
}

func (n *night) cutPostgres(*stage) {
	ctx := context.Background()
	for _, server := range []string{"main", "north"} {
		conn, err := pgx.Connect(ctx, n.stack.PostgresURL(server))
		if err != nil {
			n.t.Error(err)
			continue
		}
		_, err = conn.Exec(ctx, `select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend'
			and pid <> pg_backend_pid()`)
		n.must(err)
		_ = conn.Close(ctx)
	}
}

// drainBroken uses up the broken connections of the first instance, which the tests look at the
// databases with; clients are told to come back instead.
func (n *night) drainBroken(s *stage) {
	ctx := context.Background()
	cluster := s.apps[0].Service.Cluster
	works := func() bool {
		var all sync.WaitGroup
		failed := make(chan error, 100)
		for _, school := range n.warm {
			for range 3 {
				all.Go(func() {
					db, err := cluster.School(ctx, school.School, tenancy.ReadWrite)
					if err == nil {
						err = db.Exec(`select pg_sleep(0.01)`).Error
					}
					if err != nil {
						failed <- err
					}
				})
			}
			all.Go(func() {
				if err := cluster.Platform(ctx, tenancy.ReadWrite).Exec(`select pg_sleep(0.01)`).Error; err != nil {
					failed <- err
				}
			})
			all.Go(func() {
				if _, err := cluster.PlatformPool().Exec(ctx, `select pg_sleep(0.01)`); err != nil {
					failed <- err
				}
			})
		}
		all.Wait()
		return len(failed) == 0
	}
	n.must(comesAbout("the databases are there again", works))
}

// patiently calls until it is answered with something else than "come back": what may be
// sent twice is sent again after a broken connection too.
func patiently(s *stage, req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodPost && req.Header.Get("Idempotency-Key") == "" {
		req = req.Clone(req.Context())
		req.Header.Set("Idempotency-Key", uuid.NewString())
	}
	for deadline := wait.Deadline(); ; time.Sleep(50 * time.Millisecond) {
		resp, err := s.once(req)
		if time.Now().After(deadline) {
			return resp, err
		}
		var network *net.OpError
		switch {
		case err != nil && (errors.As(err, &network) || errors.Is(err, io.EOF) || os.IsTimeout(err)):
			continue
		case err == nil && resp.StatusCode == http.StatusServiceUnavailable:
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			continue
		}
		return resp, err
	}
}
