package service_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"homeroom/localstack"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

// site is where the faults happen: servers, lines to them, and instances.
type site struct {
	t       *testing.T
	stack   *localstack.Stack // nil: they are everybody's, and are not hurt
	direct  testkit.Servers   // past the lines
	via     testkit.Servers
	lines   lines
	toxic   *toxiproxy // nil: the lines can only be cut
	redis   redis.UniversalClient
	process []*testkit.Process

	mu   sync.Mutex
	apps []*testkit.App
}

// through leads the instances to the servers by lines that can be hurt.
func (s *site) through(t *testing.T, l lines) {
	t.Helper()
	s.lines = l
	s.via = testkit.Servers{
		Platform: l.through(t, "main", s.direct.Platform), Node: l.through(t, "north", s.direct.Node),
		Redis: l.through(t, "redis", s.direct.Redis),
		Name:  s.direct.Name, Log: filepath.Join(t.TempDir(), "log"),
	}
}

// run starts so many instances in processes of their own.
func (s *site) run(n int) error {
	for range n {
		p, err := testkit.Run(s.t, s.via)
		if err != nil {
			return err
		}
		s.process, s.apps = append(s.process, p), append(s.apps, p.App)
	}
	return nil
}

// instances are those there are now.
func (s *site) instances() []*testkit.App {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*testkit.App(nil), s.apps...)
}

// privateSite is one whose servers are its own, with toxiproxy on the lines.
func privateSite(t *testing.T) *site {
	t.Helper()
	stack, err := localstack.Start(t.Context(), localstack.Options{Dir: t.TempDir(), Postgres: []string{"main", "north"}, Redis: true,
		Crashable: true, MaxConnections: 200})
	if err != nil {
		t.Fatalf("starting servers: %v", err)
	}
	t.Cleanup(func() { _ = stack.Stop() })
	s := &site{t: t, stack: stack, toxic: startToxiproxy(t)}
	if s.direct, err = testkit.ServersOf(stack, "homeroom"); err != nil {
		t.Fatal(err)
	}
	s.redis = redisAt(t, s.direct.Redis)
	s.through(t, s.toxic)
	return s
}

