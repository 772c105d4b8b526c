package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// tree is a process whose children's time counts as its own: Postgres with its
// backends. On a busy machine time per request is steadier than requests per time.
type tree struct{ pid int }

// postgresTree finds the server's first process; nil where there is no /proc.
func postgresTree(ctx context.Context, url string) *tree {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil
	}
	defer closeConn(conn)
	var backend int
	if err := conn.QueryRow(ctx, `select pg_backend_pid()`).Scan(&backend); err != nil {
		return nil
	}
	if s := readStat(backend); s != nil {
		return &tree{pid: s.parent}
	}
	return nil
}

func (t *tree) cpu() time.Duration {
	if t == nil {
		return 0
	}
	var all time.Duration
	found, _ := filepath.Glob("/proc/[0-9]*")
	for _, path := range found {
		pid, _ := strconv.Atoi(filepath.Base(path))
		switch s := readStat(pid); {
		case s == nil:
		case pid == t.pid:
			all += s.own + s.ended
		case s.parent == t.pid:
			all += s.own
		}
	}
	return all
}

// processCPU is the time one process has had.
func processCPU(pid int) time.Duration {
	if s := readStat(pid); s != nil {
		return s.own
	}
	return 0
}

type stat struct {
	parent int
	own    time.Duration
	ended  time.Duration // of children that are gone
}

// tick is the unit of /proc, the same on every Linux a Go program meets.
const tick = 10 * time.Millisecond

func readStat(pid int) *stat {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(text), ") ") // the name may hold spaces
	f := strings.Fields(rest)
	if len(f) < 15 {
		return nil
	}
	ticks := func(i int) time.Duration {
		n, _ := strconv.ParseInt(f[i], 10, 64)
		return time.Duration(n) * tick
	}
	parent, _ := strconv.Atoi(f[1])
	return &stat{parent: parent, own: ticks(11) + ticks(12), ended: ticks(13) + ticks(14)}
}
