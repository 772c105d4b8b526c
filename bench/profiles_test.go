package main

import (
	"maps"
	"testing"
)

func TestTimeIsCountedForTheInnermostWhoIsKnown(t *testing.T) {
	t.Parallel()
	s := spent{owners: map[string]int64{}, ours: map[string]int64{}}
	s.add([]string{"runtime.mallocgc", "homeroom/modules/fee.add[go.shape.struct { homeroom/api.status int }]", "homeroom/api.(*Kernel).run", roots[1], roots[0]}, 1)
	s.add([]string{"syscall.Syscall", "net.(*conn).Write", "github.com/jackc/pgx/v5/pgconn.(*PgConn).flush", "homeroom/tenancy.(*conn).ExecContext", roots[1]}, 2)
	s.add([]string{"syscall.Syscall", "bufio.(*Writer).Flush", roots[0]}, 4)
	s.add([]string{"runtime.scanobject", "runtime.gcDrain", "runtime.gcBgMarkWorker"}, 8)
	s.add([]string{"syscall.Syscall", "homeroom/bench.(*load).ask"}, 16)
	if want := map[string]int64{"ours": 1, "Postgres: pgx": 2, "HTTP": 4}; !maps.Equal(s.owners, want) {
		t.Errorf("%v", s.owners)
	}
	if want := map[string]int64{"modules/fee": 1}; !maps.Equal(s.ours, want) || s.calls != 7 || s.collecting != 8 {
		t.Errorf("%v, %d of calls, %d of the collector", s.ours, s.calls, s.collecting)
	}
}
