// Package otlp sends traces to a collector by OTLP over HTTP. It is apart from traces, since its dependencies (protocol buffers,
// gRPC's types) are much to fetch and to compile, and nobody collects traces on a developer's machine.
package otlp

import (
	"context"
	"strings"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// Open returns an exporter to the collector at the address. It dials nothing.
func Open(ctx context.Context, collector string) (sdktrace.SpanExporter, error) {
	return otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(strings.TrimRight(collector, "/")+"/v1/traces"))
}