func redisAt(t *testing.T, address string) redis.UniversalClient {
	t.Helper()
	o, err := redis.ParseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	c := redis.NewClient(o)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// fault is one way to hurt the site. hurt begins it and heal ends it; between them it lasts.
type fault struct {
	name  string
	each  int // how often it comes in a turn
	dies  bool
	lasts time.Duration
	hurt  func(turn int) error
	heal  func(turn int) error
}

// killInstance ends one of the processes with SIGKILL and starts another in its place.
func (s *site) killInstance() fault {
	return fault{name: "kill -9 of an instance", each: 4, dies: true,
		hurt: func(turn int) error { s.process[turn%len(s.process)].Kill(); return nil },
		heal: func(turn int) error {
			p, err := testkit.Run(s.t, s.via)
			if err != nil {
				return err
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			s.process[turn%len(s.process)], s.apps[turn%len(s.process)] = p, p.App
			return nil
		}}
}

// cutLines ends every connection to Postgres and Redis at once.
func (s *site) cutLines() fault {
	return fault{name: "every connection cut", each: 1, hurt: func(int) error {
		var err error
		for _, name := range []string{"main", "north", "redis"} {
			if e := s.lines.cut(name); e != nil {
				err = e
			}
		}
		return err
	}}
}

// server is one of the two Postgres servers: the platform's or the schools'.
func server(turn int) string { return []string{"north", "main"}[turn%2] }

// faults are all of them.
func (s *site) faults() []fault {
	ctx := context.Background()
	moment := func() time.Duration { return time.Duration(1000+rand.IntN(2000)) * time.Millisecond }
	frozen := moment()
	if rand.IntN(6) == 0 {
		frozen = 17 * time.Second // longer than a call may take
	}
	list := []fault{
		s.killInstance(),
		{name: "kill -9 of Postgres", each: 1,
			hurt: func(turn int) error { return s.stack.KillPostgres(server(turn)) },
			heal: func(turn int) error { return s.stack.RestartPostgres(ctx, server(turn)) }},
		{name: "restart of Postgres", each: 1, hurt: func(turn int) error { return s.stack.RestartPostgres(ctx, server(turn)) }},
		{name: "Postgres frozen", each: 1, lasts: frozen,
			hurt: func(turn int) error { return s.stack.FreezePostgres(server(turn)) },
			heal: func(turn int) error { return s.stack.ThawPostgres(server(turn)) }},
		{name: "restart of Redis, which is empty then", each: 1, lasts: moment(),
			hurt: func(int) error { return s.stack.StopRedis(ctx) },
			heal: func(int) error { return s.stack.StartRedis(ctx) }},
		{name: "Redis frozen", each: 1, lasts: moment(),
			hurt: func(int) error { return s.stack.FreezeRedis() },
			heal: func(int) error { return s.stack.ThawRedis() }},
		{name: "Redis flushed", each: 1, hurt: func(int) error { return s.redis.FlushAll(ctx).Err() }},
		{name: "Redis: publish and subscribe cut", each: 1,
			hurt: func(int) error { return s.redis.Do(ctx, "client", "kill", "type", "pubsub").Err() }},
		s.cutLines(),
	}
	streams := []string{"downstream", "upstream"}
	poison := func(name, kind, line string, attributes func() map[string]any) fault {
		return fault{name: name, each: 1, lasts: moment(),
			hurt: func(turn int) error { return s.toxic.poison(s.line(line, turn), kind, streams[turn/2%2], attributes()) },
			heal: func(turn int) error { return s.toxic.heal(s.line(line, turn)) }}
	}
	around := func(key string, least, more int) func() map[string]any {
		return func() map[string]any { return map[string]any{key: least + rand.IntN(more)} }
	}
	for _, to := range []string{"Postgres", "Redis"} {
		list = append(list,
			poison(to+" slow to answer", "latency", to, func() map[string]any {
				return map[string]any{"latency": 50 + rand.IntN(200), "jitter": rand.IntN(50)}
			}),
			poison(to+" on a thin line", "bandwidth", to, around("rate", 10, 60)),
			poison(to+": connections reset", "reset_peer", to, around("timeout", 0, 100)),
			poison(to+" silent, then hung up", "timeout", to, around("timeout", 300, 1500)),
			poison(to+" cut in the middle of an answer", "limit_data", to, around("bytes", 20, 4000)))
	}
	only := os.Getenv(faultOnlyEnv)
	return slices.DeleteFunc(list, func(f fault) bool { return !strings.Contains(f.name, only) })
}

func (s *site) line(to string, turn int) string {
	if to == "Redis" {
		return "redis"
	}
	return server(turn)
}

// strike does one round of a fault: some calls before it, some while it lasts, and so many
// in all that it is seen that the service is well again.
func (s *site) strike(c *crowd, f fault, turn, requests int) (tally, error) {
	c.watch.begin(f.dies)
	c.start()
	defer c.finish()
	reached := func(n int) func() bool { return func() bool { return c.watch.count() >= n } }
	if err := comesAbout("calls are answered before the fault", reached(requests/5)); err != nil {
		return tally{}, err
	}
	if err := f.hurt(turn); err != nil {
		return tally{}, fmt.Errorf("%s: %w", f.name, err)
	}
	if f.lasts > 0 {
		time.Sleep(f.lasts)
	}
	if f.heal != nil {
		if err := f.heal(turn); err != nil {
			return tally{}, fmt.Errorf("the end of %s: %w", f.name, err)
		}
	}
	c.watch.heal()
	var names []string
	for _, app := range s.instances() {
		names = append(names, app.URL)
	}
	well := comesAbout("the service is well again", func() bool { return c.watch.well(names) })
	if well == nil {
		well = comesAbout("the round's calls are done", reached(requests))
	}
	c.finish()
	got, said := c.watch.end()
	for _, words := range said {
		s.t.Errorf("%s: %s", f.name, words)
	}
	if well != nil {
		return got, fmt.Errorf("after %s: %w", f.name, well)
	}
	return got, nil
}

// comesAbout waits for what must come true.
func comesAbout(what string, is func() bool) error {
	if !wait.Until(context.Background(), is) {
		return fmt.Errorf("did not come about: %s", what)
	}
	return nil
}
