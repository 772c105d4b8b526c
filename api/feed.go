package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
)

const (
	// feedTimeout is how long one feed goes on at the most; who wants more asks again.
	feedTimeout = 5 * time.Minute
	// feedQuiet is how long a feed may say nothing before it says that it is there:
	// proxies cut connections that are silent.
	feedQuiet = 15 * time.Second
	// feedLast is how long a feed that a stopping service was asked for has for its first
	// word, which is its last: better than an error to somebody who will ask again.
	feedLast = time.Second
	feedType = "text/event-stream"
)

// Feed is an answer that goes on: something is told each time it changes, as
// server-sent events. Run ends when there is nothing more to tell, or with its context:
// when the caller hangs up or signs out, or the service stops.
type Feed[V any] struct {
	Run func(ctx context.Context, tell func(V) error) error
}

// stopping says whether the service takes its leave.
func (k *Kernel) stopping() bool {
	select {
	case <-k.Stopping:
		return true
	default:
		return false
	}
}

// feeder is a Feed of whatever type.
type feeder interface {
	run(ctx context.Context, tell func(any) error) error
	event() reflect.Type
}

func (f Feed[V]) run(ctx context.Context, tell func(any) error) error {
	return f.Run(ctx, func(v V) error { return tell(v) })
}

func (Feed[V]) event() reflect.Type { return reflect.TypeFor[V]() }

// FeedOf is the event that rows answering t send, if t is a Feed.
func FeedOf(t reflect.Type) (event reflect.Type, feed bool) {
	if f, ok := reflect.Zero(t).Interface().(feeder); ok {
		return f.event(), true
	}
	return nil, false
}

// PlatformFeed declares a feed for the cross-school administrator.
func PlatformFeed[Req, V any](path, summary string, h func(PlatformCtx, Req) (Feed[V], error), opts ...Option) Row {
	r := PlatformRow("GET", path, summary, Read, 200, h, opts...)
	r.Timeout = feedTimeout
	return r
}

// sendFeed runs the feed until it ends. Its error is one that came before the first
// word; later ones end the connection, and whoever listens asks again.
func (k *Kernel) sendFeed(ctx context.Context, g *gin.Context, rq *request, f feeder) error {
	// Unlike other work a feed is of no use to somebody who is gone.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(g.Request.Context(), cancel)()
	w := &feedWriter{g: g, rq: rq}
	var quiet sync.WaitGroup
	quiet.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-k.Stopping:
				w.lastWord(ctx)
				cancel()
				return
			case <-time.After(feedQuiet):
				if w.write(": here\n\n", false) != nil {
					cancel()
				}
			}
		}
	})
	token := bearer(g)
	err := f.run(ctx, func(v any) error {
		// Whoever was signed out meanwhile is told nothing more.
		if _, err := k.Authenticator.Authenticate(ctx, token); err != nil {
			return err
		}
		text, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("writing an event of %s: %w", rq.row.Name(), err)
		}
		if err := w.write("data: "+string(text)+"\n\n", true); err != nil {
			return err
		}
		if k.stopping() {
			cancel()
		}
		return nil
	})
	ended := ctx.Err() != nil
	cancel()
	quiet.Wait()
	switch {
	case err != nil && !rq.fed:
		return err
	case err != nil && !ended && k.explain(err).Status >= 500:
		k.Log.Error("a feed ended early", "requestId", rq.id, "error", err)
	case !rq.fed:
		w.begin() // nothing to tell is an answer too
	}
	return nil
}

// feedWriter sends the headers with the first event; before it there is no word at all.
type feedWriter struct {
	mu sync.Mutex
	g  *gin.Context
	rq *request
}

func (w *feedWriter) begin() {
	w.rq.fed = true
	w.g.Header("Content-Type", feedType)
	w.g.Header("X-Accel-Buffering", "no") // a proxy that collects it would hold it back
	w.g.Status(http.StatusOK)
	w.g.Writer.WriteHeaderNow()
}

// lastWord waits until there was a word, though not for long.
func (w *feedWriter) lastWord(ctx context.Context) {
	w.mu.Lock()
	begun := w.rq.fed
	w.mu.Unlock()
	if begun {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(feedLast):
	}
}

func (w *feedWriter) write(text string, first bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.rq.fed {
		if !first {
			return nil
		}
		w.begin()
	}
	if _, err := w.g.Writer.WriteString(text); err != nil {
		return err
	}
	w.g.Writer.Flush()
	return nil
}
