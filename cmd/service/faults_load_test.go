package service_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/auth/tokens"
	"homeroom/modules/attendance"
	"homeroom/modules/fee"
	"homeroom/modules/transport/live"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

// books are what a school was told is done.
type books struct {
	payments map[uuid.UUID]int64 // amounts of this round, by receipt
	paid     int                 // payments of all rounds
	amount   int64               // of all of them
	marks    int                 // how often its first children were marked
	points   []time.Time         // positions of this round
	driven   int                 // positions of all rounds

	mu    sync.Mutex
	stuck []string // what nobody could get done
}

func (b *books) stick(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stuck = append(b.stuck, fmt.Sprintf(format, args...))
}

// markedChildren are so many of a school, marked again and again.
const markedChildren = 3

// crowd are the people of all schools, who call all instances by turns.
type crowd struct {
	schools   []*marked
	instances func() []*testkit.App
	watch     watch
	next      atomic.Int64
	stop      atomic.Bool
	pace      func() // called before every call; nil: as fast as answers come
	all       sync.WaitGroup
	phone     atomic.Int64

	signing sync.RWMutex // tokens are changed
	signed  time.Time
}

// freshen gives everybody a fresh token of their session, in good time before theirs ends.
func (c *crowd) freshen(t *testing.T) {
	t.Helper()
	c.signing.Lock()
	defer c.signing.Unlock()
	if time.Since(c.signed) < tokens.AccessLife/3 {
		return
	}
	c.signed = time.Now()
	for _, s := range c.schools {
		for client, access := range s.people {
			token, err := s.App.Service.Tokens.SignAccess(access)
			if err != nil {
				t.Fatal(err)
			}
			client.Token = token
		}
	}
}

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

// patientHTTP is how the crowd calls.
var patientHTTP = &http.Client{Timeout: wait.Limit, Transport: &http.Transport{MaxIdleConnsPerHost: 200}}

// start has everybody call until they are stopped.
func (c *crowd) start() {
	c.stop.Store(false)
	work := func(act func(), rest func(), n int) {
		c.all.Go(func() {
			for !c.stop.Load() {
				act()
				for i := 0; i < n && !c.stop.Load(); i++ {
					rest()
				}
			}
		})
	}
	for _, s := range c.schools {
		look := func() { c.look(s) }
		work(look, look, 0)
		work(func() { c.marks(s) }, look, 4)
		work(func() { c.pays(s) }, look, 4)
		work(func() { c.drives(s) }, look, 6)
	}
	work(c.signsIn, func() { c.look(c.schools[rand.IntN(len(c.schools))]) }, 30)
}

// finish lets everybody finish what they are at, and waits for it.
func (c *crowd) finish() {
	c.stop.Store(true)
	c.all.Wait()
}

// send is one call to the instance whose turn it is.
func (c *crowd) send(call called, who *testkit.Client, method, path string, data any, key string) (testkit.Answer, outcome) {
	if c.pace != nil {
		c.pace()
	}
	instances := c.instances()
	app := instances[int(c.next.Add(1))%len(instances)]
	c.signing.RLock()
	client := who.On(app)
	c.signing.RUnlock()
	if key != "" {
		client = client.With("Idempotency-Key", key)
	}
	client.HTTP = patientHTTP
	began := time.Now()
	call.instance, call.name = app.URL, method+" "+path
	call.answer, call.err = client.TryCall(method, path, data)
	call.took = time.Since(began)
	result := c.watch.note(call)
	if result != done {
		time.Sleep(time.Duration(20+rand.IntN(60)) * time.Millisecond) // as a client would, though hastily
	}
	return call.answer, result
}

// insist sends until it is answered, as a client with a key does.
func (c *crowd) insist(s *marked, who *testkit.Client, path string, data any, key string, into any) bool {
	for deadline := wait.Deadline(); ; {
		a, result := c.send(called{school: s}, who, "POST", path, data, key)
		switch {
		case result == done:
			body := struct{ Data any }{into}
			if err := json.Unmarshal(a.Body, &body); err != nil {
				s.books.stick("%s: %v", path, err)
			}
			return true
		case result == wrong || time.Now().After(deadline):
			s.books.stick("%s: %d %.200s", path, a.Status, a.Body)
			return false
		}
	}
}

func (c *crowd) look(s *marked) {
	r := s.somethingToRead()
	c.send(called{school: s, named: r.named}, r.who, r.method, r.path, r.data, "")
}

