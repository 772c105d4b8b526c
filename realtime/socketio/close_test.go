package socketio

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"homeroom/testkit/wait"
)

func TestAClosedServerSendsItsClientsElsewhere(t *testing.T) {
	t.Parallel()
	f := serve(t)
	c := f.connected(4, "anna")
	query := f.polling(4, "&token=ben")
	f.post(query, "40")
	f.get(query)
	f.until("both are there", func() bool { return len(f.sockets) == 2 })
	got := make(chan string)
	go func() { got <- f.get(query) }()
	wait.Eventually(t, "the GET waits", func() bool {
		waiting := false
		f.each(func(s *session) { waiting = waiting || s.isWaiting() })
		return waiting
	})
	closed := make(chan error)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), wait.Limit)
		defer cancel()
		closed <- f.Close(ctx)
	}()
	c.expectClose(codeGoingAway) // and no 41, after which a client would stay away
	if text := <-got; text != "1" {
		t.Errorf("%q", text)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	f.until("both are gone", func() bool { return len(f.ended) == 2 })
	for id, reason := range f.ended {
		if reason != "server shutting down" {
			t.Error(id, reason)
		}
		f.sockets[id].Join("room") // and the rest: nothing, and no panic
		f.sockets[id].Disconnect()
		_ = f.sockets[id].Emit("x")
	}
	_ = f.To("room").Emit("x")
	if status, _, _ := f.ask("GET", "EIO=4&transport=polling", ""); status != 503 {
		t.Error(status)
	}
	if err := f.Close(context.Background()); err != nil {
		t.Error("a second time:", err)
	}
}

func TestClosingDoesNotWaitForTheStalled(t *testing.T) {
	t.Parallel()
	f := serve(t)
	c := f.connected(4, "anna")
	stall(t, c, f.only())
	_, _ = f.websocket("EIO=4&transport=websocket") // never connects, never hangs up
	f.polling(4, "")                                // never polls again
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := f.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	f.endedAs("server shutting down")
	wait.Eventually(t, "nothing is left", func() bool { return f.Counts().Sessions == 0 })
}

// What Authenticate counted must be counted off again, whenever the session ends.
func TestConnect_SessionEndsMeanwhile_UserIsConnectedAndDisconnected(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}), make(chan struct{})
	f := serve(t, func(o *Options) {
		o.Authenticate = func(*http.Request, json.RawMessage) (any, *Refusal) {
			close(asked)
			<-answer
			return "anna", nil
		}
	})
	c, _ := f.websocket("EIO=4&transport=websocket")
	c.send("40")
	<-asked
	f.each(func(s *session) { s.drop() })
	close(answer)
	f.until("the user was connected and disconnected", func() bool { return len(f.sockets) == 1 && len(f.ended) == 1 })
	wait.Eventually(t, "nothing is left", func() bool { return f.Counts().Sockets == 0 && f.Counts().Sessions == 0 })
}
