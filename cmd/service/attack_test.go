package service_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
)

const (
	// mostCPU is what one call may take of one core, and mostHeap what may stay of it.
	mostCPU  = 2 * time.Second
	mostHeap = 50 << 20
)

// TestAttack_EveryRowFilledToItsLimits_IsAnsweredCheaply makes the largest calls that the API's own
// document allows, and calls with one field as large as a body can be. None may be answered 5xx.
// In the long form every field has its turn, and the processor time and memory of every
// call are measured; alone, for other tests would be measured too.
func TestAttack_EveryRowFilledToItsLimits_IsAnsweredCheaply(t *testing.T) {
	whole := testkit.Attack()
	if !whole {
		t.Parallel()
	}
	app := testkit.Start(t, func(c *config.Config, _ *service.Options) {
		c.LimitAuth, c.LimitRead, c.LimitWrite, c.LimitRide = "100000000-M", "100000000-M", "100000000-M", "100000000-M"
		c.HashCores = 4
	})
	f := &fuzz{document: readDocument(t, app), known: newKnown(), faults: map[string]string{}}
	a := &attack{fuzz: f, whole: whole, statuses: map[int]int{}}
	// Those that remove things come last.
	ops := slices.Clone(f.operations)
	slices.SortStableFunc(ops, func(a, b *operation) int { return removes(a) - removes(b) })
	for i, op := range ops {
		if i%100 == 0 {
			school := app.NewSchool(t)
			f.known.forget()
			f.furnish(t, school)
			f.known.tell("schoolId", school.ID.String())
			// Papers are printed with as much of a letterhead as there can be.
			said := f.clients[api.SchoolAdmin].Call(t, "PUT", "/school-admin/setting",
				map[string]any{"address": strings.Repeat("a\n", 250), "principalName": strings.Repeat("é", 120)})
			if said.Status != 200 {
				t.Fatalf("the letterhead: %d %s", said.Status, said.Body)
			}
		}
		a.attack(t, op)
	}
	testkit.Attacked(t, "fields filled to their limits", a.calls)
	t.Logf("%d calls: %v", a.calls, a.statuses)
	if refused := a.statuses[401] + a.statuses[403]; refused*4 > a.calls {
		t.Errorf("%d of %d calls were refused before their input was looked at", refused, a.calls)
	}
	slices.SortFunc(a.dearest, func(x, y cost) int { return int(y.cpu - x.cpu) })
	for _, c := range a.dearest[:min(len(a.dearest), 15)] {
		t.Logf("%v, %d KiB stay: %s", c.cpu.Round(time.Millisecond), c.heap>>10, c.what)
	}
}

func removes(op *operation) int {
	if op.method == "DELETE" {
		return 1
	}
	return 0
}

// attack is a run.
type attack struct {
	*fuzz
	whole    bool
	calls    int
	statuses map[int]int
	dearest  []cost
}

type cost struct {
	what string
	cpu  time.Duration
	heap int64
}

// attack makes the calls of one row.
func (a *attack) attack(t *testing.T, op *operation) {
	t.Helper()
	a.send(t, op, filler{}, "everything at its limit")
	a.send(t, op, filler{extreme: true}, "the farthest days and largest numbers")
	var fields []string
	for _, schema := range a.jsonOf(op) {
		a.fields("", schema, func(at string, of map[string]any) {
			if isType(of, "string") || isType(of, "array") || of["type"] == nil {
				fields = append(fields, at)
			}
		})
	}
	slices.Sort(fields)
	fields = slices.Compact(fields)
	if !a.whole {
		fields = slices.DeleteFunc(fields, func(at string) bool {
			return !strings.HasSuffix(at, ".search") && !strings.HasSuffix(at, "Ids") && !strings.HasSuffix(at, ".customFields")
		})
	}
	for _, at := range fields {
		for _, bad := range []bool{false, true} {
			a.send(t, op, filler{over: at, bad: bad}, fmt.Sprintf("%s as long as a body (bad: %v)", at, bad))
		}
	}
	for kind := range op.body {
		if kind == "text/csv" {
			a.sendFiles(t, op)
		}
	}
}

func (a *attack) jsonOf(op *operation) []map[string]any {
	if schema := op.body["application/json"]; schema != nil {
		return []map[string]any{schema}
	}
	return nil
}

