package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// kind is a request that is measured, and the same asked of the bare server and of pgbench.
type kind struct {
	name   string
	ours   func(r *rand.Rand) string // path
	bare   func(r *rand.Rand) string // path after the school
	script []string
	target float64 // share of pgbench's pace
}

var list = kind{
	name:   "list",
	ours:   func(*rand.Rand) string { return listPath },
	bare:   func(*rand.Rand) string { return "list" },
	script: listScript,
	target: 0.55,
}

var read = kind{
	name:   "read",
	ours:   func(r *rand.Rand) string { return recordPath + studentID(r) },
	bare:   func(r *rand.Rand) string { return "read/" + studentID(r) },
	script: readScript,
	target: 0.6,
}

// ownSpeed is the least of its pace at fewer schools that many schools may leave.
const ownSpeed = 0.8

func studentID(r *rand.Rand) string {
	return fmt.Sprintf("00000000-0000-0000-0000-%012d", 1+r.IntN(studentsEach))
}

// serving measures one kind of request.
type serving struct {
	*bench
	kind
	fleet      *fleet
	tokens     map[int]string
	ours, bare *child
	postgres   *tree
}

// sample is one measurement: pace, and processor time a request.
type sample struct {
	perSecond                     float64
	server, postgres, load, redis time.Duration
	median, p99                   time.Duration
}

func (s sample) cpu() time.Duration { return s.server + s.postgres + s.load + s.redis }

func measureServing(ctx context.Context, b *bench, k kind) error {
	most := b.settings.schools[len(b.settings.schools)-1]
	f, err := b.schools(ctx, most)
	if err != nil {
		return err
	}
	s := &serving{bench: b, kind: k, fleet: f, postgres: postgresTree(ctx, f.url)}
	if s.tokens, err = f.signIn(ctx, upTo(most)...); err != nil {
		return err
	}
	if s.ours, err = startChild(ctx, "ours", f.childSettings(b.servers)); err != nil {
		return err
	}
	defer s.ours.stop()
	if s.bare, err = startChild(ctx, "bare", f.childSettings(b.servers)); err != nil {
		return err
	}
	defer s.bare.stop()
	if err := s.check(most); err != nil {
		return err
	}
	return s.compare(ctx)
}

func (f *fleet) childSettings(s servers) childSettings {
	return childSettings{Database: f.url, Redis: s.redis, Added: f.added}
}

// check makes sure that both servers answer what they should, from the right school.
func (s *serving) check(schools int) error {
	for name, l := range map[string]load{"ours": s.loadOurs(schools, schools), "bare": s.loadBare(schools, schools)} {
		body, err := l.once()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if n := strings.Count(string(body), `"city":"`+cityOf(schools)+`"`); n != 20 && (s.name == list.name || n != 1) {
			return fmt.Errorf("%s: not the answer: %s", name, body)
		}
	}
	return nil
}

// loadOurs asks schools from least to most.
func (s *serving) loadOurs(least, most int) load {
	return load{address: s.ours.Address, clients: s.clients, seed: s.seed, least: int64(meetings * 2 * bareConns * most),
		request: func(r *rand.Rand, b []byte) []byte {
			n := least + r.IntN(most-least+1)
			b = append(b, "GET "...)
			b = append(b, s.kind.ours(r)...)
			b = append(b, " HTTP/1.1\r\nHost: bench\r\nUser-Agent: bench\r\nAuthorization: Bearer "...)
			return append(append(b, s.tokens[n]...), "\r\n\r\n"...)
		}}
}

// loadCompressed is loadOurs of a client that takes compressed answers.
func (s *serving) loadCompressed(least, most int) load {
	l := s.loadOurs(least, most)
	plain := l.request
	l.request = func(r *rand.Rand, b []byte) []byte {
		b = plain(r, b)
		return append(b[:len(b)-len("\r\n")], "Accept-Encoding: gzip\r\n\r\n"...)
	}
	return l
}

func (s *serving) loadBare(least, most int) load {
	return load{address: s.bare.Address, clients: s.clients, seed: s.seed, least: int64(meetings * 2 * bareConns * most),
		request: func(r *rand.Rand, b []byte) []byte {
			n := least + r.IntN(most-least+1)
			b = append(b, "GET /"...)
			b = strconv.AppendInt(b, int64(n), 10)
			b = append(append(b, '/'), s.kind.bare(r)...)
			return append(b, " HTTP/1.1\r\nHost: bench\r\nUser-Agent: bench\r\n\r\n"...)
		}}
}

