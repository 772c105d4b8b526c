// Package traces follows single requests through the service and its servers, for those
// who run it: a span for the request, and under it one for every round trip to Postgres
// and Redis. Spans go to a collector by OTLP. Where no collector is named there is no
// tracer, no hook and no cost; and what is not sampled is asked about and left alone. No
// span says who called or what they sent.
package traces

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"homeroom/version"
)

// closeTime is how long spans that are left may take to be sent when the service is closed.
const closeTime = 2 * time.Second

// Tracing is a tracer and who its spans are sent to. A nil one traces nothing.
type Tracing struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// OpenExporter opens the client of a collector; see package otlp.
type OpenExporter func(ctx context.Context, collector string) (sdktrace.SpanExporter, error)

// Open makes the tracer; without a collector's address there is none. Nothing is dialled,
// and a collector that is away costs nobody anything: what does not fit into the queue
// is dropped. Of requests that no trusted proxy decided about, the ratio is sampled.
// A nil open is a build that has no client of collectors: an address is then an error.
func Open(ctx context.Context, collector string, ratio float64, open OpenExporter, log *slog.Logger) (*Tracing, error) {
	if collector == "" {
		return nil, nil
	}
	if open == nil {
		return nil, errors.New("OTEL_EXPORTER_OTLP_ENDPOINT: this build sends no traces: use the one of make build")
	}
	exporter, err := open(ctx, collector)
	if err != nil {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT: %w", err)
	}
	what, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "homeroom"), attribute.String("service.version", version.Get().Version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	// It would write past our log.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces were not taken", "error", err) }))
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(exporter), sdktrace.WithResource(what),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(ratio))))
	return &Tracing{provider: provider, tracer: provider.Tracer("homeroom")}, nil
}

// Tracer starts the spans of requests; nil when nobody traces.
func (t *Tracing) Tracer() trace.Tracer {
	if t == nil {
		return nil
	}
	return t.tracer
}

// Postgres hears of statements; nil when nobody traces.
func (t *Tracing) Postgres() pgx.QueryTracer {
	if t == nil {
		return nil
	}
	return statements{t.tracer}
}

// Redis is a hook of the client.
func (t *Tracing) Redis() redis.Hook { return commands{t.tracer} }

// Flush sends what is left.
func (t *Tracing) Flush(ctx context.Context) {
	if t != nil {
		_ = t.provider.ForceFlush(ctx) // the handler of errors says so
	}
}

// Close sends what is left, for a moment, and ends.
func (t *Tracing) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	_ = t.provider.Shutdown(ctx)
}

// under says whether there is a request that is followed: what runs by itself is not.
func under(ctx context.Context) bool { return trace.SpanFromContext(ctx).IsRecording() }
