package dashboard

import (
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"homeroom/api"
)

const (
	// fresh is how old a dashboard may be: a screen that asks every few seconds costs the
	// database little, and nobody sees a figure change late.
	fresh = 5 * time.Second
	// maxCached bounds the memory, some kilobytes a school.
	maxCached = 1000
)

// cache has the schools' last dashboards.
type cache struct {
	schools *lru.Cache[uuid.UUID, Dashboard]
}

func newCache() cache {
	schools, err := lru.New[uuid.UUID, Dashboard](maxCached)
	if err != nil {
		panic(err) // for a size below one
	}
	return cache{schools}
}

// get returns a school's dashboard of today, if it is fresh.
func (k cache) get(school uuid.UUID, today api.Date, now time.Time) (Dashboard, bool) {
	d, ok := k.schools.Get(school)
	age := now.Sub(d.AsOf)
	return d, ok && d.Date == today && age >= 0 && age < fresh
}
