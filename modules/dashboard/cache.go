package dashboard

import (
	"sync"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

const (
	// fresh is how old a dashboard may be: a screen that asks every few seconds costs the
	// database little, and nobody sees a figure change late.
	fresh = 5 * time.Second
	// mostKept bounds the memory, some kilobytes a school.
	mostKept = 1000
)

// cache keeps the schools' last dashboards.
type cache struct {
	mu   sync.Mutex
	kept map[uuid.UUID]Dashboard
}

// get gives a school's dashboard of today, if it is fresh.
func (k *cache) get(school uuid.UUID, today api.Date, now time.Time) (Dashboard, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	d, ok := k.kept[school]
	age := now.Sub(d.AsOf)
	return d, ok && d.Date == today && age >= 0 && age < fresh
}

// put keeps a dashboard. When there are too many, those that are stale go; if none is,
// any does.
func (k *cache) put(school uuid.UUID, d Dashboard) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil {
		k.kept = map[uuid.UUID]Dashboard{}
	}
	if _, known := k.kept[school]; !known && len(k.kept) >= mostKept {
		for id, old := range k.kept {
			if d.AsOf.Sub(old.AsOf) >= fresh {
				delete(k.kept, id)
			}
		}
		for id := range k.kept {
			if len(k.kept) < mostKept {
				break
			}
			delete(k.kept, id)
		}
	}
	k.kept[school] = d
}
