package service_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"mime"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
)

// The API's own document says what every endpoint takes and answers. Here it is taken
// at its word: calls made from it, whole and broken, by everybody, must be answered with
// a status and a body that it promises, and never with a fault of the service.

const (
	// fuzzRequests is how many calls `make test` makes; HOMEROOM_FUZZ_REQUESTS says
	// otherwise, and HOMEROOM_FUZZ_SEED repeats a run.
	fuzzRequests = 2500
	fuzzRound    = fuzzers * fuzzEach
	// schoolRounds is how many rounds one school sees.
	schoolRounds = 8
	fuzzers      = 8
	fuzzEach     = 63 // calls of one in a round
)

func fromEnv(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

func TestWhateverIsSentEveryAnswerIsOneTheDocumentPromises(t *testing.T) {
	t.Parallel()
	seed := fromEnv(t, "HOMEROOM_FUZZ_SEED", 1)
	calls := int(fromEnv(t, "HOMEROOM_FUZZ_REQUESTS", fuzzRequests))
	// In a database of its own: it shuts out operators and removes accounts of whom it learns.
	app := testkit.StartOn(t, testkit.Stack(t), testkit.DatabaseName()+"_fuzz", func(c *config.Config, _ *service.Options) {
		c.LimitAuth, c.LimitRead, c.LimitWrite, c.LimitRide = "100000000-M", "100000000-M", "100000000-M", "100000000-M"
		c.HashCores = fuzzers // nobody waits at the door of the sign-ins
	})
	doc := readDocument(t, app)
	f := &fuzz{document: doc, known: newKnown(), faults: map[string]string{}}
	school := app.NewSchool(t)
	rounds := (calls + fuzzRound - 1) / fuzzRound
	made := 0
	for round := range rounds {
		if end, bounded := t.Deadline(); bounded && made > 0 && time.Until(end) < 90*time.Second {
			break // what is known by now is worth more than a stack of every goroutine
		}
		if round > 0 && round%schoolRounds == 0 { // by now its rights, settings and years are anything
			f.ending(t, school, rand.New(rand.NewPCG(seed+uint64(round), fuzzers)))
			school = app.NewSchool(t)
			f.known.forget()
		}
		f.furnish(t, school) // those of the round before may be removed by now
		f.known.tell("schoolId", school.ID.String())
		for _, client := range f.clients {
			f.known.tell("accountId", client.AccountID.String())
		}
		f.known.tell("adminId", school.As(t, api.SchoolAdmin).AccountID.String())
		var all sync.WaitGroup
		for i := range fuzzers {
			all.Go(func() {
				random := rand.New(rand.NewPCG(seed+uint64(round), uint64(i)))
				for range fuzzEach {
					f.call(random)
				}
			})
		}
		all.Wait()
		made += fuzzEach * fuzzers
	}
	f.ending(t, school, rand.New(rand.NewPCG(seed+uint64(rounds), fuzzers)))
	var faults []string
	for what, example := range f.faults {
		faults = append(faults, what+"\n    "+example)
	}
	slices.Sort(faults)
	for _, fault := range faults {
		t.Error(fault)
	}
	if calls > fuzzRequests && made < calls {
		t.Logf("there was time for %d of %d calls", made, calls)
	}
	t.Logf("%d calls with seed %d to %d operations: %v", made, seed, len(doc.operations)+len(doc.endings), f.counts())
	f.reached(t, calls > fuzzRequests)
}

// fuzz is a run.
type fuzz struct {
	*document
	known   *known
	clients map[api.RoleType]*testkit.Client

	next     atomic.Int64 // whose turn it is: every operation has as many calls
	mu       sync.Mutex
	statuses map[int]int
	cover    map[*operation]map[int]int // by status
	roles    map[api.RoleType]int       // successes
	faults   map[string]string          // what went wrong, once each, with an example
}

func (f *fuzz) counts() string {
	var statuses []int
	for s := range f.statuses {
		statuses = append(statuses, s)
	}
	slices.Sort(statuses)
	var out []string
	for _, s := range statuses {
		out = append(out, fmt.Sprintf("%d × %d", f.statuses[s], s))
	}
	return strings.Join(out, ", ")
}

// call makes one call and looks at its answer.
func (f *fuzz) call(random *rand.Rand) {
	op := f.operations[int(f.next.Add(1))%len(f.operations)]
	role := op.anyRole(random)
	if random.IntN(20) == 0 {
		role = everyRole[random.IntN(len(everyRole))]
	}
	f.ask(op, f.clients[role], role, random)
}

// ask has somebody call an operation.
func (f *fuzz) ask(op *operation, client *testkit.Client, role api.RoleType, random *rand.Rand) {
	g := &maker{random: random, known: f.known, document: f.document, broken: random.IntN(3) == 0}
	path, contentType, body := g.request(op)
	for name, value := range g.headers {
		client = client.With(name, value)
	}
	a, err := testkit.UntilServed(func() (testkit.Answer, error) { return client.TrySend(op.method, path, contentType, body) })
	if err != nil {
		f.fault(op, "no answer: "+err.Error(), path, body)
		return
	}
	f.count(op, role, a.Status)
	if a.Status >= 500 {
		f.fault(op, fmt.Sprintf("is answered %d: %s", a.Status, a.Body), path, body)
		return
	}
	f.look(op, a, path, body)
}

func (f *fuzz) count(op *operation, role api.RoleType, status int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.statuses == nil {
		f.statuses, f.cover, f.roles = map[int]int{}, map[*operation]map[int]int{}, map[api.RoleType]int{}
	}
	f.statuses[status]++
	if f.cover[op] == nil {
		f.cover[op] = map[int]int{}
	}
	f.cover[op][status]++
	if status < 300 {
		f.roles[role]++
	}
}

// look holds an answer against the document.
func (f *fuzz) look(op *operation, a testkit.Answer, path string, body []byte) {
	schema, documented := op.answers[a.Status]
	if !documented {
		f.fault(op, fmt.Sprintf("is answered %d, which it does not promise: %s", a.Status, short(a.Body)), path, body)
		return
	}
	kind, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if kinds := op.kinds[a.Status]; len(kinds) == 0 && len(a.Body) > 0 || len(kinds) > 0 && !slices.Contains(kinds, kind) &&
		!slices.Contains(kinds, "application/octet-stream") {
		f.fault(op, fmt.Sprintf("answers %d as %q, which it does not promise", a.Status, kind), path, body)
		return
	}
	if schema == nil || kind != "application/json" {
		return
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(a.Body))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		f.fault(op, fmt.Sprintf("answers %d with what is no JSON: %v", a.Status, err), path, body)
		return
	}
	if err := schema.Validate(value); err != nil {
		f.fault(op, fmt.Sprintf("answers %d with another shape than promised", a.Status), path,
			fmt.Appendf(nil, "%s\n%v\n%s", body, err, short(a.Body)))
		return
	}
	if a.Status < 300 {
		f.known.learn(op.path, value)
	}
}

func (f *fuzz) fault(op *operation, what, path string, body []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	what = op.method + " " + op.path + " " + what
	if i := strings.Index(what, `"requestId"`); i > 0 {
		what = what[:i]
	}
	if _, told := f.faults[what]; !told {
		fmt.Fprintf(os.Stderr, "%s\n    %s %s %s\n", what, op.method, path, short(body)) // at once: a long run may be cut off
	}
	if len(f.faults) < 40 {
		f.faults[what] = fmt.Sprintf("%s %s %s", op.method, path, short(body))
	}
}

func short(b []byte) []byte {
	if len(b) > 900 {
		return append(slices.Clone(b[:900]), "…"...)
	}
	return b
}
