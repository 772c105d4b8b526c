package metrics

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/redis/go-redis/v9"
)

// The kinds of trouble with Redis.
const (
	redisLate    = "late"    // no answer in the time there was
	redisAbsent  = "absent"  // no connection, or it broke
	redisRefused = "refused" // an answer that is an error
)

var redisErrors = []string{redisLate, redisAbsent, redisRefused}

// Redis measures every call; it is a hook of the client.
func (m *Meters) Redis() redis.Hook { return m.redis }

// DialHook leaves dialling alone: a call that finds no connection is counted.
func (m redisMeters) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook measures one command.
func (m redisMeters) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		began := time.Now()
		err := next(ctx, cmd)
		m.ended(began, err)
		return err
	}
}

// ProcessPipelineHook measures several that travel together.
func (m redisMeters) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		began := time.Now()
		err := next(ctx, cmds)
		m.ended(began, err)
		return err
	}
}

func (m redisMeters) ended(began time.Time, err error) {
	m.seconds.Observe(time.Since(began).Seconds())
	if kind := redisTrouble(err); kind != "" {
		m.errors.WithLabelValues(kind).Inc()
	}
}

// redisTrouble is empty when there is none: that there is no such key, or that a server
// has not met a script yet, is an answer like others.
func redisTrouble(err error) string {
	if err == nil || errors.Is(err, redis.Nil) || redis.HasErrorPrefix(err, "NOSCRIPT") {
		return ""
	}
	var answer redis.Error
	var network net.Error
	switch {
	case errors.As(err, &answer):
		return redisRefused
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return redisLate
	}
	return redisAbsent
}
