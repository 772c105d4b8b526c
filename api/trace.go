package api

import (
	"net/netip"
	"strings"

	"github.com/gin-gonic/gin"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// networks reads the trusted proxies; what is none of them was refused with the routes.
func networks(proxies []string) []netip.Prefix {
	var out []netip.Prefix
	for _, text := range proxies {
		text = strings.TrimSpace(text)
		if network, err := netip.ParsePrefix(text); err == nil {
			out = append(out, network.Masked())
		} else if address, err := netip.ParseAddr(text); err == nil {
			out = append(out, netip.PrefixFrom(address, address.BitLen()))
		}
	}
	return out
}

// fromProxy reports whether the call came through a trusted proxy. Any other client could have
// all its calls traced, or put them into another's trace.
func (k *Kernel) fromProxy(g *gin.Context) bool {
	address, err := netip.ParseAddr(g.RemoteIP())
	if err != nil {
		return false
	}
	for _, network := range k.proxies {
		if network.Contains(address.Unmap()) {
			return true
		}
	}
	return false
}

// traced answers a request under a span of its own. What is done for the request is under
// it too, since it is in the request's context.
func (k *Kernel) traced(g *gin.Context, row *Row, rq *request) {
	span := k.startSpan(g, row, rq)
	answered := false // stays so when the handler panics
	defer func() {
		finish(span, g, rq, answered)
		span.End()
	}()
	k.answer(g, row, rq)
	answered = true
}

// startSpan starts the span, named by the row: a path has ids in it.
func (k *Kernel) startSpan(g *gin.Context, row *Row, rq *request) trace.Span {
	ctx := g.Request.Context()
	if k.fromProxy(g) {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(g.Request.Header))
	}
	ctx, span := k.Tracer.Start(ctx, row.Name(), trace.WithSpanKind(trace.SpanKindServer))
	g.Request = g.Request.WithContext(ctx)
	if span.IsRecording() {
		rq.trace = span.SpanContext().TraceID().String()
	}
	return span
}

// finish says how the call went. Nothing in it says who called: the log has that, under
// the request's id.
func finish(span trace.Span, g *gin.Context, rq *request, answered bool) {
	if !span.IsRecording() {
		return
	}
	status := g.Writer.Status()
	if !answered {
		status = 500
	}
	span.SetAttributes(
		attribute.String("http.request.method", rq.row.Method), attribute.String("http.route", rq.row.Path),
		attribute.Int("http.response.status_code", status), attribute.String("homeroom.request_id", rq.id),
	)
	if rq.user.Role != "" {
		span.SetAttributes(attribute.String("homeroom.role", string(rq.user.Role)))
	}
	if rq.school != nil {
		span.SetAttributes(attribute.String("homeroom.school_id", rq.school.ID.String()))
	}
	if status >= 500 {
		span.SetStatus(codes.Error, "")
	}
}