// compare measures everything in every round, so that what disturbs the machine
// disturbs all of them.
func (s *serving) compare(ctx context.Context) error {
	most := s.settings.schools[len(s.settings.schools)-1]
	var rounds []round
	var compressed []float64 // share of the plain answers' pace
	for i := range s.rounds {
		r := round{}
		for _, n := range s.settings.schools {
			var m measured
			var err error
			if m.pgbench, err = s.runPgbench(ctx, n, false); err != nil {
				return err
			}
			if n == most {
				if m.sharded, err = s.runPgbench(ctx, n, true); err != nil {
					return err
				}
			}
			var profile string
			if s.profile != "" && n == most {
				profile = filepath.Join(s.profile, s.name+".prof")
			}
			if m.ours, err = s.runLoad(ctx, s.ours, s.loadOurs(1, n), profile); err != nil {
				return fmt.Errorf("ours: %w", err)
			}
			if n == most && s.name == list.name {
				packed, err := s.runLoad(ctx, s.ours, s.loadCompressed(1, n), "")
				if err != nil {
					return fmt.Errorf("ours, compressed: %w", err)
				}
				compressed = append(compressed, packed.perSecond/m.ours.perSecond)
			}
			if m.bare, err = s.runLoad(ctx, s.bare, s.loadBare(1, n), ""); err != nil {
				return fmt.Errorf("bare: %w", err)
			}
			say("%s, %d schools, round %d: ours %.0f/s, bare %.0f/s, pgbench %.0f/s", s.name, n, i+1, m.ours.perSecond, m.bare.perSecond,
				m.pgbench.perSecond)
			r[n] = m
		}
		rounds = append(rounds, r)
	}
	s.tell(rounds)
	if len(compressed) > 0 {
		slices.Sort(compressed)
		s.report.note(fmt.Sprintf("Compressed lists come at %.2f of the pace of plain ones, in the middle of %s (goal: 0.95).",
			compressed[len(compressed)/2], plural(len(compressed), "round")))
	}
	u, err := s.ours.collected()
	s.report.note(fmt.Sprintf("After %ss from %s the server holds %s, of which %s are its living heap.", s.name, plural(most, "school"),
		megabytes(u.RSS), megabytes(u.Heap)))
	return err
}

// meetings is how often each connection should have met each school it serves
// before anything is counted: the first time, Postgres reads the school's catalog.
const meetings = 2

func (s *serving) runPgbench(ctx context.Context, schools int, sharded bool) (sample, error) {
	p := pgbench{url: s.fleet.url, clients: s.clients, seed: s.seed, schools: schools, sharded: sharded, sql: s.script}
	p.least = float64(meetings * schools * s.clients)
	if sharded {
		p.least /= bareShards
	}
	var before, after sample
	look := func(pid int) sample { return sample{postgres: s.postgres.cpu(), load: processCPU(pid)} }
	tps, err := p.run(ctx, s.warm(), s.seconds, func(pid int) { before = look(pid) }, func(pid int) { after = look(pid) })
	out := sample{perSecond: tps}
	out.divide(before, after, tps*float64(s.seconds))
	return out, err
}

func (s *serving) warm() int { return min(3, s.seconds) }

func (s *serving) runLoad(ctx context.Context, c *child, l load, profile string) (sample, error) {
	var before, after sample
	var failed error
	var profiled <-chan error
	look := func() sample {
		u, err := c.usage()
		if err != nil {
			failed = err
		}
		return sample{server: u.CPU, postgres: s.postgres.cpu(), load: ownCPU(), redis: redisCPU(ctx, s.fleet.service.Redis)}
	}
	p, err := l.run(time.Duration(s.warm())*time.Second, time.Duration(s.seconds)*time.Second, func() {
		before = look()
		if profile != "" {
			profiled = c.profile(profile, s.seconds)
		}
	})
	if err != nil {
		return sample{}, err
	}
	after = look()
	if profiled != nil {
		failed = <-profiled
	}
	out := sample{perSecond: p.perSecond(), median: p.median, p99: p.p99}
	out.divide(before, after, float64(p.requests))
	return out, failed
}

func (s *sample) divide(before, after sample, requests float64) {
	each := func(a, b time.Duration) time.Duration { return time.Duration(float64(b-a) / max(requests, 1)) }
	s.server, s.postgres = each(before.server, after.server), each(before.postgres, after.postgres)
	s.load, s.redis = each(before.load, after.load), each(before.redis, after.redis)
}