// marks writes a new remark to the first children's marks: every one ever acknowledged
// is there once, in the mark as it stands or in its revisions.
func (c *crowd) marks(s *marked) {
	n := s.books.marks + 1
	status, key := "PRESENT", ""
	if n%20 == 0 {
		status = "ABSENT"
	}
	if n%2 == 0 {
		key = uuid.NewString()
	}
	var records []any
	for _, child := range s.children[:markedChildren] {
		records = append(records, map[string]any{"studentId": child.ID, "status": status, "remark": fmt.Sprintf("%s-%d", s.mark, n)})
	}
	var got attendance.Marked
	if c.insist(s, s.teacher, "/teacher/attendance/mark",
		map[string]any{"divisionId": s.seat.DivisionID, "date": s.today, "records": records}, key, &got) {
		s.books.marks = n
	}
}

// pays sends a payment with a key, again and again until it is answered: it counts once.
func (c *crowd) pays(s *marked) {
	amount := int64(1 + rand.IntN(100_000))
	body := map[string]any{"studentId": s.children[rand.IntN(len(s.children))].ID, "amount": amount, "paymentMode": "CHEQUE",
		"referenceNumber": fmt.Sprintf("%s-%d", s.mark, s.books.paid+1), "confirmRepeat": true}
	var got fee.Collection
	if c.insist(s, s.office, "/school-admin/fee/collection/record", body, uuid.NewString(), &got) {
		if got.Amount != amount {
			s.books.stick("a payment of %d was answered with %+v", amount, got)
		}
		s.books.payments[got.ID] = amount
		s.books.paid++
		s.books.amount += amount
	}
}

// drives sends five positions that were not sent before.
func (c *crowd) drives(s *marked) {
	at := time.Now().Truncate(time.Millisecond)
	if n := len(s.books.points); n > 0 && !at.After(s.books.points[n-1].Add(5*time.Millisecond)) {
		at = s.books.points[n-1].Add(6 * time.Millisecond)
	}
	var points []time.Time
	var locations []any
	for i := range 5 {
		p := at.Add(time.Duration(i-5) * time.Millisecond)
		points = append(points, p)
		locations = append(locations, map[string]any{"lat": 12.97, "lng": 77.59, "speed": 8, "heading": 0, "timestamp": p.UnixMilli()})
	}
	var got live.BatchRead
	if c.insist(s, s.driver, "/driver/bus-tracking/trips/"+s.trip.String()+"/locations", map[string]any{"locations": locations}, "", &got) {
		if got.Stored+got.Known != len(points) {
			s.books.stick("five positions: %+v", got)
		}
		s.books.points = append(s.books.points, points...)
		s.books.driven += len(points)
	}
}

// signsIn is a parent who signs in by PIN, or by code, looks who they are and renews the
// token. A code may be gone with Redis, and a phone gets few of them in an hour.
func (c *crowd) signsIn() {
	s := c.schools[rand.IntN(len(c.schools))]
	nobody := &testkit.Client{}
	var a testkit.Answer
	result := away
	if rand.IntN(3) > 0 {
		a, result = c.send(called{school: s, signIn: true}, nobody, "POST", "/parent/user-auth/verify-pin",
			map[string]any{"phone": s.phones[rand.IntN(withPIN)], "pin": pin}, "")
	} else {
		phone := s.phones[int(c.phone.Add(1))%len(s.phones)]
		if _, result := c.send(called{school: s, signIn: true}, nobody, "POST", "/parent/user-auth/send-otp", map[string]any{"phone": phone},
			""); result != done {
			return
		}
		a, result = c.byCode(s, nobody, phone)
	}
	var in struct{ AccessToken, RefreshToken string }
	if result != done || a.Status != 200 || json.Unmarshal(a.Body, &in) != nil {
		return
	}
	me := &testkit.Client{Token: in.AccessToken}
	c.send(called{school: s, named: true}, me, "GET", "/auth/me", nil, "")
	// A renewal whose answer was lost is refused when it comes again; then people sign in anew.
	for range 3 {
		if _, result := c.send(called{school: s, signIn: true, refusals: []int{401}}, nobody, "POST", "/auth/refresh",
			map[string]any{"refreshToken": in.RefreshToken}, ""); result == done {
			return
		}
	}
}

func (c *crowd) byCode(s *marked, nobody *testkit.Client, phone string) (testkit.Answer, outcome) {
	instances := c.instances()
	held, err := nobody.On(instances[int(c.next.Add(1))%len(instances)]).TryCall("GET", "/dev/outbox?to="+"%2B"+phone[1:], nil)
	var sent struct {
		Data struct{ Items []testkit.Message }
	}
	if err != nil || json.Unmarshal(held.Body, &sent) != nil || len(sent.Data.Items) == 0 {
		return held, away
	}
	code := sixDigits.FindString(sent.Data.Items[0].Text)
	return c.send(called{school: s, signIn: true, refusals: []int{400}}, nobody, "POST", "/parent/user-auth/verify-otp",
		map[string]any{"phone": phone, "otp": code}, "")
}
