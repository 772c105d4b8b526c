package delivery

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Devices are the phones people registered. They are the platform's, since a phone
// may pass from one school's user to another's, and end with their session.
type Devices struct {
	Platform *pgxpool.Pool
	Clock    func() time.Time
}

// Register gives a device to the user who holds it now, whoever had it before.
func (d Devices) Register(ctx context.Context, token, platform string, school, user, session uuid.UUID) error {
	_, err := d.Platform.Exec(ctx, `insert into platform.device_token (token, session_id, school_id, user_id, platform, last_seen_at) values ($1, $2, $3, $4, $5, $6)
		on conflict (token) do update set session_id = excluded.session_id, school_id = excluded.school_id, user_id = excluded.user_id,
			platform = excluded.platform, last_seen_at = excluded.last_seen_at`,
		token, session, school, user, platform, d.Clock())
	if err != nil {
		return fmt.Errorf("registering a device: %w", err)
	}
	return nil
}

// SignedOut removes the devices of a session that is over.
func (d Devices) SignedOut(ctx context.Context, session uuid.UUID) error {
	_, err := d.Platform.Exec(ctx, `delete from platform.device_token where session_id = $1`, session)
	return err
}

// Of are the devices on which a school's user is signed in.
func (d Devices) Of(ctx context.Context, school, user uuid.UUID) ([]string, error) {
	rows, err := d.Platform.Query(ctx, `select t.token from platform.device_token t join platform.session s on s.id = t.session_id
		where t.user_id = $1 and t.school_id = $3 and s.revoked_at is null and s.expires_at > $2 order by t.last_seen_at desc limit 20`, user, d.Clock(), school)
	if err != nil {
		return nil, fmt.Errorf("looking for devices: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// Forget removes a device that is gone.
func (d Devices) Forget(ctx context.Context, token string) error {
	_, err := d.Platform.Exec(ctx, `delete from platform.device_token where token = $1`, token)
	return err
}
