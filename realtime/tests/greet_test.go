package realtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/realtime"
	"homeroom/realtime/ioclient"
)

func TestJoin_WhileABusMoves_NoOlderPositionAfterANewer(t *testing.T) {
	t.Parallel()
	school, bus, began := uuid.New(), uuid.New(), time.Now()
	at := func(n int) time.Time { return began.Add(time.Duration(n) * time.Second) }
	where := func(n int) json.RawMessage { return json.RawMessage(fmt.Sprintf(`{"lat": %d}`, n)) }
	asked, known := make(chan struct{}), make(chan struct{})
	hub := realtime.New(realtime.Parts{
		Identify: func(context.Context, string) (realtime.Person, error) {
			return realtime.Person{SchoolID: school, Until: began.Add(time.Hour)}, nil
		},
		SightOf: func(context.Context, realtime.Person, uuid.UUID) (realtime.Sight, error) {
			return realtime.Sight{Staff: true}, nil
		},
		ReadBus: func(context.Context, uuid.UUID, uuid.UUID) (realtime.BusState, error) {
			asked <- struct{}{}
			<-known
			return realtime.BusState{Location: where(1), At: at(1)}, nil // an older position
		},
		Explain: func(err error) realtime.Refusal {
			return realtime.Refusal{StatusCode: 500, Message: err.Error()}
		},
		Clock: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { hub.Serve(w, r, "test") }))
	t.Cleanup(server.Close)
	client, err := ioclient.Dial(t.Context(), server.URL, "token")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	joined := make(chan struct{})
	go func() {
		defer close(joined)
		must(t, client, "join-bus-room", map[string]any{"schoolId": school, "busId": bus})
	}()
	<-asked
	move := func(n int) {
		hub.Move(school, bus, at(n), func(emit func(event, key string, data any)) any {
			emit("location", "location", where(n))
			return nil
		})
	}
	move(2)
	close(known)
	<-joined
	move(3)
	for last := 0.0; last < 3; {
		s := hears(t, client, "location", anything)
		if s.Lat < last {
			t.Fatalf("the marker jumped from %v back to %v", last, s.Lat)
		}
		last = s.Lat
	}
}