// send makes one call.
func (a *attack) send(t *testing.T, op *operation, g filler, what string) {
	t.Helper()
	g.document, g.known, g.path, g.random = a.document, a.known, op.path, rand.New(rand.NewPCG(1, 2))
	path, body := g.request(op)
	contentType := ""
	if body != nil {
		contentType = "application/json"
	}
	a.measure(t, op, path, contentType, body, what)
}

// sendFiles sends files of a form that costs a careless reader much.
func (a *attack) sendFiles(t *testing.T, op *operation) {
	t.Helper()
	size := 64 << 10
	if a.whole {
		size = 19 << 20
	}
	path := strings.NewReplacer("{id}", uuid.NewString()).Replace(op.path)
	for what, file := range map[string]string{
		"a header of many columns": strings.Repeat("a,", size/2),
		"a row of many cells":      "firstName,title\n" + strings.Repeat("a,", size/2),
		"a cell of the whole file": "firstName,email,title\na,\"" + strings.Repeat("a ", size/2) + "\",a\n",
		"a quote never closed":     "firstName,title\n\"" + strings.Repeat("a\n", size/2),
		"many empty rows":          "firstName,title\n" + strings.Repeat(",\n", size/2),
		"many bad rows":            "phone,email,employeeType,isbn,rollNumber\n" + strings.Repeat("x,y,z,1,q\n", size/10),
	} {
		a.measure(t, op, path+"?dryRun=true", "text/csv", []byte(file), what)
	}
}

func (a *attack) measure(t *testing.T, op *operation, path, contentType string, body []byte, what string) {
	t.Helper()
	client := a.clients[op.anyRole(rand.New(rand.NewPCG(1, 2)))]
	what = fmt.Sprintf("%s %s: %s", op.method, op.path, what)
	var heap int64
	var cpu time.Duration
	if a.whole {
		heap, cpu = heapNow(), cpuNow()
	}
	answer, err := testkit.UntilServed(func() (testkit.Answer, error) { return client.TrySend(op.method, path, contentType, body) })
	if err != nil {
		t.Errorf("%s: no answer: %v", what, err)
		return
	}
	a.calls++
	a.statuses[answer.Status]++
	if answer.Status >= 500 {
		t.Errorf("%s: %d %s\n%s", what, answer.Status, short(answer.Body), short([]byte(answer.Errors)))
	}
	if size := len(answer.Body); answer.Status >= 400 && size > 1<<20 {
		t.Errorf("%s: an error of %d bytes", what, size)
	}
	if !a.whole {
		return
	}
	c := cost{what: fmt.Sprintf("%s (%d bytes, %d)", what, len(body), answer.Status), cpu: cpuNow() - cpu}
	answer = testkit.Answer{}
	c.heap = heapNow() - heap
	runtime.KeepAlive(body) // it was there before, too
	if c.cpu > mostCPU || c.heap > mostHeap {
		t.Errorf("%s: %v of processor time, %d KiB stay", c.what, c.cpu, c.heap>>10)
	}
	a.dearest = append(a.dearest, c)
}

func cpuNow() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func heapNow() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// filler makes the largest request that a row's document allows.
type filler struct {
	*document
	known   *known
	random  *rand.Rand
	path    string
	shrink  int    // divides lists and texts, so that all fits into a body
	over    string // this field is as long as a body instead
	bad     bool   // and what it holds does not fit
	extreme bool   // days are the first and the last there are, numbers the largest
}

