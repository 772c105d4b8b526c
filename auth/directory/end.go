package directory

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/api"
)

// ErrSignedOut is the refusal of a session that has ended.
var ErrSignedOut = api.Unauthorized("Your session has ended, sign in again")

// EndAll ends every session of an account but one (uuid.Nil: no exception), and every sign-in
// that waits for its second factor.
func (d *Directory) EndAll(ctx context.Context, on execer, reason string, account, except uuid.UUID) ([]uuid.UUID, error) {
	if _, err := on.Exec(ctx, `update platform.account set epoch = epoch + 1 where id = $1`, account); err != nil {
		return nil, fmt.Errorf("ending sign-ins: %w", err)
	}
	return d.Revoke(ctx, on, reason, `account_id = $3 and id <> $4`, account, except)
}

// EndWhere revokes the sessions that match and publishes that to every instance.
func (d *Directory) EndWhere(ctx context.Context, reason, where string, args ...any) (int, error) {
	ended, err := d.Revoke(ctx, d.Cluster.PlatformPool(), reason, where, args...)
	d.PublishEnded(ended)
	return len(ended), err
}

// querier is the platform's pool, or a transaction on it.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

type execer interface {
	querier
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// Revoke marks the sessions that match as over; the caller publishes it after the commit.
func (d *Directory) Revoke(ctx context.Context, on querier, reason, where string, args ...any) ([]uuid.UUID, error) {
	rows, err := on.Query(ctx, `update platform.session set revoked_at = $1, revoke_reason = $2
		where revoked_at is null and `+where+` returning id`, append([]any{d.Clock(), reason}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("ending sessions: %w", err)
	}
	ended, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("ending sessions: %w", err)
	}
	return ended, nil
}

// PublishEnded tells every instance that sessions have ended.
func (d *Directory) PublishEnded(sessions []uuid.UUID) {
	for _, id := range sessions {
		d.SessionEnded(id)
	}
}
