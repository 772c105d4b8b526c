package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
)

const (
	peerServer = "peer/server.js"
	peerCalls  = "peer/calls.sql"
	// limitShare is the least share of the leanest SQL's pace, peerShare and peerShareOfPostgres those of the peer's: where
	// Postgres has more than half of the work, nobody can be much faster than anybody.
	limitShare, peerShare, peerShareOfPostgres = 0.6, 1.5, 1.1
	// peerOptions have Postgres plan a statement once for each connection and school, and not five times.
	peerOptions = "-c TimeZone=UTC -c plan_cache_mode=force_generic_plan"
	// scriptSchools is how many schools pgbench asks at most: it takes 128 scripts, and each is of one school.
	scriptSchools = 100
)

// peerSettings are the peer's settings besides the database.
type peerSettings struct {
	Key     string            // that signs tokens, in base64
	Schools map[string]string // schemas by school id
	Today   string
	Options string // of its connections
}

// peerCall is one of the calls that people make most, for ours and the peer alike, and its values for pgbench.
type peerCall struct {
	what    string
	method  string
	path    func(o *office, i int) string // i is one of the students or of the parents
	body    func(o *office, i int) string
	parent  bool // a parent calls, not the office
	sql     string
	values  func(n int) map[string]string // SQL for the school n, in which :i is what i is above
	omitted string                        // fields of ours that the peer does not show
	differs string                        // fields that no two answers share
}

func fixed(path string) func(*office, int) string { return func(*office, int) string { return path } }

