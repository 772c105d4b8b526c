package fleet_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"homeroom/fleet"
	"homeroom/realtime/ioclient"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

func dial(t *testing.T, at string, c *testkit.Client) *ioclient.Client {
	t.Helper()
	s, err := ioclient.Dial(t.Context(), at, c.Token)
	if err != nil {
		t.Fatalf("connecting to %s: %v", at, err)
	}
	t.Cleanup(s.Close)
	return s
}

func ask(ctx context.Context, s *ioclient.Client, event string, data any) error {
	ctx, cancel := context.WithTimeout(ctx, wait.Limit)
	defer cancel()
	a, err := s.Call(ctx, event, data)
	if err == nil && !a.OK {
		err = &refusal{a}
	}
	return err
}

type refusal struct{ ioclient.Answer }

func (r *refusal) Error() string { return r.Answer.Error + ": " + r.Message }

// sees says whether the watcher has heard a position by now.
func sees(t *testing.T, s *ioclient.Client) bool {
	t.Helper()
	for {
		select {
		case e := <-s.Events:
			var where struct{ Lat float64 }
			if e.Name == "location" && json.Unmarshal(e.Data, &where) == nil && where.Lat > 12.97 {
				return true
			}
		case <-s.Closed:
			t.Fatalf("the connection ended: %v", s.Err())
		default:
			return false
		}
	}
}

// drives has the driver on one instance, a parent on another, and one more wherever nginx
// sends them.
func (h *house) drives(t *testing.T) {
	s := h.school
	start := "/driver/bus-tracking/trips/" + s.Trip.String() + "/start"
	if a := s.Driver.Call(t, "POST", start, map[string]any{}); a.Status != 200 {
		t.Fatalf("start: %d %s", a.Status, a.Body)
	}
	driver := dial(t, h.Instances[0].URL, s.Driver)
	watchers := []*ioclient.Client{dial(t, h.Instances[1].URL, s.Parents[0]), dial(t, h.Instances[2].URL, s.Parents[1]),
		dial(t, h.URL(), s.Parents[2])}
	for _, w := range watchers {
		if err := ask(t.Context(), w, "join-bus-room", s.Room()); err != nil {
			t.Fatal(err)
		}
	}
	seen := make([]bool, len(watchers))
	testkit.Eventually(t, "all parents see the bus move", func() bool {
		h.metres += 5
		var tooOften *refusal
		if err := ask(t.Context(), driver, "update-location", fleet.At(h.metres)); err != nil && !errors.As(err, &tooOften) {
			t.Fatal(err)
		}
		all := true
		for n, w := range watchers {
			seen[n] = seen[n] || sees(t, w)
			all = all && seen[n]
		}
		return all
	})
}
