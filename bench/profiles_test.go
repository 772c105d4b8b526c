package main

import (
	"maps"
	"testing"
)

func TestTimeIsCountedForTheInnermostWhoIsKnown(t *testing.T) {
	t.Parallel()
	s := spent{owners: map[string]int64{}, ours: map[string]int64{}}
	s.add([]string{"runtime.mallocgc", "homeroom/modules/fee.add[go.shape.struct { homeroom/api.status int }]", "homeroom/api.(*Kernel).run",
		roots[1], roots[0]}, 1)
	s.add([]string{"syscall.Syscall", "net.(*conn).Write", "github.com/jackc/pgx/v5/pgconn.(*PgConn).flush",
		"homeroom/tenancy.(*conn).ExecContext", roots[1]}, 2)
	s.add([]string{"syscall.Syscall", "bufio.(*Writer).Flush", roots[0]}, 4)
	s.add([]string{"syscall.Syscall", "bufio.(*Writer).Flush", "github.com/redis/go-redis/v9/internal/pool.(*Conn).WithWriter",
		"homeroom/api/limit.(*Limits).Count", roots[1]}, 32)
	s.add([]string{"syscall.Syscall", "github.com/jackc/pgx/v5/pgconn.(*PgConn).flush", tells[0]}, 64)
	s.add([]string{"runtime.scanobject", "runtime.gcDrain", "runtime.gcBgMarkWorker"}, 8)
	s.add([]string{"syscall.Syscall", "homeroom/bench.(*load).ask"}, 16)
	if want := map[string]int64{"ours": 1, "Postgres: pgx": 2, "HTTP": 4, "Redis and limits": 32}; !maps.Equal(s.owners, want) {
		t.Errorf("%v", s.owners)
	}
	if want := map[string]int64{"modules/fee": 1}; !maps.Equal(s.ours, want) || s.calls != 39 || s.samples != 4 || s.telling != 64 ||
		s.collecting != 8 {
		t.Errorf("%v, %+v", s.ours, s)
	}
}
