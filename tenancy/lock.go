package tenancy

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Work that several instances may start at once is done under an advisory lock.
// Such a lock belongs to a session: it ends with the process that held it, however
// that ended, so nothing has to be cleaned up after a kill -9.

// lockKey is the number Postgres knows a lock by.
func lockKey(what string) int64 {
	sum := sha256.Sum256([]byte("homeroom " + what))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// held is a connection that holds a lock. Who holds it does their own work on this
// connection: were they to wait for a second one of the same pool, enough waiters
// for the lock would have taken them all.
type held struct{ *pgxpool.Conn }

// lock waits for the lock, in a statement of its own.
func lock(ctx context.Context, pool *pgxpool.Pool, what string) (held, error) {
	h, _, err := take(ctx, pool, what, `select pg_advisory_lock($1) is not null`)
	return h, err
}

// tryLock reports false at once when somebody else holds the lock.
func tryLock(ctx context.Context, pool *pgxpool.Pool, what string) (held, bool, error) {
	h, ok, err := take(ctx, pool, what, `select pg_try_advisory_lock($1)`)
	if err == nil && !ok {
		h.Release()
	}
	return h, ok, err
}

func take(ctx context.Context, pool *pgxpool.Pool, what, sql string) (held, bool, error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return held{}, false, fmt.Errorf("locking %s: %w", what, err)
	}
	var ok bool
	if err := conn.QueryRow(ctx, sql, lockKey(what)).Scan(&ok); err != nil {
		held{conn}.release()
		return held{}, false, fmt.Errorf("locking %s: %w", what, err)
	}
	return held{conn}, ok, nil
}

// Alone does work that one instance at a time shall do, and reports false at once when
// another one is at it. The lock dies with its holder: whoever was killed keeps nobody out.
func (c *Cluster) Alone(ctx context.Context, what string, work func(context.Context) error) (bool, error) {
	h, free, err := tryLock(ctx, c.platform, what)
	if err != nil || !free {
		return false, err
	}
	defer h.release()
	return true, work(ctx)
}

// release gives up the lock, and the connection if that fails: the lock must not
// go back into the pool with it.
func (h held) release() {
	if !unlock(h.Conn.Conn().PgConn()) {
		_ = h.Conn.Conn().Close(context.Background())
	}
	h.Release()
}

// unlock frees every lock of a session; false means the session has to be closed.
func unlock(conn *pgconn.PgConn) bool {
	if conn.IsClosed() {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return conn.Exec(ctx, "select pg_advisory_unlock_all()").Close() == nil
}

// dedicate opens a connection outside the pool, under a lock, for work that takes
// long and happens seldom. Closing it releases the lock.
func dedicate(ctx context.Context, pool *pgxpool.Pool, what string) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, pool.Config().ConnConfig)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, `select pg_advisory_lock($1)`, lockKey(what)); err != nil {
		closeConn(conn)
		return nil, fmt.Errorf("locking %s: %w", what, err)
	}
	return conn, nil
}

func closeConn(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}
