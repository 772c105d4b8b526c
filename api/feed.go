package api

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
)

const (
	// feedTimeout is how long one feed goes on at the most; a client that wants more asks again.
	feedTimeout = 5 * time.Minute
	// feedHeartbeat is how long a feed may be silent before it sends a comment: proxies cut
	// connections that are silent.
	feedHeartbeat = 15 * time.Second
	// feedGrace is how long a feed that a stopping service was asked for has for its first
	// event, which is its last: better than an error to a client that will ask again.
	feedGrace = time.Second
)

// Feed is an answer that goes on: an event is sent each time something changes, as
// server-sent events. Run ends when there is nothing more to send, or with its context:
// when the caller hangs up or signs out, or the service stops.
type Feed[V any] struct {
	Run func(ctx context.Context, send func(V) error) error
}

// PlatformFeed declares a feed for the cross-school administrator.
func PlatformFeed[Req, V any](path, summary string, h func(PlatformCtx, Req) (Feed[V], error), opts ...Option) Row {
	r := PlatformRow("GET", path, summary, Read, 200, h, opts...)
	r.Timeout = feedTimeout
	return r
}

func (f Feed[V]) send(ctx context.Context, g *gin.Context, rq *request) error {
	return rq.kernel.sendFeed(ctx, g, rq, func(ctx context.Context, send func(any) error) error {
		return f.Run(ctx, func(v V) error { return send(v) })
	})
}

func (Feed[V]) answers() Answers { return Answers{Event: reflect.TypeFor[V]()} }

// feedRun is Feed.Run of an event of any type.
type feedRun func(ctx context.Context, send func(any) error) error

// sendFeed runs a feed until it ends. Its error is one that came before the first event; later
// ones end the connection, and the client asks again.
func (k *Kernel) sendFeed(ctx context.Context, g *gin.Context, rq *request, run feedRun) error {
	// Unlike other work a feed is of no use to a client that is gone.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(g.Request.Context(), cancel)()
	w := &feedWriter{rq: rq, lateHead: lateHead{g: g, headers: []string{
		"Content-Type", "text/event-stream", "X-Accel-Buffering", "no", // a proxy that collects it would hold it back
	}}}
	var heartbeat sync.WaitGroup
	heartbeat.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-k.Stopping:
				w.awaitEvent(ctx)
				cancel()
				return
			case <-time.After(feedHeartbeat):
				if w.beat() != nil {
					cancel()
				}
			}
		}
	})
	token := bearer(g)
	err := run(ctx, func(v any) error {
		// A caller who was signed out meanwhile gets no more events.
		if _, err := k.Authenticator.Authenticate(ctx, token); err != nil {
			return err
		}
		text, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("writing an event of %s: %w", rq.row.Name(), err)
		}
		if err := w.event(text); err != nil {
			return err
		}
		select {
		case <-k.Stopping:
			cancel()
		default:
		}
		return nil
	})
	ended := ctx.Err() != nil
	cancel()
	heartbeat.Wait()
	switch {
	case err != nil && !rq.fed:
		return err
	case err != nil && !ended && k.explain(err).Status >= 500:
		k.Log.Error("a feed ended early", "requestId", rq.id, "error", err)
	case !rq.fed:
		w.begin() // nothing to send is an answer too
	}
	return nil
}

// feedWriter sends the head with the first event.
type feedWriter struct {
	mu sync.Mutex
	rq *request
	lateHead
}

func (w *feedWriter) begin() {
	w.rq.fed = true
	w.lateHead.write()
}

func (w *feedWriter) event(text []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin()
	return w.flush("data: " + string(text) + "\n\n")
}

// beat sends a comment, unless there was no event yet.
func (w *feedWriter) beat() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.rq.fed {
		return nil
	}
	return w.flush(": here\n\n")
}

func (w *feedWriter) flush(text string) error {
	_, err := w.g.Writer.WriteString(text)
	if err == nil {
		w.g.Writer.Flush()
	}
	return err
}

// awaitEvent waits until there was an event, though not for long.
func (w *feedWriter) awaitEvent(ctx context.Context) {
	w.mu.Lock()
	begun := w.rq.fed
	w.mu.Unlock()
	if begun {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(feedGrace):
	}
}