// peerLines are the calls. Whose marks are made is random, as are the days: most are of days that nobody has marked.
func peerLines() []peerCall {
	today := peerToday()
	first := today
	first.Day = 1
	id := func(n int, what, number string) string { return fmt.Sprintf("md5('%d %s ' || %s)", n, what, number) }
	mother := func(n int) map[string]string { return map[string]string{"user": id(n, "parent", "(1 + :i % 100)")} }
	child := func(n int) map[string]string {
		v := mother(n)
		v["student"] = id(n, "student", "(2 * (1 + :i % 100))")
		v["first"], v["last"] = "'"+first.String()+"'", "date '"+first.String()+"' + interval '1 month - 1 day'"
		return v
	}
	ofChild := func(path string) func(*office, int) string {
		return func(o *office, i int) string {
			return path + "?studentId=" + o.id("student %d", 2*(1+i%peerParents)).String()
		}
	}
	none := func(int) map[string]string { return nil }
	list := "/school-admin/student/list"
	return []peerCall{
		{what: "students, first page", path: fixed(list), sql: "students", values: func(int) map[string]string {
			return map[string]string{"offset": "0"}
		}},
		{what: "students, any page", sql: "students", path: func(_ *office, i int) string { return fmt.Sprint(list, "?page=", 1+i%50) },
			values: func(int) map[string]string { return map[string]string{"offset": ":i % 50 * 20"} }},
		{what: "students of a class", sql: "class",
			path:   func(o *office, i int) string { return list + "?filters[classId]=" + o.id("class %d", 1+i%5).String() },
			values: func(n int) map[string]string { return map[string]string{"class": id(n, "class", "(1 + :i % 5)")} }},
		{what: "students found by name", sql: "search",
			path:   func(_ *office, i int) string { return fmt.Sprint(list, "?filters[search]=child", 10+i%90) },
			values: func(int) map[string]string { return map[string]string{"pattern": "'%child' || (10 + :i % 90) || '%'"} }},
		{what: "a student's page", sql: "student",
			path:   func(o *office, i int) string { return "/school-admin/student/" + o.id("student %d", 1+i).String() },
			values: func(n int) map[string]string { return map[string]string{"student": id(n, "student", "(1 + :i)")} }},
		{what: "register of a day", sql: "register", path: func(o *office, i int) string {
			return fmt.Sprintf("/school-admin/attendance/register?divisionId=%s&date=%s", o.id("division %d", 1+i%25), today.AddDays(-1-i%20))
		}, values: func(n int) map[string]string {
			return map[string]string{"division": id(n, "division", "(1 + :i % 25)"),
				"date": fmt.Sprintf("date '%s' - (:i %% 20)::int", today.AddDays(-1))}
		}},
		{what: "marking 40", sql: "mark", method: "POST", path: fixed("/school-admin/attendance/mark"), body: markOfDivision,
			values: func(n int) map[string]string {
				return map[string]string{
					"division": id(n, "division", "(1 + :i % 25)"), "date": fmt.Sprintf("date '%s' - (40 + :k)::int", today), "reason": "'Bench'",
					"students": fmt.Sprintf("(select array_agg(md5('%d student ' || :i %% 25 * 40 + s)::uuid) from generate_series(1, 40) s)", n),
					"statuses": "array_fill('PRESENT'::text, array[40])", "user": id(n, "clerk", "1"),
				}
			}},
		{what: "a parent's children", sql: "children", method: "POST", path: fixed("/parent/student/list"), parent: true, values: mother,
			body: func(*office, int) string { return `{"data":{}}` }},
		{what: "a parent's buses", sql: "buses", path: fixed("/parent/transport/my-buses"), parent: true, values: mother},
		{what: "a parent's dues", sql: "family", path: fixed("/parent/fee/dues"), parent: true, values: mother},
		{what: "a child's month", sql: "month", path: ofChild("/parent/attendance/list"), parent: true, values: child, omitted: "carriedOver"},
		{what: "notifications", sql: "notifications", path: fixed("/parent/notification/delivered-notifications"), parent: true, values: mother},
		{what: "a child's timetable", sql: "timetable", path: ofChild("/parent/timetable/get"), parent: true, values: child},
		{what: "dues of the school", sql: "dues", path: fixed("/school-admin/fee/dues"), values: none},
		{what: "dashboard, kept 5 s", sql: "dashboard", path: fixed("/school-admin/dashboard/summary"), values: none, omitted: "asOf transport"},
		{what: "a payment", sql: "payment", method: "POST", path: fixed("/school-admin/fee/collection/record"),
			differs: "id transactionId receiptNumber number receivedAt balance", body: func(o *office, i int) string {
				return fmt.Sprintf(`{"data":{"studentId":%q,"amount":100,"paymentMode":"CASH","confirmRepeat":true}}`,
					o.id("student %d", 2*peerParents+1+i%(peerStudents-2*peerParents)))
			}, values: func(n int) map[string]string {
				return map[string]string{
					"student": id(n, "student", "(201 + :i % 800)"), "amount": "100", "user": id(n, "clerk", "1"), "key": "md5(:k || '-' || :l)",
					"transaction": "md5(:k || '-' || :l)", "receipt": "md5(:l || '-' || :k)",
				}
			}},
	}
}

// markOfDivision marks everybody of a division as present on a day long ago.
func markOfDivision(o *office, i int) string {
	records := make([]map[string]any, peerDivision)
	for s := range records {
		records[s] = map[string]any{"studentId": o.id("student %d", i%25*peerDivision+s+1), "status": "PRESENT"}
	}
	day := peerToday().AddDays(-40 - rand.IntN(20000))
	body, _ := json.Marshal(map[string]any{"data": map[string]any{"divisionId": o.id("division %d", 1+i%25), "date": day, "reason": "Bench",
		"records": records}})
	return string(body)
}

// peerRun is the schools of a run and the two servers that answer for them.
type peerRun struct {
	*bench
	offices    []*office
	parents    [][]string // tokens, by school
	ours, peer *child
	postgres   *tree
	redis      func() time.Duration
	sql        map[string][]string
}

// measurePeer has ours and the peer answer the same calls over the same connections, and pgbench run their leanest SQL.
func measurePeer(ctx context.Context, b *bench) error {
	n := 20
	if b.quick {
		n = 4
	}
	p, err := b.newPeerRun(ctx, n)
	if err != nil {
		return err
	}
	defer p.ours.stop()
	defer p.peer.stop()
	lines := peerLines()
	var different []error
	for _, c := range lines {
		for i := range 3 {
			if err := p.check(c, i*7); err != nil {
				different = append(different, fmt.Errorf("%s: %w", c.what, err))
				break
			}
		}
	}
	if err := errors.Join(different...); err != nil {
		return err
	}
	for _, c := range lines {
		if !b.calls.MatchString(c.what) {
			continue
		}
		if err := p.compare(ctx, c); err != nil {
			return fmt.Errorf("%s: %w", c.what, err)
		}
	}
	return nil
}

