package main

import (
	"context"
	"fmt"
	"time"
)

// idleBytes is the most an idle server may hold.
const idleBytes = 80 << 20

// measureMemory looks at the product as it is, after its start, with nothing to do.
func measureMemory(ctx context.Context, b *bench) error {
	url, err := b.database(ctx, "bench_idle")
	if err != nil {
		return err
	}
	c, err := startChild(ctx, "ours", childSettings{Database: url, Redis: b.redis, Product: true})
	if err != nil {
		return err
	}
	defer c.stop()
	select {
	case <-time.After(2 * time.Second): // until its first jobs are done
	case <-ctx.Done():
		return ctx.Err()
	}
	u, err := c.collected()
	if err != nil {
		return err
	}
	b.report.add(line{
		what: "memory of an idle server: 80 MB (ours / limit)", ours: megabytes(u.RSS), limit: megabytes(idleBytes),
		ratio: float64(u.RSS) / idleBytes, target: atMost(1),
	})
	b.report.note(fmt.Sprintf("Of the idle server's %s, %s are its living heap.", megabytes(u.RSS), megabytes(u.Heap)))
	return nil
}

func megabytes(n int64) string { return fmt.Sprintf("%.0f MB", float64(n)/(1<<20)) }
