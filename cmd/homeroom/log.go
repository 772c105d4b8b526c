package main

import (
	"log/slog"
	"os"
	"time"

	"homeroom/config"
)

// newLog writes to standard error: JSON for machines in production, lines for people
// in the local profile.
func newLog(c config.Config) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // checked with the configuration
	o := &slog.HandlerOptions{Level: level}
	if c.Profile != config.Local {
		return slog.New(slog.NewJSONHandler(os.Stderr, o))
	}
	o.ReplaceAttr = func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && a.Key == slog.TimeKey {
			return slog.String(a.Key, a.Value.Time().Format(time.TimeOnly))
		}
		return a
	}
	return slog.New(slog.NewTextHandler(os.Stderr, o))
}