func (b *bench) newPeerRun(ctx context.Context, schools int) (*peerRun, error) {
	f, err := b.schools(ctx, 1)
	if err != nil {
		return nil, err
	}
	_, key, _ := strings.Cut(f.config.JWTKeys[0], ":")
	settings := f.childSettings(b.servers)
	settings.Peer = &peerSettings{Key: key, Schools: map[string]string{}, Today: peerToday().String(), Options: peerOptions}
	p := &peerRun{bench: b, postgres: postgresTree(ctx, f.url), redis: func() time.Duration { return redisCPU(ctx, f.service.Redis) }}
	for nth := 1; nth <= schools; nth++ {
		o, err := b.newPeerSchool(ctx, f, nth)
		if err != nil {
			return nil, fmt.Errorf("school %d: %w", nth, err)
		}
		var tokens []string
		for i := range peerParents {
			token, err := o.parent(i + 1)
			if err != nil {
				return nil, err
			}
			tokens = append(tokens, token)
		}
		p.offices, p.parents = append(p.offices, o), append(p.parents, tokens)
		settings.Peer.Schools[schoolID(o.number).String()] = schemaName(o.number)
	}
	if p.sql, err = readPeerSQL(); err != nil {
		return nil, err
	}
	if p.ours, err = startChild(ctx, "ours", settings); err != nil {
		return nil, err
	}
	p.peer, err = startProgram(exec.CommandContext(ctx, "node", peerServer), "the peer", settings)
	if err != nil {
		p.ours.stop()
	}
	return p, err
}

// readPeerSQL reads the statements by call.
func readPeerSQL() (map[string][]string, error) {
	text, err := os.ReadFile(peerCalls)
	out := map[string][]string{}
	for _, part := range strings.Split(string(text), "\n-- call ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		for _, statement := range strings.Split(body, ";\n") {
			if statement = strings.TrimSpace(statement); statement != "" {
				out[name] = append(out[name], strings.TrimSuffix(statement, ";"))
			}
		}
	}
	return out, err
}

// load asks a server as the schools' people.
func (p *peerRun) load(c peerCall, server *child) load {
	request := func(r *rand.Rand, b []byte) []byte {
		return p.request(c, r.IntN(len(p.offices)), r.IntN(peerStudents), b)
	}
	return load{address: server.Address, clients: p.clients, seed: p.seed, least: int64(p.meetings()), request: request}
}

// meetings is how many calls the warm-up has to see until every connection has met every school twice.
func (p *peerRun) meetings() int { return meetings * len(p.offices) * p.clients }

func (p *peerRun) request(c peerCall, school, i int, b []byte) []byte {
	o, token, method, body := p.offices[school], p.offices[school].token, "GET", ""
	if c.parent {
		token = p.parents[school][i%peerParents]
	}
	if c.method != "" {
		method, body = c.method, c.body(o, i)
	}
	return fmt.Appendf(b, "%s %s HTTP/1.1\r\nHost: bench\r\nUser-Agent: bench\r\nContent-Type: application/json\r\n"+
		"Idempotency-Key: %s\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", method, c.path(o, i), uuid.NewString(), token,
		len(body), body)
}

// check makes sure that the peer answers what ours answers.
func (p *peerRun) check(c peerCall, i int) error {
	school := i % len(p.offices)
	seed := p.request(c, school, i, nil)
	var answers [2]struct{ Data any }
	for n, server := range []*child{p.ours, p.peer} {
		text := seed
		if n == 1 && c.method != "" { // another key, the same body
			key := regexp.MustCompile(`Idempotency-Key: \S+`)
			text = key.ReplaceAll(text, []byte("Idempotency-Key: "+uuid.NewString()))
		}
		body, err := load{address: server.Address, request: func(_ *rand.Rand, b []byte) []byte { return append(b, text...) }}.once()
		if err == nil {
			err = json.Unmarshal(body, &answers[n])
		}
		if err != nil {
			return fmt.Errorf("server %d of ours and the peer's: %w", n+1, err)
		}
	}
	return sameAnswer("data", answers[0].Data, answers[1].Data, strings.Fields(c.omitted), strings.Fields(c.differs))
}

