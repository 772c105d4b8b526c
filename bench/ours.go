package main

import (
	"context"
	"log/slog"
	"os"

	"homeroom/cmd/service"
)

// hashWorker is what this program is called with to be the hash worker of a server.
const hashWorker = "hash-worker"

// serveOurs is `homeroom serve` with the benchmark's rows: background work, metrics
// and a log line per request included.
func serveOurs(ctx context.Context, s childSettings, ready func(address string)) error {
	c, err := configuration(s.Database, s.Redis)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	o := service.Options{Log: nowhere(), HashCommand: []string{self, hashWorker}}
	if !s.Product {
		o.Migrations, o.ExtraRows = schoolMigrations(s.Added), studentRows()
	}
	served, err := service.New(ctx, c, o)
	if err != nil {
		return err
	}
	defer served.Close()
	if err := served.Prepare(ctx); err != nil {
		return err
	}
	return served.Run(ctx, ready)
}

// nowhere takes every log line as a terminal would, written and all.
func nowhere() *slog.Logger {
	file, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewJSONHandler(file, nil))
}