func (g *filler) request(op *operation) (path string, body []byte) {
	path = op.path
	query := url.Values{}
	for _, p := range op.parameters {
		name, schema := p["name"].(string), g.resolve(p["schema"])
		switch p["in"] {
		case "path":
			path = strings.Replace(path, "{"+name+"}", url.PathEscape(fmt.Sprint(g.value(name, name, schema))), 1)
		case "query":
			if isType(schema, "array") {
				schema = g.resolve(schema["items"])
			}
			if text := fmt.Sprint(g.value(name, name, schema)); g.over == "" || p["required"] == true {
				query.Set(name, text[:min(len(text), 2000)])
			}
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	schema := op.body["application/json"]
	if schema == nil {
		return path, nil
	}
	g.shrink = 1
	if g.over != "" {
		g.shrink = 1 << 20 // all else is short
	}
	for ; ; g.shrink *= 2 {
		body, _ = json.Marshal(g.value("", "", schema))
		if len(body) <= api.MaxBody || g.shrink > 1<<20 {
			return path, body
		}
	}
}

func (g *filler) value(at, name string, schema map[string]any) any {
	if at != "" && at == g.over {
		return g.oversized(schema)
	}
	if values := list(schema["enum"]); len(values) > 0 {
		return values[0]
	}
	if schema["type"] == nil && schema["properties"] == nil {
		for _, of := range []string{"anyOf", "oneOf"} {
			if options := list(schema[of]); len(options) > 0 {
				return g.value(at, name, g.resolve(options[0]))
			}
		}
	}
	switch {
	case isType(schema, "object"), schema["properties"] != nil:
		out := map[string]any{}
		properties, _ := schema["properties"].(map[string]any)
		for name, of := range properties {
			out[name] = g.value(strings.TrimPrefix(at+"."+name, "."), name, g.resolve(of))
		}
		return out
	case isType(schema, "array"):
		items := make([]any, max(bound(schema, "minItems", 1), bound(schema, "maxItems", 1000)/g.shrink))
		for i := range items {
			if items[i] = g.value(at+"[]", strings.TrimSuffix(name, "s"), g.resolve(schema["items"])); i > 0 &&
				g.resolve(schema["items"])["format"] == "uuid" {
				items[i] = uuid.NewString()
			}
		}
		return items
	case isType(schema, "boolean"):
		return name != "dryRun" && name != "evaluationMode" && name != "twoFactor"
	case isType(schema, "integer"), isType(schema, "number"):
		if g.extreme {
			return bound(schema, "maximum", 1<<31-1)
		}
		return max(1, bound(schema, "minimum", 1))
	case isType(schema, "string"):
		return g.text(at, name, schema)
	}
	return map[string]any{"a": strings.Repeat("a ", 5000/g.shrink)}
}

func (g *filler) text(at, name string, schema map[string]any) string {
	lower := strings.ToLower(name)
	first := strings.Contains(lower, "from") || strings.Contains(lower, "start")
	switch schema["format"] {
	case "uuid":
		return g.known.one(g.random, name, g.path)
	case "date":
		switch {
		case g.extreme && first:
			return "0001-01-01"
		case g.extreme:
			return "9999-12-31"
		}
		return time.Now().UTC().Format(time.DateOnly)
	case "date-time":
		switch {
		case g.extreme && first:
			return "0001-01-01T00:00:00Z"
		case g.extreme:
			return "9999-12-31T00:00:00Z"
		}
		return time.Now().UTC().Format(time.RFC3339)
	case "email":
		return fmt.Sprintf("f%d@test.local", g.random.IntN(1_000_000))
	}
	for _, keyword := range []string{"examples", "example"} {
		if pattern, _ := schema["pattern"].(string); pattern != "" && pattern != `\S` && schema[keyword] != nil {
			if several := list(schema[keyword]); len(several) > 0 {
				return fmt.Sprint(several[0])
			}
			return fmt.Sprint(schema[keyword])
		}
	}
	if strings.Contains(lower, "phone") {
		return fmt.Sprintf("+9197%08d", g.random.IntN(100_000_000))
	}
	most := bound(schema, "maxLength", 1<<20)
	if g.shrink > 0 {
		most /= g.shrink
	}
	most = max(most, bound(schema, "minLength", 1))
	return strings.Repeat("a é ", most/4+1)[:most] // bytes: some characters fewer than allowed
}

// oversized is as much of one field as fits into a body.
func (g *filler) oversized(schema map[string]any) any {
	const room = api.MaxBody - 64<<10
	if schema["type"] == nil && g.bad {
		const deep = 7900 // in less than the bytes it may have
		return json.RawMessage(`{"a":` + strings.Repeat("[", deep) + strings.Repeat("]", deep) + `}`)
	}
	if !isType(schema, "array") {
		if g.bad {
			return strings.Repeat("[", 5000) + strings.Repeat("%_\\", (room-5000)/6)
		}
		return strings.Repeat("a ", room/2)
	}
	item := any("x")
	if !g.bad {
		one := *g
		one.over, one.shrink = "", 1<<20
		item = one.value("", "", g.resolve(schema["items"]))
	}
	text, _ := json.Marshal(item)
	return slices.Repeat([]any{item}, room/(len(text)+1))
}
