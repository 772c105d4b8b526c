package traces

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// commands makes a span of every call to Redis. Keys have phones and e-mails in them, so
// only the command's name is recorded. Calls of several requests that travel together are
// under one of these.
type commands struct{ tracer trace.Tracer }

// DialHook leaves dialling alone.
func (c commands) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook follows one command.
func (c commands) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if !under(ctx) {
			return next(ctx, cmd)
		}
		ctx, span := c.begin(ctx, cmd.Name(), 1)
		err := next(ctx, cmd)
		endCall(span, err)
		return err
	}
}

// ProcessPipelineHook follows several that travel together.
func (c commands) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if !under(ctx) || len(cmds) == 0 {
			return next(ctx, cmds)
		}
		ctx, span := c.begin(ctx, cmds[0].Name(), len(cmds))
		err := next(ctx, cmds)
		endCall(span, err)
		return err
	}
}

func (c commands) begin(ctx context.Context, name string, n int) (context.Context, trace.Span) {
	return c.tracer.Start(ctx, "redis "+name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("db.system.name", "redis"), attribute.String("db.operation.name", name), attribute.Int("db.operation.batch.size", n)))
}

func endCall(span trace.Span, err error) {
	if err != nil && !errors.Is(err, redis.Nil) && !redis.HasErrorPrefix(err, "NOSCRIPT") {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}