// sameAnswer compares what the peer shows with ours, and names the first difference.
func sameAnswer(at string, ours, theirs any, omitted, differs []string) error {
	switch a := ours.(type) {
	case map[string]any:
		b, ok := theirs.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: ours is an object, the peer's %v", at, theirs)
		}
		skip := func(names []string, key string) bool {
			return strings.Contains(" "+strings.Join(names, " ")+" ", " "+key+" ")
		}
		for key := range b {
			if _, there := a[key]; !there {
				return fmt.Errorf("%s.%s: only the peer has it", at, key)
			}
		}
		for key, v := range a {
			if w, there := b[key]; !there && !skip(omitted, key) {
				return fmt.Errorf("%s.%s: the peer leaves it out", at, key)
			} else if there && !skip(differs, key) {
				if err := sameAnswer(at+"."+key, v, w, omitted, differs); err != nil {
					return err
				}
			}
		}
		return nil
	case []any:
		b, ok := theirs.([]any)
		if !ok || len(a) != len(b) {
			return fmt.Errorf("%s: ours has %d, the peer %v", at, len(a), theirs)
		}
		for i := range a {
			if err := sameAnswer(fmt.Sprintf("%s[%d]", at, i), a[i], b[i], omitted, differs); err != nil {
				return err
			}
		}
		return nil
	}
	if !reflect.DeepEqual(ours, theirs) {
		return fmt.Errorf("%s: ours is %v, the peer's %v", at, ours, theirs)
	}
	return nil
}

// peerTypes are the SQL types of values that are no uuid.
var peerTypes = map[string]string{"today": "date", "date": "date", "first": "date", "last": "date", "offset": "int", "students": "uuid[]",
	"statuses": "text[]", "amount": "bigint", "key": "text", "pattern": "text", "reason": "text", "schema": "text"}

var peerValue = regexp.MustCompile(`(^|[^:]):([a-z]+)`)

// scripts are what pgbench runs, one for each school: its schema is in the text, as it is in the peer's.
func (p *peerRun) scripts(c peerCall) []string {
	var out []string
	for _, o := range p.offices[:min(len(p.offices), scriptSchools)] {
		values := map[string]string{"today": "'" + peerToday().String() + "'", "schema": "'" + schemaName(o.number) + "'"}
		for name, sql := range c.values(o.number) {
			values[name] = sql
		}
		lines := []string{`\set i random(0, 999)`, `\set k random(0, 20000000)`, `\set l random(0, 1000000000)`, `\startpipeline`}
		if c.sql == "mark" {
			lines[1] = `\set k random(0, 20000)`
		}
		if c.sql == "payment" {
			lines = append(lines, "begin;")
		}
		for _, statement := range p.sql[c.sql] {
			statement = peerValue.ReplaceAllStringFunc(statement, func(found string) string {
				m := peerValue.FindStringSubmatch(found)
				kind := peerTypes[m[2]]
				if kind == "" {
					kind = "uuid"
				}
				return m[1] + "(" + values[m[2]] + ")::" + kind
			})
			lines = append(lines, strings.ReplaceAll(statement, "{s}", schemaName(o.number)+".")+";")
		}
		if c.sql == "payment" {
			lines = append(lines, "commit;")
		}
		out = append(out, strings.Join(append(lines, `\endpipeline`), "\n")+"\n")
	}
	return out
}

// peerRound is how each side did in a round.
type peerRound struct{ ours, peer, limit sample }

