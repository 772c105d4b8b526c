package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/localstack"
	"homeroom/migrations"
)

// servers are the Postgres and the Redis everything is measured on.
type servers struct {
	postgres string
	redis    string
	stack    *localstack.Stack // nil: they are somebody else's
}

// bench is one run.
type bench struct {
	settings
	servers
	report *report
	fleet  *fleet  // made when a part asks for it
	others float64 // processes that wanted a core before it began
}

func (b *bench) close() {
	if b.fleet != nil {
		b.fleet.service.Close()
	}
}

func startServers(ctx context.Context, s settings) (servers, func(), error) {
	given := servers{postgres: os.Getenv("DATABASE_URL"), redis: os.Getenv("REDIS_URL")}
	if given.postgres != "" && given.redis != "" {
		return given, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "homeroom-bench-")
	if err != nil {
		return given, nil, err
	}
	// As root the servers run as somebody else, who must be able to get in.
	if err := os.Chmod(dir, 0o755); err != nil {
		return given, nil, err
	}
	stack, err := localstack.Start(ctx, localstack.Options{
		Dir: filepath.Join(dir, "servers"), Postgres: []string{"main"}, Redis: true, Durable: s.durable, MaxConnections: 300,
		Log: func(format string, args ...any) { say(format, args...) },
	})
	if err != nil {
		return given, nil, errors.Join(err, os.RemoveAll(dir))
	}
	stop := func() {
		if err := errors.Join(stack.Stop(), os.RemoveAll(dir)); err != nil {
			say("stopping the servers: %v", err)
		}
	}
	return servers{postgres: stack.PostgresURL("main"), redis: stack.RedisURL(), stack: stack}, stop, nil
}

// database makes a database if it is not there, and returns its address.
func (s servers) database(ctx context.Context, name string) (string, error) {
	u, err := url.Parse(s.postgres)
	if err != nil {
		return "", err
	}
	conn, err := pgx.Connect(ctx, s.postgres)
	if err != nil {
		return "", err
	}
	defer closeConn(conn)
	_, err = conn.Exec(ctx, `create database "`+name+`"`)
	var pg *pgconn.PgError
	if err != nil && (!errors.As(err, &pg) || pg.Code != "42P04") { // it is there
		return "", fmt.Errorf("making database %s: %w", name, err)
	}
	u.Path = "/" + name
	return u.String(), nil
}

// dropDatabase removes one that another run may have left.
func (s servers) dropDatabase(ctx context.Context, name string) error {
	conn, err := pgx.Connect(ctx, s.postgres)
	if err != nil {
		return err
	}
	defer closeConn(conn)
	_, err = conn.Exec(ctx, `drop database if exists "`+name+`" with (force)`)
	return err
}

func closeConn(conn *pgx.Conn) { _ = conn.Close(context.Background()) }

// configuration is that of `homeroom serve` but for limits that are counted and
// never reached.
func configuration(database, redis string) (config.Config, error) {
	never := "1000000000-M"
	return config.Load(config.Local, map[string]string{
		"DATABASE_URL": database, "REDIS_URL": redis, "PORT": "0", "HOMEROOM_SPARES": "0",
		"HOMEROOM_LIMIT_AUTH": never, "HOMEROOM_LIMIT_READ": never, "HOMEROOM_LIMIT_WRITE": never, "HOMEROOM_LIMIT_RIDE": never,
		"HOMEROOM_LIMIT_LIVE": never,
	})
}

// open puts a service together on a database and prepares it. Nothing runs in its
// background, and a requested school is on no queue.
func open(ctx context.Context, c config.Config, ms []migrations.Migration) (*service.Service, error) {
	s, err := service.New(ctx, c, service.Options{Migrations: slices.Clone(ms), ExtraRows: slices.Concat(studentRows(), dashboardRows()),
		PositionsPerSecond: 1_000_000, NoFirstYear: true})
	if err != nil {
		return nil, err
	}
	s.Provisioner.Enqueue = nil
	if err := s.Prepare(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}
