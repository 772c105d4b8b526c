package service_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"homeroom/testkit"
)

// tally is what became of the calls of one round, or of all rounds of one fault.
type tally struct {
	rounds, requests int
	statuses         map[int]int // 0 is no answer at all
	wrong            int         // answers of another school, or that no document promises
	lost, doubled    int
	slowest          time.Duration // answer
	recovery         time.Duration // longest from the end of the fault to the last call that failed
}

func (t *tally) add(o tally) {
	t.rounds += o.rounds
	t.requests += o.requests
	if t.statuses == nil {
		t.statuses = map[int]int{}
	}
	for status, n := range o.statuses {
		t.statuses[status] += n
	}
	t.wrong, t.lost, t.doubled = t.wrong+o.wrong, t.lost+o.lost, t.doubled+o.doubled
	t.slowest, t.recovery = max(t.slowest, o.slowest), max(t.recovery, o.recovery)
}

// answers are the statuses in words.
func (t *tally) answers() string {
	var out []string
	for _, status := range slices.Sorted(maps.Keys(t.statuses)) {
		if status != 0 {
			out = append(out, fmt.Sprintf("%d: %d", status, t.statuses[status]))
		}
	}
	if n := t.statuses[0]; n > 0 {
		out = append(out, fmt.Sprintf("none: %d", n))
	}
	return strings.Join(out, ", ")
}

// watch is the tally of the round under way, with what tells whether the service is well.
type watch struct {
	mu sync.Mutex
	tally
	healed  time.Time // when the fault was taken away; zero while it lasts
	lastBad time.Time
	good    map[string]int // since then, by instance
	entered int            // sign-ins since then
	said    []string       // what was wrong, the first few
	no      bool           // an instance dies: calls may go unanswered
}

// outcome is what a call came to.
type outcome int

const (
	done  outcome = iota // a success, or the refusal that was expected
	away                 // try again
	wrong                // never to be seen
)

// called is one call and its answer.
type called struct {
	school   *marked // nil: of no school in particular
	instance string
	name     string
	named    bool  // the answer carries the school's mark
	refusals []int // statuses that are right besides success
	signIn   bool
	answer   testkit.Answer
	err      error
	took     time.Duration
}

func (w *watch) note(c called) outcome {
	verdict, why := judge(c)
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.err != nil && !w.no {
		verdict, why = wrong, fmt.Sprintf("no answer although no instance died: %v", c.err)
	}
	w.requests++
	w.statuses[c.answer.Status]++
	w.slowest = max(w.slowest, c.took)
	switch verdict {
	case done:
		if !w.healed.IsZero() {
			w.good[c.instance]++
			if c.signIn && c.answer.Status == 200 {
				w.entered++
			}
		}
	case away:
		if !c.signIn { // these queue for a core, and are told to come back at any time
			w.lastBad = time.Now()
		}
	case wrong:
		w.wrong++
		w.lastBad = time.Now()
		if len(w.said) < 10 {
			w.said = append(w.said, c.name+": "+why)
		}
	}
	return verdict
}

// judge says whether an answer is one of the documented ones, and of the right school.
func judge(c called) (outcome, string) {
	if c.err != nil {
		return away, ""
	}
	if c.school != nil {
		for _, mark := range anyMark.FindAllString(string(c.answer.Body), -1) {
			if mark != c.school.mark {
				return wrong, fmt.Sprintf("school %s was answered with %s: %.300s", c.school.mark, mark, c.answer.Body)
			}
		}
	}
	status := c.answer.Status
	switch {
	case status < 300:
		if c.named && !anyMark.Match(c.answer.Body) {
			return wrong, fmt.Sprintf("%d without its school's mark: %.300s", status, c.answer.Body)
		}
		return done, ""
	case status == 503 || status == 429:
		if c.answer.Header.Get("Retry-After") == "" || !strings.Contains(string(c.answer.Body), fmt.Sprintf(`"statusCode":%d`, status)) {
			return wrong, fmt.Sprintf("%d that is not the documented one: %.300s", status, c.answer.Body)
		}
		return away, ""
	case slices.Contains(c.refusals, status) && strings.Contains(string(c.answer.Body), fmt.Sprintf(`"statusCode":%d`, status)):
		return done, ""
	}
	return wrong, fmt.Sprintf("%d %.300s", status, c.answer.Body)
}

// begin starts a round.
func (w *watch) begin(unanswered bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tally = tally{rounds: 1, statuses: map[int]int{}}
	w.healed, w.lastBad, w.good, w.entered, w.said, w.no = time.Time{}, time.Time{}, map[string]int{}, 0, nil, unanswered
}

// heal notes that the fault is over.
func (w *watch) heal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.healed = time.Now()
}

func (w *watch) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.requests
}

// well says whether every instance has answered, somebody could sign in, and nothing has
// failed for a while.
func (w *watch) well(instances []string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range instances {
		if w.good[name] < 20 {
			return false
		}
	}
	return w.entered > 0 && time.Since(w.lastBad) > 500*time.Millisecond
}

// end is what the round came to.
func (w *watch) end() (tally, []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.recovery = max(0, w.lastBad.Sub(w.healed))
	return w.tally, w.said
}
