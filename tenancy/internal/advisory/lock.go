// Package advisory takes Postgres's advisory locks, under which work is done that several instances may start at once.
// Such a lock belongs to a session: it ends with the process that held it, however that ended, so nothing has to be
// cleaned up after a kill -9.
package advisory

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

// Conn is a pooled connection that holds locks. Its holder does their own work on this connection: were they to wait for
// a second one of the same pool, enough waiters for the lock would have taken them all.
type Conn struct{ *pgxpool.Conn }

// Lock waits for the lock, in a statement of its own.
func Lock(ctx context.Context, pool *pgxpool.Pool, what string) (Conn, error) {
	c, _, err := acquire(ctx, pool, what, `select pg_advisory_lock($1) is not null`)
	return c, err
}

// TryLock reports false at once when another session holds the lock.
func TryLock(ctx context.Context, pool *pgxpool.Pool, what string) (Conn, bool, error) {
	c, ok, err := acquire(ctx, pool, what, `select pg_try_advisory_lock($1)`)
	if err == nil && !ok {
		c.Release()
	}
	return c, ok, err
}

func acquire(ctx context.Context, pool *pgxpool.Pool, what, sql string) (Conn, bool, error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return Conn{}, false, fmt.Errorf("locking %s: %w", what, err)
	}
	var ok bool
	if err := conn.QueryRow(ctx, sql, Key(what)).Scan(&ok); err != nil {
		Conn{conn}.Unlock()
		return Conn{}, false, fmt.Errorf("locking %s: %w", what, err)
	}
	return Conn{conn}, ok, nil
}

// Key is the number Postgres knows a lock by.
func Key(what string) int64 {
	sum := sha256.Sum256([]byte("homeroom " + what))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// Unlock gives the locks up and the connection back to its pool, or closes it if that fails: a lock must not go back into
// the pool with it.
func (c Conn) Unlock() {
	if !UnlockAll(c.Conn.Conn().PgConn()) {
		_ = c.Conn.Conn().Close(context.Background())
	}
	c.Release()
}

// UnlockAll gives up every lock of a session; false means that the session has to be closed.
func UnlockAll(conn *pgconn.PgConn) bool {
	if conn.IsClosed() {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return conn.Exec(ctx, "select pg_advisory_unlock_all()").Close() == nil
}

// Connect opens a connection outside the pool and waits for the lock on it, for work that takes long and happens seldom.
// Closing the connection gives the lock up.
func Connect(ctx context.Context, pool *pgxpool.Pool, what string) (*pgx.Conn, error) {
	conn, _, err := connect(ctx, pool, what, `select pg_advisory_lock($1) is not null`)
	return conn, err
}

// TryConnect is Connect, and reports false at once when another session holds the lock.
func TryConnect(ctx context.Context, pool *pgxpool.Pool, what string) (*pgx.Conn, bool, error) {
	conn, ok, err := connect(ctx, pool, what, `select pg_try_advisory_lock($1)`)
	if err == nil && !ok {
		Close(conn)
	}
	return conn, ok, err
}

// patience is how long a server may take to answer who does such work; nobody waits at a screen for it.
const patience = 15 * time.Second

func connect(ctx context.Context, pool *pgxpool.Pool, what, sql string) (*pgx.Conn, bool, error) {
	config := pool.Config().ConnConfig
	config.ConnectTimeout = max(config.ConnectTimeout, patience)
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, false, err
	}
	var ok bool
	if err := conn.QueryRow(ctx, sql, Key(what)).Scan(&ok); err != nil {
		Close(conn)
		return nil, false, fmt.Errorf("locking %s: %w", what, err)
	}
	return conn, ok, nil
}

// Close closes a connection, without waiting long for its server.
func Close(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}