func (p *peerRun) compare(ctx context.Context, c peerCall) error {
	var rounds []peerRound
	for range p.rounds {
		var r peerRound
		var err error
		if r.limit, err = p.runLimit(ctx, c); err != nil {
			return fmt.Errorf("pgbench: %w", err)
		}
		if r.ours, err = p.runLoad(c, p.ours, "peer-"+c.sql); err != nil {
			return fmt.Errorf("ours: %w", err)
		}
		if r.peer, err = p.runLoad(c, p.peer, ""); err != nil {
			return fmt.Errorf("the peer: %w", err)
		}
		rounds = append(rounds, r)
	}
	pick := func(f func(peerRound) float64) float64 { return medianOf(rounds, f) }
	mine, theirs, least := func(r peerRound) sample { return r.ours }, func(r peerRound) sample { return r.peer },
		func(r peerRound) sample { return r.limit }
	micro := func(of func(peerRound) sample, part func(sample) time.Duration) float64 {
		return pick(func(r peerRound) float64 { return float64(part(of(r))) / 1000 })
	}
	line := peerLine{what: c.what, ofLimit: pick(func(r peerRound) float64 { return r.ours.perSecond / r.limit.perSecond }),
		ofPeer: pick(func(r peerRound) float64 { return r.ours.perSecond / r.peer.perSecond }),
		cpuOfLimit: pick(func(r peerRound) float64 {
			return (r.limit.postgres + r.limit.load).Seconds() / (r.ours.cpu() - r.ours.load).Seconds()
		}),
		cpuOfPeer: pick(func(r peerRound) float64 {
			return (r.peer.cpu() - r.peer.load).Seconds() / (r.ours.cpu() - r.ours.load).Seconds()
		})}
	for n, of := range []func(peerRound) sample{mine, theirs, least} {
		line.paces[n] = pick(func(r peerRound) float64 { return of(r).perSecond })
		line.server[n] = micro(of, func(s sample) time.Duration { return s.server })
		line.postgres[n] = micro(of, func(s sample) time.Duration { return s.postgres })
		line.p99[n] = pick(func(r peerRound) float64 { return float64(of(r).p99) / 1e6 })
	}
	line.redis = micro(mine, func(s sample) time.Duration { return s.redis })
	p.report.peers = append(p.report.peers, line)
	say("%s: ours %.0f/s, Node %.0f/s, limit %.0f/s; server %.0f and %.0f µs, Postgres %.0f, %.0f and %.0f µs", c.what, line.paces[0],
		line.paces[1], line.paces[2], line.server[0], line.server[1], line.postgres[0], line.postgres[1], line.postgres[2])
	return nil
}

func (p *peerRun) runLoad(c peerCall, server *child, profile string) (sample, error) {
	var failed error
	look := func() sample {
		u, err := server.usage()
		if err != nil {
			failed = err
		}
		return sample{server: u.CPU, postgres: p.postgres.cpu(), load: ownCPU(), redis: p.redis()}
	}
	var before sample
	var profiled <-chan error
	pace, err := p.load(c, server).run(time.Second, time.Duration(p.seconds)*time.Second, func() {
		before = look()
		if p.profile != "" && profile != "" {
			profiled = server.profile(filepath.Join(p.profile, profile+".prof"), p.seconds)
		}
	})
	if err != nil {
		return sample{}, err
	}
	after := look()
	if profiled != nil {
		failed = <-profiled
	}
	out := sample{perSecond: pace.perSecond(), median: pace.median, p99: pace.p99}
	out.divide(before, after, float64(pace.requests))
	return out, failed
}

func (p *peerRun) runLimit(ctx context.Context, c peerCall) (sample, error) {
	// Ids of payments are made of random numbers: the same seed would pay the same again.
	b := pgbench{url: p.offices[0].url, clients: p.clients, seed: uint64(rand.Uint32()), scripts: p.scripts(c), least: float64(p.meetings()),
		options: peerOptions}
	var before, after sample
	look := func(pid int) sample { return sample{postgres: p.postgres.cpu(), load: processCPU(pid)} }
	tps, err := b.run(ctx, 1, p.seconds, func(pid int) { before = look(pid) }, func(pid int) { after = look(pid) })
	out := sample{perSecond: tps}
	out.divide(before, after, tps*float64(p.seconds))
	return out, err
}
