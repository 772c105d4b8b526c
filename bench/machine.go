package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"homeroom/config"
)

// describe says on what, when and how it was measured.
func describe(ctx context.Context, b *bench) string {
	var s strings.Builder
	fmt.Fprintf(&s, "Measured on %s: %s, %d cores, %s/%s; %s, Postgres %s, Redis %s.\n",
		time.Now().UTC().Format(time.DateOnly), processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH,
		runtime.Version(), postgresVersion(ctx, b.postgres), redisVersion(ctx, b.redis))
	if b.others > float64(runtime.NumCPU())/2 {
		fmt.Fprintf(&s,
			"**The machine was not its own**: %.1f other processes wanted its cores when this began. Believe the processor times, not the paces.\n",
			b.others)
	}
	fmt.Fprintf(&s, "Repeat with `make bench`, or a part of it with `go -C bench run . -only %s`.\n\n", parts[1].name)
	fmt.Fprintf(&s,
		`Every ratio is the median of %d rounds, and both sides of it ran on the same servers, one after the other, %d s each, over
%d connections. Load, server, Redis and Postgres share the machine's cores, and so do pgbench and Postgres. Ratios of
pace are ours / limit, of durations limit / ours, unless the line says otherwise.
`, b.rounds, b.seconds, b.clients)
	return s.String()
}

// loadAverage is how many processes want a core; 0 where nobody says.
func loadAverage() (load float64) {
	text, _ := os.ReadFile("/proc/loadavg")
	_, _ = fmt.Sscan(string(text), &load)
	return load
}

func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	if m := regexp.MustCompile(`model name\s*: (.*)`).FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return "unknown processor"
}

func postgresVersion(ctx context.Context, url string) (version string) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return "?"
	}
	defer closeConn(conn)
	var fsync string
	if conn.QueryRow(ctx, `select split_part(current_setting('server_version'), ' ', 1), current_setting('fsync')`).Scan(&version,
		&fsync) != nil {
		return "?"
	}
	return version + " (fsync " + fsync + ")"
}

func redisVersion(ctx context.Context, url string) string {
	o, err := config.RedisOptions(url)
	if err != nil {
		return "?"
	}
	client := redis.NewUniversalClient(o)
	defer client.Close()
	text, _ := client.Info(ctx, "server").Result()
	if m := regexp.MustCompile(`redis_version:(\S+)`).FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return "?"
}
