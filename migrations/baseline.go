package migrations

import (
	"slices"
	"sync"
)

// A baseline makes in one script what the first migrations of a school make one after another, for less than half of the
// server's time: each table once, whole. A new school is made by it and by the migrations after it; one that exists is only
// ever migrated. `make baseline` writes it, and a test holds that both ways give the same schema.
var baseline = sync.OnceValue(func() Migration {
	ms, err := load(files, "baseline")
	if err != nil || len(ms) != 1 {
		panic("migrations: want one file in baseline/")
	}
	return ms[0]
})

// ForNew returns what makes a new schema of ms: the baseline in place of the migrations that it stands for, if ms begin with them.
func ForNew(ms []Migration) []Migration {
	b := baseline()
	if len(ms) < b.Version || !slices.Equal(ms[:b.Version], School()[:b.Version]) {
		return ms
	}
	return append([]Migration{b}, ms[b.Version:]...)
}
