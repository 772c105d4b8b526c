//go:build unix

package localstack

import (
	"crypto/rand"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// mini stands in for Redis in `homeroom local` on a machine without one.
type mini struct {
	server   *miniredis.Miniredis
	password string
	done     chan struct{}
}

func (m *mini) start(say func(string, ...any)) error {
	m.server, m.password, m.done = miniredis.NewMiniRedis(), rand.Text(), make(chan struct{})
	m.server.RequireAuth(m.password)
	if err := m.server.StartAddr("127.0.0.1:0"); err != nil {
		return err
	}
	go m.tick()
	say("no redis-server found: an in-process stand-in is used, and forgets everything at the end")
	return nil
}

// tick is the stand-in's clock: without it nothing in there ever expires.
func (m *mini) tick() {
	last := time.Now()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-m.done:
			return
		case now := <-ticker.C:
			m.server.FastForward(now.Sub(last))
			last = now
		}
	}
}

func (m *mini) url() string { return redisURL(m.server.Addr(), m.password) }

func (m *mini) stop() error {
	if m.server != nil {
		close(m.done)
		m.server.Close()
	}
	return nil
}
