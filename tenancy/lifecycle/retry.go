package lifecycle

import (
	"context"
	"errors"
	"homeroom/tenancy"
	"homeroom/tenancy/internal/sqlstate"
	"math/rand/v2"
	"time"
)

// RetryTransient calls f until it succeeds, fails for a reason that is not transient, or has
// been called so many times.
func RetryTransient(ctx context.Context, tries int, f func() error) error {
	for try := 1; ; try++ {
		err := f()
		if err == nil || !IsTransient(err) || try >= tries || ctx.Err() != nil {
			return err
		}
		pause := time.Duration(try) * 50 * time.Millisecond
		select {
		case <-time.After(pause + rand.N(pause)):
		case <-ctx.Done():
		}
	}
}

// IsTransient reports whether an error may be gone at the next try: a lock was taken, or
// the server went away.
func IsTransient(err error) bool {
	switch sqlstate.Of(err) {
	case sqlstate.LockNotAvailable, sqlstate.DeadlockDetected, sqlstate.SerializationFailure:
		return true
	case "":
		var ahead AheadError
		var not NotSpareError
		return !errors.As(err, &ahead) && !errors.As(err, &not) && !errors.Is(err, tenancy.ErrNoSchema) // else the connection broke
	case sqlstate.QueryCanceled:
		return false // it took longer than the server allows
	}
	class := sqlstate.Of(err)[:2]
	return class == "57" || class == "08" // the server is stopping or starting, or cannot reach another that is
}
