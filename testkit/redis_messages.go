package testkit

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"
)

// RedisMessages are the messages that instances sent each other through Redis.
type RedisMessages struct {
	mu   sync.Mutex
	said []string
}

// WatchRedis subscribes until the test ends.
func WatchRedis(t testing.TB, redisURL string) *RedisMessages {
	t.Helper()
	options, err := redis.ParseURL(redisURL)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	subscription := client.PSubscribe(t.Context(), "*")
	if _, err := subscription.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = subscription.Close(), client.Close() })
	heard := &RedisMessages{}
	go func() {
		for m := range subscription.Channel() {
			heard.mu.Lock()
			heard.said = append(heard.said, m.Payload)
			heard.mu.Unlock()
		}
	}()
	return heard
}

// Has waits for a message that contains the words.
func (o *RedisMessages) Has(t testing.TB, words string) {
	t.Helper()
	Eventually(t, "an instance says "+words, func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return slices.ContainsFunc(o.said, func(said string) bool { return strings.Contains(said, words) })
	})
}
