package api

import (
	"context"
	"errors"
	"time"

	"homeroom/tenancy"
)

const (
	// movePatience is how long a call waits for a school that is on its way to another
	// node, all tries together.
	movePatience = 6 * time.Second
	// movePause is between two tries: who was refused is told where the school is, and
	// then waits there, if it has to wait at all.
	movePause = 10 * time.Millisecond
)

// retryWhileMoving calls f again while its school is being moved: nothing of it was done. Callers
// notice a short wait; after that they are told to try again.
func retryWhileMoving[T any](ctx context.Context, f func() (T, error)) (T, error) {
	begun := time.Now()
	for {
		v, err := f()
		if err == nil || !errors.Is(err, tenancy.ErrMoving) || time.Since(begun) > movePatience {
			return v, err
		}
		select {
		case <-ctx.Done():
			return v, err
		case <-time.After(movePause):
		}
	}
}
