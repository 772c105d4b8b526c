package service

import (
	"context"
	"log/slog"
	"strings"
)

// warnings passes on what is worth somebody's attention: the job queue's own chatter
// is not, nor that its work was cut short by a stop.
type warnings struct{ slog.Handler }

func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

func (w warnings) Handle(ctx context.Context, r slog.Record) error {
	stopped := strings.HasPrefix(r.Message, "Client: Soft stop timeout") // what it cancels is put back
	r.Attrs(func(a slog.Attr) bool {
		stopped = stopped || strings.HasPrefix(a.Key, "err") && strings.HasSuffix(a.Value.String(), context.Canceled.Error())
		return !stopped
	})
	if stopped {
		return nil
	}
	return w.Handler.Handle(ctx, r)
}

func (w warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{w.Handler.WithAttrs(attrs)}
}

func (w warnings) WithGroup(name string) slog.Handler { return warnings{w.Handler.WithGroup(name)} }
