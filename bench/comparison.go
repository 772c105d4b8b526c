package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// measured is one number of schools in one round; round, all of them.
type measured struct{ ours, bare, pgbench, sharded sample }

type round map[int]measured

// tell turns the rounds into lines of the report.
func (s *serving) tell(rounds []round) {
	schools := s.settings.schools
	most := schools[len(schools)-1]
	pick := func(n int, f func(measured) float64) float64 {
		return medianOf(rounds, func(r round) float64 { return f(r[n]) })
	}
	ours := func(m measured) float64 { return m.ours.perSecond }
	add := func(what string, n int, limit func(measured) float64, t target) {
		s.report.add(line{
			what: fmt.Sprintf("%s, %s: %s", s.name, plural(n, "school"), what), ours: perSecond(pick(n, ours)), limit: perSecond(pick(n, limit)),
			ratio: pick(n, func(m measured) float64 { return ours(m) / limit(m) }), target: t,
		})
	}
	for _, n := range schools {
		var t target
		if n == most {
			t = atLeast(s.target)
		}
		add("pgbench", n, func(m measured) float64 { return m.pgbench.perSecond }, t)
		if n == most {
			add("pgbench, its connections sharded as ours", n, func(m measured) float64 { return m.sharded.perSecond }, target{})
		}
		add("bare pgx on Gin", n, func(m measured) float64 { return m.bare.perSecond }, target{})
	}
	if len(schools) > 1 {
		fewer := schools[len(schools)-2]
		s.report.add(line{
			what: fmt.Sprintf("%s, %s: itself at %d", s.name, plural(most, "school"), fewer), ours: perSecond(pick(most, ours)),
			limit: perSecond(pick(fewer, ours)),
			ratio: medianOf(rounds, func(r round) float64 { return ours(r[most]) / ours(r[fewer]) }), target: atLeast(ownSpeed),
		})
	}
	cpu := func(f func(measured) sample) string {
		return micros(time.Duration(pick(most, func(m measured) float64 { return float64(f(m).cpu()) })))
	}
	if s.postgres != nil {
		s.report.add(line{
			what: fmt.Sprintf("%s, %s: pgbench, by processor time of all", s.name, plural(most, "school")),
			ours: cpu(func(m measured) sample { return m.ours }), limit: cpu(func(m measured) sample { return m.pgbench }),
			ratio: pick(most, func(m measured) float64 { return m.pgbench.cpu().Seconds() / m.ours.cpu().Seconds() }),
		})
	}
	for _, who := range []struct {
		name string
		of   func(measured) sample
	}{
		{"ours", func(m measured) sample { return m.ours }}, {"bare", func(m measured) sample { return m.bare }},
		{"pgbench", func(m measured) sample { return m.pgbench }}, {"pgbench sharded", func(m measured) sample { return m.sharded }},
	} {
		each := func(f func(sample) time.Duration) float64 {
			return pick(most, func(m measured) float64 { return float64(f(who.of(m)).Microseconds()) })
		}
		s.report.cost(cost{
			what: s.name, who: who.name,
			server: each(func(c sample) time.Duration { return c.server }), postgres: each(func(c sample) time.Duration { return c.postgres }),
			redis: each(func(c sample) time.Duration { return c.redis }), load: each(func(c sample) time.Duration { return c.load }),
			all:    each(sample.cpu),
			median: each(func(c sample) time.Duration { return c.median }), p99: each(func(c sample) time.Duration { return c.p99 }),
		})
	}
}

var redisTimes = regexp.MustCompile(`used_cpu_(?:sys|user):([0-9.]+)`)

// redisCPU is the time Redis says it has used.
func redisCPU(ctx context.Context, client redis.UniversalClient) time.Duration {
	text, err := client.Info(ctx, "cpu").Result()
	if err != nil {
		return 0
	}
	var all float64
	for _, m := range redisTimes.FindAllStringSubmatch(text, -1) {
		seconds, _ := strconv.ParseFloat(m[1], 64)
		all += seconds
	}
	return time.Duration(all * float64(time.Second))
}
