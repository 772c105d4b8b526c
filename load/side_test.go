//go:build load

package load

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
)

// side is one of the installations that are compared: on the same servers, for the same schools.
type side struct {
	url       string
	instances int
	parts     []part
}

// pair is one turn of both sides, right after each other.
type pair struct{ many, one run }

// ratio is what many did against one.
func (p pair) ratio() float64 { return p.many.perSecond() / p.one.perSecond() }

// warmUp is how many times as long as a turn a side is flooded before it counts, until
// its connections know their schools.
const warmUp = 9

// quiet has Postgres not tidy up for a while: it does so once a minute, each table it has
// looked at is planned anew by every connection, and that would fall into one side's turn.
func quiet(t *testing.T, url string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	for _, sql := range []string{"alter system set autovacuum = off", "select pg_reload_conf()"} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
}

// ascent is what became of one side as it was asked for more and more: its run at each
// rate, and the last is not held.
type ascent struct {
	side
	runs []run
}

func (a *ascent) goesOn() bool { return len(a.runs) == 0 || a.runs[len(a.runs)-1].held() }

// highest is the highest rate that was held.
func (a *ascent) highest() (rate int) {
	for _, r := range a.runs {
		if r.held() {
			rate = r.rate
		}
	}
	return rate
}

// climb asks both sides for higher and higher rates until neither holds one. They take
// turns, so that what else the machine does meets both.
func climb(t *testing.T, h *rush, from, step, seconds int, signIn func(), sides ...side) (both []*ascent) {
	t.Helper()
	for _, s := range sides {
		both = append(both, &ascent{side: s})
	}
	for rate := from; ; rate += step {
		climbing := slices.DeleteFunc(slices.Clone(both), func(a *ascent) bool { return !a.goesOn() })
		if len(climbing) == 0 {
			return both
		}
		for try := range tries {
			for _, a := range climbing {
				if try > 0 && a.goesOn() {
					continue
				}
				signIn()
				h.url, h.parts = a.url, a.parts
				r := h.run(t, a.instances, rate, seconds)
				if try == 0 {
					a.runs = append(a.runs, r)
				} else {
					a.runs[len(a.runs)-1] = r
				}
			}
		}
	}
}

// sideBySide floods the one and the other in short turns, each first in every second.
// Machines change their pace by a third within minutes: what is compared has to be
// seconds apart, and both sides warm. The instance without a turn has next to nothing to do:
// its pending rows, and leases of others that stay for seconds.
func sideBySide(t *testing.T, h *rush, rounds, seconds int, signIn func(), many, one side) (pairs []pair) {
	t.Helper()
	flood := func(s side, seconds int) run {
		signIn() // tokens last 15 minutes
		h.url, h.parts = s.url, s.parts
		return h.flood(t, s.instances, seconds)
	}
	for _, s := range []side{many, one} {
		flood(s, warmUp*seconds)
	}
	for n := range rounds {
		var p pair
		turns := []func(){func() { p.many = flood(many, seconds) }, func() { p.one = flood(one, seconds) }}
		if n%2 == 1 {
			slices.Reverse(turns)
		}
		for _, turn := range turns {
			turn()
		}
		pairs = append(pairs, p)
	}
	return pairs
}
