//go:build unix

package localstack

import (
	"context"
	"time"
)

// poll asks until the answer is yes, an error, or the context ends; onEnd says what the end means to a reader.
func poll(ctx context.Context, every time.Duration, ask func() (bool, error), onEnd func() error) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		if done, err := ask(); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return onEnd()
		case <-ticker.C:
		}
	}
}
