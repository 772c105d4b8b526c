package api

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
)

// refuse answers with an error. What went wrong on our side is logged once, here.
func (k *Kernel) refuse(g *gin.Context, rq *request, err error) {
	e := k.explain(err)
	if !rq.limited && e.Status != 429 && e.Status < 500 {
		// An unknown caller is counted by address, so that tokens and paths cannot be guessed at
		// will. A token that has expired is no guess: it counts for its session, so that a school
		// whose tokens expire in the same minute gets 401, not 429.
		caller := addressCaller(rq)
		if rq.expired != uuid.Nil {
			caller = "session " + rq.expired.String()
		}
		if limitErr := k.limit(g.Request.Context(), g, rq, LimitRead, caller); limitErr != nil {
			e = k.explain(limitErr)
		}
	}
	if e.Status >= 500 {
		k.Log.LogAttrs(g.Request.Context(), slog.LevelError, "request failed",
			rq.named(slog.Int("status", e.Status), slog.String("error", causeOf(e)))...)
	}
	writeError(g, rq, e)
}

// writeError writes the spec's error body, or that of the row's form.
func writeError(g *gin.Context, rq *request, e *Error) {
	e = e.bounded(catalogueFor(g.GetHeader("Accept-Language")))
	if e.RetryAfter > 0 {
		g.Header("Retry-After", fmt.Sprint(max(1, int((e.RetryAfter+time.Second-1)/time.Second))))
	}
	g.Abort()
	if rq.row != nil && rq.row.Form != nil {
		rq.row.Form.refuse(g, e)
		return
	}
	g.JSON(e.Status, e.Body())
}

func causeOf(e *Error) string {
	if cause := errors.Unwrap(e); cause != nil {
		return cause.Error()
	}
	return e.Message
}
