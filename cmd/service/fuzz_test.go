package service_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

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
	fuzzRound    = 500
	fuzzers      = 8
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
	app := testkit.Start(t, func(c *config.Config, _ *service.Options) {
		c.LimitAuth, c.LimitRead, c.LimitWrite, c.LimitRide = "100000000-M", "100000000-M", "100000000-M", "100000000-M"
	})
	doc := readDocument(t, app)
	f := &fuzz{document: doc, known: newKnown(), faults: map[string]string{}}
	school := app.NewSchool(t)
	for round := range (calls + fuzzRound - 1) / fuzzRound {
		f.clients = fuzzClients(t, school) // those of the round before may be removed by now
		var all sync.WaitGroup
		for i := range fuzzers {
			all.Go(func() {
				random := rand.New(rand.NewPCG(seed+uint64(round), uint64(i)))
				for range fuzzRound / fuzzers {
					f.call(random)
				}
			})
		}
		all.Wait()
	}
	var faults []string
	for what, example := range f.faults {
		faults = append(faults, what+"\n    "+example)
	}
	slices.Sort(faults)
	for _, fault := range faults {
		t.Error(fault)
	}
	t.Logf("%d calls with seed %d to %d operations: %v", calls, seed, len(doc.operations), f.counts())
	for status, n := range f.statuses {
		if status == 200 && n < calls/50 {
			t.Errorf("only %d of %d calls were answered 200: too few of them are whole", n, calls)
		}
	}
}

// fuzzClients are people of every role of one school that has a little of everything.
func fuzzClients(t *testing.T, school *testkit.School) map[api.RoleType]*testkit.Client {
	t.Helper()
	seat := school.Seat(t, "F"+uuid.NewString()[:8])
	child := school.Child(t, seat, 1)
	clients := everyone(t, school)
	clients[api.Teacher] = school.Teacher(t, seat)
	clients[api.Parent] = child.Parents[0]
	return clients
}

// fuzz is a run.
type fuzz struct {
	*document
	known   *known
	clients map[api.RoleType]*testkit.Client

	mu       sync.Mutex
	statuses map[int]int
	faults   map[string]string // what went wrong, once each, with an example
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
	op := f.operations[random.IntN(len(f.operations))]
	g := &maker{random: random, known: f.known, document: f.document, broken: random.IntN(3) == 0}
	path, contentType, body := g.request(op)
	client := f.clients[op.anyRole(random)]
	if random.IntN(20) == 0 {
		client = f.clients[everyRole[random.IntN(len(everyRole))]]
	}
	a, err := client.TrySend(op.method, path, contentType, body)
	if err != nil {
		f.fault(op, "no answer: "+err.Error(), path, body)
		return
	}
	f.mu.Lock()
	if f.statuses == nil {
		f.statuses = map[int]int{}
	}
	f.statuses[a.Status]++
	f.mu.Unlock()
	if a.Status >= 500 {
		f.fault(op, fmt.Sprintf("is answered %d: %s", a.Status, a.Body), path, body)
		return
	}
	schema, documented := op.answers[a.Status]
	if !documented {
		f.fault(op, fmt.Sprintf("is answered %d, which it does not promise: %s", a.Status, short(a.Body)), path, body)
		return
	}
	if schema == nil || !strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") {
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
		f.fault(op, fmt.Sprintf("answers %d with another shape than promised", a.Status), path, fmt.Appendf(nil, "%s\n%v\n%s", body, err, short(a.Body)))
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
