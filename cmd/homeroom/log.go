package main

import (
	"io"
	"log/slog"
	"time"

	"homeroom/config"
)

// newLog writes JSON for machines in production, lines for people in the local profile.
func newLog(w io.Writer, c config.Config) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // checked with the configuration
	o := &slog.HandlerOptions{Level: level}
	if c.Profile != config.Local {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	o.ReplaceAttr = func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && a.Key == slog.TimeKey {
			return slog.String(a.Key, a.Value.Time().Format(time.TimeOnly))
		}
		if err, ok := a.Value.Any().(error); ok {
			return slog.String(a.Key, err.Error()) // of some errors a line would have all the stack
		}
		return a
	}
	return slog.New(slog.NewTextHandler(w, o))
}
