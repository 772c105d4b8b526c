package api

import (
	"context"
	"errors"
	"time"

	"homeroom/tenancy"
)

const (
	// moveTimeout is how long a call waits for a school that is being moved to another
	// node, all tries together.
	moveTimeout = 6 * time.Second
	// movePause is between two tries: the next one goes to the school's new node, and waits
	// there if it has to.
	movePause = 10 * time.Millisecond
)

// retryWhileMoving calls f again while its school is being moved: nothing of it was done. Callers
// notice a short wait; after it they get a 503.
func retryWhileMoving[T any](ctx context.Context, f func() (T, error)) (T, error) {
	begun := time.Now()
	for {
		v, err := f()
		if err == nil || !errors.Is(err, tenancy.ErrMoving) || time.Since(begun) > moveTimeout {
			return v, err
		}
		select {
		case <-ctx.Done():
			return v, err
		case <-time.After(movePause):
		}
	}
}
