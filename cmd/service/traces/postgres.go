package traces

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// statements makes a span of every round trip to Postgres. Of a statement its text is
// told, with what is quoted in it taken out; never its arguments, nor what came back.
type statements struct{ tracer trace.Tracer }

var (
	_ pgx.QueryTracer    = statements{}
	_ pgx.BatchTracer    = statements{}
	_ pgx.CopyFromTracer = statements{}
	_ pgx.ConnectTracer  = statements{}
)

// textMost is how much of a statement is recorded.
const textMost = 1000

func (s statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if !under(ctx) {
		return ctx
	}
	return s.begin(ctx, verb(data.SQL), attribute.String("db.query.text", plain(data.SQL)))
}

func (s statements) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	end(ctx, data.Err)
}

// TraceBatchStart is a pipeline: what binds it to a school is not told.
func (s statements) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	if !under(ctx) || data.Batch == nil {
		return ctx
	}
	name, n := "begin", 0
	var text strings.Builder
	for _, q := range data.Batch.QueuedQueries {
		if binds(q.SQL) {
			continue
		}
		if n++; n == 1 {
			name = verb(q.SQL)
		} else {
			text.WriteString("; ")
		}
		if text.Len() < textMost {
			text.WriteString(plain(q.SQL))
		}
	}
	return s.begin(ctx, name, attribute.String("db.query.text", text.String()), attribute.Int("db.operation.batch.size", n))
}

// binds says whether a statement of a pipeline only says whose it is.
func binds(sql string) bool { return sql == "begin" || strings.HasPrefix(sql, "select set_config(") }

func (s statements) TraceBatchQuery(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	if data.Err != nil {
		fail(trace.SpanFromContext(ctx), data.Err)
	}
}

func (s statements) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchEndData) {
	end(ctx, data.Err)
}

func (s statements) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceCopyFromStartData) context.Context {
	if !under(ctx) {
		return ctx
	}
	return s.begin(ctx, "copy", attribute.String("db.collection.name", strings.Join(data.TableName, ".")))
}

func (s statements) TraceCopyFromEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceCopyFromEndData) {
	end(ctx, data.Err)
}

// TraceConnectStart is a request that has to wait for a connection to be made.
func (s statements) TraceConnectStart(ctx context.Context, _ pgx.TraceConnectStartData) context.Context {
	if !under(ctx) {
		return ctx
	}
	return s.begin(ctx, "connect")
}

func (s statements) TraceConnectEnd(ctx context.Context, data pgx.TraceConnectEndData) {
	end(ctx, data.Err)
}

func (s statements) begin(ctx context.Context, name string, attributes ...attribute.KeyValue) context.Context {
	ctx, _ = s.tracer.Start(ctx, "postgres "+name, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(append(attributes, attribute.String("db.system.name", "postgresql"),
			attribute.String("db.operation.name", name))...))
	return ctx
}

// end ends the span that was begun; where none was, the context has none that records.
func end(ctx context.Context, err error) {
	span := trace.SpanFromContext(ctx)
	if err != nil {
		fail(span, err)
	}
	span.End()
}

// fail tells the code of Postgres and nothing else: its words quote what was sent.
func fail(span trace.Span, err error) {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		span.SetAttributes(attribute.String("db.response.status_code", pg.Code))
	}
	span.SetStatus(codes.Error, "")
}

// verb is the first word of a statement.
func verb(sql string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(sql), " ")
	if word, _, _ = strings.Cut(word, "\n"); len(word) > 20 {
		return "statement"
	}
	return strings.ToLower(word)
}

// plain is a statement in one line, without what is quoted in it and not too long.
func plain(sql string) string {
	var out strings.Builder
	quoted, space := false, false
	for _, r := range sql {
		switch {
		case out.Len() >= textMost:
			return out.String() + "…"
		case r == '\'':
			if quoted = !quoted; !quoted {
				out.WriteString("'?'")
			}
			continue
		case quoted:
			continue
		case r == ' ' || r == '\n' || r == '\t':
			space = true
			continue
		}
		if space && out.Len() > 0 {
			out.WriteByte(' ')
		}
		space = false
		out.WriteRune(r)
	}
	return out.String()
}
