package tenancy

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// tryAgain calls f until it succeeds, fails for a reason that will not pass, or has
// been called so many times.
func tryAgain(ctx context.Context, tries int, f func() error) error {
	for try := 1; ; try++ {
		err := f()
		if err == nil || !passes(err) || try >= tries || ctx.Err() != nil {
			return err
		}
		pause := time.Duration(try) * 50 * time.Millisecond
		select {
		case <-time.After(pause + rand.N(pause)):
		case <-ctx.Done():
		}
	}
}

// passes says whether an error may be gone at the next try: somebody had a lock, or
// the server went away.
func passes(err error) bool {
	switch pgCode(err) {
	case lockNotAvailable, deadlock, serializeFailure:
		return true
	case "":
		var ahead AheadError
		return !errors.As(err, &ahead) && !errors.Is(err, errNoSchema) // else the connection broke
	case queryWasCancelled:
		return false // it took longer than the server allows
	}
	class := pgCode(err)[:2]
	return class == "57" || class == "08" // the server is stopping or starting, or cannot reach another that is
}
