package service_test

import (
	"net/http"
	"os"
	"sync"
	"testing"

	"homeroom/testkit"
)

// dayEnv has the day lived in every form; make faults sets it. Otherwise it is lived once.
const dayEnv = "HOMEROOM_DAY_ALL"

// stage is what a day is lived on: instances that are called by turns, and what breaks
// meanwhile.
type stage struct {
	mu    sync.Mutex
	apps  []*testkit.App // the first is there all day, and is the tests' own way to the databases
	turn  int
	night *night // nil: nothing breaks
}

// wholeDay is the stage of the plain suite: three instances give more than one, in the same time.
func wholeDay(t *testing.T, instances int) *stage {
	t.Helper()
	s := &stage{apps: []*testkit.App{testkit.Shared(t)}}
	for range instances - 1 {
		s.apps = append(s.apps, testkit.Start(t))
	}
	return s
}

func TestADayAtSchool(t *testing.T) {
	t.Parallel()
	if os.Getenv(dayEnv) == "" {
		liveDay(t, wholeDay(t, 3))
		return
	}
	t.Run("on one instance", func(t *testing.T) { liveDay(t, wholeDay(t, 1)) })
	t.Run("on three instances", func(t *testing.T) { liveDay(t, wholeDay(t, 3)) })
	t.Run("with the faults of its night", func(t *testing.T) { liveDay(t, brokenDay(t)) })
}

// app is all instances as one.
func (s *stage) app() *testkit.App {
	first := *s.apps[0]
	first.HTTP = &http.Client{Transport: s}
	return &first
}

// next is the instance whose turn it is.
func (s *stage) next() *testkit.App {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn++
	return s.apps[s.turn%len(s.apps)]
}

// RoundTrip makes a client's call to the instance whose turn it is.
func (s *stage) RoundTrip(req *http.Request) (*http.Response, error) {
	if s.night != nil {
		return s.night.call(s, req)
	}
	return s.once(req)
}

func (s *stage) once(req *http.Request) (*http.Response, error) {
	out := req.Clone(req.Context())
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, err
		}
		out.Body = body
	}
	host := s.next().URL[len("http://"):]
	out.URL.Host, out.Host = host, host
	return http.DefaultTransport.RoundTrip(out)
}

// everywhere waits until every instance in turn says so: what one has changed counts on the
// others within a second, not at once.
func (d *day) everywhere(t *testing.T, what string, is func() bool) {
	t.Helper()
	testkit.Eventually(t, what, func() bool {
		for range d.at.apps {
			if !is() {
				return false
			}
		}
		return true
	})
}

// teaches waits until a teacher's assignment to a division counts.
func (d *day) teaches(t *testing.T, teacher *testkit.Client, division string) {
	t.Helper()
	d.everywhere(t, "the assignment counts",
		func() bool { return teacher.Call(t, "GET", "/teacher/class/"+division+"/students", nil).Status == 200 })
}
